"""Convolutions, plain and transposed, and the sizes that layers take."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.kernel_errors import not_implemented
from ...arrays.warnings import warn_once
from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...functions.shape.reshape_expand import squeeze, unsqueeze
from ...graph.tensor import Tensor
from ...optable.layers.convolution import transposed_sizes


def is_int(value: Any) -> bool:
    """Return whether it is an integer (and no bool), numpy's and 0-d tensors among them."""
    if isinstance(value, Tensor):
        return value._data.ndim == 0 and value._data.dtype.kind in "iu"
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def per_dim(value: Any, dims: int) -> tuple[int, ...]:
    """One number for each of ``dims`` dims, from a number or a sequence of one or of as many."""
    if is_int(value):
        return (int(value),) * dims
    found = tuple(map(operator.index, value))
    return found * dims if len(found) == 1 else found


def format_sizes(sizes: Any) -> str:
    """Sizes as PyTorch's messages write them: ``(2 x 3)``."""
    return "(" + " x ".join(map(str, sizes)) + ")"


def check_one_dim(name: str, input: Tensor) -> None:
    """RuntimeError unless the input is (N, C, L) or (C, L)."""
    if input._data.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input._data.ndim}-dimensional tensor for "
            f"argument #1 'self' (while checking arguments for {name})"
        )


def check_pair(name: str, given: Any) -> None:
    """Refuse lists of numbers that are no pair of height and width.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if isinstance(given, tuple | list) and len(given) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(given)}")


def _convolve(
    name: str, dims: int, input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any,
    padding: Any, dilation: Any, groups: int, more: Any = 0, transposed: bool = False,
) -> Tensor:  # fmt: skip
    """A convolution of any kind, with an unbatched input given a batch of one."""
    if bias is not None and not (transposed or isinstance(padding, str)):
        _check_bias(input, bias)
    unbatched = input._data.ndim == dims + 1
    if not unbatched and input._data.ndim != dims + 2:
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got "
            f"input of size: {list(input._data.shape)}"
        )
    source = unsqueeze(input, 0) if unbatched else input
    stride, dilation, more = (
        (int(each),) * dims if is_int(each) else tuple(each) for each in (stride, dilation, more)
    )
    if isinstance(padding, str) and padding not in ("valid", "same"):
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if padding == "same":
        source, padding = _same_padding(source, weight, stride, dilation, groups)
    elif padding == "valid":
        padding = more = (0,)
    elif is_int(padding):
        padding = (int(padding),) * dims
    numbers = {
        "stride": stride, "padding": tuple(padding), "dilation": dilation, "output_padding": more
    }  # fmt: skip
    out = convolve_any(source, weight, bias, numbers, groups, transposed)
    return squeeze(out, 0) if unbatched else out


def convolve_any(
    input: Tensor, weight: Tensor, bias: Tensor | None, numbers: dict[str, tuple[int, ...]],
    groups: int, transposed: bool,
) -> Tensor:  # fmt: skip
    """A convolution over as many dims as the weight has, of which each of ``numbers`` (by their
    names) gives one for all or one for each."""
    dims = weight._data.ndim - 2
    _check_weight(dims, groups)
    found = {name: each * dims if len(each) == 1 else each for name, each in numbers.items()}
    _check_numbers(dims, found)
    stride, padding, dilation, more = found.values()
    check_convolution(input, weight, bias, padding, dilation, groups, transposed)
    if transposed:
        _check_output_padding(more, stride, dilation)
        _check_result(input, weight, found)
    stride, padding, dilation, more = numbers.values()  # which the node shows as they are
    return F.convolution(input, weight, bias, stride, padding, dilation, transposed, more, groups)


def _same_padding(
    input: Tensor, weight: Tensor, stride: tuple[int, ...], dilation: tuple[int, ...], groups: int
) -> tuple[Tensor, tuple[int, ...]]:
    """Return the padding that keeps the length; where it is odd, the extra item is added at the
    input's end."""
    kernel = weight._data.shape[2:]
    _check_weight(weight._data.ndim - 2, groups)
    _check_dims(input, weight, "")
    for name, numbers in (("stride", stride), ("dilation", dilation)):
        if len(numbers) not in (1, len(kernel)):
            raise RuntimeError(f"{name} cannot broadcast to {len(kernel)} dimensions")
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for d, k in zip(per_dim(dilation, len(kernel)), kernel, strict=True)]
    if any(t % 2 for t in total):
        warn_once(
            "Using padding='same' with even kernel lengths and odd dilation may require a "
            "zero-padded copy of the input be created"
        )
        ends = tuple(side for t in reversed(total) for side in (0, t % 2))
        input = F.constant_pad_nd(input, ends, 0)
    return input, tuple(int(t / 2) for t in total)


