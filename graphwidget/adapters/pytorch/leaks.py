"""Leaks: graphs that stay alive turn after turn, because something keeps what has a history.

Counting the living nodes at each backward costs nothing; only when they have become more for a
while is it looked up whose they are: the graphs of which line, the tensors that end them, and the
list or the variable in which these are kept.
"""

from __future__ import annotations

import ast
import gc
import linecache
from bisect import bisect
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any, NamedTuple

import torch

from ...recording.findings import Finding, Place
from ...recording.fold import Model
from ...recording.sites import cell_of, function_of
from . import fixes
from .identity import Identity
from .lines import name_of_value, place_of_call
from .tensor_facts import grad_fn_of

WINDOW = 6
"""Backward runs from one line over which the fewest living nodes are taken."""
MAX_PLACES = 1_000
MAX_LINES = 20_000
PUT = ("append", "add", "appendleft")
"""Methods that put something into a container."""


class Count:
    """Tells when the living nodes have become more, between runs from the same line."""

    def __init__(self) -> None:
        self._places: dict[Any, tuple[int, int, int | None]] = {}

    def rises(self, place: Any, living: int) -> bool:
        """Note how many nodes live; whether those that always live have become more by one a run,
        or more, since the last window."""
        runs, fewest, before = self._places.get(place, (0, living, None))
        runs, fewest = runs + 1, min(fewest, living)
        if len(self._places) > MAX_PLACES:
            self._places.clear()
        if runs < WINDOW:
            self._places[place] = runs, fewest, before
            return False
        self._places[place] = 0, 1 << 62, fewest
        return before is not None and fewest >= before + WINDOW


class Keeper(NamedTuple):
    """What keeps tensors: its name, and the line that puts them there."""

    name: str
    place: Place | None
    fix: str


def leak(
    model: Model,
    living: Iterable[int],
    source: int | None,
    tensors: list[tuple[int, torch.Tensor]],
    frame: FrameType | None,
) -> Finding | None:
    """What keeps the graphs of earlier turns alive, if something does.

    ``living`` are the nodes that ran and live (those that did not may be waited for), ``source`` is
    the line whose runs part the turns, ``tensors`` (node, tensor) those that have a history."""
    starts = [row["time"] for row in model.runs.values() if row["source"] == source]
    turns: dict[int, set[int]] = {}
    old: dict[int, int] = {}
    for number in living:
        row = model.nodes.get(number)
        call = None if row is None else model.calls.get(row["call"])
        if row is None or call is None or row["variable"] is not None:
            continue
        turn = bisect(starts, row["time"])
        if turn < len(starts):
            turns.setdefault(call["source"], set()).add(turn)
            old[number] = turn
    if max(map(len, turns.values()), default=0) < WINDOW:
        return None
    kept = [(number, tensor) for number, tensor in tensors if number in old]
    several = len({old[number] for number, _ in kept}) >= WINDOW
    keepers: list[Keeper] = []
    if several:
        keepers = list(_containers([tensor for _, tensor in kept], frame))
    reader = _maker(model, kept[0][0]) if several else None
    if not several:
        keepers, reader = _growing(model, tensors, old)
    if not keepers:
        return None
    names = " and ".join(each.name for each in keepers)
    text = f"{names} {'keeps' if len(keepers) == 1 else 'keep'} the graph of every turn alive: "
    text += f"{len(old)} nodes of earlier turns by now."
    return Finding("leak", reader, keepers[0].place, keepers[0].fix, text)


def _maker(model: Model, node: int) -> Place | None:
    row = model.nodes.get(node)
    return None if row is None else place_of_call(model, row["call"])


def _containers(tensors: list[torch.Tensor], frame: FrameType | None) -> Iterator[Keeper]:
    """The containers that hold most of the tensors, by the names that the program has for them."""
    held: dict[int, tuple[Any, int]] = {}
    own = {id(tensors)}
    for tensor in tensors:
        for each in gc.get_referrers(tensor):
            holds = isinstance(each, (list, tuple, set, dict)) or hasattr(each, "append")
            if holds and id(each) not in own:
                held[id(each)] = each, held.get(id(each), (each, 0))[1] + 1
    wanted = [each for each, count in held.values() if count >= WINDOW]
    for container in wanted:
        found = _named(container, frame)
        if found is not None:
            name, where = found
            yield Keeper(name, *_line(name, where))


