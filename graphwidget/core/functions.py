"""The functions users call, and the same as methods of Tensor.

Most are the record functions of the op table as they are. Those with PyTorch's richer signatures
(``dim`` or none, numbers or tensors) are written here, in terms of ``F``, the record functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import dtypes, hot
from .compile import TENSORS as F
from .conversion import to
from .dims import shape_args, wrap_dim
from .promote import constant, is_number
from .public import offer
from .tensor import Tensor


# Arithmetic ----------------------------------------------------------------------------------
@offer(out=True)
def add(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """input + alpha other."""
    if alpha == 1:
        return F.add(input, other)
    return F.add_alpha(input, other, alpha)


@offer("subtract", out=True)
def sub(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """input - alpha other."""
    if alpha == 1:
        return F.sub(input, other)
    return F.sub_alpha(input, other, alpha)


@offer(method=False)
def rsub(input: Any, other: Any) -> Tensor:
    """other - input."""
    if isinstance(other, Tensor):
        return F.rsub_tensor(input, other)
    if not is_number(other):
        return NotImplemented  # type: ignore[no-any-return]
    if input._data.dtype == bool:
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
            "to invert a mask, use the `~` or `logical_not()` operator instead."
        )
    dtype = dtypes.result_type(input._data, other)
    source = input if input._data.dtype == dtype else F.to_copy(input, dtype)
    return F.rsub(source, other)


@offer("divide", "true_divide", out=True)
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """input / other; ``rounding_mode`` may be ``"floor"`` or ``"trunc"``."""
    if rounding_mode is None:
        return F.div(input, other)
    if rounding_mode == "floor":
        return F.floor_divide(input, other)
    raise NotImplementedError(f"div: rounding_mode={rounding_mode!r} is not offered yet")


def rdiv(self: Tensor, other: Any) -> Tensor:
    """other / self, which PyTorch computes as ``self.reciprocal() * other``."""
    return F.mul(F.reciprocal(self), other)


@offer(out=True)
def pow(input: Any, exponent: Any) -> Tensor:
    """input ** exponent; either may be a number."""
    if isinstance(exponent, Tensor):
        if isinstance(input, Tensor):
            return F.pow_tensor(input, exponent)
        if not is_number(input):
            return NotImplemented  # type: ignore[no-any-return]
        dtype = dtypes.result_type(exponent._data, input)
        power = exponent if exponent._data.dtype == dtype else F.to_copy(exponent, dtype)
        return F.pow_base(power, input)
    if not is_number(exponent):
        return NotImplemented  # type: ignore[no-any-return]
    dtype = dtypes.result_type(input._data, exponent)
    if input._data.dtype != dtype:
        input = F.to_copy(input, dtype)
    return F.pow(input, exponent)


def rpow(self: Tensor, base: Any) -> Tensor:
    """base ** self."""
    return pow(base, self)


@offer(out=True)
def square(input: Tensor) -> Tensor:
    """input ** 2."""
    return F.pow(input, 2)


@offer(out=True)
def remainder(input: Any, other: Any) -> Tensor:
    """input modulo other, with the sign of other."""
    if isinstance(input, Tensor) and is_number(other):
        dtype = dtypes.result_type(input._data, other)
        source = input if input._data.dtype == dtype else F.to_copy(input, dtype)
        return F.remainder_number(source, other)
    return F.remainder(input, other)


@offer(method=False, out=True)
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """input where condition, else other; with the condition alone, the indices where it holds."""
    if input is None:
        return tuple(Tensor._wrap(each) for each in np.nonzero(condition._data))
    tensors = [x for x in (input, other) if isinstance(x, Tensor)]
    operands = []
    for operand in (input, other):
        if is_number(operand):
            like = tensors[0]._data if tensors else operand
            operand = constant(operand, dtypes.result_type(like, operand))
        operands.append(operand)
    return F.where(condition, *operands)


@offer("clip", out=True)
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """input, at least min and at most max (numbers)."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    bounds = [bound for bound in (min, max) if bound is not None]
    dtype = dtypes.result_type(input._data, *bounds)
    return F.clamp(input if input._data.dtype == dtype else F.to_copy(input, dtype), min, max)


# Sums and shares ------------------------------------------------------------------------------
@offer(out=True)
def softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """exp(input) over its sum along a dim."""
    source = to(input, dtype) if dtype is not None else input
    return F.softmax(_floating(source, "softmax"), wrap_dim(dim, input._data.ndim))


@offer(out=True)
def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The logarithm of ``softmax``, computed stably."""
    source = to(input, dtype) if dtype is not None else input
    return F.log_softmax(_floating(source, "log_softmax"), wrap_dim(dim, input._data.ndim))


def _floating(tensor: Tensor, name: str) -> Tensor:
    """The tensor, refused when it holds integers as PyTorch's kernels refuse it."""
    if not tensor._meta.floating:
        kind = dtypes.type_word(tensor._data.dtype)
        raise NotImplementedError(f"\"{name}_lastdim_kernel_impl\" not implemented for '{kind}'")
    return tensor


@offer(function=False)
def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """The sum over the dims that a broadcast from ``size`` stretched."""
    shape = shape_args(size)
    return (
        input
        if input._data.shape == shape
        else hot.fit_to(input, hot.meta(shape, input._data.dtype))
    )


# Types and numbers ---------------------------------------------------------------------------
@offer(function=False)
def item(self: Tensor) -> Any:
    """The only item as a Python number.

    Raises:
        RuntimeError: there are more, or none.
    """
    if self._data.size != 1:
        raise RuntimeError(
            f"a Tensor with {self._data.size} elements cannot be converted to Scalar"
        )
    return self._data.item()


@offer(function=False)
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """The tensor's memory as an array.

    Raises:
        RuntimeError: it requires grad.
    """
    if self.requires_grad and hot.grad_enabled() and not force:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    return self._data


@offer()
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same size and items."""
    return bool(np.array_equal(input._data, other._data))


@offer()
def allclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> bool:
    """Whether all items differ by at most ``atol + rtol |other|``."""
    return bool(np.allclose(input._data, other._data, rtol, atol, equal_nan))
