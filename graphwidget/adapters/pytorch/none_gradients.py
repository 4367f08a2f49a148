"""A gradient that is None where the program computes with it."""

from __future__ import annotations

import ast
import linecache
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from types import FrameType
from typing import Any

import torch

from ...recording.findings import Finding, Place
from ...recording.fold import Model
from ...recording.looking import attributes, is_a, message_of
from ..raised_calls import entries_of
from . import fixes, statements
from .graph_paths import between
from .lines import (
    place_of,
    place_of_call,
    seen_from,
    siblings,
    source_of,
    statement,
    tree_of,
)
from .loss_fixes import FLAG
from .no_graph import no_graph
from .run_context import RunContext
from .unreached_inputs import unreached

ERRORS = (AttributeError, TypeError)
DROPPED = re.compile(r"\bzero_grad\(|\.grad = None\b")
ROUNDS = 4
"""Assignments to follow, from variable to variable."""


def absent(error: BaseException, runs: RunContext, ours: Callable[[str], bool]) -> Finding | None:
    """Explain an error about None at the program's end, if that is the gradient of a tensor."""
    about = isinstance(error, ERRORS) and "NoneType" in message_of(error)
    if not about and not isinstance(error, AssertionError):
        return None
    entries = [each for each in entries_of(error) if not ours(each.tb_frame.f_code.co_filename)]
    if not entries:
        return None
    frame, lasti = entries[-1].tb_frame, entries[-1].tb_lasti
    reader = place_of(runs.recorder.sites.at(frame.f_code, lasti))
    if reader is None:
        return None
    line = statement(None, reader)
    for name, tensor in _read(line, frame):
        runs.recorder.drain()
        model, value = runs.recorder.latest(), runs.identity.current(tensor).id
        text = f"{name}.grad is None: "
        if tensor.is_leaf:
            found = _of_leaf(model, runs, tensor, value, reader, name)
            return found._replace(reader=reader, text=text + found.text)
        more, fix = _updated(line, name, siblings(source_of(None, reader), reader))
        if fix:
            return Finding("unused", reader, reader, fix, text + more)
        text += f"{name} is computed from others, and backward leaves gradients at leaves only."
        row = model.values.get(value)
        made = None if row is None else place_of_call(model, row["call"])
        more, fix = ("", "") if made is None else _kept(model, value, made, name)
        return Finding("unused", reader, made, fix, text + more)
    return _of_call(runs, reader, line, frame, lasti) if about else None


def _of_leaf(
    model: Model, runs: RunContext, tensor: torch.Tensor, value: int, reader: Place, name: str
) -> Finding:
    """Explain why a leaf has no gradient: it needs none, had one, or no backward led to it."""
    calls, checks = runs.calls, runs.checks
    tables = calls.origins, calls.became_numbers, calls.frozen
    if not tensor.requires_grad:
        owned = checks.learners.in_optimizers
        found = no_graph(model, value, None, *tables, owned, calls.left_off())
        return found._replace(text=f"{name} needs no gradient. {found.text}")
    if runs.identity.current(tensor).storage in checks.graded:
        rows = enumerate(source_of(model, reader).splitlines(), 1)
        dropped = [(nr, row.strip()) for nr, row in rows if DROPPED.search(row)]
        place = reader._replace(line=dropped[0][0], text=dropped[0][1]) if dropped else None
        text = "backward gave it one, and it was set to None since, as zero_grad() does. Read it "
        return Finding("unused", reader, place if len(dropped) == 1 else None, "", f"{text}before.")
    ran = checks.last_run
    if ran is None or not {value, *ran.roots} <= model.values.keys():
        text = "no backward has run." if ran is None else "no backward has given it a gradient."
        return Finding("unused", reader, None, "", text)
    found = unreached(model, 0, ran.roots, [value], ran.site, calls.became_numbers, allowed=True)
    found = found._replace(text=found.text[:1].lower() + found.text[1:])
    return _asked_late(model, found, value, reader, name) if found.culprit is None else found


