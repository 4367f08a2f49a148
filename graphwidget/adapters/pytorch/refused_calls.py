"""Calls that PyTorch refuses: leaves and views written in place, and inference tensors."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Mapping

from ...recording.findings import Finding
from ...recording.fold import Model
from ...recording.sites import Site
from . import fixes, statements
from .grad_switches import switched_off
from .lines import (
    MAX_LINES,
    header,
    name_of_value,
    place_of,
    place_of_call,
    siblings,
    statement,
    statement_in,
)

LEAF = "a leaf Variable that requires grad"
VIEW = "is being modified inplace"
INFERENCE = "nference tensor"


def is_explained(error: str) -> bool:
    """Whether the error is of a call that one of the functions here explains."""
    return any(each in error for each in (LEAF, VIEW, INFERENCE))


def leaf_written(error: str, site: Site | None) -> Finding:
    """A leaf that needs a gradient, or a view of one, was written in place."""
    place = place_of(site)
    fix = name = ""
    if place is not None and site is not None:
        source = "".join(linecache.getlines(site.code.co_filename)[:MAX_LINES])
        text, after = statement_in(source, place), siblings(source, place)
        name = statements.target(text)
        fix = fixes.all_under_no_grad(text, _write, after) or fixes.under_no_grad(text)
    how = ", through a view of it" if error.startswith("a view") else ""
    text = (
        f"{name or 'This tensor'} is a leaf that requires grad, and is written in place{how}. "
        f"Set its numbers where nothing is recorded."
    )
    return Finding("leaf", None, place, fix, text)


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
