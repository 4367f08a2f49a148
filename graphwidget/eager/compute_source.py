"""Writes the part of a record function that computes: from its inputs to the result's array.

``found`` is that array, ``meta`` its shape and dtype. ``fit`` says to what shapes and types
gradients are to be brought, None where they are right as they come. ``op_functions.py`` writes
what follows: the result, and the node.
"""

from __future__ import annotations

import numpy as np

from ..optable.declare import TABLE, Op
from ..optable.pointwise.copies import COMBINED
from .node_classes import may_broadcast


def own_name(what: str, op: Op) -> str:
    """Return the name of an op's ``OP`` or ``kernel`` in generated code. All generated functions
    share their globals."""
    return f"{what}_{op.key.replace('.', '_')}"


def compute_source(op: Op, operator: str = "") -> list[str]:
    """Lines from the inputs to ``found``, ``meta`` and, where the op may broadcast, ``fit``."""
    return pointwise_source(op, operator) if op.pointwise else other_source(op)


def other_source(op: Op) -> list[str]:
    """The lines of an op that is not pointwise: its kernel takes the operands as they are."""
    names, params = ", ".join(op.inputs), "".join(f", {name}" for name in op.params)
    arrays = ", ".join(f"{name}._data" for name in op.inputs)
    return [
        *absent_source(op),
        "    try:",
        f"        {', '.join(f'{name}._meta' for name in op.inputs)}",
        "    except AttributeError:",
        f"        raise not_a_tensor_error({own_name('OP', op)}, ({names},)) from None",
        *refresh_source(op, False),
        f"    {', '.join(['found', *op.kept])} = {own_name('kernel', op)}({arrays}{params})",
        "    meta = meta_of(found)",
        *(fit_source(op) if may_broadcast(op) else []),
    ]


def absent_source(op: Op) -> list[str]:
    """Lines that put a stand-in where a tensor was left out."""
    return [f"    if {name} is None: {name} = ABSENT" for name in op.optional]


def pointwise_source(op: Op, operator: str) -> list[str]:
    """The lines of a pointwise op: without promotion in the common case, where all operands have
    one shape and a type that the kernel takes."""
    names, own, kernel = ", ".join(op.inputs), own_name("OP", op), own_name("kernel", op)
    arrays = ", ".join(f"{name}._data" for name in op.inputs)
    params = "".join(f", {name}" for name in op.params)
    out = ", out=..." if isinstance(op.kernel, np.ufunc) else ""
    out += ", subok=True" if op.kernel in COMBINED else ""
    first, *others = op.inputs
    return [
        *wrap_number_source(op),
        *absent_source(op),
        "    try:",
        f"        meta = {first}._meta",
        *(f"        {name}._meta" for name in others),
        "    except AttributeError:",
        *(f"        {line}" for line in coerce_source(op, operator)),
        f"        meta = {first}._meta",
        *refresh_source(op, False),
        f"    if {common_case_test(op)}:",
        *same_shape_source(op, arrays, params),
        "        fit = None",
        *(["        meta = meta_of(found)"] if op.dtype == "bool" else []),
        *number_operand_source(op, arrays, params, out),
        "    else:",
        f"        arrays, fit = promote({own}, ({names},))",
        f"        {', '.join(['found', *op.kept])} = {kernel}(*arrays{params}{out})",
        *([] if out else [AS_ARRAY]),
        f"        found = ordered(found, ({memory_order_source(op)}))",
        "        meta = meta_of(found)",
    ]


def wrap_number_source(op: Op) -> list[str]:
    """Lines for a Python number as the second of two operands. In derivatives an op that has a
    form for numbers is that, which has no slot for it, as in PyTorch."""
    if len(op.inputs) != 2:
        return []
    names, second = ", ".join(op.inputs), op.inputs[1]
    form = f"        if derived and grad_mode.deriving: return number_{op.key}({names})"
    return [
        f"    kind = {second}.__class__",
        "    if kind is float or kind is int:",
        *([form] if f"{op.key}.number" in TABLE else []),
        f"        {names} = as_tensors({own_name('OP', op)}, ({names}))",
    ]


