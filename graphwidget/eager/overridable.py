"""Wraps functions so that ``__torch_function__`` may override them.

The wrapper is generated when it is first called. It asks who overrides the call. Objects with
``__torch_function__`` that are no tensors are noticed only when the function fails because of one;
then the wrapper asks again.

``wrapper_source`` writes all wrappers: those with PyTorch's parser of arguments before
them too (``dispatch/parsed.py``), and those of functions that PyTorch writes in Python
(``dispatch/python_written.py``).
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from ..graph import runtime
from .lazy import Names, compile_function, is_generated, lazy_function

Call = TypeVar("Call", bound=Callable[..., Any])

MARKS: dict[Any, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"
}  # fmt: skip
"""The stars before a function's parameters."""


def wrapper_source(
    head: Iterable[str],
    doubts: Sequence[str],
    doubted: Iterable[str],
    call: Iterable[str],
    failed: Iterable[str],
) -> str:
    """The source of a wrapper.

    Args:
        head: its first line, that which asks for overrides, and what binds the arguments.
        doubts: conditions under which PyTorch might refuse a call that the function would not mind.
        doubted: the lines that look closer then.
        call: those that call the function.
        failed: those that call again or refuse the call, once the function failed.
    """
    lines = [*head]
    if doubts:
        lines += [f"if {' or '.join(doubts)}:", *(f"    {line}" for line in doubted)]
    lines += ["try:", *(f"    {line}" for line in call)]
    lines += ["except Exception:", *(f"    {line}" for line in failed), "    raise"]
    return "\n    ".join(lines)


class Checks(NamedTuple):
    """Lines of PyTorch's own checks: the conditions under which a call is in doubt, the lines that
    refuse it then or when it failed, and those that make Python's numbers of others."""

    doubts: Sequence[str] = ()
    refuse: Sequence[str] = ()
    numbers: Sequence[str] = ()


def overridable(function: Call, place: str = "") -> Call:
    """The same function, which asks who overrides it. A generated one does that on its own.

    Args:
        place: where users find it, if not in its module: ``Tensor.shape.get``.
    """
    plain = inspect.isfunction(function) and not is_generated(function)
    return overridable_wrapper(function, place) if plain else function


def overridable_wrapper(
    target: Any,
    place: str = "",
    title: str = "",
    checks: Callable[[Names], Checks] = lambda own: Checks(),
) -> Any:
    """The wrapper of a function.

    Args:
        target: the function.
        place: where users find it, if not in its module.
        title: what Python's errors call it, if not by its name.
        checks: PyTorch's own of the call, with names for what they use.
    """
    place = place or title or f"{target.__module__}.{target.__name__}"
    name = target.__name__ if target.__name__.isidentifier() else place.rpartition(".")[2]
    own = Names(place.replace(".", "_") + "_")
    made = lazy_function(name, build_wrapper, wrapper_signature, target, target, name, own, checks)
    made.__module__, made.__doc__ = target.__module__, target.__doc__
    plain = target.__name__.isidentifier()
    made.__qualname__ = title or (target.__qualname__ if plain else name)
    return made


def wrapper_signature(target: Any, *_: Any) -> inspect.Signature:
    """The signature of the wrapper of a function: the same."""
    return inspect.signature(target)


def build_wrapper(
    made: types.FunctionType, target: Any, name: str, own: Names, checks: Callable[[Names], Checks]
) -> types.FunctionType:
    """The code of the wrapper of a function."""
    parameters = list(inspect.signature(target).parameters.values())
    heads, args, values = parameter_sources(parameters, own)
    function, given = own("FUNCTION", made), ", ".join(args)
    head = [f"def {name}({', '.join(heads)}):"]
    head.append(ask_source(function, *given_source(parameters, own)))
    doubts, refuse, numbers = checks(own)
    failed = [f"if has_undeclared_override(({values})): return {function}({given})", *refuse]
    call = [f"return {own('TARGET', target)}({given})"]
    source = wrapper_source(head, doubts, [*failed, *numbers], call, failed)
    return compile_function(source, name, runtime.__dict__)


def ask_source(function: str, args: str, named: str, indent: str = "") -> str:
    """The line by which a generated function asks who overrides it, before all else. ``function``
    is what its globals, those of ``graph.runtime``, call the function itself; ``args`` and
    ``named`` are the source of what was given by position, and by name."""
    call = f"ask({function}, ({args}), {named})"
    return f"{indent}if overridden and (answer := {call}) is not NOBODY: return answer"


def default(parameter: inspect.Parameter, own: Names) -> str:
    """Return the text of a parameter's default."""
    return own(f"DEFAULT_{parameter.name}", parameter.default)


def parameter_sources(
    parameters: Sequence[inspect.Parameter], own: Names
) -> tuple[list[str], list[str], str]:
    """Parameters where a function is defined, where it is called, and in a tuple of values."""
    heads, args, values = [], [], []
    starred = False
    for p in parameters:
        mark = MARKS.get(p.kind, "")
        if p.kind is p.KEYWORD_ONLY and not starred:
            heads.append("*")
        starred = starred or p.kind >= p.VAR_POSITIONAL
        heads.append(mark + (p.name if p.default is p.empty else f"{p.name}={default(p, own)}"))
        args.append(f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else mark + p.name)
        values.append(f"*{p.name}.values(), " if mark == "**" else f"{mark}{p.name}, ")
    return heads, args, "".join(values)


def given_source(parameters: Sequence[inspect.Parameter], own: Names) -> tuple[str, str]:
    """The source of what was given by position, and by name: defaults are not among it."""
    required, optional, rest, named = "", "", "", ""
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL:
            rest = f"*{p.name}, "
        elif p.kind is p.VAR_KEYWORD:
            named += f"**{p.name}, "
        elif p.kind is p.KEYWORD_ONLY:
            named += f"**{own('NAMED', if_given)}({p.name!r}, {p.name}, {default(p, own)}), "
        elif p.default is p.empty:
            required += f"{p.name}, "
        else:
            optional += f"({p.name}, {default(p, own)}), "
    if optional:
        optional = f"*{own('GIVEN', up_to_defaults)}({optional}), "
    return required + optional + rest, f"{{{named}}}"


def up_to_defaults(*pairs: tuple[Any, Any]) -> list[Any]:
    """Values, of pairs with their parameters' defaults, up to the last that is none."""
    values = [value for value, _ in pairs]
    while values and values[-1] is pairs[len(values) - 1][1]:
        values.pop()
    return values


def if_given(name: str, value: Any, default: Any) -> dict[str, Any]:
    """A value by its name; nothing if it is its parameter's default."""
    return {} if value is default else {name: value}
