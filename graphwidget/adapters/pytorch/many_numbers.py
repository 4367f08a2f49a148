"""A backward that begins at many numbers without a gradient for them."""

from __future__ import annotations

import ast
from collections.abc import Callable

import torch

from ...recording.findings import Finding, Place
from ...recording.fold import Model
from ...recording.looking import message_of
from ..raised_calls import entries_of
from .fixes import Replaced
from .lines import place_of, place_of_call, statement
from .run_context import RunContext
from .statements import parsed, valid

SCALAR = "grad can be implicitly created only for scalar outputs"


def many_numbers(
    error: BaseException, runs: RunContext, ours: Callable[[str], bool]
) -> Finding | None:
    """Report a backward from many numbers, with the line that makes one of them."""
    if not isinstance(error, RuntimeError) or SCALAR not in message_of(error):
        return None
    entries = entries_of(error)
    users = [each for each in entries if not ours(each.tb_frame.f_code.co_filename)]
    reader = None
    if users:
        code, lasti = users[-1].tb_frame.f_code, users[-1].tb_lasti
        reader = place_of(runs.recorder.sites.at(code, lasti))
    if reader is None:
        return None
    tensor = entries[-1].tb_frame.f_locals.get("out")  # PyTorch's own loop over what it is given
    line = parsed(statement(None, reader))
    root, given, how = _asked(line)
    name = "What it begins at" if root is None else ast.unparse(root)
    size = ""
    if isinstance(tensor, torch.Tensor):
        size = f" {tensor.numel()} numbers (shape {list(tensor.shape)})"
    text = f"{name} has{size or ' many numbers'}, and backward begins at one. .mean() or .sum() "
    text += f"makes one of them; or say with {given}= how much each counts."
    if root is None or line is None:
        return Finding("scalar", reader, reader, "", text)
    fix = valid(ast.unparse(Replaced(root, _one(root, how)).visit(line)))
    found = Finding("scalar", reader, reader, fix, text)
    if not isinstance(tensor, torch.Tensor) or given == "grad_outputs":
        return found  # what a gradient is asked of is wanted whole beside it
    runs.recorder.drain()
    model, value = runs.recorder.latest(), runs.identity.current(tensor).id
    made, fix = _made(model, value, reader, name)
    return found if made is None else found._replace(culprit=made, fix=fix)


def _asked(line: ast.stmt | None) -> tuple[ast.expr | None, str, str]:
    """Return what a line runs backward from, the argument that weights each number, and the op
    that makes one of them: the gradients of a sum are those of each."""
    for node in ast.walk(line or ast.Pass()):
        if not isinstance(node, ast.Call):
            continue
        owner, _, name = ast.unparse(node.func).rpartition(".")
        of = node.args[0] if node.args else None
        if isinstance(of, ast.List | ast.Tuple):
            of = None
        if name == "grad":
            return of, "grad_outputs", "sum"
        if name == "backward" and owner.endswith("autograd"):
            return of, "grad_tensors", "mean"
        if name == "backward" and isinstance(node.func, ast.Attribute):
            return node.func.value, "gradient", "mean"
    return None, "gradient", "mean"


def _one(value: ast.expr, how: str) -> ast.expr:
    return ast.Call(ast.Attribute(value, how, ast.Load()), [], [])


def _made(model: Model, value: int, reader: Place, name: str) -> tuple[Place | None, str]:
    """The line beside the reader that gave the variable its numbers, with their mean instead."""
    row = model.values.get(value)
    made = None if row is None else place_of_call(model, row["call"])
    if made is None or (made.file, made.function) != (reader.file, reader.function):
        return None, ""
    line = parsed(statement(model, made))
    if not isinstance(line, ast.Assign) or [ast.unparse(each) for each in line.targets] != [name]:
        return None, ""
    line.value = _one(line.value, "mean")
    return made, valid(ast.unparse(line))
