"""``max_pool``, ``avg_pool`` and ``adaptive_avg_pool`` over one, two or three dims."""

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

_COUNTS = {2: "two", 3: "three"}
_LETTERS = {2: "HW", 3: "THW"}


def _sizes(name: str, what: str, value: Any, dims: int) -> tuple[int, ...]:
    """One number for each dim, from a number or a sequence of one or as many.

    Raises:
        RuntimeError: there are as many as fit nothing.
    """
    if is_int(value):
        return (int(value),) * dims
    found = tuple(map(operator.index, value))
    if len(found) not in (1, dims):
        must = "must be" if name == "avg_pool3d" else "must either be"
        must = "must be either" if what == "dilation" else must
        omitted = " omitted," if what == "stride" else ""
        raise RuntimeError(
            f"{name}: {what} {must}{omitted} a single int, or a tuple of {_COUNTS[dims]} ints"
        )
    return found * dims if len(found) == 1 else found


def _is_left_out(stride: Any) -> bool:
    return stride is None or (isinstance(stride, tuple | list) and not stride)


def _stride(name: str, value: Any, kernel: tuple[int, ...]) -> tuple[int, ...]:
    """The stride: the kernel's size when none is given."""
    return kernel if _is_left_out(value) else _sizes(name, "stride", value, len(kernel))


def _single(name: str, what: str, value: Any, checked: bool = False) -> int:
    """The number, or the only one of a sequence; `checked`: by `max_pool1d`'s own check."""
    if is_int(value):
        return int(value)
    if len(value) != 1:
        comma = "," if what == "padding" else ""
        told = (
            f"{what} must be an int, list of ints{comma} or tuple of ints of size 1 but got size "
            f"{len(value)}"
            if checked
            else f"argument '{what}' should contain one int (got {len(value)})"
        )
        raise RuntimeError(f"{name}() {told}")
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
    name: str, input: Tensor, kernel: tuple[int, ...], stride: tuple[int, ...],
    padding: tuple[int, ...], dilation: tuple[int, ...], ceil_mode: bool,
) -> None:  # fmt: skip
    """PyTorch's checks of pooling over two or three dims."""
    dims, shape = len(kernel), input._data.shape
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
            told = _format_by_dim(word, numbers)
            raise RuntimeError(f"{what} should be greater than zero, but got {told}")
    sizes = shape[len(shape) - dims - 1 :]
    if 0 in sizes or len(shape) > dims + 2:
        _refuse_empty(name, shape, dims)
    found = pooled_sizes(sizes[1:], kernel, stride, padding, dilation, ceil_mode)
    if name == "avg_pool3d" and any(n < k for n, k in zip(sizes[1:], kernel, strict=True)):
        given, wanted = _format_by_dim("", sizes[1:]), _format_by_dim("k", kernel)
        raise RuntimeError(f"input image ({given}) smaller than kernel size ({wanted})")
    if min(found) < 1:
        given, wanted = "x".join(map(str, sizes)), "x".join(map(str, (sizes[0], *found)))
        raise RuntimeError(
            f"Given input size: ({given}). Calculated output size: ({wanted}). Output size is too "
            "small"
        )


def _format_by_dim(word: str, numbers: tuple[int, ...]) -> str:
    """Numbers with the letters of their dims: ``kH: 2 kW: 3``."""
    letters = _LETTERS[len(numbers)]
    return " ".join(f"{word}{x}: {number}" for x, number in zip(letters, numbers, strict=True))


def _refuse_empty(name: str, shape: tuple[int, ...], dims: int) -> None:
    if dims == 2:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(shape)}"
        )
    where = "max_pool3d_with_indices_out_cpu_template" if name == "max_pool3d" else name
    raise RuntimeError(
        f"{where}(): Expected input's non-batch dimensions to have positive length, but input has "
        f"a shape of {list(shape)} and non-batch dimension 0 has length zero!"  # whichever
    )


