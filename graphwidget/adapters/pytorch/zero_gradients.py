"""Losses from which nothing learns, as all gradients are 0: the call that makes them so."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from ...recording.findings import Finding, Place
from .fixes import LIBRARIES, Replaced
from .lines import source_of, statement, tree_of
from .nans import Repetition, place_of_entry
from .ops import plain_name
from .statements import parsed, valid
from .tape import Entry, Tape
from .tensor_facts import copyable_of

ALWAYS = 3
"""Runs from one line, all without a gradient other than 0, that are no chance any more."""
CLASSES = {"softmax": "sigmoid", "log_softmax": "logsigmoid", "cross_entropy": ""}
"""Functions that compare classes, and what does the same for a single number."""
STEPS = frozenset({"round", "floor", "ceil", "trunc", "sign", "sgn", "heaviside"})
"""Functions whose derivative is 0 wherever it exists."""
BOUNDS = frozenset({"relu", "clamp", "clip", "hardtanh", "relu6", "hardsigmoid", "threshold"})


def all_zero(grads: Iterable[torch.Tensor | None]) -> bool:
    """Return whether there are gradients, and every number of them is 0. Gradients that cannot be
    looked at (fake, batched, under a dispatch mode of the program's) are not taken for zeros."""
    given = [grad for grad in grads if grad is not None]
    known = copyable_of(given)
    if not known or len(known) < len(given):
        return False
    return not any(bool(grad.any()) for grad in known)


def made_zero(tape: Tape, loss_is_zero: bool) -> Finding | None:
    """The call at which the gradients of the last run became 0. Of a loss that is 0 itself, as of a
    model that fits, only a comparison of a single class is reported."""
    run = next(nr for nr in reversed(range(len(tape.entries))) if tape.entries[nr].run)
    try:
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            player = Repetition(tape, run)
            player.forward()
            entry = player.first_run(tape.entries[run], _becomes_zero)
    except Exception:  # the program has not all that it began with any more
        return None
    place = place_of_entry(entry)
    if entry is None or entry.func is None or place is None:
        return None
    op = plain_name(entry.func).strip("_")
    if op in CLASSES and _one_class(player, entry):
        text = f"{op} compares classes, and is given a single one here: what it gives does not "
        text += "depend on the numbers, so all gradients are exactly 0. For yes or no take sigmoid "
        text += "(with binary_cross_entropy_with_logits), or give the last layer two outputs."
        return Finding("unused", None, place, _sigmoid(place, op), text)
    if loss_is_zero:
        return None
    text = f"All gradients are exactly 0: the derivative of {op} is 0 for all that this line was "
    text += "given."
    fix = ""
    if op in STEPS:
        text += " It is 0 wherever it exists. To keep these numbers in forward, let backward pass "
        text += "as if nothing was done to them."
        fix = _straight_through(place, op)
    elif op in BOUNDS:
        text += " All of it is outside of the range in which a gradient passes."
    return Finding("unused", None, place, fix, text)


def _becomes_zero(into: Sequence[Any], out: Sequence[Any]) -> bool:
    given = [each for each in into if isinstance(each, torch.Tensor)]
    made = [each for each in out if isinstance(each, torch.Tensor)]
    return bool(given) and not all_zero(given) and all_zero(made)


def _one_class(player: Repetition, entry: Entry) -> bool:
    given = next(iter(entry.args or ()), None)
    tensor = player.tensor(given) if isinstance(given, int) else None
    if tensor is None or not tensor.dim():
        return False
    dim = entry.kwargs.get("dim", entry.args[1] if entry.args and len(entry.args) > 1 else 1)
    dim = dim if isinstance(dim, int) and type(dim) is int and dim < tensor.dim() else -1
    return tensor.shape[dim if tensor.dim() > 1 else -1] == 1


def _sigmoid(place: Place, op: str) -> str:
    """The line with a sigmoid for the softmax: the one that calls it, or that makes its module."""
    to = CLASSES[op]
    line = parsed(statement(None, place))
    for node in ast.walk(line or ast.Pass()):
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and isinstance(function, ast.Attribute) and to:
            library = ast.unparse(function.value) in LIBRARIES
            if function.attr == op:
                given = node.args[0] if library and node.args else function.value
                owner = "torch.nn.functional" if to == "logsigmoid" else "torch"
                by = ast.parse(f"{owner}.{to}({ast.unparse(given)})", mode="eval").body
                return valid(ast.unparse(Replaced(node, by).visit(line or node)))
    found = []
    kind, by_kind = {"softmax": ("Softmax", "Sigmoid")}.get(op, ("LogSoftmax", "LogSigmoid"))
    for each in ast.walk(tree_of(source_of(None, place))):
        if isinstance(each, ast.Assign | ast.Return | ast.Expr) and each.value is not None:
            calls = [x for x in ast.walk(each.value) if isinstance(x, ast.Call)]
            found += [(each, x) for x in calls if ast.unparse(x.func).rpartition(".")[2] == kind]
    if len(found) != 1 or not to:
        return ""
    made, call = found[0]
    owner = ast.unparse(call.func).rpartition(".")[0]
    text = ast.unparse(made)
    text = text.replace(ast.unparse(call), f"{owner}{'.' if owner else ''}{by_kind}()", 1)
    return f"{valid(text)}  # line {made.lineno}"


def _straight_through(place: Place, op: str) -> str:
    """``x.round()`` as ``x + (x.round() - x).detach()``, of a variable."""
    line = parsed(statement(None, place))
    for node in ast.walk(line or ast.Pass()):
        function = node.func if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or not isinstance(function, ast.Attribute):
            continue
        library = ast.unparse(function.value) in LIBRARIES
        given = node.args[0] if library and node.args else function.value
        if function.attr == op and isinstance(given, ast.Name | ast.Attribute):
            name = ast.unparse(given)
            by = ast.parse(f"({name} + ({ast.unparse(node)} - {name}).detach())", mode="eval").body
            return valid(ast.unparse(Replaced(node, by).visit(line or node)))
    return ""
