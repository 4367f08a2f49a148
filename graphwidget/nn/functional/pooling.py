"""``max_pool``, ``avg_pool`` and ``adaptive_avg_pool`` over one or two dims."""

from __future__ import annotations

import operator
from typing import Any

from ...arrays.kernel_errors import not_implemented
from ...autograd.grad_mode import is_grad_enabled
from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...functions.reduction.reductions import mean
from ...functions.shape.reshape_expand import squeeze, unsqueeze
from ...graph.tensor import Tensor
from ...graph.version import bump
from ...optable.layers.pooling import pooled_sizes
from .convolution import check_one_dim, is_int


def _pair(name: str, what: str, value: Any) -> tuple[int, ...]:
    """Two numbers, from a number or a sequence of one or two.

    Raises:
        RuntimeError: a sequence of others.
    """
    if is_int(value):
        return (int(value),) * 2
    found = tuple(map(operator.index, value))
    if len(found) not in (1, 2):
        must = "must be either" if what == "dilation" else "must either be"
        omitted = " omitted," if what == "stride" else ""
        raise RuntimeError(f"{name}: {what} {must}{omitted} a single int, or a tuple of two ints")
    return found * 2 if len(found) == 1 else found


def _is_left_out(stride: Any) -> bool:
    return stride is None or (isinstance(stride, tuple | list) and not stride)


def _stride(name: str, value: Any, kernel: tuple[int, ...]) -> tuple[int, ...]:
    """The stride: the kernel's size when none is given."""
    return kernel if _is_left_out(value) else _pair(name, "stride", value)


def _single(name: str, what: str, value: Any, checked: bool = False) -> int:
    """The number, or the only one of a sequence; `checked`: by `max_pool1d`'s own check."""
    if is_int(value):
        return int(value)
    if len(value) != 1:
        comma = "," if what == "padding" else ""
        text = (
            f"{what} must be an int, list of ints{comma} or tuple of ints of size 1 but got size "
            f"{len(value)}"
            if checked
            else f"argument '{what}' should contain one int (got {len(value)})"
        )
        raise RuntimeError(f"{name}() {text}")
    return operator.index(value[0])


def _max_pool1d_sizes(
    kernel_size: Any, stride: Any, padding: Any, dilation: Any, checked: bool = False
) -> tuple[int, int, int, int]:
    """The four numbers of `max_pool1d`; the stride is the kernel's size when none is given."""
    kernel, pads, gaps = (
        _single("max_pool1d", what, value, checked)
        for what, value in (
            ("kernel_size", kernel_size), ("padding", padding), ("dilation", dilation)
        )
    )  # fmt: skip
    left_out = _is_left_out(stride)
    steps = kernel if left_out else _single("max_pool1d", "stride", stride, checked)
    return kernel, steps, pads, gaps


def _check(
    input: Tensor, kernel: tuple[int, ...], stride: tuple[int, ...],
    padding: tuple[int, ...], dilation: tuple[int, ...], ceil_mode: bool,
) -> None:  # fmt: skip
    """PyTorch's checks of pooling over two dims."""
    shape = input._data.shape
    if min(stride) == 0:
        raise RuntimeError("stride should not be zero")
    for p, k, d in zip(padding, kernel, dilation, strict=True):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > int(((k - 1) * d + 1) / 2):  # towards 0
            raise RuntimeError(
                "pad should be at most half of effective kernel size, but got "
                f"pad={p}, kernel_size={k} and dilation={d}"
            )
    for what, word, numbers in (
        ("kernel size", "k", kernel), ("stride", "d", stride), ("dilation", "dilation", dilation)
    ):  # fmt: skip
        if min(numbers) <= 0:
            height, width = numbers
            raise RuntimeError(
                f"{what} should be greater than zero, but got {word}H: {height} {word}W: {width}"
            )
    sizes = shape[len(shape) - 3 :]
    if 0 in sizes or len(shape) > 4:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(shape)}"
        )
    found = pooled_sizes(sizes[1:], kernel, stride, padding, dilation, ceil_mode)
    if min(found) < 1:
        given, wanted = "x".join(map(str, sizes)), "x".join(map(str, (sizes[0], *found)))
        raise RuntimeError(
            f"Given input size: ({given}). Calculated output size: ({wanted}). Output size is too "
            "small"
        )


