"""What stands before a function that PyTorch writes in Python, and that hands its arguments on to a
bound one: the parser of that one refuses them (see ``face``)."""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence
from typing import Any

from .arguments import refusal
from .face import NUMBERS, RIGHT, plain, unlike
from .later import compiled, later
from .precedence import ask_operands
from .signatures import Parameter, signatures
from .tensor import Tensor


def passing(target: Any, asked: str, section: str = "", name: str = "", handed: str = "") -> Any:
    """A function that PyTorch writes in Python. Where a call fails, it does what PyTorch's does up
    to its own error: it asks something of the arguments, and hands them on to a bound function,
    which refuses them.

    Args:
        target: what computes it.
        asked: what is asked of the arguments first, as source: ``input.dim``.
        section, name: of the bound function, as in ``faced``; "" without one.
        handed: the arguments that are handed on, by position, as source.
    """
    title, signature = target.__name__, inspect.signature(target)
    head, args, star = [], [], False
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not star:
            head.append("*")
            star = True
        head.append(p.name if p.default is p.empty else f"{p.name}=DEFAULT_{p.name}")
        args.append(f"{p.name}={p.name}" if star else p.name)
    scope: dict[str, Any] = {"TARGET": target, "REFUSAL": refusal, "ASK": ask_operands}
    scope |= {"PLAIN": plain, "TENSOR": Tensor}
    scope.update({f"DEFAULT_{p.name}": p.default for p in signature.parameters.values()})
    refuse = [
        asked or "pass",
        f"wrong = REFUSAL({section!r}, {name!r}, ({handed}{',' * bool(handed)}), {{}})",
        "if wrong is not None: raise wrong from None",
    ]

    def build() -> types.FunctionType:
        places = handed_on(section, name, handed.split(", "))
        doubts = [" and ".join(unlike(each, wanted, scope)) for each, wanted in places.items()]
        numbers = [each for each, wanted in places.items() if {p.type for p in wanted} <= NUMBERS]
        lines = [
            f"def {title}({', '.join(head)}):",
            f"if {' or '.join(doubts) or False}:",
            *(f"    {line}" for line in refuse),
            *(f"    if isinstance({each}, TENSOR): {each} = {each}.item()" for each in numbers),
            f"try: return TARGET({', '.join(args)})",
            "except Exception as error:",
            *(f"    {line}" for line in refuse),
            "    if not isinstance(error, ValueError):",  # which is said before any op
            f"        ASK({title!r}, ({', '.join(signature.parameters)},))",
            "    raise",
        ]
        return compiled("\n    ".join(lines), title, scope)

    made = later(title, build, scope)
    made.__module__, made.__doc__ = target.__module__, target.__doc__
    made.__signature__ = signature  # type: ignore[attr-defined]
    return made


def handed_on(section: str, name: str, handed: Sequence[str]) -> dict[str, set[Parameter]]:
    """What is wanted of the arguments that are handed on as they are, but for tensors."""
    found = {}
    for place, each in enumerate(handed):
        known = signatures(section, name)
        wanted = {one.parameters[place] for one in known if place < one.places}
        kinds = {one.type for one in wanted}
        if each.isidentifier() and kinds and kinds <= RIGHT.keys() - {"Tensor"}:
            found[each] = wanted
    return found
