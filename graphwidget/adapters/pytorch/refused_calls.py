"""Calls that PyTorch refuses: leaves and views written in place, and inference tensors."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ...recording.findings import Finding, Place
from ...recording.fold import Model
from ...recording.sites import Site
from . import fixes, statements
from .grad_switches import switched_off
from .lines import (
    MAX_LINES,
    enclosing,
    header,
    name_of_value,
    place_of,
    place_of_call,
    siblings,
    statement,
    statement_in,
)
from .parameter_fixes import rebinds, with_a_tensor

LEAF = "a leaf Variable that requires grad"
VIEW = "is being modified inplace"
INFERENCE = "nference tensor"


def is_explained(error: str) -> bool:
    """Return whether the error is of a call that one of the functions here explains."""
    return any(each in error for each in (LEAF, VIEW, INFERENCE))


class Written(NamedTuple):
    """A tensor that a refused call was to write: whether it is a parameter, whether another tensor
    that the call was given has a history, and whether anything was computed from it since the last
    backward."""

    parameter: bool
    history: bool
    used: bool


UPDATES = re.compile(r"\.grad\b|\.(clamp|clip|copy|lerp|renorm|zero|fill)_\(|\binit\.")
"""Code of writes that set numbers and are no part of a computation."""
RANDOM = re.compile(r"\.(normal|uniform|random|exponential|bernoulli|log_normal|cauchy)_\(")


def leaf_written(error: str, site: Site | None, written: Written) -> Finding:
    """A leaf that needs a gradient, or a view of one, was written in place: to set its numbers,
    which is to be done where nothing is recorded; or as a part of what a loss is computed from,
    which is to be recorded, and so makes a new tensor."""
    place = place_of(site)
    how = ", through a view of it" if error.startswith("a view") else ""
    if place is None or site is None:
        text = f"This tensor is a leaf that requires grad, and is written in place{how}."
        return Finding("leaf", None, None, "", text)
    source = "".join(linecache.getlines(site.code.co_filename)[:MAX_LINES])
    text, after = statement_in(source, place), siblings(source, place)
    name = statements.target(text)
    said = f"{name or 'This tensor'} is a leaf that requires grad, and is written in place{how}. "
    if not _computes(text, name, source, place, written):
        fix = fixes.all_under_no_grad(text, _write, after) or fixes.under_no_grad(text)
        return Finding(
            "leaf", None, place, fix, f"{said}Set its numbers where nothing is recorded."
        )
    said += "What this line computes is a part of the loss: make a new tensor, that it is recorded."
    if written.parameter:
        fix = _parameter(source, place, text, name)
        said += " A module refuses it in the place of its parameter." if "." in name else ""
        return Finding("leaf", None, place, fix, said)
    fix = statements.in_part(text, fixes.out_of_place, name)
    if fix and not rebinds(source, place, name, leaf=True):
        fix = ""
        said += f" Return it, as the caller keeps the old one under the name {name}."
    return Finding("leaf", None, place, fix, said)


def _computes(text: str, name: str, source: str, place: Place, written: Written) -> bool:
    """Return whether a line that writes a leaf is a part of what a loss is computed from. ``.grad``
    and what sets or bounds numbers are for updates, and a value that nothing was computed from yet
    is being initialised, but where a function was given it."""
    if UPDATES.search(text) or RANDOM.search(text):
        return False
    function = next(
        (x for x in reversed(enclosing(source, place)) if isinstance(x, ast.FunctionDef)), None
    )
    forward = function is not None and function.name == "forward"
    if written.parameter:
        return forward
    arguments = (
        []
        if function is None
        else [x.arg for x in ast.walk(function.args) if isinstance(x, ast.arg)]
    )
    if forward or written.history or written.used or name in arguments:
        return True
    made = (
        rf"^\s*{re.escape(name)} = (?!.*\b(torch\.(rand|zeros|ones|full|empty|tensor)|Parameter))"
    )
    computed = re.search(rf"{made}.*\(", source, re.MULTILINE) is not None
    return computed and f"{name}.grad" not in source


def _parameter(source: str, place: Place, text: str, name: str) -> str:
    """Of ``self.weight *= mask``: lines that compute with ``self.weight * mask``."""
    plain = statements.parsed(statements.in_part(text, fixes.out_of_place, name))
    if not isinstance(plain, ast.Assign):
        return ""
    return with_a_tensor(source, place, name, ast.unparse(plain.value))


def _write(each: ast.stmt) -> str:
    return ast.unparse(each) if statements.writes(each) else ""


def view_written(error: str, site: Site | None) -> Finding:
    """A view was written that PyTorch does not let be written, as those of ``unbind``."""
    place = place_of(site)
    fix = "" if place is None else statements.in_part(place.text, fixes.out_of_place)
    name = "" if place is None else statements.target(place.text)
    why = "one of several views that one call made (by unbind, split or chunk)"
    if "no_grad" in error or "inference" in error:
        why = "a view that was made where nothing is recorded"
    elif "BackwardHookFunction" in error:
        why = "a view, since its module has a full backward hook, which gives views of the outputs"
    elif "custom Function" in error:
        why = "a view that a custom Function gave: it returned what it was given"
    text = f"{name or 'This tensor'} is {why}: it cannot be written in place. Make a new tensor."
    return Finding("view", None, place, fix, text)


def inference(
    model: Model, given: Iterable[int], origins: Mapping[int, Site], site: Site | None
) -> Finding:
    """Something made in inference mode, one of the values ``given``, is needed where gradients are
    recorded."""
    reader = place_of(site)
    values = [model.values[each] for each in given if each in model.values]
    calls = [row["call"] for row in values if row["call"] is not None]
    off = next(filter(None, (switched_off(model, call) for call in calls)), None)
    name = next(filter(None, (name_of_value(model, row["value"]) for row in values)), "")
    text = f"{name or 'What this line is given'} was made in inference mode, where PyTorch leaves "
    text += "out all that gradients need: no backward can use it."
    if off is not None and "inference_mode" in off.place.text:
        text += " Make it under torch.no_grad(), which lets others use what it makes."
        fix = header(off.node, off.place.text.replace("inference_mode", "no_grad"))
        return Finding("no_grad", reader, off.place, fix, text)
    text += " Give this line a copy, which is a tensor like others."
    made = [place_of_call(model, call) for call in calls]
    made += [place_of(origins.get(row["value"])) for row in values]
    place = next(filter(None, made), None)
    fix = ""
    if reader is not None and name:
        fix = fixes.with_method(statement(model, reader), name, "clone")
        fix += f"  # line {reader.line}" if fix and place is not None else ""
    return Finding("no_grad", reader, place, fix, text)
