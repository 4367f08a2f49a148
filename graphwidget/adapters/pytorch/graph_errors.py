"""Errors of PyTorch about graphs that are raised outside of backward, found by their messages."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, NamedTuple

import torch

from ...recording.findings import Finding, Place
from ...recording.fold import Model
from ...recording.libraries import is_library
from ...recording.looking import is_a, message_of
from ..raised_calls import entries_of
from . import fixes, history_fixes, statements
from .lines import place_of, place_of_call, source_of, statement, tree_of
from .loss_fixes import fix_keeping_history
from .none_gradients import value_of
from .observed_calls import ObservedCalls
from .run_context import RunContext

OBSERVER = ObservedCalls.__torch_function__.__code__


EXPANDING = ("expand", "expand_as", "broadcast_to", "broadcast_tensors")
"""Ops that show one number in several places."""


class Raised(NamedTuple):
    """Origin of an error: the user's line, its text, and the frames inward from it."""

    place: Place
    line: str
    frames: list[TracebackType]
    model: Model
    runs: RunContext

    def number(self, tensor: Any) -> int | None:
        """The value that a tensor is."""
        known = self.runs.identity.known(tensor) if is_a(tensor, torch.Tensor) else None
        return None if known is None else known.id

    def made(self, tensor: Any) -> Place | None:
        """The line that made a tensor."""
        row = self.model.values.get(self.number(tensor) or -1)
        return None if row is None else place_of_call(self.model, row["call"])


def graph_error(
    error: BaseException, runs: RunContext, ours: Callable[[str], bool]
) -> Finding | None:
    """Return the cause of an error of PyTorch's about the graph, if it is one of these."""
    message = message_of(error)
    explain = next((each for text, each in KNOWN.items() if text in message), None)
    entries = entries_of(error) if explain is not None else []
    files = [each.tb_frame.f_code.co_filename for each in entries]
    users = [nr for nr, file in enumerate(files) if not ours(file) and not is_library(file)]
    if explain is None or not users:
        return None
    frames = entries[users[-1] :]
    site = runs.recorder.sites.at(frames[0].tb_frame.f_code, frames[0].tb_lasti)
    place = place_of(site)
    if place is None:
        return None
    runs.recorder.drain()
    model = runs.recorder.latest()
    return explain(Raised(place, statement(model, place), frames, model, runs))


def _copied(raised: Raised) -> Finding:
    """A tensor with a history was copied, perhaps as an attribute of a module."""
    frame = raised.frames[0].tb_frame
    tensor = raised.frames[-1].tb_frame.f_locals.get("self")
    made = raised.made(tensor)
    tree = statements.parsed(raised.line)
    calls = [x for x in ast.walk(tree or ast.Pass()) if isinstance(x, ast.Call)]
    calls = [x for x in calls if ast.unparse(x.func).endswith("deepcopy") and x.args]
    asked = calls[0].args[0] if len(calls) == 1 else None
    whole = None if asked is None else value_of(asked, frame)
    if asked is not None and whole is tensor and tree is not None:
        text = f"{ast.unparse(asked)} has a history, and deepcopy copies leaves alone. A clone "
        text += "without history is a copy of its numbers."
        by = ast.parse(f"{ast.unparse(asked)}.detach().clone()", mode="eval").body
        fix = statements.valid(ast.unparse(fixes.Replaced(calls[0], by).visit(tree)))
        return Finding("refused", made, raised.place, fix, text)
    path = next(_paths(whole, tensor), "") if is_a(whole, torch.nn.Module) else ""
    text = "A tensor with a history is part of what is copied, and deepcopy copies leaves alone."
    fix = ""
    if path and asked is not None:
        name = f"{ast.unparse(asked)}{path}"
        text = f"{name} has a history, from the last call of the module, and deepcopy copies "
        text += "leaves alone. Detach it before the copy is made, or copy before the first call."
        fix = f"{name} = {name}.detach()  # before line {raised.place.line}"
    return Finding("refused", raised.place, made, fix, text)


