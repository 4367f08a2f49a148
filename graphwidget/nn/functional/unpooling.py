"""``max_unpool1d``, ``max_unpool2d`` and ``max_unpool3d``: max pools undone."""

from __future__ import annotations

from typing import Any

from ...arrays import dtypes
from ...arrays.kernel_errors import not_implemented
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from .sizes import per_dim


def _unpool_size(
    input: Tensor, dims: int, kernel: tuple[int, ...], stride: tuple[int, ...],
    padding: tuple[int, ...], output_size: Any,
) -> tuple[int, ...]:  # fmt: skip
    """The size of what was pooled: as given, or the smallest that the pool makes this of."""
    shape = input._data.shape
    sizes = shape[len(shape) - dims :]
    least = tuple(
        (n - 1) * s + k - 2 * p for n, s, k, p in zip(sizes, stride, kernel, padding, strict=False)
    )
    if output_size is None:
        return least
    wanted = tuple(output_size)
    if len(wanted) == dims + 2:
        wanted = wanted[2:]
    if len(wanted) != dims:
        raise ValueError(
            f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it "
            f"has a length of '{len(wanted)}'"
        )
    for dim, (size, usual, step) in enumerate(zip(wanted, least, stride, strict=True)):
        if not usual - step < size < usual + step:
            raise ValueError(
                f'invalid output_size "{wanted}" (dim {dim} must be between {usual - step} and '
                f"{usual + step})"
            )
    return wanted


def _unpool(
    input: Tensor, indices: Tensor, dims: int, sizes: tuple[Any, Any, Any], output_size: Any
) -> Tensor:
    """The reverse of a max pool over one, two or three dims."""
    kernel_size, stride, padding = sizes
    kernel, pads = per_dim(kernel_size, dims), per_dim(padding, dims)
    steps = kernel if stride is None else per_dim(stride, dims)
    wanted = _unpool_size(input, dims, kernel, steps, pads, output_size)
    if dims == 1:
        out = _checked_unpool(input.unsqueeze(-1), indices.unsqueeze(-1), 2, (*wanted, 1), steps)
        return out.squeeze(-1)
    return _checked_unpool(input, indices, dims, wanted, steps)


def _checked_unpool(
    input: Tensor, indices: Tensor, dims: int, wanted: tuple[int, ...], stride: tuple[int, ...]
) -> Tensor:
    shape, places = input._data.shape, indices._data
    if places.dtype.name != "int64":
        but = f" but got: {dtypes.scalar_type(places.dtype)}" if dims == 2 else ""
        raise RuntimeError(f"elements in indices should be type int64{but}")
    if len(shape) not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Input to max_unpooling{dims}d should be a {dims + 1}d or {dims + 2}d Tensor, but got "
            f"a tensor with {len(shape)} dimensions."
        )
    if dims == 3 and min(stride) <= 0:
        raise RuntimeError(f"strides should be greater than zero, but got stride: {list(stride)}")
    if shape != places.shape:
        raise RuntimeError(
            "Expected shape of indices to be same as that of the input tensor "
            f"({list(shape)}) but got indices tensor with shape: {list(places.shape)}"
        )
    for dim in range(1, len(shape)):
        if not shape[dim]:
            raise RuntimeError(
                f"max_unpooling{dims}d_forward_out_cpu(): Expected input to have non-zero size for "
                f"non-batch dimensions, but got {list(shape)} with dimension {dim} being empty."
            )
    if not input._meta.floating:
        raise not_implemented(f"max_unpool{dims}d", input._data.dtype)
    count = 1
    for size in wanted:
        count *= size
    outside = places[(places < 0) | (places >= count)]
    if outside.size:
        told = "x".join(map(str, wanted))
        raise RuntimeError(
            f"Found an invalid max index: {outside[-1]} (output volumes are of size {told})"
        )
    unpool = F.max_unpool2d if dims == 2 else F.max_unpool3d
    return unpool(input, indices, wanted)


def max_unpool1d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Tensor:  # fmt: skip
    """The reverse of ``max_pool1d``: its results at their ``indices``, zeros elsewhere.

    Raises:
        ValueError: an output size that the pool would not make this of.
        RuntimeError: indices that do not fit.
    """
    return _unpool(input, indices, 1, (kernel_size, stride, padding), output_size)


def max_unpool2d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Tensor:  # fmt: skip
    """The reverse of ``max_pool2d``; see ``max_unpool1d``."""
    return _unpool(input, indices, 2, (kernel_size, stride, padding), output_size)


def max_unpool3d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Tensor:  # fmt: skip
    """The reverse of ``max_pool3d``; see ``max_unpool1d``."""
    return _unpool(input, indices, 3, (kernel_size, stride, padding), output_size)
