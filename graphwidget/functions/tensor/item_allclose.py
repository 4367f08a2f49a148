"""``item``, ``numpy``, ``equal``, ``allclose`` and ``sum_to_size``.

Most are the record functions of the op table as they are. Those with PyTorch's richer signatures
(``dim`` or none, numbers or tensors) are written here, in terms of ``F``, the record functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dispatch.offer import offer
from ...eager.promote import fit_to
from ...graph import runtime
from ...graph.tensor import Tensor
from ...optable.pointwise.zero_tensors import is_zero_tensor
from ..dims import shape_args
from ..pointwise.where_isclose import isclose


@offer(function=False)
def sum_to_size(input: Tensor, *sizes: Any, size: Any = None) -> Tensor:
    """The sum over the dims that a broadcast from ``size`` stretched; of no dims, that of all."""
    shape = shape_args(sizes if size is None else (size,))
    if not shape:
        whole: Tensor = runtime.tensors.sum(input)
        return whole
    own = input._data.shape
    ends = own[len(own) - len(shape) :]
    if len(shape) > len(own) or any(a not in (1, b) for a, b in zip(shape, ends, strict=False)):
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(own)}}}.")
    if not input._meta.floating and own != shape:
        input = runtime.tensors.to_copy(input, np.dtype(np.int64))  # as all sums of integers
    return sum_to_shape(input, shape)


def sum_to_shape(input: Tensor, shape: Any) -> Tensor:
    """The same in derivatives, where a tensor of that size is left as it is."""
    return (
        input
        if input._data.shape == shape
        else fit_to(input, runtime.meta(shape, input._data.dtype))
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
    if runtime.reading is not None:
        runtime.reading((self,), np.ndarray.item, "item()")
    return self._data.item()


@offer(function=False)
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """The tensor's memory as an array.

    Raises:
        RuntimeError: it requires grad.
    """
    if self.requires_grad and runtime.grad_enabled() and not force:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    if is_zero_tensor(self._data) and not force:
        raise RuntimeError(
            " Cannot convert a ZeroTensor to numpy. Set force=True if you need the zero array."
        )
    if runtime.reading is not None:
        runtime.reading((self,), None, "numpy()")
    return np.asarray(self._data)


@offer()
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same size and items."""
    if runtime.reading is not None:
        runtime.reading((input, other), np.array_equal, "equal()")
    return bool(np.array_equal(input._data, other._data))


@offer()
def allclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> bool:
    """Whether all items differ by at most ``atol + rtol |other|``.

    Shapes: of any shape each; they are broadcast together.
    """
    close = isclose(input, other, rtol, atol, equal_nan)
    if runtime.reading is not None:
        runtime.reading((close,), np.all, "allclose()")
    return bool(close._data.all())