def _max_pool(
    input: Tensor, sizes: tuple[Any, Any, Any, Any], ceil_mode: bool, return_indices: bool
) -> Any:
    kernel_size, stride, padding, dilation = sizes
    name = "max_pool2d"
    kernel = _pair(name, "kernel_size", kernel_size)
    steps = _stride(name, stride, kernel)
    pads, gaps = _pair(name, "padding", padding), _pair(name, "dilation", dilation)
    if input._data.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    _check(input, kernel, steps, pads, gaps, ceil_mode)
    where = (kernel, () if _is_left_out(stride) else steps, pads, gaps, ceil_mode)
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
    sizes = (kernel_size, stride, padding, dilation)
    return _max_pool(input, sizes, ceil_mode, return_indices)


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
    if return_indices:
        return _max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)
    shape = input._data.shape
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
            f"input, but got:{list(shape)}"
        )
    kernel, steps, pads, gaps = _max_pool1d_sizes(
        kernel_size, stride, padding, dilation, checked=True
    )
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
    if not (input.requires_grad and is_grad_enabled()):
        if not input._meta.floating:
            raise not_implemented("max_pool1d_impl", input._data.dtype)
        where = ((kernel,), (steps,), (pads,), (gaps,), ceil_mode)
        result = F.max_pool2d_with_indices(input, *where)  # PyTorch's result is then no view,
        if input._data.ndim == 2:
            bump(result, "squeeze_")  # but one whose batch was squeezed in place
        return result
    return _max_pool1d(input, kernel, steps, pads, gaps, ceil_mode, False)


def _max_pool1d(
    input: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool,
    return_indices: bool,
) -> Any:  # fmt: skip
    """The part that is ``max_pool2d``'s, with its checks."""
    check_one_dim("max_pool1d", input)
    kernel, steps, pads, gaps = _max_pool1d_sizes(kernel_size, stride, padding, dilation)
    sizes = ((1, kernel), (1, steps), (0, pads), (1, gaps))
    found = _max_pool(unsqueeze(input, -2), sizes, ceil_mode, return_indices)
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
    name, n = "avg_pool2d", input._data.ndim
    kernel = _pair(name, "kernel_size", kernel_size)
    steps, pads = _stride(name, stride, kernel), _pair(name, "padding", padding)
    if n < 3:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got -3)"
            if n
            else "Dimension specified as -3 but tensor has no dimensions"
        )
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    _check(input, kernel, steps, pads, (1, 1), ceil_mode)
    if input._data.dtype == bool:
        raise not_implemented(name, input._data.dtype)
    steps = () if _is_left_out(stride) else steps
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
    name = "avg_pool1d"
    kernel, pads = _single(name, "kernel_size", kernel_size), _single(name, "padding", padding)
    steps = kernel if _is_left_out(stride) else _single(name, "stride", stride)
    out = avg_pool2d(
        unsqueeze(input, -2), (1, kernel), (1, steps), (0, pads), ceil_mode, count_include_pad
    )
    return squeeze(out, -2)


# Parts -------------------------------------------------------------------------------------------
def _adaptive_sizes(name: str, output_size: Any, input: Tensor) -> tuple[int, ...]:
    """The wanted number of parts along each dim; None keeps the input's."""
    dims = int(name[-2])
    if isinstance(output_size, int) and not isinstance(output_size, bool):
        return (output_size,) * dims
    count = len(output_size)
    if dims == 1 != count:
        raise RuntimeError(f"{name}() argument 'output_size' should contain one int (got {count})")
    if count >= input._data.ndim:
        raise ValueError(f"Input dimension should be at least {count + 1}")
    given = zip(output_size, input._data.shape[input._data.ndim - count :], strict=True)
    return tuple(size if wanted is None else operator.index(wanted) for wanted, size in given)


def _check_adaptive(input: Tensor, sizes: tuple[int, ...]) -> None:
    shape = input._data.shape
    if len(sizes) != 2:
        raise RuntimeError("adaptive_avg_pool2d: output_size must be 2")
    if len(shape) not in (3, 4):
        raise RuntimeError(
            f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(shape)}"
        )
    for dim in range(len(shape) - 2, len(shape)):
        if not shape[dim]:
            raise RuntimeError(
                "adaptive_avg_pool2d(): Expected input to have non-zero size for non-batch "
                f"dimensions, but input has sizes {list(shape)} with dimension {dim} being empty"
            )
    if min(sizes) < 0:
        raise RuntimeError(
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but "
            f"received {{{sizes[0]}, {sizes[1]}}}"
        )


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The averages of (N, C, H, W), or (C, H, W), over ``output_size`` parts, as even as can be.

    Args:
        output_size: how many parts along each dim; None keeps the input's size.
    """
    sizes = _adaptive_sizes("adaptive_avg_pool2d", output_size, input)
    _check_adaptive(input, sizes)
    if set(sizes) == {1}:
        return mean(input, (-1, -2), True)
    return F.adaptive_avg_pool2d(input, sizes)


@offer(method=False)
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The averages of (N, C, L), or (C, L), over ``output_size`` parts."""
    check_one_dim("adaptive_avg_pool1d", input)
    (size,) = _adaptive_sizes("adaptive_avg_pool1d", output_size, input)
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, size)).squeeze(-2)
