"""Pooling over windows of the last dims."""

from __future__ import annotations

from typing import Any

from ...core import dtypes
from ...core.compile import TENSORS as F
from ...core.modes import is_grad_enabled
from ...core.public import offer
from ...core.shapes import squeeze, unsqueeze
from ...core.tensor import Tensor
from ...core.version import bump
from ...optable.pooling_kernels import pooled_sizes
from .sizes import each_dim, is_int


def _pair(name: str, value: Any, what: str) -> tuple[int, ...]:
    """Two numbers for two dims; none when nothing is given."""
    if is_int(value):
        return (value, value)
    found = tuple(int(item) for item in value)
    if len(found) not in (1, 2):
        raise RuntimeError(f"{name}: {what} must either be a single int, or a tuple of two ints")
    return found * 2 if len(found) == 1 else found


def _single(value: Any) -> int:
    return value if is_int(value) else int(value[0])


def _check(
    name: str, input: Tensor, kernel: tuple[int, ...], stride: tuple[int, ...],
    padding: tuple[int, ...], dilation: tuple[int, ...], ceil_mode: bool,
) -> None:  # fmt: skip
    """PyTorch's checks of 2-d pooling."""
    if min(stride) == 0:
        raise RuntimeError("stride should not be zero")
    if min(kernel) <= 0:
        height, width = kernel
        raise RuntimeError(
            f"kernel size should be greater than zero, but got kH: {height} kW: {width}"
        )
    if min(dilation) <= 0:
        height, width = dilation
        raise RuntimeError(
            f"dilation should be greater than zero, but got dilationH: {height} dilationW: {width}"
        )
    for p, k, d in zip(padding, kernel, dilation, strict=True):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > ((k - 1) * d + 1) // 2:
            raise RuntimeError(
                "pad should be at most half of effective kernel size, but got "
                f"pad={p}, kernel_size={k} and dilation={d}"
            )
    shape = input._data.shape
    if 0 in shape[len(shape) - 3 :]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(shape)}"
        )
    found = pooled_sizes(shape[-2:], kernel, stride, padding, dilation, ceil_mode)
    if min(found) < 1:
        sizes = "x".join(map(str, shape[-3:]))
        counts = "x".join(map(str, (shape[-3], *found)))
        raise RuntimeError(
            f"Given input size: ({sizes}). Calculated output size: ({counts}). Output size is too "
            "small"
        )


def _max_pool2d(
    name: str, input: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
    ceil_mode: bool, return_indices: bool,
) -> Any:  # fmt: skip
    kernel = _pair(name, kernel_size, "kernel_size")
    steps = kernel if stride is None or stride == () else _pair(name, stride, "stride")
    pads, gaps = _pair(name, padding, "padding"), _pair(name, dilation, "dilation")
    if input._data.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    if input._data.dtype == bool:
        raise NotImplementedError("\"max_pool2d\" not implemented for 'Bool'")
    _check(name, input, kernel, steps, pads, gaps, ceil_mode)
    where = (kernel, steps, pads, gaps, ceil_mode)
    out = F.max_pool2d_with_indices(input, *where)
    return (out, F.max_pool_indices(input, *where)) if return_indices else out


@offer(method=False)
def max_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest item of each window; nan is larger than all.

    Args:
        input: (N, C, H, W), or (C, H, W).
        stride: steps between windows; the kernel's size when not given.
        padding: borders that are smaller than everything; at most half of the kernel.
        ceil_mode: windows that reach beyond the end count too.
        return_indices: also where the items lie, as flat indices into H, W.

    Raises:
        RuntimeError: sizes that leave no window, or no images.
    """
    return _max_pool2d(
        "max_pool2d", input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
    )


def max_pool2d_with_indices(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """``max_pool2d`` and where the items lie."""
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@offer(method=False)
def max_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest item of each window of (N, C, L), or (C, L); see ``max_pool2d``."""
    shape = input._data.shape
    if len(shape) not in (2, 3):
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
            f"input, but got:{list(shape)}"
        )
    kernel, pads, gaps = _single(kernel_size), _single(padding), _single(dilation)
    steps = kernel if stride is None or stride == () else _single(stride)
    for name, number in (("kernel_size", kernel), ("stride", steps), ("dilation", gaps)):
        if number <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {number}")
    if pads < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {pads}")
    if pads > ((kernel - 1) * gaps + 1) // 2:
        raise RuntimeError(
            "max_pool1d() padding should be at most half of kernel size, but got "
            f"padding={pads} and kernel_size={kernel}"
        )
    (count,) = pooled_sizes(shape[-1:], (kernel,), (steps,), (pads,), (gaps,), ceil_mode)
    if count <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {count}")
    if not return_indices and not (input.requires_grad and is_grad_enabled()):
        if not input._meta.floating:
            kind = dtypes.type_word(input._data.dtype)
            raise NotImplementedError(f"\"max_pool1d_impl\" not implemented for '{kind}'")
        where = ((kernel,), (steps,), (pads,), (gaps,), ceil_mode)
        found = F.max_pool2d_with_indices(input, *where)  # PyTorch's result is then no view,
        if input._data.ndim == 2:
            bump(found, "squeeze_")  # but one whose batch was squeezed in place
        return found
    found = _max_pool2d(
        "max_pool1d", unsqueeze(input, -2), (1, kernel), (1, steps), (0, pads), (1, gaps),
        ceil_mode, return_indices,
    )  # fmt: skip
    return tuple(squeeze(each, -2) for each in found) if return_indices else squeeze(found, -2)


