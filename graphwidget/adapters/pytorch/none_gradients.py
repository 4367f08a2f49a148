"""A gradient that is None where the program computes with it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch

from ...recording.findings import Finding, Place
from ...recording.fold import Model
from ...recording.recorder import Recorder
from ..raised_calls import entries_of
from . import statements
from .graph_paths import between
from .identity import Identity
from .lines import place_of, place_of_call, statement

ERRORS = (AttributeError, TypeError)


def absent(
    error: BaseException, recorder: Recorder, identity: Identity, ours: Callable[[str], bool]
) -> Finding | None:
    """Why the program ended with an error about None, if that is the gradient of a tensor."""
    if not isinstance(error, ERRORS) or "NoneType" not in str(error):
        return None
    entries = [each for each in entries_of(error) if not ours(each.tb_frame.f_code.co_filename)]
    if not entries:
        return None
    frame, lasti = entries[-1].tb_frame, entries[-1].tb_lasti
    reader = place_of(recorder.sites.at(frame.f_code, lasti))
    if reader is None:
        return None
    for name, tensor in _read(statement(None, reader), frame):
        recorder.drain()
        model, value = recorder.latest(), identity.current(tensor).id
        if tensor.is_leaf:
            text = f"{name}.grad is None: no backward has given {name} a gradient."
            return Finding("unused", reader, None, "", text)
        text = f"{name}.grad is None: {name} is computed from others, and backward leaves "
        text += "gradients at leaves only."
        more, fix = _updated(statement(None, reader), name)
        if fix:
            return Finding("unused", reader, reader, fix, f"{name}.grad is None: {more}")
        row = model.values.get(value)
        made = None if row is None else place_of_call(model, row["call"])
        more, fix = ("", "") if made is None else _kept(model, value, made, name)
        return Finding("unused", reader, made, fix, text + more)
    return None


def _read(line: str, frame: FrameType) -> list[tuple[str, torch.Tensor]]:
    """The tensors whose gradients a line reads and that have none, by their names."""
    found = []
    for node in ast.walk(statements.parsed(line) or ast.Pass()):
        if isinstance(node, ast.Attribute) and node.attr == "grad":
            tensor = _value(node.value, frame)
            if isinstance(tensor, torch.Tensor) and tensor.requires_grad:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    if tensor.grad is None:
                        found.append((ast.unparse(node.value), tensor))
    return found


def _value(node: ast.expr, frame: FrameType) -> Any:
    """What a variable or an attribute is, found without running code of the program's."""
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    if not isinstance(node, ast.Attribute):
        return None
    members = getattr(_value(node.value, frame), "__dict__", {})
    tables = (members, members.get("_parameters"), members.get("_modules"))
    return next((each[node.attr] for each in tables if each and node.attr in each), None)


def _updated(line: str, name: str) -> tuple[str, str]:
    """Of ``w = w - 0.1 * w.grad``, which makes a new tensor of a leaf: why that has no gradient,
    and the line that writes the leaf instead."""
    tree = statements.parsed(line)
    if not isinstance(tree, ast.Assign) or ast.unparse(tree.targets[0]) != name:
        return "", ""
    value = tree.value
    if isinstance(value, ast.BinOp) and ast.unparse(value.left) == name:
        target = ast.parse(f"{name} += 0").body[0]
        assert isinstance(target, ast.AugAssign)
        target.op, target.value = value.op, value.right
        line = ast.unparse(target)
    else:
        line = f"{name}.copy_({ast.unparse(value)})"
    text = f"this line made {name} a new tensor, which is computed from the old one, in the turn "
    text += "before. Write the leaf itself, where nothing is recorded, and drop its gradient."
    fix = f"with torch.no_grad():\n    {line}\n    {name}.grad = None"
    return text, statements.valid(fix)


def _kept(model: Model, value: int, made: Place, name: str) -> tuple[str, str]:
    """How the gradient is had, in words and as the line that made the tensor with more of it: one
    of numbers alone is made a leaf, of another the gradient is kept."""
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
