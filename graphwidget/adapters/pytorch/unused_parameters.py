"""Parameters that never get a gradient, or that are in no optimizer, though they are to learn.

Many correct programs have some: experts that were not chosen, a head for another task, a part that
a moving average writes. So one is reported only if it is in an optimizer that steps (or, if none
steps, others of its model learn), nothing else writes it, and one of two things is true: it was
used in a module's call before that step, and the result was lost; or the program is over, and no
line of it names its module.
"""

from __future__ import annotations

import ast
import gc
import linecache
import re
from collections.abc import Iterable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import torch

from ...recording.findings import Finding, Place
from ...recording.fold import Model, Row
from ...recording.libraries import is_library
from ...recording.positions import Position
from ...recording.recorder import Ref
from ...recording.sites import Site
from ..optimizer_steps import is_step
from . import fixes
from .identity import Identity
from .lines import (
    MAX_LINES,
    name_as_read,
    place_in,
    place_of,
    place_of_call,
    source_of,
    statement,
)
from .loss_fixes import fix_keeping_history
from .no_graph import DETACHES, cut, lost_before
from .parameter_fixes import makes_a_leaf, without_new_leaf
from .unreached_inputs import computed_from
from .without_optimizer import unowned

LISTED = 8
CASTING = ("cpu", "cuda")
"""Devices whose autocast is asked for."""
PARTS = re.compile(r"\[[^\]]*\]|\.?\w+")
"""Of a path like ``net.layers[2].weight``."""
ANY_MEMBER = re.compile(r"\b(getattr|children|named_children|modules|_modules|__dict__)\b")
"""Code that reaches members of an object without their names."""


