"""Leaks: graphs that stay alive in each iteration, because something keeps a tensor with a history.

Counting the living nodes at each backward costs nothing; only if their number rises for a while is
their owner looked for: the line of the graphs, the tensors at their ends, and the list or the
variable that keeps these.
"""

from __future__ import annotations

import ast
import gc
import linecache
import sys
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from types import FrameType
from typing import Any, NamedTuple

import torch

from ...recording.findings import Finding, Place
from ...recording.fold import Model, Row
from ...recording.looking import attributes, is_a, items, text
from ...recording.places import cell_of, file_in_words
from ...recording.sites import function_of
from . import history_fixes
from .fixes import Replaced
from .identity import Identity
from .lines import name_of_value, place_of_call, statement
from .statements import valid
from .tensor_facts import grad_fn_of

WINDOW = 6
"""Backward runs from one line over which the fewest living nodes are taken."""
LAST = 4
"""Tensors of an iteration whose containers are looked for."""
MANY = 1 << 62
"""More than there are nodes."""
MAX_PLACES = 1_000
MAX_LINES = 20_000
HOLDERS = (list, tuple, set, dict)


class Count:
    """Reports a growing number of living nodes, between runs from the same line."""

    def __init__(self) -> None:
        self._places: dict[Any, tuple[int, int, int | None]] = {}

    def rises(self, place: Any, living: int) -> bool:
        """Record how many nodes live; whether those that always live have become more by one a run,
        or more, since the last window."""
        if place not in self._places:  # no iteration was before, so fewer live than will ever again
            if len(self._places) > MAX_PLACES:
                self._places.clear()
            self._places[place] = 1, MANY, None
            return False
        runs, fewest, before = self._places[place]
        runs, fewest = runs + 1, min(fewest, living)
        if runs < WINDOW:
            self._places[place] = runs, fewest, before
            return False
        self._places[place] = 0, MANY, fewest
        return before is not None and fewest >= before + WINDOW - 1  # the first one is shorter


class Keeper(NamedTuple):
    """Object that keeps tensors: its name, and the line that puts them there."""

    name: str
    place: Place | None
    fix: str


def leak(
    model: Model,
    living: Iterable[int],
    starts: list[int],
    tensors: list[tuple[int, torch.Tensor]],
    frame: FrameType | None,
    waits: bool = False,
) -> list[Finding]:
    """Return one finding for each object that keeps the graphs of earlier iterations alive.

    ``living`` are the nodes that count, ``starts`` when each iteration began, ``tensors`` (node,
    tensor) those that have a history. ``waits`` is True if no backward has run through these nodes:
    then a growing graph is reported only if it adds up values that do not depend on each other."""
    by_line: dict[int, set[int]] = {}
    old: dict[int, int] = {}
    for number in living:
        row = model.nodes.get(number)
        call = None if row is None else model.calls.get(row["call"])
        if row is None or call is None or row["variable"] is not None:
            continue
        nr = bisect(starts, row["time"])
        if nr < len(starts):
            by_line.setdefault(call["source"], set()).add(nr)
            old[number] = nr
    if max(map(len, by_line.values()), default=0) < WINDOW:
        return []
    kept = [(number, tensor) for number, tensor in tensors if number in old]
    several = len({old[number] for number, _ in kept}) >= WINDOW
    several = several and not (waits and _chained(model, old, [number for number, _ in kept]))
    found: list[tuple[Keeper, Place | None]] = []
    reader = _maker(model, kept[0][0]) if several else None
    if several:
        found = [(each, reader) for each in _containers(_last_of_each(kept, old), frame)]
    if waits and several and not found and reader is not None:
        listed = statement(model, reader)
        if history_fixes.detached_whole(listed) and " for " in listed:
            list_ = Keeper("The list", reader, history_fixes.detached_whole(listed))
            found = [(list_, reader)]
    if found or waits or not several:
        sums, of = _growing(model, tensors, old, waits or bool(found))
        found += [(each, of) for each in sums]
    places: dict[Place | str, Finding] = {}
    for keeper, of in found:
        text = f"{keeper.name} keeps the graph of every iteration alive: {len(old)} nodes of "
        text += "earlier iterations by now"
        text += ", which no backward ran through: evaluate under torch.no_grad()." if waits else "."
        finding = Finding("leak", of, keeper.place, keeper.fix, text)
        places.setdefault(keeper.place or keeper.name, finding)
    return list(places.values())


