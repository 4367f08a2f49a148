"""``cumsum``, ``cumprod``, ``cummax``, ``cummin`` and ``logcumsumexp``, also in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...arrays import dtypes
from ...arrays.kernel_errors import not_implemented
from ...dispatch.offer import METHODS, offer
from ...dispatch.return_types import NamedResult, make_result_type
from ...eager.inplace import needs_node, write
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...optable import TABLE
from ..dims import checked_dim
from .reductions import numpy_type


# Running -----------------------------------------------------------------------------------------
def _cumulative(name: str, what: str) -> Callable[..., Tensor]:
    def function(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
        record = getattr(F, name)
        return record(input, checked_dim(dim, input.ndim), numpy_type(dtype))  # type: ignore[no-any-return]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Running {what} along a dim."
    return function


cumsum = offer(out=True)(_cumulative("cumsum", "sums"))


cumprod = offer(out=True)(_cumulative("cumprod", "products"))


def _cumulative_in_place(name: str) -> Callable[..., Tensor]:
    def method(self: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
        needs_node(TABLE[name], (self,))
        dim = checked_dim(dim, self.ndim)
        if dtype is not None and dtype.numpy != self._data.dtype:
            one, two = dtypes.c_type(self._data.dtype), dtypes.c_type(dtype.numpy)
            raise RuntimeError(
                f"Bad in-place call: input tensor dtype {one} and output tensor dtype {two} should "
                "match"
            )
        return write(TABLE[name], self, (), {"dim": dim, "dtype": self._data.dtype})

    method.__name__ = method.__qualname__ = name + "_"
    method.__doc__ = f"``{name}``, written into this tensor."
    return method


METHODS.update(cumsum_=_cumulative_in_place("cumsum"), cumprod_=_cumulative_in_place("cumprod"))


def _cummax_cummin(name: str, result: type[NamedResult]) -> Callable[..., Any]:
    def function(input: Tensor, dim: int) -> Any:
        if input.ndim == 0 and dim not in (-1, 0):
            raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
        return result(getattr(F, name)(input, dim=checked_dim(dim, input.ndim)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The running {name[3:]}imum along a dim, and where it last stood."
    return function


cummax = offer(out=True)(_cummax_cummin("cummax", make_result_type("cummax", "values", "indices")))


cummin = offer(out=True)(_cummax_cummin("cummin", make_result_type("cummin", "values", "indices")))


@offer(out=True)
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """Running log of the sum of exp along a dim.

    Shapes: any; the result has the same.
    """
    dim = checked_dim(dim, input.ndim)
    if not input._meta.floating:
        raise not_implemented("logcumsumexp_out_cpu", input._data.dtype)
    return F.logcumsumexp(input, dim)