class Learners:
    """The parameters of the models that were called, and those of the optimizers that step."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.parameters: list[Ref] = []
        self.owned: set[int] = set()
        """Storages of the parameters of optimizers that made a step."""
        self.bare: dict[str, set[int]] = {}
        """By the classes of optimizers: storages of what never had a gradient when they stepped."""
        self.stepped_at: Position | None = None
        """Position of a step that found no gradient."""
        self.cast_at: Position | None = None
        """Position of steps in an autocast region that caches its casts."""
        self.bare_after: dict[int, tuple[int, ...]] = {}
        """By storages of what an optimizer stepped in vain: the losses of the backward before."""
        self._counts: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def go_on_from(self, before: Learners) -> None:
        """Continue with the parameters and optimizers of another one."""
        self.parameters, self.owned, self.bare = before.parameters, before.owned, before.bare

    def steps(
        self,
        optimizer: Any,
        stepping: Sequence[Ref],
        position: Position | None,
        losses: tuple[int, ...],
    ) -> None:
        """Record a step of an optimizer, which writes those that are ``stepping``. The backward
        before it began at ``losses``."""
        if not stepping and position is not None:  # a closure computes gradients in the step
            self.stepped_at = position
        if torch.is_autocast_cache_enabled() and any(map(torch.is_autocast_enabled, CASTING)):
            self.cast_at = position
        groups = [group["params"] for group in optimizer.param_groups]
        count = sum(map(len, groups))
        if self._counts.get(optimizer) != count:
            self._counts[optimizer] = count
            known = [self.identity.current(each) for group in groups for each in group]
            self.owned.update(each.storage for each in known)
            bare = self.bare.setdefault(type(optimizer).__name__, set())
            bare.update(each.storage for each in known)
            if not stepping:
                self.bare_after.update((each.storage, losses) for each in known)
        if self.bare[type(optimizer).__name__]:
            self.bare[type(optimizer).__name__].difference_update(each.storage for each in stepping)

    def in_optimizers(self) -> set[int]:
        """Storages of the parameters of all optimizers, also of those that made no step; slow."""
        kind = torch.optim.Optimizer  # of other objects nothing is asked, they may answer anything
        living = [each for each in gc.get_objects() if issubclass(type(each), kind)]
        optimized = [x for each in living for group in each.param_groups for x in group["params"]]
        return {
            known.storage for each in optimized if (known := self.identity.known(each)) is not None
        }

    def any_idle(self, graded: set[int]) -> bool:
        """Return whether a parameter got no gradient that needs one; ``graded`` are the storages of
        those that got one."""
        return any(
            each.facts.requires_grad and each.storage not in graded for each in self.parameters
        )

    def any_stray(self, graded: set[int]) -> bool:
        """Return whether a parameter in an optimizer never had a gradient; or, if there is an
        optimizer, whether a parameter that is in none got one."""
        return any(self.bare.values()) or (
            bool(self.owned)
            and any(
                each.storage in graded and each.storage not in self.owned
                for each in self.parameters
            )
        )


def unused(
    model: Model, learners: Learners, graded: set[int], numbers: dict[int, Site],
    origins: dict[int, Site], frozen: dict[int, Site], over: bool,
) -> Finding | None:  # fmt: skip
    """The parameters that never got a gradient, or that are in no optimizer, in what was done since
    the model's snapshot, if it has one. ``numbers`` says where values became numbers, ``origins``
    where the program's own tensors were made, ``frozen`` where ``requires_grad`` was set to False,
    ``over`` that the program has ended."""
    owned = learners.owned
    runs = [run["status"] for run in model.runs.values() if run["time"] >= model.dropped]
    if not runs or runs[-1] != "ok":
        return None
    uses = _uses(model)
    idle = _idle(model, owned, graded, uses)
    used = {path: row for path, row in idle.items() if row["storage"] in uses}
    twice = _differentiated(model) if used else set()
    lost = {
        path: row
        for path, row in used.items()
        if all(call["call"] not in twice for call in uses[row["storage"]])
    }
    if lost:
        steps = [learners.bare_after.get(row["storage"], ()) for row in lost.values()]
        found = _lost(model, lost, uses, numbers, {loss for losses in steps for loss in losses})
        return None if _by_a_library(found) else found
    never = [path for path in idle if path not in used]
    if not over or not owned:
        return None
    sources = [(file, "".join(linecache.getlines(file)[:MAX_LINES])) for file in _files(model)]
    stray = unowned(model, dict(_named(model)), graded, learners.bare, owned, sources, frozen)
    if stray is None and owned.isdisjoint(graded):
        return _nothing_learns(model, learners, graded, numbers, origins)
    return stray or _forgotten(model, never)


def _nothing_learns(
    model: Model, learners: Learners, graded: set[int], numbers: dict[int, Site],
    origins: dict[int, Site],
) -> Finding | None:  # fmt: skip
    """Report optimizers' tensors that never had a gradient at any step, because the leaves that got
    the gradients were made from them."""
    idle = set().union(*learners.bare.values())
    names = {path: row for path, row in _all_named(model, idle) if row["storage"] in idle}
    mine = _made_of(model, idle)
    values = reversed(model.values.items())  # the newest first
    leaves = [nr for nr, row in values if row["leaf"] and row["storage"] in graded]
    bare = {
        each
        for call in model.calls.values()
        if call["op"] in DETACHES
        if not mine.isdisjoint(call["inputs"])
        for each in call["outputs"]
    }
    lost = {value: site for value, site in numbers.items() if value in mine | bare}
    reader = place_in(model, list(model.runs.values())[-1]["source"])
    found = lost_before(model, leaves, mine, reader, origins, lost)
    if not names or idle != learners.owned or found is None or found.culprit is None:
        return None
    return found._replace(kind="unused", text=f"{_listed(names)} {found.text}")


def _files(model: Model) -> list[str]:
    """The files of the program."""
    files = {row["file"] for row in model.sources.values() if row["cell"] is None}
    return sorted(each for each in files if each is not None)


def _uses(model: Model) -> dict[int, list[Row]]:
    """By storages of parameters, the calls that were given them before the last step of an
    optimizer, if one made any; of those of modules only calls in modules."""
    members = {row["storage"] for _path, row in _named(model)}
    steps = [call["time"] for call in model.calls.values() if is_step(call)]
    until = steps[-1] if steps else model.time
    found: dict[int, list[Row]] = {}
    for call in model.calls.values():
        scope = model.scopes.get(call["scope"])
        inside = scope is not None and scope["kind"] == "module"
        if is_step(call) or not model.dropped <= call["time"] < until:
            continue
        for each in call["inputs"]:
            row = model.values.get(each)
            if row is not None and row["parameter"] and (inside or row["storage"] not in members):
                found.setdefault(row["storage"], []).append(call)
    return found


def _idle(
    model: Model, owned: set[int], graded: set[int], uses: dict[int, list[Row]]
) -> dict[str, Row]:
    """The parameters, by their paths, that got no gradient and should have one."""
    began = min(run["time"] for run in model.runs.values() if run["time"] >= model.dropped)
    named = [*_all_named(model, owned)]
    learning = {_root(path) for path, row in named if row["storage"] in graded & uses.keys()}
    if owned and owned.isdisjoint(graded & uses.keys()):
        return {}
    return {
        path: row
        for path, row in named
        if row["requires_grad"] and row["storage"] not in graded
        if (row["storage"] in owned if owned else _root(path) in learning)
        if not any(each["time"] > began for each in model.storages[row["storage"]]["writes"])
    }  # fmt: skip


def _named(model: Model) -> Iterable[tuple[str, Row]]:
    for row in model.values.values():
        names = [name for scope, name in row["names"] if scope == "module"]
        if names and row["parameter"] and row["next"] is None:
            yield str(names[-1]), row


def _all_named(model: Model, owned: set[int]) -> Iterable[tuple[str, Row]]:
    return (*_named(model), *_own(model, owned))


def _own(model: Model, owned: set[int]) -> Iterable[tuple[str, Row]]:
    """The program's own parameters in optimizers, which are no module's."""
    members = {row["storage"] for _path, row in _named(model)}
    for row in model.values.values():
        own = row["storage"] in owned and row["storage"] not in members
        if own and row["parameter"] and row["next"] is None:
            shape = list(row["summary"][0])
            named = f"{row['names'][-1][1]} (of shape {shape})" if row["names"] else ""
            named = named or name_as_read(model, row["value"])
            yield named or f"a parameter of shape {shape}", row


def _root(path: str) -> str:
    return str(PARTS.findall(path)[0])


def _listed(paths: Iterable[str]) -> str:
    names = list(paths)
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    listed = f"{', '.join(names[:LISTED])}{more}"
    return f"These parameters got no gradient from any backward: {listed}."


# What was used -----------------------------------------------------------------------------
def _lost(
    model: Model, idle: dict[str, Row], uses: dict[int, list[Row]], numbers: dict[int, Site],
    losses: set[int],
) -> Finding:  # fmt: skip
    """Report parameters whose results were detached, became numbers or were not used. The inputs of
    ``losses``, after which the parameters were to be stepped, are looked at first."""
    text = _listed(idle)

    def begins_anew(place: Place) -> Finding | None:
        line, source = statement(model, place), source_of(model, place)
        if not makes_a_leaf(line):
            return None
        more = " A new leaf is made of what comes from them here, and a leaf has no history:"
        more += " compute with the tensor itself."
        fix = without_new_leaf(source, place, line)
        return Finding("unused", None, place, fix, text + more)

    first = {call["call"] for row in idle.values() for call in uses[row["storage"]]}
    cuts, values, left = _followed(model, first)
    sharp = [pair for pair in cuts if pair[0]["op"] in ("detach", "data")]
    if len(sharp) > 1 and losses:
        made = computed_from(model, losses)
        sharp.sort(key=lambda pair: pair[1]["value"] not in made)
    for call, row in sharp or cuts:
        place = place_of_call(model, call["call"])
        if place is not None and "deepcopy(" in place.text:
            text += " A copy of them is used, whose parameters are leaves of their own, without"
            text += " their history. Give the module what is computed from them, as"
            text += " torch.func.functional_call does."
            return Finding("unused", None, place, "", text)
        if place is not None and (found := begins_anew(place)) is not None:
            return found
        if place is not None and sharp:
            text += (
                " What comes from them is cut off here; if that is not meant, leave the cut out."
            )
            return Finding("unused", None, place, fix_keeping_history(model, place, None), text)
        if place is not None:
            found = cut(model, call, row, None)
            return found._replace(kind="unused", text=f"{text} {found.text}")
    for value in values & numbers.keys():
        place = place_of(numbers[value])
        if place is not None:
            text += " What comes from them became a number or an array here."
            return Finding("unused", None, place, fix_keeping_history(model, place, None), text)
    places = [place for call in left if (place := place_of_call(model, call)) is not None]
    for place in places:
        if (found := begins_anew(place)) is not None:
            return found
    if not places:
        return Finding("unused", None, None, "", text)
    text += " What comes from them is used for nothing."
    return Finding("unused", None, places[0], fixes.kept_result(statement(model, places[0])), text)


def _by_a_library(found: Finding) -> bool:
    """Return whether a library's module leaves it unused, or cuts it off, as many are meant
    to."""
    return found.culprit is not None and is_library(found.culprit.file)


def _differentiated(model: Model) -> set[int]:
    """The calls from which came what ``autograd.grad`` differentiated, to be differentiated again:
    a derivative need not depend on all that its function depends on, as on a last bias."""
    values: set[int] = set()
    found: set[int] = set()
    for call in reversed(model.calls.values()):
        made = [model.values[each] for each in call["outputs"] if each in model.values]
        if call["op"] == "grad" and any(row["requires_grad"] for row in made):
            values.update(call["inputs"])
        elif not is_step(call) and not values.isdisjoint(call["outputs"]):
            found.add(call["call"])
            values.update(call["inputs"])
    return found


def _followed(model: Model, first: set[int]) -> tuple[list[tuple[Row, Row]], set[int], list[int]]:
    """Follow the results of calls: return the calls that removed their history, with the results;
    all values with a history; and the calls whose results were not used."""
    cuts: list[tuple[Row, Row]] = []
    values: set[int] = set()
    left: dict[int, int] = {}
    for call in model.calls.values():
        if call["call"] not in first and values.isdisjoint(call["inputs"]):
            continue
        for each in call["inputs"]:
            left.pop(each, None)
        made = [model.values[each] for each in call["outputs"] if each in model.values]
        bare = [row for row in made if not row["requires_grad"]]
        if bare:
            cuts.append((call, bare[0]))
            continue
        values.update(call["outputs"])
        left.update(dict.fromkeys(call["outputs"], call["call"]))
    return cuts, values, list(dict.fromkeys(left.values()))


# What was not ------------------------------------------------------------------------------
def _made_of(model: Model, storages: set[int]) -> set[int]:
    """The values of these storages, and all that was computed of them with a history."""
    values = model.values
    made = {nr for nr, row in values.items() if row["storage"] in storages and row["requires_grad"]}
    for call in model.calls.values():
        if not made.isdisjoint(call["inputs"]):
            rows = {nr: values[nr] for nr in call["outputs"] if nr in values}
            made.update(nr for nr, row in rows.items() if row["requires_grad"] and not row["leaf"])
    return made


def _forgotten(model: Model, idle: list[str]) -> Finding | None:
    """Members of modules that are given parameters, and that no line of the program reads."""
    files = {row["file"] for row in model.sources.values()}
    if None in files or any(row["cell"] is not None for row in model.sources.values()):
        return None  # another cell may read them
    trees = {file: _tree(file) for file in sorted(files)}
    reached = {path for path, _row in _named(model)} - set(idle)
    for path in dict.fromkeys(_whole(path, reached) for path in idle):
        name = PARTS.findall(path)[-1].removeprefix(".")
        if not name.isidentifier() or any(_reads(tree, name) for tree in trees.values()):
            continue
        made = [(file, node) for file, tree in trees.items() for node in _makes(tree, name)]
        if len(made) == 1:
            file, node = made[0]
            line = linecache.getline(file, node.lineno).strip()
            place = Place(file, node.lineno, line, "__init__")
            text = f"{_listed(each for each in idle if _within(each, path))} No line of the program"
            text += f" reads {name}: call it in forward. If it is not to learn, say so."
            return Finding("unused", None, place, fixes.frozen(ast.unparse(node), name), text)
    return None


def _whole(path: str, reached: set[str]) -> str:
    """The largest module around a parameter of which nothing was reached."""
    parts = PARTS.findall(path)
    for count in range(2, len(parts)):
        around = "".join(parts[:count])
        if not any(_within(each, around) for each in reached):
            return around
    return path


def _within(path: str, around: str) -> bool:
    return path == around or path.startswith((f"{around}.", f"{around}["))


def _tree(file: str) -> ast.AST:
    try:
        return ast.parse("".join(linecache.getlines(file)[:MAX_LINES]))
    except SyntaxError:
        return ast.Module([], [])


def _reads(tree: ast.AST, name: str) -> bool:
    """Return whether code may read a member of that name."""
    for node in ast.walk(tree):
        read = ""
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            read = node.attr
        elif isinstance(node, ast.Name):
            read = node.id if ANY_MEMBER.fullmatch(node.id) else ""
        elif isinstance(node, ast.Constant):
            read = node.value if node.value == name else ""
        if read == name or ANY_MEMBER.fullmatch(read):
            return True
    return False


def _makes(tree: ast.AST, name: str) -> list[ast.Assign]:
    """The statements that give a member its value."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in ast.walk(ast.Tuple([*node.targets], ast.Store()))
        if isinstance(target, ast.Attribute) and target.attr == name
    ]
