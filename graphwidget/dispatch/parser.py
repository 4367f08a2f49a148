"""PyTorch's parser of arguments: which signature a call fits, and the error when none.

``refusal`` does what that parser does: it tries the signatures of a function in turn (see
``signatures``). When none fits, it says why not, if there is only one that could have been meant,
or else shows them all. The texts, and what fits where, are those of PyTorch 2.13.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays.devices import device
from ..arrays.dtypes import dtype
from ..arrays.kernel_errors import type_name
from ..arrays.warnings import warn_once
from ..graph.tensor import Tensor
from .overriding import may_override
from .signatures import INTEGERS, Parameter, Signature, signatures

Named = Mapping[str, Any]


class Call(NamedTuple):
    """A call: the name under which PyTorch speaks of the function, and the arguments."""

    name: str
    args: Sequence[Any]
    named: Named


def invalid_combination(call: Call, options: list[str]) -> str:
    """Return the message for a call that could mean several signatures."""
    text = f"{call.name}() received an invalid combination of arguments - "
    if len(options) > 1:
        text += f"got {list_types(call)}, but expected one of:\n"
        return text + "".join(f" * {each}\n{compare_signature(call, each)}" for each in options)
    (option,) = options
    unknown = unmatched_names(call, option)
    if unknown:
        return text + "got unrecognized keyword arguments: " + ", ".join(unknown)
    got = mark_mismatches(call, option) if has_arity(call, option) else list_types(call)
    return text + f"got {got}, but expected {option}"


def compare_signature(call: Call, option: str) -> str:
    """Return the message's line on one of several signatures with this many arguments."""
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
    """Return whether a call has as many arguments as a signature has parts."""
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
    """Like ``list_types``, with marks at those that do not fit."""
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


# What fits ---------------------------------------------------------------------------------------
def is_integer(value: Any) -> bool:
    """Return whether a value is an integer; no bool is."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_index(value: Any) -> bool:
    """Return whether a value may stand where an integer is wanted; no bool may."""
    if isinstance(value, (bool, np.bool_)):
        return False
    try:
        operator.index(value)
    except (TypeError, RuntimeError, ValueError):
        return False
    return True


def is_number(value: Any) -> bool:
    """Return whether a value is a number of Python or numpy."""
    return isinstance(value, (int, float, complex, np.number, np.bool_))


def is_single(value: Any) -> bool:
    """Return whether a value is a 0-d tensor that no gradient is wanted of."""
    return isinstance(value, Tensor) and not value._data.ndim and not value.requires_grad


def is_real(value: Any) -> bool:
    """Return whether a value is a real number of Python or numpy."""
    return isinstance(value, (int, float, np.number)) and not isinstance(value, np.complexfloating)


def is_float(value: Any) -> bool:
    """Return whether a value may stand where a float is wanted."""
    return is_real(value) or is_single(value)


NUMBERS_FOR_TENSORS = frozenset(
    name + ending
    for name in ("add", "div", "divide", "mul", "multiply", "sub", "subtract", "true_divide",
                 "floor_divide", "to", "copy")
    for ending in ("", "_")
)  # fmt: skip
"""Functions whose tensors may be numbers."""

CHECKS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda value: isinstance(value, Tensor),
    "Scalar": lambda value: is_number(value) or is_float(value),
    "complex": lambda value: isinstance(value, complex) or is_float(value),
    "double": is_float,
    "int64_t": lambda value: (
        is_integer(value) or (is_single(value) and value._data.dtype.kind in "iu")
    ),
    "SymInt": is_index,
    "bool": lambda value: isinstance(value, bool),
    "ArrayRef<double>": lambda value: (
        isinstance(value, (tuple, list)) and (not value or is_real(value[0]))
    ),
    "ScalarList": lambda value: isinstance(value, (tuple, list)) and all(map(is_number, value)),
    "Generator": lambda value: type(value).__name__ == "Generator",
    "ScalarType": lambda value: (
        isinstance(value, dtype) or value is int or value is float or value is bool
    ),
    "Layout": lambda value: type(value).__name__ == "layout",
    "MemoryFormat": lambda value: type(value).__name__ == "memory_format",
    "Device": lambda value: is_integer(value) or isinstance(value, (str, device)),
    "string_view": lambda value: isinstance(value, str),
    "PyObject*": lambda value: True,
}
"""Return whether a value fits, by the parameter's type."""