def _paths(module: torch.nn.Module, tensor: Any) -> Iterator[str]:
    """Return how a program writes the attribute of a module, or of one in it, that is the
    tensor."""
    for name, part in torch.nn.Module.named_modules(module):
        for attribute, value in vars(part).items():
            if value is tensor:
                path = re.sub(r"\.?\b(\d+)\b", r"[\1]", name)
                yield f"{'.' if path and path[0] != '[' else ''}{path}.{attribute}"


def _flagged(raised: Raised) -> Finding:
    """``requires_grad`` was set on a tensor that was computed."""
    tree = statements.parsed(raised.line)
    target: ast.expr | None = None
    on = True
    if isinstance(tree, ast.Assign) and isinstance(tree.targets[0], ast.Attribute):
        target, on = tree.targets[0].value, ast.unparse(tree.value) != "False"
    for node in ast.walk(tree or ast.Pass()):
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(function, ast.Attribute) and function.attr == "requires_grad_":
            target, on = function.value, "False" not in ast.unparse(node)
    name = "This tensor" if target is None else ast.unparse(target)
    tensor = None if target is None else value_of(target, raised.frames[0].tb_frame)
    made = raised.made(tensor)
    text = f"{name} was computed from others, and only a leaf can be told whether it needs a "
    text += "gradient."
    if not on:
        fix = statements.valid(f"{name} = {name}.detach()") if target is not None else ""
        return Finding("refused", made, raised.place, fix, f"{text} Detach it.")
    if made is None or made == raised.place or target is None:
        return Finding("refused", None, raised.place, "", text)
    same = made.function == raised.place.function
    if same and made.line > raised.place.line and made.file == raised.place.file:
        text += f" Line {made.line} gave it its history, in the iteration before: detach it there."
        fix = history_fixes.detached_whole(statement(raised.model, made))
        return Finding("refused", raised.place, made, fix, text)
    text += f" It needs one already, through line {made.line}: .retain_grad() keeps its .grad."
    if isinstance(tree, ast.Assign) or ast.unparse(tree or ast.Pass()).startswith(f"{name}.req"):
        return Finding("refused", made, raised.place, f"{name}.retain_grad()", text)
    return Finding("refused", made, raised.place, "", text)


def _expanded(raised: Raised) -> Finding:
    """Explain a write into an expanded tensor, in which elements share memory."""
    before = next(
        (x.tb_frame.f_locals.get("before") for x in raised.frames if x.tb_frame.f_code is OBSERVER),
        None,
    )
    tensor = before[0][0] if before and before[0] else None
    model, number = raised.model, raised.number(tensor)
    while number is not None and number in model.values:
        call = model.calls.get(model.values[number]["call"])
        if call is None:
            break
        place = place_of_call(model, call["call"])
        op = str(call["op"]).strip("_")
        if place is not None and op in EXPANDING:
            text = f"{op} shows one number in several places, and a write would change them all. "
            text += "Write into a copy."
            fix = fixes.with_result_copy(statement(model, place), op)
            return Finding("refused", raised.place, place, fix, text)
        number = next((each for each in call["inputs"] if isinstance(each, int)), None)
    text = "What is written here has one number in several places. Write into a copy."
    return Finding("refused", None, raised.place, "", text)