def _check_weight(dims: int, groups: int) -> None:
    if dims < 1:
        raise RuntimeError("weight should have at least three dimensions")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")


def _check_numbers(dims: int, named: dict[str, tuple[int, ...]]) -> None:
    for name, numbers in named.items():
        if len(numbers) != dims:
            raise RuntimeError(
                f"expected {name} to be a single integer value or a list of {dims} values to match "
                f"the convolution dimensions, but got {name}={list(numbers)}"
            )
    for name, least, text in (
        ("padding", 0, "negative padding is not supported"),
        ("output_padding", 0, "negative output_padding is not supported"),
        ("stride", 1, "non-positive stride is not supported"),
        ("dilation", 0, "dilation should be greater than zero"),
    ):
        if min(named[name]) < least:
            raise RuntimeError(text)


def _check_dims(input: Tensor, weight: Tensor, space: str = " ") -> None:
    sizes, shape = list(input._data.shape), list(weight._data.shape)
    if len(shape) != len(sizes):
        raise RuntimeError(
            f"Expected {len(shape)}-dimensional input for {len(shape)}-dimensional weight{space}"
            f"{shape}, but got {len(sizes)}-dimensional input of size {sizes} instead"
        )


def check_convolution(
    input: Tensor, weight: Tensor, bias: Tensor | None, padding: tuple[int, ...],
    dilation: tuple[int, ...], groups: int, transposed: bool,
) -> None:  # fmt: skip
    """PyTorch's checks of shapes and types, in its order."""
    _check_dims(input, weight)
    sizes, shape = list(input._data.shape), list(weight._data.shape)
    if shape[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but "
            f"got weight of size {shape} instead"
        )
    channels = shape[0] if transposed else shape[1] * groups
    if shape[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, "
            f"but got weight of size [{shape}] instead"
        )
    if sizes[1] != channels:
        given = f"transposed={transposed:d}" if transposed else f"groups={groups}"
        raise RuntimeError(
            f"Given {given}, weight of size {shape}, expected input{sizes} to have {channels} "
            f"channels, but got {sizes[1]} channels instead"
        )
    wanted = shape[1] * groups if transposed else shape[0]
    if bias is not None and list(bias._data.shape) != [wanted]:
        kind = "transposed=1, " if transposed else ""
        raise RuntimeError(
            f"Given {kind}weight of size {shape}, expected bias to be 1-dimensional with {wanted} "
            f"elements, but got bias of size {list(bias._data.shape)} instead"
        )
    if not transposed:
        padded = [n + 2 * p for n, p in zip(sizes[2:], padding, strict=True)]
        reach = [d * (k - 1) + 1 for k, d in zip(shape[2:], dilation, strict=True)]
        if any(n < k for n, k in zip(padded, reach, strict=True)):
            raise RuntimeError(
                f"Calculated padded input size per channel: {format_sizes(padded)}. Kernel size: "
                f"{format_sizes(reach)}. Kernel size can't be greater than actual input size"
            )
    if min(dilation) < 1:
        raise RuntimeError("non-positive dilation is not supported")
    if 0 in sizes[:2]:
        return
    _check_nonempty(sizes, shape[2:])
    _check_types(input, weight, bias, transposed, max(dilation) > 1, groups)


def _check_nonempty(sizes: list[int], kernel: list[int]) -> None:
    """Images and kernels must have items."""
    flat = [1] * (len(kernel) == 1)  # PyTorch computes sequences as images of one row
    if 0 in sizes:
        raise RuntimeError(
            "Only zero batch or zero channel inputs are supported, but got input shape: "
            f"{sizes[:2] + flat + sizes[2:]}"
        )
    if 0 in kernel:
        flatly, deep = " kernel_height: {} kernel_width: {}", ": {} x {} x {} (TxHxW)"
        names = flatly if len(kernel) < 3 else deep
        raise RuntimeError(
            "kernel size should be greater than zero, but got" + names.format(*flat, *kernel)
        )


def _check_bias(input: Tensor, bias: Tensor) -> None:
    """A bias of the input's type, which is looked at first of all.

    Raises:
        RuntimeError: PyTorch's text.
    """
    kinds = input._data.dtype, bias._data.dtype
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            f"Input type ({dtypes.c_type(kinds[0])}) and bias type ({dtypes.c_type(kinds[1])}) "
            "should be the same"
        )


def _uses_onednn(sizes: tuple[int, ...], kernel: tuple[int, ...], groups: int) -> bool:
    """Return whether PyTorch leaves floats to oneDNN (on more than one thread): not where its own
    kernels are faster, for one small image (so ``at::native``'s ``use_mkldnn`` has it)."""
    return (
        groups > 1
        or sizes[0] > 1
        or math.prod(sizes) > 20480
        or (len(kernel) > 1 and min(kernel[-2:]) > 3)
    )


