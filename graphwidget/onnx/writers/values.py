"""Registry of the functions that write ops as ONNX, and those that write constants and sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import OnnxExporterError, UnsupportedOperatorError


def write_constant(w: Any, operation: Any, env: Any) -> Any:
    """A constant, as an initialiser."""
    symbol = operation.outputs[0]
    return w.constant(operation.params["value"], w.preferred.get(symbol) or operation.name)


def write_shape(w: Any, operation: Any, env: Any) -> Any:
    """The sizes of a value."""
    (symbol,) = operation.operands
    found = w("Shape", env[symbol], dtype=np.int64)
    return found.cast(operation.outputs[0].dtype.numpy)


def pass_on(w: Any, operation: Any, env: Any) -> Any:
    """The first operand as it is."""
    return env[operation.operands[0]]


def write_guard(w: Any, operation: Any, env: Any) -> Any:
    """Write nothing where Python looked at sizes that are the same for all values; else refuse."""
    guard = operation.params["guard"]
    made_by = operation.inputs[0].op if len(operation.inputs) == 1 else None
    if guard.function is np.shape and made_by is not None and made_by.op is not None:
        if made_by.op.key == "index" and not masks(made_by):
            return []
        if not frozen(made_by):
            return []
    what = guard.where.partition(", in ")[0]  # the message begins with the place
    raise OnnxExporterError(
        f"the program depends on a value here ({what}), and a file would go one way for all "
        "inputs; use static.cond or static.while_loop"
    )


def masks(operation: Any) -> bool:
    """Return whether an advanced index is a mask, whose number of hits is a matter of values."""
    return any(each is not None and each.dtype.is_bool for each in operation.params["indices"])


def frozen(operation: Any) -> bool:
    """Return whether anything made of a result of unknown size has a size written into it."""
    reached = {operation}
    for each in operation.graph.operations:
        if any(symbol.op in reached for symbol in each.operands):
            reached.add(each)
            if {"shape", "size", "sizes", "end", "split_sizes", "repeats"} & each.params.keys():
                return True
    return False


def write_sum_to(w: Any, operation: Any, env: Any) -> Any:
    """The sum over what a broadcast stretched: the dims in which the two shapes differ."""
    value = env[operation.operands[0]]
    shape = [each if isinstance(each, int) else env[each] for each in operation.params["shape"]]
    wanted = w.sizes([1] * (value.rank - len(shape)) + shape)
    stretched = w("Shape", value, dtype=np.int64).differs(wanted)
    dims = w("Squeeze", w("NonZero", stretched, dtype=np.int64), w.ints(0))
    summed = w("ReduceSum", value, dims, keepdims=1, noop_with_empty_axes=1)
    return w("Reshape", summed, w.sizes(shape))


def refuse_random(w: Any, operation: Any, env: Any) -> Any:
    """Refuse: what a file draws is not what the engine draws.

    Raises:
        UnsupportedOperatorError: always.
    """
    raise UnsupportedOperatorError(
        "it draws random numbers, which a file would draw otherwise; give them as an input, or "
        "leave dropout out (training=False)"
    )


def nothing(w: Any, operation: Any, env: Any) -> Any:
    """Write nothing."""
    return []


KINDS = {
    "Const": write_constant, "Shape": write_shape, "Identity": pass_on, "Exit": pass_on,
    "Merge": pass_on, "Print": pass_on, "PlaceholderWithDefault": pass_on, "Guard": write_guard,
    "SumTo": write_sum_to, "Draw": refuse_random, "NoOp": nothing,
    "Assert": nothing,
}  # fmt: skip
"""Writers of operations that are no op of the table and have no regions."""


# writes registers the functions that write ops as ONNX, by the ops' keys -------------------------

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Writer of each op, by its key in the table."""


def writes(*keys: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a function write the ops of these keys."""

    def keep(function: Callable[..., Any]) -> Callable[..., Any]:
        for key in keys:
            if key in FUNCTIONS:
                raise ValueError(f"{key} is written twice")
            FUNCTIONS[key] = function
        return function

    return keep