def _recomputed(raised: Raised) -> Finding:
    """A checkpoint's second forward found other state than its first."""
    model = raised.model
    places = {place_of_call(model, call["call"]) for call in model.calls.values()}
    ran = {(place.file, place.line) for place in places if place is not None}
    reader: Place | None = None
    found: Place | None = None
    for file in sorted({file for file, _line in ran if not is_library(file)}):
        source = source_of(model, raised.place._replace(file=file))
        rows = source.splitlines()
        for node in ast.walk(tree_of(source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("checkpoint"):
                text = rows[node.lineno - 1].strip()
                reader = reader or Place(file, node.lineno, text, "")
            if isinstance(node, ast.FunctionDef) and node.name != "__init__":
                lines = range(node.lineno, (node.end_lineno or 0) + 1)
                change = next(_changes(node), None)
                if change is not None and any((file, line) in ran for line in lines):
                    text = rows[change.lineno - 1].strip()
                    found = found or Place(file, change.lineno, text, node.name)
    text = "A checkpoint computes its part once more in backward, and this gave other tensors than "
    text += "the first time: it depends on something that changed in between."
    if found is not None:
        text += f" Line {found.line} changes such a thing: keep that out of the checkpointed part."
    return Finding("refused", reader, found, "", text)


def _changes(function: ast.FunctionDef) -> Iterator[ast.stmt]:
    """The statements of a function that change what its arguments hold, or its object."""
    given = {x.arg for x in ast.walk(function.args) if isinstance(x, ast.arg)}
    for node in ast.walk(function):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = [x for each in node.targets for x in (getattr(each, "elts", None) or [each])]
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            method = node.value.func
            if isinstance(method, ast.Attribute) and method.attr in (*history_fixes.PUT, "update"):
                targets = [ast.Subscript(method.value, ast.Constant(0))]
        for target in targets:
            if isinstance(target, ast.Subscript | ast.Attribute):
                root: ast.expr = target
                while isinstance(root, ast.Subscript | ast.Attribute):
                    root = root.value
                if isinstance(root, ast.Name) and root.id in given and isinstance(node, ast.stmt):
                    yield node


def _unscaled(raised: Raised) -> Finding:
    """A gradient scaler was to step an optimizer none of whose parameters has a gradient."""
    tree = statements.parsed(raised.line)
    call = tree.value if isinstance(tree, ast.Expr) else None
    name = ast.unparse(call.args[0]) if isinstance(call, ast.Call) and call.args else ""
    text = f"None of the parameters that {name or 'this optimizer'} steps has a gradient here, and "
    text += "a GradScaler refuses to step then. Step it where one has."
    fix = ""
    if name and isinstance(call, ast.Call) and ast.unparse(call.func).endswith(".step"):
        every = f"for group in {name}.param_groups for p in group['params']"
        fix = f"if any(p.grad is not None {every}):\n    {raised.line.strip()}"
    return Finding("unused", None, raised.place, statements.valid(fix), text)


def _mapped(raised: Raised) -> Finding:
    """A write in place under vmap, of a tensor that is one for all samples."""
    name = statements.target(raised.line) or "This tensor"
    text = f"{name} is one tensor for all samples of the vmap, and each is to write its own into "
    text += "it. Make a new tensor."
    fix = ""
    if "[" not in raised.line.partition("=")[0]:
        fix = statements.in_part(raised.line, fixes.out_of_place, name)
    else:
        text += " Of parts, torch.stack makes one."
    return Finding("refused", None, raised.place, fix, text)


def _too_large(raised: Raised) -> Finding:
    """Explain a write in place whose result is larger than the tensor."""
    frame = raised.frames[0].tb_frame.f_back
    while frame is not None and "_functorch" not in frame.f_code.co_filename:
        frame = frame.f_back
    if frame is not None:
        return _mapped(raised)
    name = statements.target(raised.line) or "This tensor"
    text = f"A write in place keeps the shape of {name}, and the result is larger. Make a new one."
    fix = statements.in_part(raised.line, fixes.out_of_place, name)
    return Finding("refused", None, raised.place, fix, text)


def _as_array(raised: Raised) -> Finding:
    """An array was asked for of a tensor with a history."""
    kept = fix_keeping_history(raised.model, raised.place, None)
    if "\n" in kept:  # a tensor is made of it again
        text = "An array has no history, and so no gradient: what a loss is computed from stays a "
        text += "tensor."
        return Finding("refused", None, raised.place, kept, text)
    text = "An array has no history, and numpy computes no gradients. For a plot or a metric take "
    text += "the numbers alone; what a loss is computed from stays a tensor."
    fix = raised.line.replace(".numpy()", ".detach().numpy()")
    fix = statements.valid(fix) if fix != raised.line else ""
    return Finding("refused", None, raised.place, fix, text)


KNOWN: dict[str, Callable[[Raised], Finding]] = {
    "support the deepcopy protocol": _copied,
    "you can only change requires_grad flags of leaf": _flagged,
    "refers to a single memory location": _expanded,
    "torch.utils.checkpoint: ": _recomputed,
    "No inf checks were recorded": _unscaled,
    "Can't call numpy() on Tensor that requires grad": _as_array,
    "is not possible because there exists a Tensor": _mapped,
    "doesn't match the broadcast shape": _too_large,
}
"""By a part of PyTorch's message: what explains it."""