def _check_types(
    input: Tensor, weight: Tensor, bias: Tensor | None, transposed: bool, dilated: bool, groups: int
) -> None:
    """Check the types for which there are kernels, in PyTorch's words, which depend on the kind of
    convolution."""
    volume, kinds = input._data.ndim == 5, (input._data.dtype, weight._data.dtype)
    sizes, window = input._data.shape, weight._data.shape[2:]
    for each, name in ((weight, "weight"), (bias, "bias")):
        if kinds[0].char != "f" or each is None or each._data.dtype == kinds[0]:
            continue
        if _uses_onednn(sizes, window, groups):
            given = dtypes.printed_type(each._data.dtype)
            raise RuntimeError(
                f"Input type (torch.FloatTensor) and {name} type ({given}) "
                f"should be the same or input should be a MKLDNN tensor and {name} is a dense "
                "tensor"
            )
    kernel = "compute_columns3d" if volume else "slow_conv2d_cpu"
    if transposed:
        kernel = f"slow_conv_transpose{3 if volume else 2}d_out_cpu"
    elif dilated:
        kernel = "slow_conv_dilated<>"
    some = transposed or dilated
    if kinds[0].kind == "b" or (some and kinds[0].kind in "iu" and kinds[0] != np.int64):
        raise not_implemented(kernel, kinds[0])
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            f"expected scalar type {dtypes.scalar_type(kinds[0])} but found "
            f"{dtypes.scalar_type(kinds[1])}"
        )


def _check_output_padding(
    more: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]
) -> None:
    if any(m >= s and m >= d for m, s, d in zip(more, stride, dilation, strict=True)):
        names = ("height", "width") if len(more) == 2 else ("depth", "height", "width")
        named = {"output_padding": more, "stride": stride, "dilation": dilation}
        if len(more) == 1:  # PyTorch looks at signals as images of one row
            named = {"output_padding": (0, *more), "stride": (1, *stride)}
            named["dilation"] = (1, *dilation)
            names = ("height", "width")
        paddings = " ".join(
            f"{label}_{name}: {number}"
            for label, numbers in named.items()
            for name, number in zip(names, numbers, strict=True)
        )
        raise RuntimeError(
            f"output padding must be smaller than either stride or dilation, but got {paddings}"
        )


def _check_result(input: Tensor, weight: Tensor, numbers: dict[str, tuple[int, ...]]) -> None:
    sizes = input._data.shape[2:]
    result = transposed_sizes(sizes, weight._data.shape[2:], *numbers.values())
    least = 0 if input._data.dtype == np.float32 else 1  # oneDNN makes empty results, too
    if min(result) < least:
        row = (1,) if len(sizes) == 1 else ()  # a signal is an image of one row, here too
        raise RuntimeError(
            f"Given input size per channel: {format_sizes(row + sizes)}. "
            f"Calculated output size per "
            f"channel: {format_sizes(row + result)}. Output size is too small"
        )


@offer(method=False)
def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """The cross-correlation of signals with kernels.

    Args:
        input: (N, C, L), or (C, L).
        weight: (D, C / groups, K).
        bias: (D,).
        stride, dilation: steps between windows, and between the items of one.
        padding: zeros added at both ends; "valid" is none, "same" keeps the length.

    Returns:
        (N, D, L') with L' = (L + 2 padding - dilation (K - 1) - 1) // stride + 1.

    Raises:
        RuntimeError: shapes or types that do not match.
    """
    return _convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@offer(method=False)
def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """The cross-correlation of images (N, C, H, W) with kernels (D, C / groups, h, w); arguments as
    in ``conv1d``, where a pair gives height and width."""
    return _convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@offer(method=False)
def conv_transpose1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Tensor:  # fmt: skip
    """The transposed convolution: what ``conv1d``'s gradient does to its input.

    Args:
        input: (N, C, L), or (C, L).
        weight: (C, D / groups, K).
        output_padding: added to the length of the result, which the stride leaves open.

    Returns:
        (N, D, L') with L' = (L - 1) stride - 2 padding + dilation (K - 1) + output_padding + 1.
    """
    return _convolve(
        "conv_transpose1d", 1, input, weight, bias, stride, padding, dilation, groups,
        output_padding, True,
    )  # fmt: skip


@offer(method=False)
def conv_transpose2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Tensor:  # fmt: skip
    """The transposed convolution of images; arguments as in ``conv_transpose1d``.

    Shapes: input (N, C, H, W) or (C, H, W), weight (C, D / groups, h, w).
    """
    return _convolve(
        "conv_transpose2d", 2, input, weight, bias, stride, padding, dilation, groups,
        output_padding, True,
    )  # fmt: skip
