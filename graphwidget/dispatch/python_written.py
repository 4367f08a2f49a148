"""What stands before a function that PyTorch writes in Python. One that hands its arguments on to a
bound one leaves it to the parser of that one to refuse them (see ``face``)."""

from __future__ import annotations

import ast
import inspect
import re
import types
from collections.abc import Iterator
from typing import Any

from ..eager.lazy import Names, compiled, is_generated, later
from .parsed import RIGHT, number, unlike
from .parser import refusal
from .signatures import Parameter, signatures
from .torch_function_objects import newcomer


def guarded(function: Any) -> Any:
    """A function that is called again where it failed because of a newcomer. A generated one does
    that on its own."""
    return function if is_generated(function) else passing(function)


def passing(
    target: Any,
    asked: str = "",
    section: str = "",
    name: str = "",
    handed: str = "",
    title: str = "",
) -> Any:
    """A function that PyTorch writes in Python. Where an argument is of an unusual class, or a call
    fails, it does what PyTorch's does up to its own error: it asks something of the arguments, and
    hands them on to a bound function, which refuses them.

    Args:
        target: what computes it.
        asked: what is asked of the arguments first, as source: ``input.dim``.
        section, name: of the bound function, as in ``faced``; "" without one. A name with quotes
            is source that chooses one.
        handed: the arguments that are handed on, as source.
        title: what Python's errors call it, if not by its name.
    """
    signature = inspect.signature(target)
    name = name if "'" in name else repr(name)
    scope: dict[str, Any] = {"TARGET": target, "REFUSAL": refusal, "NEWCOMER": newcomer}
    scope.update({f"DEFAULT_{p.name}": p.default for p in signature.parameters.values()})

    def build() -> types.FunctionType:
        call = ast.parse(f"f({handed})", mode="eval").body
        assert isinstance(call, ast.Call)
        refuse = [f"    {asked}"] if asked else []
        if section:
            refuse += [
                f"    wrong = REFUSAL({section!r}, {name}, {values_source(call)})",
                "    if wrong is not None: raise wrong from None",
            ]
        doubts: list[str] = []
        numbers: list[str] = []
        for each, wanted, left_out in handed_on(section, re.findall(r"'(\w+)'", name), call):
            conditions = unlike(each, wanted, Names(scope))
            doubts.append(" and ".join([f"{each} is not None"] * left_out + conditions))
            numbers += number(each, wanted, Names(scope))
        heads, args, asks = zip(*map(spelled, parameters_of(signature)), strict=True)
        values, given = "".join(filter(None, asks)), ", ".join(filter(None, args))
        again = f"    if NEWCOMER(({values})): return MADE({given})"
        lines = [f"def {target.__name__}({', '.join(heads)}):"]
        if doubts:
            lines += [f"if {' or '.join(doubts)}:", again, *refuse, *numbers]
        lines += [f"try: return TARGET({given})", "except Exception:", again, *refuse, "    raise"]
        return compiled("\n    ".join(lines), target.__name__, scope)

    made = scope["MADE"] = later(target.__name__, build, scope)
    made.__module__, made.__doc__ = target.__module__, target.__doc__
    made.__qualname__ = title or target.__name__
    made.__signature__ = signature  # type: ignore[attr-defined]
    return made


def parameters_of(signature: inspect.Signature) -> Iterator[inspect.Parameter | None]:
    """A function's parameters; None stands for a star of its own."""
    starred = False
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not starred:
            yield None
        starred = starred or p.kind >= p.VAR_POSITIONAL
        yield p


def spelled(p: inspect.Parameter | None) -> tuple[str, str, str]:
    """A parameter where a function is defined, where it is called, and in a tuple of values."""
    if p is None:
        return "*", "", ""
    if p.kind is p.VAR_POSITIONAL:
        return f"*{p.name}", f"*{p.name}", f"*{p.name}, "
    head = p.name if p.default is p.empty else f"{p.name}=DEFAULT_{p.name}"
    return head, f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else p.name, f"{p.name}, "


def values_source(call: ast.Call) -> str:
    """The source of what is handed on: by position, and by name."""
    args = "".join(f"{ast.unparse(each)}, " for each in call.args)
    named = "".join(
        f"{each.arg!r}: {ast.unparse(each.value)}, "
        if each.arg
        else f"**({ast.unparse(each.value)}), "
        for each in call.keywords
    )
    return f"({args}), {{{named}}}"


def handed_on(
    section: str, names: list[str], call: ast.Call
) -> Iterator[tuple[str, set[Parameter], bool]]:
    """What is wanted of the arguments that are handed on as they are, but for tensors; and whether
    another value is handed on for None."""
    known = [signature for name in names for signature in signatures(section, name)]
    given: list[tuple[int | str | None, ast.expr]] = [
        *enumerate(call.args), *((each.arg, each.value) for each in call.keywords)
    ]  # fmt: skip
    for where, source in given:
        for_none = re.fullmatch(r".* if (\w+) is None else (\w+)", ast.unparse(source))
        left_out = for_none is not None and for_none[1] == for_none[2]
        each = for_none[1] if for_none and left_out else ast.unparse(source)
        wanted = {
            p
            for signature in known
            for place, p in enumerate(signature.parameters)
            if where == (p.name if isinstance(where, str) else place)
        }
        kinds = {one.type for one in wanted}
        if each.isidentifier() and kinds and kinds <= RIGHT.keys() - {"Tensor"}:
            yield each, wanted, left_out