def _max_pool(
    name: str, input: Tensor, dims: int, sizes: tuple[Any, Any, Any, Any], ceil_mode: bool,
    return_indices: bool,
) -> Any:  # fmt: skip
    """Max pooling over two or three dims."""
    kernel_size, stride, padding, dilation = sizes
    kernel = _sizes(name, "kernel_size", kernel_size, dims)
    steps = _stride(name, stride, kernel)
    pads = _sizes(name, "padding", padding, dims)
    gaps = _sizes(name, "dilation", dilation, dims)
    if input._data.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input"
        )
    _check(name, input, kernel, steps, pads, gaps, ceil_mode)
    where = (kernel, () if _is_left_out(stride) else steps, pads, gaps, ceil_mode)
    pool = F.max_pool2d_with_indices if dims == 2 else F.max_pool3d_with_indices
    out = pool(input, *where)
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
    return _max_pool("max_pool2d", input, 2, sizes, ceil_mode, return_indices)


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
    found = _max_pool("max_pool2d", unsqueeze(input, -2), 2, sizes, ceil_mode, return_indices)
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
    sizes = (kernel_size, stride, padding)
    return _avg_pool("avg_pool2d", input, 2, sizes, ceil_mode, count_include_pad, divisor_override)


def _avg_pool(
    name: str, input: Tensor, dims: int, sizes: tuple[Any, Any, Any], ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None,
) -> Tensor:  # fmt: skip
    """Average pooling over two or three dims."""
    kernel_size, stride, padding = sizes
    kernel = _sizes(name, "kernel_size", kernel_size, dims)
    steps, pads = _stride(name, stride, kernel), _sizes(name, "padding", padding, dims)
    n = input._data.ndim
    if dims == 3 and n not in (4, 5):
        raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")
    if n < dims + 1 == 3:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got -3)"
            if n
            else "Dimension specified as -3 but tensor has no dimensions"
        )
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    _check(name, input, kernel, steps, pads, (1,) * dims, ceil_mode)
    if input._data.dtype == bool:
        raise not_implemented(name if dims == 2 else f"{name}_out_frame", input._data.dtype)
    pool = F.avg_pool2d if dims == 2 else F.avg_pool3d
    steps = () if _is_left_out(stride) else steps
    return pool(input, kernel, steps, pads, ceil_mode, count_include_pad, divisor_override)


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


# Three dims ---------------------------------------------------------------------------------------
@offer(method=False)
def max_pool3d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest item of each window of (N, C, D, H, W), or (C, D, H, W); see ``max_pool2d``."""
    sizes = (kernel_size, stride, padding, dilation)
    return _max_pool("max_pool3d", input, 3, sizes, ceil_mode, return_indices)


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
    sizes = (kernel_size, stride, padding)
    return _avg_pool("avg_pool3d", input, 3, sizes, ceil_mode, count_include_pad, divisor_override)


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


def _check_adaptive(name: str, input: Tensor, sizes: tuple[int, ...], mark: str = "") -> None:
    dims, shape = int(name[-2]), input._data.shape
    if len(sizes) != dims and "avg" in name:
        raise RuntimeError(f"{name}: output_size must be {dims}")
    if len(shape) not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got{mark} {list(shape)}"
        )
    first = 0 if name == "adaptive_avg_pool2d" else -1  # that one allows to have no channels
    for dim in range(max(len(shape) - dims + first, 1), len(shape)):
        if not shape[dim]:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but "
                f"input has sizes {list(shape)} with dimension {dim} being empty"
            )
    if len(sizes) != dims:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {dims}")
    if min(sizes) < 0:
        if "max" in name:
            made = [*shape[: len(shape) - dims], *sizes]
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {min(sizes)}: {made}"
            )
        told = ", ".join(map(str, sizes[:2])) + "".join(f",{size}" for size in sizes[2:])
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received "
            f"{{{told}}}"
        )


def _average(name: str, input: Tensor, output_size: Any) -> Tensor:
    """The averages over parts of two or three dims; of the whole by the usual mean."""
    sizes = _adaptive_sizes(name, output_size, input)
    _check_adaptive(name, input, sizes)
    if set(sizes) == {1}:
        return mean(input, tuple(range(-1, -1 - len(sizes), -1)), True)
    result: Tensor = getattr(F, name)(input, sizes)
    return result


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The averages of (N, C, H, W), or (C, H, W), over ``output_size`` parts, as even as can be.

    Args:
        output_size: how many parts along each dim; None keeps the input's size.
    """
    return _average("adaptive_avg_pool2d", input, output_size)


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The averages of (N, C, D, H, W), or (C, D, H, W), over ``output_size`` parts."""
    return _average("adaptive_avg_pool3d", input, output_size)


@offer(method=False)
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The averages of (N, C, L), or (C, L), over ``output_size`` parts."""
    check_one_dim("adaptive_avg_pool1d", input)
    (size,) = _adaptive_sizes("adaptive_avg_pool1d", output_size, input)
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, size)).squeeze(-2)
