"""``where``, ``maximum``, ``clamp`` and other choices between operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.kernel_errors import not_implemented, refuse_all_bools
from ...arrays.memory_order import as_array
from ..declare import Namespace, composite, op
from ..out import PLAIN
from . import arithmetic_kernels as more
from . import common_kernels as kernels

F = Namespace()

op("where(condition, self, other, /)", kernels.where, pointwise=True, out=PLAIN,
   d_self=lambda grad, condition: F.where(condition, grad, F.zeros_like(grad)),
   d_other=lambda grad, condition: F.where(condition, F.zeros_like(grad), grad),
   text="{self} where {condition}, else {other}", onnx="Where")

# The larger, the smaller -------------------------------------------------------------------------
op("maximum(self, other, /)", np.maximum, pointwise=True, numbers=False,
   d_self=lambda grad, self, other: F.share_at_ties(grad, F.lt(self, other), F.eq(self, other)),
   d_other=lambda grad, self, other: F.share_at_ties(grad, F.lt(other, self), F.eq(self, other)),
   sign="max", text="max({self}, {other})", onnx="Max")

op("minimum(self, other, /)", np.minimum, pointwise=True, numbers=False,
   d_self=lambda grad, self, other: F.share_at_ties(grad, F.gt(self, other), F.eq(self, other)),
   d_other=lambda grad, self, other: F.share_at_ties(grad, F.gt(other, self), F.eq(self, other)),
   sign="min", text="min({self}, {other})", onnx="Min")


@composite
def share_at_ties(grad: Any, lost: Any, tied: Any) -> Any:
    """The gradient of a choice between two: all, half at a tie, or nothing. Where one is nan
    none has lost and, as in PyTorch, both get all."""
    return F.masked_fill(F.where(tied, grad / 2, grad), lost, 0)


op("fmax(self, other, /)", np.fmax, pointwise=True, numbers=False,
   d_self=lambda grad, self, other: F.masked_fill(
       grad, F.logical_not(F.logical_or(F.ge(self, other), F.isnan(other))), 0),
   d_other=lambda grad, self, other: F.masked_fill(
       grad, F.logical_or(F.ge(self, other), F.isnan(other)), 0),
   text="fmax({self}, {other})", onnx=None)

op("fmin(self, other, /)", np.fmin, pointwise=True, numbers=False,
   d_self=lambda grad, self, other: F.masked_fill(
       grad, F.logical_not(F.logical_or(F.le(self, other), F.isnan(other))), 0),
   d_other=lambda grad, self, other: F.masked_fill(
       grad, F.logical_or(F.le(self, other), F.isnan(other)), 0),
   text="fmin({self}, {other})", onnx=None)


def check_same_type(*dtypes: Any) -> None:
    """PyTorch's refusal of ``heaviside``.

    Raises:
        RuntimeError: two types.
    """
    if len(set(dtypes)) > 1:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")


op("heaviside(self, values, /)", more.heaviside, pointwise=True, numbers=False,
   out=PLAIN._replace(history="ended"),
   node="NotImplemented", guard=check_same_type,
   d_self=lambda grad: F.without_derivative("aten::heaviside"),
   d_values=lambda grad: F.without_derivative("aten::heaviside"),
   text="[{self} > 0], {values} at 0",
   onnx=None)

op("heaviside.written(self, values, /)", more.heaviside, pointwise=True, inplace=True,
   numbers=False, node="NotImplemented", guard=check_same_type, public=False,
   d_self=lambda grad: F.without_derivative("aten::heaviside_"),
   d_values=lambda grad: F.without_derivative("aten::heaviside_"),
   text="[{self} > 0], {values} at 0",
   onnx=None)


def no_bools_between(*dtypes: Any) -> None:
    """Refuse bools between two bounds of bools; one bound is a maximum."""
    if len(dtypes) == 3:
        refuse_all_bools("clamp_cpu")(*dtypes)


# Bounds ------------------------------------------------------------------------------------------
def refuse_bools_of(kernel: str) -> Any:
    """A guard against bools."""

    def guard(dtype: Any, *rest: Any) -> None:
        if dtype.kind == "b":
            raise not_implemented(kernel, dtype)

    return guard


op("clamp(self, /, min=None, max=None)", kernels.clamp, inplace=True, pointwise=True, out=PLAIN,
   node="ClampBackward1", also=("clip",), guard=refuse_bools_of("clamp_scalar_cpu"),
   d_self=lambda grad, self, min, max:
       F.where(F.within(self, min, max), grad, F.zeros_like(grad)),
   text="clamp({self}, {min}, {max})", onnx="Clip")


def inside(a: Any, min: Any, max: Any) -> Any:
    """Return whether min <= a <= max; a bound that is None does not count."""
    a = as_array(a)
    if min is None:
        return a <= max
    return a >= min if max is None else (a >= min) & (a <= max)


op("within(self, /, min, max)", inside, pointwise=True, nograd=True,
   public=False, text="[{min} ≤ {self} ≤ {max}]", onnx=None)

op("clamp.tensor(self, min=None, max=None, /)", more.clamp_tensor, inplace=True, pointwise=True,
   numbers=False, guard=no_bools_between,
   d_self=lambda grad, self, min, max:
       F.where(F.between(self, min, max), grad, F.zeros_like(grad)),
   d_min=lambda grad, self, min, max:
       F.where(F.below(self, min, max), grad, F.zeros_like(grad)),
   d_max=lambda grad, self, min, max:
       F.where(F.above(self, min, max), grad, F.zeros_like(grad)),
   text="clamp({self}, {min}, {max})",
   onnx=None)


@composite
def between(self: Any, min: Any, max: Any) -> Any:
    """Return whether min <= self <= max; a bound that is None does not count."""
    if min is None:
        return F.le(self, max)
    return F.ge(self, min) if max is None else F.logical_and(F.ge(self, min), F.le(self, max))


@composite
def below(self: Any, min: Any, max: Any) -> Any:
    """Return whether the lower bound is what ``clamp`` gives."""
    low = F.lt(self, min)
    return low if max is None else F.logical_and(low, F.lt(min, max))


@composite
def above(self: Any, min: Any, max: Any) -> Any:
    """Return whether the upper bound is what ``clamp`` gives."""
    high = F.gt(self, max)
    return high if min is None else F.logical_or(high, F.lt(max, min))


op("clamp_min(self, /, min)", more.clamp_min, inplace=True, pointwise=True,
   guard=refuse_bools_of("clamp_min_scalar_cpu"), out=PLAIN,
   d_self=lambda grad, self, min: F.where(F.within(self, min, None), grad, F.zeros_like(grad)),
   text="max({self}, {min})", onnx=None)

op("clamp_min.tensor(self, min, /)", np.maximum, inplace=True, pointwise=True, numbers=False,
   node="ClampMinBackward1",
   d_self=lambda grad, self, min: F.where(F.ge(self, min), grad, F.zeros_like(grad)),
   d_min=lambda grad, self, min: F.where(F.lt(self, min), grad, F.zeros_like(grad)),
   text="max({self}, {min})", onnx="Max")

op("clamp_max(self, /, max)", more.clamp_max, inplace=True, pointwise=True,
   guard=refuse_bools_of("clamp_max_scalar_cpu"), out=PLAIN,
   d_self=lambda grad, self, max: F.where(F.within(self, None, max), grad, F.zeros_like(grad)),
   text="min({self}, {max})", onnx=None)

op("clamp_max.tensor(self, max, /)", np.minimum, inplace=True, pointwise=True, numbers=False,
   node="ClampMaxBackward1",
   d_self=lambda grad, self, max: F.where(F.le(self, max), grad, F.zeros_like(grad)),
   d_max=lambda grad, self, max: F.where(F.gt(self, max), grad, F.zeros_like(grad)),
   text="min({self}, {max})", onnx="Min")

op("nan_to_num(self, /, nan=None, posinf=None, neginf=None)", more.nan_to_num, inplace=True,
   pointwise=True, out=PLAIN,
   d_self=lambda grad, self: grad * F.isfinite(self),
   onnx=None)