TENSORS = ("TensorList", "List<optional<Tensor>>")


def unfit_integer(parameter: Parameter, value: Any) -> int | None:
    """Return where a value is no list of integers: -1 as a whole, else the place; None when it is
    one. Only the first item is looked at."""
    if isinstance(value, (tuple, list)):
        return None if not value or is_index(value[0]) or may_override(value[0]) else 0
    return None if parameter.size and is_index(value) else -1


def fits(parameter: Parameter, value: Any, place: int, numbers: bool) -> tuple[bool, int]:
    """Return whether a value fits a parameter, and at what place it does not, when it is a list.
    What wants to be asked instead fits everywhere.

    Raises:
        TypeError: a list of tensors contains something else.
    """
    kind = parameter.type
    if may_override(value):
        return True, -1
    if kind in INTEGERS:
        unfit = unfit_integer(parameter, value)
        return unfit is None, -1 if unfit is None else unfit
    if kind in TENSORS:
        if not isinstance(value, (tuple, list)):
            return False, -1
        for index, item in enumerate(value):
            if not (isinstance(item, Tensor) or may_override(item)):
                raise TypeError(
                    f"expected Tensor as element {index} in argument {place}, but got "
                    f"{type_name(item)}"
                )
        return True, -1
    check = CHECKS["Scalar" if numbers and kind == "Tensor" and is_number(value) else kind]
    return check(value), -1


# One signature -----------------------------------------------------------------------------------
MISSING: Any = object()
"""Placeholder of an argument that was not given."""


Bound = dict[str, Any]
"""The arguments of a call that fits, by the names of the signature's parameters."""


def bind(call: Call, signature: Signature) -> Bound | str:
    """The arguments of a call by name, or why it does not fit the signature.

    Raises:
        TypeError: a list of tensors contains something else.
    """
    name, args, named = call
    if is_star_arguments(call, signature):
        args = (args,)
    parameters, count = signature.parameters, len(args)
    if count > signature.places:
        return too_many_arguments(call, signature)
    bound: Bound = {}
    for place, each in enumerate(parameters):
        by_name = place >= count
        value = given_by_name(each, named) if by_name else args[place]
        if value is MISSING:
            if each.default is None:
                return missing_arguments(call, parameters[place:])
            continue
        if not (value is None and each.nullable):
            fit, at = fits(each, value, place, name in NUMBERS_FOR_TENSORS)
            if not fit:
                return f"{name}(): " + unfit_argument(each, value, None if by_name else place, at)
        bound[each.name] = value
    return bound if len(bound) == count + len(named) else unexpected_keyword(call, signature)


def is_star_arguments(call: Call, signature: Signature) -> bool:
    """Return whether the only list of a call was given as arguments of their own: ``view(2,
    3)``."""
    args, parameters = call.args, signature.parameters
    return (
        signature.places == 1
        and parameters[0].type in INTEGERS
        and not parameters[0].size
        and len(args) > 0
        and is_index(args[0])
    )


def given_by_name(parameter: Parameter, named: Named) -> Any:
    """The value that a call names, MISSING without one."""
    for name in parameter.names:
        if name in named:
            return named[name]
    return MISSING


def unfit_argument(parameter: Parameter, value: Any, place: int | None, at: int) -> str:
    """Return the message for an argument of the wrong type."""
    where = "" if place is None else f" (position {place + 1})"
    said = f"argument '{parameter.name}'{where} must be {parameter.word}"
    if place is not None and at >= 0:
        return f"{said}, but found element of type {type_name(value[at])} at pos {at}"
    return f"{said}, not {type_name(value)}"


def too_many_arguments(call: Call, signature: Signature) -> str:
    """Return the message for more arguments than there are places."""
    count, needed, places = len(call.args), signature.needed, signature.places
    if needed != places:
        return (
            f"{call.name}() takes from {needed} to {places} positional arguments but {count} were "
            "given"
        )
    return (
        f"{call.name}() takes {places} positional argument{'s' * (places != 1)} but {count} "
        f"{'was' if count == 1 else 'were'} given"
    )


def missing_arguments(call: Call, parameters: Sequence[Parameter]) -> str:
    """Return the message for missing arguments, in PyTorch's spelling."""
    names = [f'"{each.name}"' for each in parameters if each.default is None]
    ending = "s" if len(names) == 1 else ""
    return f"{call.name}() missing {len(names)} required positional argument{ending}: " + ", ".join(
        names
    )


