"""Fixes for parameters that a forward computation writes or replaces: it computes with a tensor.

A module refuses a plain tensor in the place of a parameter, and a new parameter has no history. So
the fixed lines give the tensor a name of its own, and hand that to what read the parameter.
"""

from __future__ import annotations

import ast
import re

from ...recording.findings import Place
from .fixes import Replaced
from .history_fixes import unwrapped
from .lines import enclosing, siblings, within
from .statements import parsed, valid

CONV = "self._conv_forward({0}, {weight}, {bias})"
FORWARDS = {
    "Linear": "torch.nn.functional.linear({0}, {weight}, {bias})",
    "Conv1d": CONV, "Conv2d": CONV, "Conv3d": CONV,
    "LayerNorm": "torch.nn.functional.layer_norm"
    "({0}, self.normalized_shape, {weight}, {bias}, self.eps)",
    "Embedding": "torch.nn.functional.embedding({0}, {weight}, self.padding_idx)",
}  # fmt: skip
"""Code for the forward of PyTorch's classes."""


def with_a_tensor(source: str, place: Place, target: str, value: str) -> str:
    """The line that gives ``value`` a name of its own, and the lines after it with that name in
    the place of ``target``, a parameter; empty if it is not known who reads that."""
    owner, _, member = target.rpartition(".")
    if not owner or not member.isidentifier():
        return ""
    name = re.sub(r"\W+", "_", f"{owner.removeprefix('self')}_{member}").strip("_")
    rows = [f"{name} = {value}"]
    for each in siblings(source, place):
        if hasattr(each, "body"):
            if _reading(each, target, name, ""):
                return ""
            continue
        code = _reading(each, target, name, _base(source, place))
        if code:
            rows.append(f"{code}  # line {each.lineno}")
    return valid("\n".join(rows)) if len(rows) > 1 else ""


def _base(source: str, place: Place) -> str:
    """The class of PyTorch's that the class around a line is made from."""
    classes = [each for each in within(source, place) if isinstance(each, ast.ClassDef)]
    bases = [ast.unparse(base).rpartition(".")[2] for each in classes[-1:] for base in each.bases]
    return next((each for each in bases if each in FORWARDS), "")


def _reading(line: ast.stmt, target: str, name: str, base: str) -> str:
    """A statement that reads the parameter, or calls the module that has it, with the tensor; empty
    if it does neither."""
    tree = parsed(ast.unparse(line))
    found = False
    for node in [*ast.walk(tree or ast.Pass())]:
        by = ""
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            by = name if ast.unparse(node) == target else ""
        elif isinstance(node, ast.Call):
            by = _called(node, target, name, base)
        if by and tree is not None:
            tree, found = Replaced(node, ast.parse(by, mode="eval").body).visit(tree), True
    return ast.unparse(tree) if found and tree is not None else ""


def _called(call: ast.Call, target: str, name: str, base: str) -> str:
    """A call of the module that has the parameter, or of one around it, with the tensor."""
    whole = ast.unparse(call.func)
    owner, _, member = target.rpartition(".")
    if whole == "super().forward" and owner == "self" and base and len(call.args) == 1:
        members = {"weight": "self.weight", "bias": "self.bias"} | {member: name}
        return FORWARDS[base].format(ast.unparse(call.args[0]), **members)
    rest = target.removeprefix(whole)
    if rest == target or rest[:1] not in (".", "["):
        return ""
    path = re.sub(r"\[(\d+)\]", r".\1", rest).strip(".")
    if not re.fullmatch(r"[\w.]+", path) or any(isinstance(x, ast.Starred) for x in call.args):
        return ""
    given = ", ".join(map(ast.unparse, call.args))
    words = ", ".join(f"{x.arg!r}: {ast.unparse(x.value)}" for x in call.keywords if x.arg)
    more = f", {{{words}}}" if words else ""
    tail = "," if len(call.args) == 1 else ""
    return f"torch.func.functional_call({whole}, {{{path!r}: {name}}}, ({given}{tail}){more})"


def makes_a_leaf(line: str) -> bool:
    """Return whether a line makes a ``Parameter`` or a ``Variable``, which begin anew."""
    return re.search(r"\b(Parameter|Variable)\(", line) is not None


def without_new_leaf(source: str, place: Place, line: str) -> str:
    """Of ``self.weight = nn.Parameter(self.weight * mask)``, which loses the history: lines that
    compute with the tensor. Of what is no parameter of a module, the line without ``Parameter``."""
    tree = parsed(_without_cut(line))
    target = tree.targets[0] if isinstance(tree, ast.Assign) else None
    call = tree.value if isinstance(tree, ast.Assign) else None
    made = ast.unparse(call.func).rpartition(".")[2] if isinstance(call, ast.Call) else ""
    if made == "Parameter" and isinstance(target, ast.Attribute) and isinstance(call, ast.Call):
        value = ast.unparse(call.args[0]) if call.args else ""
        return with_a_tensor(source, place, ast.unparse(target), value)
    return unwrapped(_without_cut(line))


def _without_cut(value: str) -> str:
    return re.sub(r"\.(data\b|detach\(\))", "", value)


def rebinds(source: str, place: Place, name: str, leaf: bool = False) -> bool:
    """Return whether all who use a variable see the new tensor that a line would give it, as far as
    the text shows. A caller does not see what its argument is bound to, nor a list what an item is.
    A ``leaf`` keeps its numbers under its other names, as it should."""
    around = enclosing(source, place)
    functions = [nr for nr, x in enumerate(around) if isinstance(x, ast.FunctionDef)]
    inner = around[functions[-1] :] if functions else around
    scope = inner[0] if functions else next(iter(within(source, place)), ast.Pass())
    if not name.isidentifier():
        return True
    end = max((x.end_lineno or 0 for x in inner[-1:]), default=place.line)
    nodes = [*ast.walk(scope)]
    reads = [x for x in nodes if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Load)]
    if isinstance(scope, ast.FunctionDef) and name in [x.arg for x in _arguments(scope)]:
        loops = any(isinstance(x, ast.For | ast.While) for x in inner[1:])
        later = [x for x in reads if x.id == name and (x.lineno > end or loops)]
        if not later and not isinstance(inner[-1], ast.Return):
            return False
    for loop in (x for x in inner if isinstance(x, ast.For)):
        bound = {x.id for x in ast.walk(loop.target) if isinstance(x, ast.Name)}
        items = {x.id for x in ast.walk(loop.iter) if isinstance(x, ast.Name)}
        if name in bound and any(
            x.id in items and x.lineno > (loop.end_lineno or 0) for x in reads
        ):
            return False
    return leaf or not any(_also_called(x, name, place.line) for x in nodes)


def _arguments(function: ast.FunctionDef) -> list[ast.arg]:
    given = function.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


def _also_called(node: ast.AST, name: str, line: int) -> bool:
    """Return whether a statement before a line gives the tensor of a variable to another one, or
    puts it into a list."""
    if getattr(node, "lineno", line) >= line:
        return False
    if isinstance(node, ast.Assign):
        value, targets = node.value, node.targets
        items = value.elts if isinstance(value, ast.List | ast.Tuple) else []
        if isinstance(targets[0], ast.Tuple) and items:
            return False  # each of several gets its own
        operands = [value, *items]
        return any(isinstance(x, ast.Name) and x.id == name for x in operands) or (
            isinstance(value, ast.Name) and ast.unparse(targets[0]) == name
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        puts = node.func.attr in ("append", "add", "insert")
        return puts and any(isinstance(x, ast.Name) and x.id == name for x in node.args)
    return False
