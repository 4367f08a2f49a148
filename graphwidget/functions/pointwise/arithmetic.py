"""``add``, ``sub``, ``div``, ``pow``, ``isclose``, ``where`` and the like."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.kernel_errors import broadcast_shape
from ...arrays.scalars import check_scalar_fits
from ...dispatch.offer import offer
from ...dispatch.out import make_result_type
from ...eager.inplace import write
from ...eager.op_functions import TENSORS as F
from ...eager.promote import BOOL, is_number, not_a_tensor_error, quiet_function, scalar_tensor
from ...graph import runtime
from ...graph.tensor import Tensor
from ...graph.version import counter_at_version
from ...optable import TABLE
from ...optable.out import POINTWISE
from ...optable.pointwise.arithmetic import check_no_bools
from ..memory.conversion import to
from .overloads import check_rounding

INT = np.dtype(int)


@offer(out=True)
def add(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """input + alpha other."""
    if alpha == 1 and alpha.__class__ is int:
        return F.add(input, other)
    return F.add_alpha(input, other, alpha)


@offer("subtract", out=True)
def sub(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """input - alpha other."""
    if alpha == 1 and alpha.__class__ is int:
        return F.sub(input, other)
    return F.sub_alpha(input, other, alpha)


@offer(method=False)
def rsub(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """other - alpha input."""
    if isinstance(other, Tensor):
        if input._data.shape != other._data.shape:  # errors name the sizes as of other - input
            check_no_bools(input._data.dtype, other._data.dtype)
            broadcast_shape([other._data.shape, input._data.shape])
        return F.rsub_tensor(input, other, alpha)
    if not is_number(other):
        return runtime.operator_not_implemented("__rsub__", input, other)  # type: ignore[no-any-return]
    if input._data.dtype == bool or isinstance(other, bool):
        check_no_bools(BOOL if isinstance(other, bool) else INT, input._data.dtype)
    if runtime.mode.deriving:  # PyTorch's formulas subtract from a tensor filled with the number
        return F.sub(other, input)
    dtype = dtypes.result_type(input._data, other)
    source = input if input._data.dtype == dtype else F.to_copy(input, dtype)
    return F.rsub(source, other, alpha)


@offer("divide", out=True)
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """input / other; ``rounding_mode`` may be ``"floor"`` or ``"trunc"``."""
    if rounding_mode is None:
        return F.div(input, other)
    check_rounding(rounding_mode)
    return F.div_mode(input, other, rounding_mode)


@offer(out=POINTWISE)
def true_divide(input: Any, other: Any) -> Tensor:
    """input / other.

    Shapes: of any shape each; they are broadcast together.
    """
    return F.div(input, other)


def rdiv(self: Tensor, other: Any) -> Tensor:
    """other / self, which PyTorch computes as ``self.reciprocal() * other``, but in formulas as a
    division of a tensor filled with the number."""
    if runtime.mode.deriving and is_number(other):
        return F.div(other, self)
    result: Tensor = F.reciprocal(self) * other  # the operator: numpy takes an array over
    return result


@offer(out=True)
def pow(input: Any, exponent: Any) -> Tensor:
    """input ** exponent; either may be a number."""
    if isinstance(exponent, Tensor):
        if isinstance(input, Tensor):
            return F.pow_tensor(input, exponent)
        if not is_number(input):
            return runtime.operator_not_implemented("__rpow__", exponent, input)  # type: ignore[no-any-return]
        dtype = dtypes.result_type(exponent._data, input)
        power = exponent if exponent._data.dtype == dtype else F.to_copy(exponent, dtype)
        return F.pow_base(power, input)
    if not is_number(exponent):
        return runtime.operator_not_implemented("__pow__", input, exponent)  # type: ignore[no-any-return]
    dtype = dtypes.result_type(input._data, exponent)
    if input._data.dtype != dtype:
        input = F.to_copy(input, dtype)
    return F.pow(input, exponent)


def rpow(self: Tensor, base: Any) -> Tensor:
    """base ** self."""
    return pow(base, self)


@offer(out=POINTWISE)
def square(input: Tensor) -> Tensor:
    """input ** 2.

    Shapes: any; the result has the same.
    """
    return pow(input, 2)


@offer(out=True)
def float_power(input: Any, exponent: Any) -> Tensor:
    """input ** exponent, computed in float64; either may be a number.

    Shapes: of any shape each; they are broadcast together.
    """
    base, power = (
        to(each, dtypes.float64) if isinstance(each, Tensor) else float(each)
        for each in (input, exponent)
    )
    return pow(base, power)


@offer(function=False)
def float_power_(self: Tensor, exponent: Any) -> Tensor:
    """``float_power``, written into this tensor, which must hold float64.

    Raises:
        RuntimeError: it does not.
    """
    if self.dtype is not dtypes.float64:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {self.dtype.word} but the operation's "
            "result requires dtype Double"
        )
    if isinstance(exponent, Tensor):
        return write(TABLE["pow.tensor"], self, (to(exponent, dtypes.float64),), {})
    return write(TABLE["pow"], self, (), {"exponent": float(exponent)})


@offer()
def positive(input: Tensor) -> Tensor:
    """The tensor itself.

    Shapes: any; the result has the same.

    Raises:
        RuntimeError: bools.
    """
    if input._data.dtype == bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


FREXP = make_result_type("frexp", "mantissa", "exponent")


@offer(out=True)
def frexp(input: Tensor) -> Any:
    """input as mantissa * 2 ** exponent.

    Shapes: any; both results have the same.

    Raises:
        RuntimeError: integers.
    """
    return FREXP(F.frexp(input))


@offer()
@quiet_function
def isclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Tensor:
    """Return whether items differ by at most ``atol + rtol |other|``.

    Shapes: of any shape each; they are broadcast together.

    Raises:
        RuntimeError: two dtypes, or a negative tolerance.
    """
    if not isinstance(other, Tensor):
        raise not_a_tensor_error(TABLE["eq"], (input, other))
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.word} did not match {other.dtype.word}")
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not tolerance >= 0:
            raise RuntimeError(
                f"{name} must be greater than or equal to zero, but got {tolerance:g}"
            )
    a, b = input._data, other._data
    broadcast_shape((a.shape, b.shape))
    close, writes = a == b, 0  # PyTorch writes the rest into what was equal to begin with
    if equal_nan and input._meta.floating:
        close, writes = close | ((a != a) & (b != b)), 1
    if rtol or atol:
        kind = a if input._meta.floating else a.astype(dtypes.default_numpy())
        far = np.abs(kind - b)
        close = close | (np.isfinite(far) & (far <= atol + np.abs(rtol * b)))
        writes += 1
    out = Tensor._wrap(np.asarray(close))
    if writes:
        out._counter = counter_at_version(writes)
    return out


@offer()
def allclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> bool:
    """Return whether all items differ by at most ``atol + rtol |other|``.

    Shapes: of any shape each; they are broadcast together.
    """
    close = isclose(input, other, rtol, atol, equal_nan)
    if runtime.reading is not None:
        runtime.reading((close,), np.all, "allclose()")
    return bool(close._data.all())


@offer()
def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same size and items."""
    if runtime.reading is not None:
        runtime.reading((input, other), np.array_equal, "equal()")
    return bool(np.array_equal(input._data, other._data))


@offer(method=False, out=True)
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """input where condition, else other; with the condition alone, the indices where it holds.

    Raises:
        RuntimeError: the condition is neither bool nor uint8.
    """
    if input is None:
        return condition.nonzero(as_tuple=True)
    if condition._data.dtype != bool:
        if condition._data.dtype != np.uint8:
            raise RuntimeError(
                "where expected condition to be a boolean tensor, but got a tensor with dtype "
                f"{condition.dtype.word}"
            )
        condition = F.to_copy(condition, np.dtype(bool))
    if isinstance(input, Tensor):
        if isinstance(other, Tensor):
            return F.where(condition, input, other)
        if input._meta.floating and is_number(other):  # no number raises that
            check_scalar_fits(other, input._data.dtype)
            return F.where(condition, input, scalar_tensor(other, input._meta.dtype))
    dtype = dtypes.result_type(*(x._data if isinstance(x, Tensor) else x for x in (input, other)))
    for each in (input, other):
        if is_number(each):
            check_scalar_fits(each, dtype)
    operands = [scalar_tensor(x, dtype) if is_number(x) else x for x in (input, other)]
    return F.where(condition, *operands)
