"""Objects that want to be asked and are the first to do so (see ``fronts``).

A class of tensors tells of itself when it is defined, and a mode when it is entered. Of another
object with ``__torch_function__`` nobody knows before a function fails because it was given one:
then fronts are set, and the function is called once more.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
import types
from collections.abc import Callable, Iterable
from typing import Any

from . import hot
from .compile import OPERATORS
from .fronts import awake, awaken, fronted
from .later import later
from .overrides import asks, flat

_missed: list[Any] = []
"""Functions that failed because of a newcomer, and have no front: one around them has."""


def newcomer(values: Iterable[Any], function: Any = None) -> bool:
    """Whether a call failed because one of its arguments wants to be asked, and was not, and the
    ``function`` asks it when it is called again."""
    if (awake() and not _missed) or not any(map(asks, flat(values))):
        return False
    awaken()
    if function is not None and not fronted(function):
        _missed.append(function)
        return False
    _missed.clear()
    return True


def guarded(function: Any) -> Any:
    """A function with its whole body in a ``try``, which costs nothing: if it fails because of a
    newcomer, it is called again. It is compiled from its source when it is first called; generated
    functions are left, which do the same."""
    if "write" in (function.__kwdefaults__ or {}):
        return function

    def again(*args: Any, **kwargs: Any) -> list[Any]:
        return [made(*args, **kwargs)] if newcomer((*args, *kwargs.values())) else []

    def build() -> types.FunctionType:
        found = with_handler(function)
        found.__kwdefaults__ = {**(function.__kwdefaults__ or {}), "again": again}
        found.__defaults__ = function.__defaults__
        return found

    made = later(function.__name__, build, function.__globals__)
    made.__qualname__ = function.__qualname__
    made.__module__, made.__doc__ = function.__module__, function.__doc__
    made.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return made


def with_handler(function: types.FunctionType) -> types.FunctionType:
    """A function that calls ``again`` with its arguments where it fails, and gives what that finds.
    Its lines keep their numbers, and errors their tracebacks."""
    first = function.__code__.co_firstlineno - 1
    lines = linecache.getlines(function.__code__.co_filename)[first:]
    if not lines:  # there are no sources: newcomers must be asked by another function first
        return types.FunctionType(function.__code__, function.__globals__)
    tree = ast.parse(textwrap.dedent("".join(inspect.getblock(lines))))
    ast.increment_lineno(tree, first)
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    given = [
        f"*{p.name}" if p.kind is p.VAR_POSITIONAL
        else f"**{p.name}" if p.kind is p.VAR_KEYWORD
        else f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY
        else p.name
        for p in inspect.signature(function).parameters.values()
    ]  # fmt: skip
    source = f"""
try: pass
except Exception:
    for found in again({", ".join(given)}): return found
    raise"""
    attempt = ast.parse(source.strip()).body[0]
    assert isinstance(attempt, ast.Try)
    for each in ast.walk(attempt):
        if isinstance(each, (ast.stmt, ast.expr, ast.excepthandler)):
            each.lineno = each.end_lineno = definition.lineno
    attempt.body = definition.body
    definition.body, definition.decorator_list = [attempt], []
    definition.args.defaults = [ast.Constant(None) for _ in definition.args.defaults]
    definition.args.kwonlyargs.append(ast.arg("again"))
    definition.args.kw_defaults = [ast.Constant(None) for _ in definition.args.kwonlyargs]
    definition.returns = None
    for each in ast.walk(definition.args):
        if isinstance(each, ast.arg):
            each.annotation = None
    code = compile(
        ast.fix_missing_locations(tree), function.__code__.co_filename, "exec", dont_inherit=True
    )
    found: dict[str, Any] = {}
    exec(code, function.__globals__, found)
    return found[definition.name]  # type: ignore[no-any-return]


def left_alone(operator: str | Callable[..., Any], *operands: Any) -> Any:
    """What an operator (or an op's own) says of operands that it does not know."""
    if not newcomer(operands):
        return NotImplemented
    return (OPERATORS[operator] if isinstance(operator, str) else operator)(*operands)


hot.left_alone = left_alone