def common_case_test(op: Op) -> str:
    """The test whether the operands have one shape and type, and one that the kernel takes."""
    tests = []
    if len(op.inputs) > 1:
        tests.append(" is ".join(["meta", *(f"{name}._meta" for name in op.inputs[1:])]))
    if op.dtype == "float" or op.guard is not None:
        tests.append("meta.floating")
    return " and ".join(tests) or "True"


def memory_order_source(op: Op) -> str:
    """The arrays whose order in memory a pointwise result has."""
    return "".join(f"{name}._data, " for name in op.order)


AS_ARRAY = "        if found.__class__ is not ndarray: found = array(found)"


def same_shape_source(op: Op, arrays: str, params: str) -> list[str]:
    """The kernel on operands of one shape and type. Ufuncs give scalars for 0-d arrays unless
    they are asked for an array, which costs more than it is worth for others."""
    kernel = own_name("kernel", op)
    if not isinstance(op.kernel, np.ufunc):
        return [
            f"        {', '.join(['found', *op.kept])} = {kernel}({arrays}{params})",
            AS_ARRAY,
            f"        if meta.repeats: found = ordered(found, ({memory_order_source(op)}))",
        ]
    array = f"{kernel}({arrays}, out=...)"
    spread = f"ordered({array}, ({memory_order_source(op)})) if meta.repeats else {array}"
    return [f"        found = {kernel}({arrays}) if meta.plain else {spread}"]


def number_operand_source(op: Op, arrays: str, params: str, out: str) -> list[str]:
    """The branch for a float tensor with a number: nothing to promote, nothing to fit."""
    if len(op.inputs) != 2:
        return []
    second = op.inputs[1]
    return [
        f"    elif {second}.__class__ is Constant and meta.floating:",
        f"        found = {own_name('kernel', op)}({arrays}{params}{out})",
        f"        if meta.repeats: found = ordered(found, ({op.inputs[0]}._data,))",
        "        fit = None",
        *(["        meta = meta_of(found)"] if op.dtype == "bool" else []),
    ]


def fit_source(op: Op) -> list[str]:
    """Operands of several types, also such as weights: gradients are cast to each operand's."""
    given = [f"{name}._meta" for name in op.inputs]
    names = dict.fromkeys((*op.derivatives, *op.optional))
    alike = " is ".join(["meta.dtype", *(f"{name}._meta.dtype" for name in names)])
    return [f"    fit = None if {alike} else ({', '.join(given)})"]


def refresh_source(op: Op, computed: bool) -> list[str]:
    """Lines that bring the operands' history up to date: before anything else, but where ``dtype``
    chooses the result's type only once it is ``computed``. A conversion to another kind has no
    history, so its operand's is not looked at. PyTorch's functions without a derivative ask for it,
    too, but for those that give bools."""
    if computed != ("dtype" in op.params):
        return []
    floats = " and meta.floating" if result_may_be_integer(op) else ""
    without = op.inputs if op.pointwise and op.nograd and op.dtype != "bool" else ()
    names = (*op.derivatives, *without)
    return [f"    if {name}._view is not None{floats}: refresh_for_op({name})" for name in names]


def result_may_be_integer(op: Op) -> bool:
    """Return whether a result that is no float is no error where gradients are wanted."""
    return op.key == "to_copy"


def coerce_source(op: Op, operator: str) -> list[str]:
    """Lines that make tensors of the operands. An operator leaves those of other kinds to
    themselves (``x == None``, ``x + "a"``)."""
    names = ", ".join(op.inputs)
    if len(op.inputs) == 1:
        return [f"{names}, = as_tensors({own_name('OP', op)}, ({names},))"]
    line = f"{names} = as_tensors({own_name('OP', op)}, ({names},))"
    if not operator:
        return [line]
    other = f"    return operator_not_implemented({operator!r}, {names})"
    return ["try:", f"    {line}", "except TypeError:", other]
