"""Finds the call that raised, its op and arguments, by the frames of the error."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from inspect import CO_VARARGS
from types import CodeType, TracebackType
from typing import Any, NamedTuple

from .. import absent
from ..arrays.warnings import PACKAGE
from ..graph.base import TensorBase
from ..optable import TABLE
from ..recording.libraries import is_librarys
from ..recording.looking import is_a, items
from ..recording.positions import Level, Position
from ..recording.sites import Sites
from .position_finder import is_module, ours

MAX_INPUTS = 8

FUNCTIONS = tuple(
    os.path.join(PACKAGE, *room, "") for room in (("functions",), ("nn", "functional"))
)

CALLING = "_call_impl"
"""The method that calls a module."""

RUNS = frozenset({"backward", "grad"})
"""Functions that begin a backward run: its errors are the graph's, not a call's."""


TOP = ("<module>", "<cell")
"""Prefixes of the names of code at the top of a program or of a cell."""


class Raised(NamedTuple):
    """A call that raised: its op, the tensors it was given, the innermost module around it, and the
    frames that the error passed from there to the user's line."""

    op: str
    inputs: tuple[TensorBase, ...]
    way: list[TracebackType]
    module: Any


def raised_call(error: BaseException) -> Raised | None:
    """The call of this package that raised the error; None if it was none."""
    entries = entries_of(error)
    user = [n for n, each in enumerate(entries) if not ours(each.tb_frame.f_code.co_filename)]
    if not user or user[-1] == len(entries) - 1:
        return None
    way = entries[: user[-1] + 1]
    named: tuple[str, tuple[TensorBase, ...]] | None = None
    for entry in entries[: user[-1] : -1]:  # the innermost first
        code = entry.tb_frame.f_code
        given = _tensors(code, entry.tb_frame.f_locals)
        name = _name(code)
        if name in RUNS:
            return None
        if given and name in TABLE:
            reduced = f"{name}.dim" in TABLE and entry.tb_frame.f_locals.get("dim") is not None
            op = f"{name}.dim" if reduced else name
            return Raised(op, given, way, module_of(entries))
        generated = code.co_filename.startswith("<graphwidget")
        called = entry is entries[user[-1] + 1] and _in_functions(code.co_filename)
        if given and (generated or called):
            named = named or (name, given)
    return None if named is None else Raised(*named, way, module_of(entries))


def way_to_absent(error: BaseException) -> list[TracebackType]:
    """Return the frames to the user's line that asked for a name that only PyTorch has; else []."""
    entries = entries_of(error)
    if not entries or entries[-1].tb_frame.f_code.co_filename != absent.__file__:
        return []
    user = [n for n, each in enumerate(entries) if not ours(each.tb_frame.f_code.co_filename)]
    return entries[: user[-1] + 1] if user else []


def entries_of(error: BaseException) -> list[TracebackType]:
    """Return where an error has passed, from the outside inward."""
    entries: list[TracebackType] = []
    where = error.__traceback__
    while where is not None:
        entries.append(where)
        where = where.tb_next
    return entries


def module_of(entries: list[TracebackType]) -> Any:
    """The innermost module, ours or PyTorch's, in whose call an error was raised; None if none."""
    for entry in reversed(entries):
        if entry.tb_frame.f_code.co_name == CALLING:
            module = entry.tb_frame.f_locals.get("self")
            if is_module(module):
                return module
    return None


def position_of(
    way: list[TracebackType], module: Any, sites: Sites, ours: Callable[[str], bool] = ours
) -> Position:
    """Return where the program was when it made a call that raised. Of a call within a ``module``,
    whose scope was emitted, only the line is wanted."""
    levels = [
        Level(code, each.tb_lasti, ours(code.co_filename), is_librarys(each.tb_frame))
        for each in way
        if (code := each.tb_frame.f_code)
    ]
    top = [n for n, each in enumerate(levels) if each.code.co_name.startswith(TOP)]
    row = tuple(levels[top[0] :]) if top and module is None else ()
    return Position(row, sites.at(levels[-1].code, levels[-1].lasti))


def _name(code: CodeType) -> str:
    """Return the public name of a function of this package."""
    file = code.co_filename
    name = file[len("<graphwidget ") : -1].split()[0] if file[0] == "<" else code.co_name
    name = name.removesuffix("_operator").rstrip("_")
    return "index" if name == "getitem" else name


@cache
def _in_functions(file: str) -> bool:
    """Return whether a file is one of those of the functions that users call."""
    return file.startswith(FUNCTIONS)


def _tensors(code: CodeType, values: dict[str, Any]) -> tuple[TensorBase, ...]:
    """The tensors among the arguments of a call, those in lists included."""
    found: list[TensorBase] = []
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & CO_VARARGS)
    for name in code.co_varnames[:count]:
        value = values.get(name)
        parts = [each for _, each in items(value)] or [value]
        found += [each for each in parts if is_a(each, TensorBase) and not each._number]
    return tuple(found[:MAX_INPUTS])