def _last_of_each(kept: list[tuple[int, torch.Tensor]], old: dict[int, int]) -> list[torch.Tensor]:
    """The tensors that were made last in each of the last iterations: a program keeps these,
    PyTorch itself keeps others."""
    by_iteration: dict[int, list[torch.Tensor]] = {}
    for number, tensor in sorted(kept, key=lambda each: -each[0]):
        by_iteration.setdefault(old[number], []).append(tensor)
    return [tensor for turn in list(by_iteration.values())[: 3 * WINDOW] for tensor in turn[:LAST]]


def _chained(model: Model, old: dict[int, int], numbers: list[int]) -> bool:
    """Return whether the last of these nodes was computed from one of an earlier iteration."""
    last = max(numbers)
    return any(old.get(number, old[last]) < old[last] for number in _behind(model, last))


def _maker(model: Model, node: int) -> Place | None:
    row = model.nodes.get(node)
    return None if row is None else place_of_call(model, row["call"])


def _containers(tensors: list[torch.Tensor], frame: FrameType | None) -> Iterator[Keeper]:
    """The containers of several of the tensors, by their names in the program. Finding referrers
    takes a look at all objects: it is done twice and no more."""
    direct = [each for each in gc.get_referrers(*tensors) if each is not tensors and _holds(each)]
    items = [each for each in direct if is_a(each, (tuple, dict))]
    outer = [each for each in gc.get_referrers(*items) if _holds(each)] if items else []
    own = {id(tensors), id(direct), id(items), id(outer)}
    wanted = {id(each) for each in tensors}
    for each in {id(each): each for each in (*direct, *outer)}.values():
        count, inner = _count(each, wanted)
        found = _named(each, frame) if count >= WINDOW and id(each) not in own else None
        if found is not None:
            yield Keeper(found[0], *_line(*found, inner))


def _holds(value: Any) -> bool:
    return is_a(value, HOLDERS) or any("append" in vars(kind) for kind in type(value).__mro__)


def _count(container: Any, wanted: set[int]) -> tuple[int, list[Any]]:
    """Count the items in which a container holds objects with these addresses; if the items are
    tuples or dictionaries, also where in these."""
    count, inner = 0, dict[Any, None]()
    try:
        members = items(container) if is_a(container, (dict, list, tuple)) else enumerate(container)
        for _, item in list(members):
            several = is_a(item, (dict, tuple))
            places = items(item) if several else enumerate([item])
            keys = [key for key, each in places if id(each) in wanted]
            count += bool(keys)
            inner.update(dict.fromkeys(keys if several else ()))
    except Exception:  # it is no container that can be gone through
        return 0, []
    return count, [*inner]


def _named(container: Any, frame: FrameType | None) -> tuple[str, list[tuple[str, str]]] | None:
    """Return the program's name for an object: a variable, or an attribute or an item of one; and
    the files and functions that may add to it."""
    while frame is not None:
        here = frame.f_code.co_filename, function_of(frame.f_code)
        for space in (frame.f_locals, frame.f_globals):
            named = [each for each in space.items() if not each[0].startswith("__")]
            for name, value in named:
                if value is container and not name.startswith("_"):
                    return name, [here]
                key = _key(value, container)
                if key is not None:
                    return f"{name}[{text(key)}]", [here]
            for name, value in named:
                own = attributes(value)
                if not own:
                    continue
                module = sys.modules.get(type(value).__module__)
                of_class = getattr(module, "__file__", None) or here[0], type(value).__qualname__
                for attribute, each in list(own.items()):
                    key = _key(each, container)
                    if each is container or key is not None:
                        item = "" if key is None else f"[{text(key)}]"
                        return f"{name}.{attribute}{item}", [here, of_class]
        frame = frame.f_back
    return None


def _key(value: Any, container: Any) -> str | None:
    """The text of the key by which a dictionary has a container, if it has."""
    found = items(value) if is_a(value, dict) else ()
    keys = (key for key, each in found if each is container)
    return next((key for key in keys if is_a(key, str)), None)


