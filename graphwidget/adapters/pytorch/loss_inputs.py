"""Losses that are given something else than they expect: nothing fails, and little is learned.

``cross_entropy`` takes scores, ``nll_loss`` the logarithms of probabilities; a loss of two tensors
whose shapes differ compares each number of the one with each of the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ...recording.findings import Finding
from ...recording.fold import Model, Row
from . import fixes
from .fixes import Replaced
from .lines import name_of_value, place_of_call, statement
from .statements import parsed, valid
from .tape import Call

EXPECTS = {
    ("cross_entropy", "softmax"): "cross_entropy computes the softmax itself: give it the scores.",
    ("nll_loss", "softmax"): (
        "nll_loss expects the logarithms of probabilities: use log_softmax, or cross_entropy of"
        " the scores."
    ),
    ("binary_cross_entropy_with_logits", "sigmoid"): (
        "binary_cross_entropy_with_logits computes the sigmoid itself: give it the scores."
    ),
}
"""By a loss and the op that made its input: what is to be done."""
MADE = {op for _loss, op in EXPECTS}
ELEMENTWISE = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
SHAPED = frozenset(
    {"view", "reshape", "flatten", "squeeze", "unsqueeze", "permute", "transpose", "contiguous"}
)
"""Ops that keep the numbers as they are."""


def any_odd(calls: Iterable[Call]) -> bool:
    """Return whether ``odd_input`` may have something to say of a loss among these calls, found
    without the log."""
    made: dict[int, str] = {}
    for call in calls:
        if not call.given:
            continue
        op = made.get(call.given[0].id, "")
        name = call.name if call.name in MADE else op if call.name in SHAPED else ""
        made.update((ref.id, name) for ref in call.made if name)
        if (call.name, op) in EXPECTS:
            return True
        dims = [len(ref.facts.shape) for ref in call.given[:2]]
        if call.name in ELEMENTWISE and dims[0] != dims[-1]:
            return True
    return False


def odd_input(model: Model) -> Finding | None:
    """The newest loss with a history that was given an input of another kind than it expects."""
    for call in reversed(model.calls.values()):
        made = [model.values[each] for each in call["outputs"] if each in model.values]
        if not any(row["requires_grad"] for row in made):
            continue
        given = [model.values[each] for each in call["inputs"][:2] if each in model.values]
        if call["op"] in ELEMENTWISE and len(given) == 2:
            found = _broadcast(model, call, *given)
        else:
            found = _made_by(model, call, given[0]) if given else None
        if found is not None:
            return found
    return None


def _made_by(model: Model, call: Row, given: Row) -> Finding | None:
    """Report an input of a loss that has been through what the loss computes itself."""
    before = model.calls.get(given["call"])
    while before is not None and before["op"] in SHAPED and before["inputs"]:
        row = model.values.get(before["inputs"][0])
        before = None if row is None else model.calls.get(row["call"])
    if before is None or (call["op"], before["op"]) not in EXPECTS:
        return None
    loss, op = str(call["op"]), str(before["op"])
    reader, place = place_of_call(model, call["call"]), place_of_call(model, before["call"])
    text = f"{loss} is given what {op} made: {EXPECTS[loss, op]}"
    fix = ""
    if place is not None:
        line, scope = statement(model, place), model.scopes.get(before["scope"])
        module = "" if scope is None or scope["kind"] != "module" else str(scope["name"])
        if loss == "nll_loss":
            fix = valid(line.replace(f".{op}(", f".log_{op}(")) if f".{op}(" in line else ""
            fix = "" if f"self.{op}(" in line else fix
        else:
            fix = _without(line, op, module)
    return Finding("loss", reader, place, fix, text)


def _without(line: str, op: str, module: str) -> str:
    """The line without its call of ``op``, or of the module that computes it."""
    tree = parsed(line) or ast.Pass()
    name = f"self.{module.rpartition('.')[2]}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in (name, module) and node.args:
            return valid(ast.unparse(Replaced(node, node.args[0]).visit(tree)))
    return "" if f"self.{op}(" in line else fixes.without(line, op)


def _broadcast(model: Model, call: Row, one: Row, other: Row) -> Finding | None:
    """The shapes of a prediction and its target differ: (n, 1) and (n,)."""
    shapes = [tuple(row["summary"][0]) for row in (one, other)]
    column = next((nr for nr, shape in enumerate(shapes) if shape[1:] == (1,)), None)
    if column is None or shapes[1 - column] != shapes[column][:1] or shapes[column][0] == 1:
        return None
    place, count = place_of_call(model, call["call"]), shapes[column][0]
    said = [
        f"{name_of_value(model, row['value'])} {shape}".strip()
        for row, shape in zip((one, other), shapes, strict=True)
    ]
    text = f"{call['op']} is given {said[0]} and {said[1]}, and compares each number of the one"
    text += f" with each of the other: ({count}, {count}). Give both the same shape."
    fix = "" if place is None else _squeezed(statement(model, place), column, call, model)
    return Finding("loss", None, place, fix, text)


def _squeezed(line: str, column: int, call: Row, model: Model) -> str:
    """The line with ``.squeeze(1)`` for what is a column in its call of the loss."""
    tree, scope = parsed(line), model.scopes.get(call["scope"])
    name = str(scope["name"]) if scope is not None and scope["kind"] == "module" else call["op"]
    for node in _calls(tree):
        called = ast.unparse(node.func).rpartition(".")[2]
        if called == name.rpartition(".")[2] and len(node.args) >= 2:
            squeezed = ast.Attribute(node.args[column], "squeeze", ast.Load())
            node.args[column] = ast.Call(squeezed, [ast.Constant(1)], [])
            return valid(ast.unparse(tree or node))
    return ""


def _calls(tree: ast.AST | None) -> Iterator[ast.Call]:
    return (each for each in ast.walk(tree or ast.Pass()) if isinstance(each, ast.Call))
