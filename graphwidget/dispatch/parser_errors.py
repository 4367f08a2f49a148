"""The parser's error where several signatures could be meant.

It shows them, and marks what does not fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..arrays.type_names import type_name

Named = Mapping[str, Any]


class Call(NamedTuple):
    """A call: the name under which PyTorch speaks of the function, and the arguments."""

    name: str
    args: Sequence[Any]
    named: Named


def invalid_combination(call: Call, options: list[str]) -> str:
    """What is said when several signatures could be meant."""
    told = f"{call.name}() received an invalid combination of arguments - "
    if len(options) > 1:
        told += f"got {list_types(call)}, but expected one of:\n"
        return told + "".join(f" * {each}\n{compare_signature(call, each)}" for each in options)
    (option,) = options
    unknown = unmatched_names(call, option)
    if unknown:
        return told + "got unrecognized keyword arguments: " + ", ".join(unknown)
    got = mark_mismatches(call, option) if has_arity(call, option) else list_types(call)
    return told + f"got {got}, but expected {option}"


def compare_signature(call: Call, option: str) -> str:
    """What is said of one of several signatures, where the arguments' number is right."""
    if not has_arity(call, option):
        return ""
    unknown = unmatched_names(call, option)
    if unknown:
        reason, what = "keywords were incorrect", ", ".join(unknown)
    else:
        reason, what = "arguments have invalid types", mark_mismatches(call, option)
    return f"      didn't match because some of the {reason}: {what}\n"


def signature_parts(option: str) -> list[tuple[str, str]]:
    """Type and name of each part of a signature as it is shown. PyTorch reads them back from that
    text: the name is its last word, even in ``int dim = -1``, and ``*`` is a part."""
    parts = option[1:-1].split(", ")
    return [(kind, name) for kind, _, name in (part.rpartition(" ") for part in parts)]


def has_arity(call: Call, option: str) -> bool:
    """Whether a call has as many arguments as a signature has parts."""
    return len(call.args) + len(call.named) == len(signature_parts(option))


def reversed_names(call: Call) -> list[str]:
    """Names in the order in which C++'s maps hold them: the last one first."""
    return list(call.named)[::-1]


def unmatched_names(call: Call, option: str) -> list[str]:
    """The names that a signature does not have where they could stand."""
    parts = signature_parts(option)
    names = [name for _, name in parts[max(len(parts) - len(call.named), 0) :]]
    return [name for name in reversed_names(call) if name not in names]


def list_types(call: Call) -> str:
    """The types of a call's arguments."""
    said = "".join(type_name(value) + ", " for value in call.args)
    said += "".join(f"{name}={type_name(call.named[name])}, " for name in reversed_names(call))
    return f"({said[:-2] if call.args else said})"


def mark_mismatches(call: Call, option: str) -> str:
    """The same, with marks at those that do not fit."""
    said, parts = [], signature_parts(option)
    for place, (kind, name) in enumerate(parts):
        by_name = place >= len(call.args)
        value = call.named[name] if by_name else call.args[place]
        mark = "" if type_name(value) in ALSO_CALLED.get(kind, (kind,)) else "!"
        said.append(f"{mark}{name + '=' if by_name else ''}{full_type_name(value)}{mark}")
    shown = ", ".join(said)
    return f"({shown})" if call.args else f"({shown}, )"


ALSO_CALLED = {"float": ("float", "int", "long"), "int": ("int", "long")}


def full_type_name(value: Any) -> str:
    """The type of a value, of a list with those of its items."""
    if not isinstance(value, (tuple, list)):
        return type_name(value)
    items = ", ".join(type_name(item) for item in value)
    if isinstance(value, tuple):
        return f"{type_name(value)} of ({items}{',' * (len(value) == 1)})"
    return f"{type_name(value)} of [{items}]"