def _line(
    name: str, files: list[tuple[str, str]], inner: Sequence[Any] = ()
) -> tuple[Place | None, str]:
    """The line that puts something into a container, and the same with what it puts detached."""
    last = name.rpartition(".")[2]
    for file, function in files:
        lines = linecache.getlines(file)[:MAX_LINES]
        try:
            tree = ast.parse("".join(lines))
        except SyntaxError:
            continue
        nodes = [pair for node in ast.walk(tree) for pair in _putting(node)]
        found = [(history_fixes.put(each, last), node) for each, node in nodes]
        found += [
            (history_fixes.put(each, last.partition("[")[0], True), node) for each, node in nodes
        ]
        for value, node in found:
            if value is not None and isinstance(node, ast.stmt):
                where = file_in_words(cell_of(file), file)
                place = Place(where, node.lineno, lines[node.lineno - 1].strip(), function)
                return place, _kept_numbers(node, value, inner)
    return None, ""


def _putting(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """A node, and what the functions without a name that a statement has do, with the statement."""
    yield node, node
    if isinstance(node, ast.stmt) and not hasattr(node, "body"):
        for each in ast.walk(node):
            if isinstance(each, ast.Lambda):
                yield ast.Expr(each.body), node


def _kept_numbers(node: ast.stmt, value: ast.expr, inner: Sequence[Any]) -> str:
    """A statement that puts a value into a container, with it detached, or with parts of it."""
    parts = [_inner(value, each) for each in inner]
    if all(part is not value for part in parts):
        text = ast.unparse(node)
        for part in dict.fromkeys(map(ast.unparse, parts or [value])):
            text = history_fixes.detached(text, part)
        return text
    name, each = ast.unparse(value), "each.detach() if torch.is_tensor(each) else each"
    code = f"tuple({each} for each in {name})"
    if not isinstance(inner[0], int):
        code = f"{{key: {each} for key, each in {name}.items()}}"
    return valid(ast.unparse(Replaced(value, ast.parse(code, mode="eval").body).visit(node)))


def _inner(value: ast.expr, inner: Any) -> ast.expr:
    """The expression of a part of a tuple or a dictionary that is put together."""
    if isinstance(value, ast.Tuple | ast.Call) and isinstance(inner, int):
        parts = value.elts if isinstance(value, ast.Tuple) else value.args
        return parts[inner] if inner < len(parts) else value
    if isinstance(value, ast.Dict):
        for key, each in zip(value.keys, value.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == inner:
                return each
    return value


def _growing(
    model: Model, tensors: list[tuple[int, torch.Tensor]], old: dict[int, int], waits: bool
) -> tuple[list[Keeper], Place | None]:
    """The tensor whose own graph contains those of earlier iterations: a sum over them.
    ``waits`` says that only sums count."""
    best: tuple[int, int, set[int]] = (0, 0, set())
    for number, _tensor in tensors:
        seen = _behind(model, number)
        count = len({old[each] for each in seen if each in old})
        if count > best[0]:
            best = count, number, seen
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
    if waits and not _adds_up(model, call):
        return [], None
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
    line = statement(model, place)
    fix = history_fixes.detached(line, what) or history_fixes.detached_whole(line)
    return [Keeper(name or "A sum", place, fix)], reader


def _adds_up(model: Model, call: Row | None) -> bool:
    """Return whether a call adds two that have nothing in common but leaves."""
    if call is None or call["op"].strip("_") != "add":
        return False
    values = [model.values.get(each) for each in call["inputs"] if isinstance(each, int)]
    nodes = [each["node"] for each in values if each is not None and each["node"] is not None]
    behind = [_behind(model, each) for each in nodes]
    both = behind[0] & behind[1] if len(behind) == 2 else {0}
    return all(each in model.nodes and model.nodes[each]["variable"] is not None for each in both)


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
    """(node, tensor) of the known living tensors that have a history."""
    found = []
    for ref in list(identity.refs.values()):
        tensor = ref()
        node = None if tensor is None else grad_fn_of(tensor)
        number = None if node is None else identity.edge(node)
        if tensor is not None and number is not None:
            found.append((number, tensor))
    return found