def _asked_late(model: Model, found: Finding, value: int, reader: Place, name: str) -> Finding:
    """The gradient of a leaf was asked for after the loss was computed from it."""
    uses = [call["call"] for call in model.calls.values() if value in call["inputs"]]
    used = seen_from(model, uses[0], reader.function) if uses else None
    for nr, row in enumerate(source_of(model, reader).splitlines(), 1):
        flag = FLAG.fullmatch(row.strip())
        if used is None or flag is None or flag[1] != name or not used.line < nr < reader.line:
            continue
        text = f"this line asks for the gradient of {name}, and line {used.line} had computed with "
        text += "it before. Ask first."
        place, fix = reader._replace(line=nr, text=row.strip()), f"{row.strip()}  # before line "
        return found._replace(culprit=place, fix=f"{fix}{used.line}", text=text)
    return found


def _of_call(
    runs: RunContext, reader: Place, line: str, frame: FrameType, lasti: int
) -> Finding | None:
    """A gradient that ``autograd.grad`` gave as None, for it was allowed to be unused."""
    ran = runs.checks.gave_none
    place = None if ran is None else place_of(ran.site)
    parts = statements.parts(line)[0]
    loops = [each.target for each in ast.walk(parts) if isinstance(each, ast.comprehension)]
    # of a comprehension in the frame around it, as from Python 3.12 on, nothing is left
    over = {name for target in loops for name in _names(target)} & _raising(frame, lasti)
    names = [
        each
        for each in _names(parts)
        if value_of(ast.Name(each), frame, None if each in over else 0) is None
    ]
    if ran is None or place is None or not names:
        return None
    asked = statement(None, place)
    given = statements.given_by(asked)
    if isinstance(statements.parsed(asked), ast.Return):
        given = [place.function.rpartition(".")[2]]
    led = _led_to(source_of(None, reader), given)
    name = next((each for each in names if each in led), None)
    if name is None:
        return None
    runs.recorder.drain()
    nr = given.index(name) if name in given and given.index(name) in ran.nones else ran.nones[0]
    model, numbers = runs.recorder.latest(), runs.calls.became_numbers
    if not {ran.wanted[nr], *ran.roots} <= model.values.keys():
        return None  # it is long ago
    found = unreached(model, nr, ran.roots, ran.wanted, ran.site, numbers, allowed=True)
    text = f"{name} is None, given so on line {place.line}. {found.text}"
    return found._replace(reader=reader, text=text)


