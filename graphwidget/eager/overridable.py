"""Wraps functions so that ``__torch_function__`` may override them.

The wrapper is generated when it is first called. It asks who overrides the call. Objects with
``__torch_function__`` that are no tensors are noticed only when the function fails because of one;
then the wrapper asks again.

``wrapper_source`` also writes the wrappers with PyTorch's parser of arguments
(``dispatch/parsed.py``).
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from ..arrays.kernel_errors import type_name
from ..graph import runtime
from ..graph.tensor import Tensor
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


def overridable(function: Call, place: str = "") -> Call:
    """The same function, which asks who overrides it. A generated one does that on its own.

    Args:
        place: where users find it, if not in its module: ``Tensor.shape.get``.
    """
    if not inspect.isfunction(function) or is_generated(function):
        return function
    place = place or f"{function.__module__}.{function.__name__}"
    name = function.__name__ if function.__name__.isidentifier() else place.rpartition(".")[2]
    own = Names(place.replace(".", "_") + "_")
    made = lazy_function(name, build_wrapper, wrapper_signature, function, function, name, own)
    made.__module__, made.__doc__ = function.__module__, function.__doc__
    made.__qualname__ = function.__qualname__ if name == function.__name__ else name
    return made  # type: ignore[no-any-return]


def wrapper_signature(target: Any, *_: Any) -> inspect.Signature:
    """The signature of the wrapper of a function: the same."""
    return inspect.signature(target)


def build_wrapper(
    made: types.FunctionType, target: Any, name: str, own: Names
) -> types.FunctionType:
    """The code of the wrapper of a function."""
    parameters = list(inspect.signature(target).parameters.values())
    heads, args, values = parameter_sources(parameters, own)
    function, given = own("FUNCTION", made), ", ".join(args)
    head = [f"def {name}({', '.join(heads)}):"]
    head.append(ask_source(function, *given_source(parameters, own)))
    failed = [f"if has_undeclared_override(({values})): return {function}({given})"]
    tensors = [(i, p.name) for i, p in enumerate(parameters, 1) if p.annotation in TENSOR]
    doubts = [f"{p.name}.__class__ not in {own(f'CLASSES_{p.name}', RIGHT[p.annotation])}"
              for p in parameters if p.annotation in RIGHT]  # fmt: skip
    named = ", ".join(f"{p.name!r}: {p.name}" for p in parameters)
    explained = f"explain({name!r}, {{{named}}})"
    if not own.prefix.endswith("_set_"):  # properties say it themselves
        places = "".join(f"({name!r}, {place}, {name}), " for place, name in tensors)
        check = f"{own('CHECK', check_tensors)}({name!r}, {places})"
        failed.append(f"{explained} or {check}")
    call = [f"return {own('TARGET', target)}({given})"]
    source = wrapper_source(head, doubts, [explained], call, failed)
    return compile_function(source, name, runtime.__dict__)


RIGHT: dict[Any, tuple[type, ...]] = {
    "bool": (bool,), "float": (float, int), "float | None": (float, int, type(None)),
}  # fmt: skip
"""The classes of values that are right for sure, by the parameter's annotation."""

TENSOR = ("Tensor", Tensor)
"""Annotations of parameters that take nothing but tensors."""


def check_tensors(function: str, *places: tuple[str, int, Any]) -> None:
    """Refuse arguments in the places of tensors that are none, once a function failed.

    Raises:
        TypeError: the text of PyTorch's parser of arguments.
    """
    for name, place, value in places:
        if not isinstance(value, Tensor):
            raise TypeError(
                f"{function}(): argument '{name}' (position {place}) must be Tensor, "
                f"not {type_name(value)}"
            ) from None


def ask_source(function: str, args: str, named: str, indent: str = "") -> str:
    """The line by which a generated function asks who overrides it, before all else. ``function``
    is what its globals, those of ``graph.runtime``, call the function itself; ``args`` and
    ``named`` are the source of what was given by position, and by name."""
    call = f"ask({function}, ({args}), {named})"
    return f"{indent}if overridden and (answer := {call}) is not NOT_OVERRIDDEN: return answer"


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