def unexpected_keyword(call: Call, signature: Signature) -> str:
    """Return the message for a name that is unknown, or that was given by position too."""
    names = [each.name for each in signature.parameters]
    for name in call.named:
        if name not in names:
            return f"{call.name}() got an unexpected keyword argument '{name}'"
        if names.index(name) < len(call.args):
            return f"{call.name}() got multiple values for argument '{name}'"
    return "invalid keyword arguments"


def overload_of_lists(call: Call, signature: Signature, bound: Bound) -> str | None:
    """Return the message on lists in a call that fits, last list first: of integers only the first
    items were looked at, and tensors were not counted. None when there is nothing to say."""
    for each in reversed(signature.parameters):
        value = bound.get(each.name)
        if (
            each.type in TENSORS
            and isinstance(value, (tuple, list))
            and each.size not in (0, len(value))
        ):
            return f"expected tuple of {each.size} elements but got {len(value)}"
        for index, item in enumerate(value if isinstance(value, (tuple, list)) else ()):
            if each.type == "ArrayRef<double>" and not (is_real(item) or may_override(item)):
                return (
                    f"{call.name}(): argument '{each.name}' must be {each.word}, but found element "
                    f"of type {type_name(item)} at pos {index + 1}"
                )
            if each.type in INTEGERS and not (
                is_index(item) or isinstance(item, bool) or may_override(item)
            ):
                return (
                    f"{call.name}(): argument '{each.name}' failed to unpack the object at pos "
                    f'{index + 1} with error "type must be tuple of ints,but got {type_name(item)}"'
                )
    return None


# All signatures ----------------------------------------------------------------------------------
def parse(section: str, name: str, args: Sequence[Any], named: Named) -> Bound | TypeError | None:
    """Return a call's arguments by their names as PyTorch parses them, or the error with which
    it refuses them; None for functions without a parser.

    Args:
        section: ``torch``, ``Tensor``, ``nn``, ``linalg`` or ``special``.
        name: what PyTorch calls the function there (``linalg_inv``).
        args: the arguments by position, of a method without the tensor itself.
        named: those by name.
    """
    known = signatures(section, name)
    if not known:
        return None
    try:
        found = first_matching_signature(Call(name, args, named), known, section == "Tensor")
    except TypeError as error:
        return error
    return TypeError(found) if isinstance(found, str) else found


def refusal(section: str, name: str, args: Sequence[Any], named: Named) -> TypeError | None:
    """The error with which PyTorch's parser refuses a call; None when it does not (see
    ``parse``)."""
    found = parse(section, name, args, named)
    return found if isinstance(found, TypeError) else None


def first_matching_signature(call: Call, known: tuple[Signature, ...], method: bool) -> Bound | str:
    """The arguments by the first signature that they fit, or what the parser says when none."""
    if method and len(known) == 1 and not known[0].parameters:
        return no_arguments_error(call) or {}
    for each in known:
        found = bind(call, each)
        if not isinstance(found, str):
            if each.mark == "deprecated":
                warn_once(deprecated_signature_warning(call.name, each, known))
            return overload_of_lists(call, each, found) or found
    if len(known) == 1:
        return found
    count = len(call.args) + len(call.named)
    shown = [each for each in known if not each.mark]
    plausible = [each for each in shown if each.needed <= count <= len(each.parameters)]
    if len(plausible) == 1:
        return bind(call, plausible[0])
    return invalid_combination(call, [str(each) for each in shown])


def deprecated_signature_warning(name: str, used: Signature, known: tuple[Signature, ...]) -> str:
    """Return the warning for a call by a deprecated signature."""
    better = "".join(f"\n\t{name}{each}" for each in known if not each.mark)
    return (
        f"This overload of {name} is deprecated:\n\t{name}{used}\nConsider using one of the "
        f"following signatures instead:{better}"
    )


def no_arguments_error(call: Call) -> str | None:
    """Return Python's message for arguments of a method without parameters."""
    if call.named:
        return f"TensorBase.{call.name}() takes no keyword arguments"
    return f"TensorBase.{call.name}() takes no arguments ({len(call.args)} given)" * bool(call.args)