def _named(container: Any, frame: FrameType | None) -> tuple[str, FrameType] | None:
    """What the program calls an object: a variable, or an attribute of one."""
    while frame is not None:
        for space in (frame.f_locals, frame.f_globals):
            for name, value in list(space.items()):
                if value is container and not name.startswith("_"):
                    return name, frame
            for name, value in list(space.items()):
                own = getattr(value, "__dict__", None)
                if isinstance(value, type) or not isinstance(own, dict):
                    continue
                for attribute, each in list(own.items()):
                    if each is container:
                        return f"{name}.{attribute}", frame
        frame = frame.f_back
    return None


def _line(name: str, frame: FrameType) -> tuple[Place | None, str]:
    """The line that puts something into a container, and the same with what it puts detached."""
    file = frame.f_code.co_filename
    lines = linecache.getlines(file, frame.f_globals)[:MAX_LINES]
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return None, ""
    last = name.rpartition(".")[2]
    for node in ast.walk(tree):
        value = _put(node, last)
        if value is None:
            continue
        number = value.lineno
        text = lines[number - 1].strip()
        cell = cell_of(file)
        file = file if cell is None else f"cell {cell}"
        place = Place(file, number, text, function_of(frame.f_code))
        return place, fixes.detached(text, ast.unparse(value))
    return None, ""


def _put(node: ast.AST, name: str) -> ast.expr | None:
    """What a statement puts into a container of that name: ``x`` of ``losses.append(x)``."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value
        method = call.func
        if not isinstance(method, ast.Attribute) or method.attr not in PUT:
            return None
        return call.args[-1] if _last(method.value) == name and call.args else None
    if isinstance(node, ast.AugAssign) and _last(node.target) == name:
        value = node.value
        return value.elts[0] if isinstance(value, ast.List) and value.elts else None
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return node.value if _last(node.targets[0].value) == name else None
    return None


def _last(value: ast.expr) -> str:
    if isinstance(value, ast.Attribute):
        return value.attr
    return value.id if isinstance(value, ast.Name) else ""


def _growing(
    model: Model, tensors: list[tuple[int, torch.Tensor]], old: dict[int, int]
) -> tuple[list[Keeper], Place | None]:
    """The tensor whose own graph has come to hold those of earlier turns: a sum over turns."""
    best: tuple[int, int, set[int]] = (0, 0, set())
    for number, _tensor in tensors:
        seen = _behind(model, number)
        turns = len({old[each] for each in seen if each in old})
        if turns > best[0]:
            best = turns, number, seen
    if best[0] < WINDOW:
        return [], None
    row = model.nodes[best[1]]
    place = place_of_call(model, row["call"])
    names = [name_of_value(model, value) for value in row["outputs"]]
    name = next((each for each in names if each), "")
    if place is None:
        return [], None
    call = model.calls.get(row["call"])
    given = [] if call is None else [each for each in call["inputs"] if isinstance(each, int)]
    added = [name_of_value(model, value) for value in given]
    reader = next(
        (
            place_of_call(model, model.values[value]["call"])
            for value in reversed(given)
            if value in model.values and model.values[value]["call"] is not None
        ),
        None,
    )
    what = next((each for each in reversed(added) if each and each != name), "")
    return [Keeper(name or "A sum", place, fixes.detached(place.text, what))], reader


def _behind(model: Model, start: int) -> set[int]:
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        row = model.nodes.get(waiting.pop())
        if row is not None and row["node"] not in seen:
            seen.add(row["node"])
            waiting.extend(before for before, _nr in row["next"] if before is not None)
    return seen


def with_history(identity: Identity) -> list[tuple[int, torch.Tensor]]:
    """(node, tensor) of the living tensors that were met and have a history."""
    found = []
    for ref in list(identity.refs.values()):
        tensor = ref()
        node = None if tensor is None else grad_fn_of(tensor)
        number = None if node is None else identity.edge(node)
        if tensor is not None and number is not None:
            found.append((number, tensor))
    return found