def _raising(frame: FrameType, lasti: int) -> set[str]:
    """The variables in the part of its line that raised."""
    code = frame.f_code
    line, last, start, end = next(islice(code.co_positions(), lasti // 2, None))
    if line is None or line != last:
        return set()
    part = linecache.getline(code.co_filename, line, frame.f_globals).encode()[start:end].decode()
    found = statements.parsed(part)
    return set() if found is None else set(_names(found))


def _led_to(source: str, given: Iterable[str]) -> set[str]:
    """The variables that get a value from these, or from what those give, on any line."""
    found = set(given)
    for _ in range(ROUNDS):
        for node in ast.walk(tree_of(source)):
            value = getattr(node, "iter", getattr(node, "value", None))
            targets = getattr(node, "targets", [getattr(node, "target", None)])
            if isinstance(value, ast.expr) and not found.isdisjoint(_names(value)):
                found.update(each for target in targets if target for each in _names(target))
    return found


def _names(node: ast.AST) -> list[str]:
    return [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]


def _read(line: str, frame: FrameType) -> list[tuple[str, torch.Tensor]]:
    """The tensors whose gradients a line reads and that have none, by their names; but not where
    None is what it asks for."""
    nodes = [*ast.walk(statements.parts(line)[0])]
    asked = [x.left for x in nodes if isinstance(x, ast.Compare) and isinstance(x.ops[0], ast.Is)]
    loops = [each for each in nodes if isinstance(each, ast.comprehension)]
    found: list[tuple[str, Any]] = []
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == "grad" and node not in asked:
            name = ast.unparse(node.value)
            found.append((name, value_of(node.value, frame)))
            for each in loops:  # ``p.grad for p in net.parameters()``
                found += _parameters(each.iter, frame) if name in _names(each.target) else []
    return [(name, each) for name, each in found if _bare(each)]


def _parameters(call: ast.expr, frame: FrameType) -> list[tuple[str, Any]]:
    """Those of ``net.parameters()`` or ``net.named_parameters()``."""
    function = call.func if isinstance(call, ast.Call) else None
    names = ("parameters", "named_parameters")
    if not isinstance(function, ast.Attribute) or function.attr not in names:
        return []
    owner, name = value_of(function.value, frame), ast.unparse(function.value)
    if not is_a(owner, torch.nn.Module):
        return []
    return [(f"{name}.{path}", each) for path, each in torch.nn.Module.named_parameters(owner)]


def _bare(tensor: Any) -> bool:
    """Return whether it is a tensor without a gradient."""
    if not is_a(tensor, torch.Tensor):
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tensor.grad is None


def value_of(node: ast.expr, frame: FrameType, unknown: Any = None) -> Any:
    """Return the value of a variable or an attribute without running code of the program."""
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id, unknown))
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        whole, key = value_of(node.value, frame), node.slice.value
        if is_a(whole, (torch.nn.Sequential, torch.nn.ModuleList)):
            whole = [*whole._modules.values()]
        known = type(whole) is dict and key in whole
        listed = type(whole) in (list, tuple) and isinstance(key, int) and key < len(whole)
        return whole[key] if known or listed else None
    if not isinstance(node, ast.Attribute):
        return None
    members = attributes(value_of(node.value, frame))
    tables = (members, members.get("_parameters"), members.get("_modules"))
    return next((each[node.attr] for each in tables if each and node.attr in each), None)


def _updated(line: str, name: str, after: Sequence[ast.stmt]) -> tuple[str, str]:
    """Of ``w = w - 0.1 * w.grad``, which makes a new tensor of a leaf: why that has no gradient,
    and the line that writes the leaf instead; with those of the lines ``after`` it that do the same
    to others."""
    if name not in [one for one, _how in map(fixes.update_of_leaf, statements.parts(line)[1])]:
        return "", ""
    text = (
        f"this line made {name} a new tensor, which is computed from the old one, in the iteration "
    )
    text += "before. Write the leaf itself, where nothing is recorded, and drop its gradient."
    return text, fixes.all_under_no_grad(line, lambda each: fixes.update_of_leaf(each)[1], after)


def _kept(model: Model, value: int, made: Place, name: str) -> tuple[str, str]:
    """Return how the gradient is had, in words and as the line that made the tensor with more of
    it: one of numbers alone is made a leaf, of another the gradient is kept."""
    line = statement(model, made)
    tree = statements.parsed(line)
    if not isinstance(tree, ast.Assign) or ast.unparse(tree.targets[0]) != name:
        return f" Call {name}.retain_grad() before backward.", ""
    node = model.values[value]["node"]
    nodes = [] if node is None else between(model, [node], model.nodes)
    leaves = [model.values.get(each["variable"]) for each in nodes if each["variable"] is not None]
    if all(row is not None and not row["names"] and not row["parameter"] for row in leaves):
        asked = [each for each in ast.walk(tree) if isinstance(each, ast.Call)]
        for call in asked:
            call.keywords = [each for each in call.keywords if each.arg != "requires_grad"]
        fix = statements.valid(f"{name} = ({ast.unparse(tree.value)}).requires_grad_()")
        return f" Compute {name} first, and ask for its gradient then.", fix
    return " Ask for it before backward.", statements.valid(f"{line}\n{name}.retain_grad()")
