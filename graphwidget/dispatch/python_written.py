"""Functions that PyTorch writes in Python: a wrong call raises what PyTorch raises.

One that hands its arguments on to a bound one leaves it to the parser of that one to refuse them
(see ``parsed.py``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ..eager.lazy import Names
from ..eager.overridable import Checks, overridable_wrapper
from .parsed import RIGHT, not_of_classes, number_source
from .parser import refusal
from .signatures import Parameter, signatures


def python_written_function(
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
        section, name: of the bound function, as in ``parsed_function``; "" without one. A name with
            quotes is source that chooses one.
        handed: the arguments that are handed on, as source.
        title: what Python's errors call it, if not by its name.
    """
    name = name if "'" in name else repr(name)

    def checks(own: Names) -> Checks:
        call = ast.parse(f"f({handed})", mode="eval").body
        assert isinstance(call, ast.Call)
        refuse = [asked] if asked else []
        if section:
            parser = own("REFUSAL", refusal)
            refuse += [
                f"wrong = {parser}({section!r}, {name}, {values_source(call)})",
                "if wrong is not None: raise wrong from None",
            ]
        doubts: list[str] = []
        numbers: list[str] = []
        for each, wanted, left_out in forwarded_source(section, re.findall(r"'(\w+)'", name), call):
            conditions = not_of_classes(each, wanted, own)
            doubts.append(" and ".join([f"{each} is not None"] * left_out + conditions))
            numbers += number_source(each, wanted, own)
        return Checks(doubts, refuse, numbers)

    return overridable_wrapper(target, title=title, checks=checks)


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


def forwarded_source(
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