def max_pool1d_with_indices(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """``max_pool1d`` and where the items lie."""
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


# Averages ----------------------------------------------------------------------------------------
def avg_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0,
    ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The average of each window of (N, C, H, W), or (C, H, W).

    Args:
        count_include_pad: the zeros of the border count as items.
        divisor_override: divide by this instead of the number of items.
    """
    kernel = _pair("avg_pool2d", kernel_size, "kernel_size")
    steps = kernel if stride is None or stride == () else _pair("avg_pool2d", stride, "stride")
    pads = _pair("avg_pool2d", padding, "padding")
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    if input._data.ndim < 3:
        n = input._data.ndim
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got -3)"
        )
    _check("avg_pool2d", input, kernel, steps, pads, (1, 1), ceil_mode)
    return F.avg_pool2d(input, kernel, steps, pads, ceil_mode, count_include_pad, divisor_override)


@offer(method=False)
def avg_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0,
    ceil_mode: bool = False, count_include_pad: bool = True,
) -> Tensor:  # fmt: skip
    """The average of each window of (N, C, L), or (C, L); see ``avg_pool2d``."""
    if input._data.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input._data.ndim}-dimensional tensor for "
            "argument #1 'self' (while checking arguments for avg_pool1d)"
        )
    kernel, pads = _single(kernel_size), _single(padding)
    steps = kernel if stride is None or stride == () else _single(stride)
    out = avg_pool2d(
        unsqueeze(input, -2), (1, kernel), (1, steps), (0, pads), ceil_mode, count_include_pad
    )
    return squeeze(out, -2)


# Three dims ---------------------------------------------------------------------------------------
def _numbers(value: Any, default: tuple[int, ...] = ()) -> tuple[int, ...]:
    return default if value is None or value == () else each_dim(value, 3)


def _check_volumes(
    input: Tensor, kernel: tuple[int, ...], stride: tuple[int, ...], padding: tuple[int, ...],
    dilation: tuple[int, ...], ceil_mode: bool,
) -> None:  # fmt: skip
    if input._data.ndim not in (4, 5):
        raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")
    if min(stride) == 0:
        raise RuntimeError("stride should not be zero")
    sizes = input._data.shape[-3:]
    if min(pooled_sizes(sizes, kernel, stride, padding, dilation, ceil_mode)) < 1:
        raise RuntimeError(f"Given input size: {tuple(sizes)}. Output size is too small")


@offer(method=False)
def max_pool3d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest item of each window of (N, C, D, H, W), or (C, D, H, W); see ``max_pool2d``."""
    kernel = each_dim(kernel_size, 3)
    steps, pads, gaps = _numbers(stride, kernel), each_dim(padding, 3), each_dim(dilation, 3)
    _check_volumes(input, kernel, steps, pads, gaps, ceil_mode)
    where = (kernel, steps, pads, gaps, ceil_mode)
    out = F.max_pool3d_with_indices(input, *where)
    return (out, F.max_pool_indices(input, *where)) if return_indices else out


def max_pool3d_with_indices(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """``max_pool3d`` and where the items lie."""
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def avg_pool3d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0,
    ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The average of each window of (N, C, D, H, W), or (C, D, H, W); see ``avg_pool2d``."""
    kernel = each_dim(kernel_size, 3)
    steps, pads = _numbers(stride, kernel), each_dim(padding, 3)
    _check_volumes(input, kernel, steps, pads, (1, 1, 1), ceil_mode)
    return F.avg_pool3d(input, kernel, steps, pads, ceil_mode, count_include_pad, divisor_override)
