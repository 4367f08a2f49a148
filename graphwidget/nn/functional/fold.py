"""``unfold`` and ``fold``: sliding windows as columns, and back."""

from __future__ import annotations

from typing import Any

from ...eager.op_functions import TENSORS as F
from ...functions.dims import wrap_dim
from ...graph.tensor import Tensor
from ...optable.layers.convolution import window_count
from .sizes import check_pair, per_dim


def _window_sizes(
    kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> tuple[tuple[int, ...], ...]:
    """The sizes of windows: one number each, or two."""
    named = {
        "kernel_size": kernel_size, "dilation": dilation, "padding": padding, "stride": stride,
    }  # fmt: skip
    for name, each in named.items():
        check_pair(name, each)
    found = {name: per_dim(each, 2) for name, each in named.items()}
    for name, (height, width) in found.items():
        word, least = name.partition("_")[0], "non-negative" if name == "padding" else ""
        if min(height, width) < (not least):
            short = "pad" if least else word
            what = "kernel size" if word == "kernel" else name
            raise RuntimeError(
                f"{what} should be {least or 'greater than zero'}, but got "
                f"{short}_height: {height} {short}_width: {width}"
            )
    return tuple(found.values())


def unfold(
    input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """The windows of (N, C, H, W), or (C, H, W), as columns: (N, C k, windows) with k items in a
    window.

    Raises:
        IndexError: fewer than three dims.
        RuntimeError: no window fits.
    """
    for dim in (1, 2):
        wrap_dim(dim, input._data.ndim)
    kernel, gaps, pads, steps = _window_sizes(kernel_size, dilation, padding, stride)
    shape = input._data.shape
    if len(shape) > 4 or 0 in shape[len(shape) == 4 :]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(shape)}"
        )
    sizes = tuple(n + 2 * p for n, p in zip(shape[-2:], pads, strict=True))
    count = window_count(sizes, kernel, steps, gaps)
    if min(count) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(input._data.shape[-2:])}, kernel_size={kernel}, "
            f"dilation={gaps}, padding={pads}, calculated shape of the array of sliding blocks as "
            f"{count}, but its components must be at least one."
        )
    return F.im2col(input, kernel, gaps, pads, steps)


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0,
    stride: Any = 1,
) -> Tensor:  # fmt: skip
    """The reverse of ``unfold``: columns (N, C k, windows) added up into (N, C, H, W)."""
    check_pair("output_size", output_size)
    wanted = per_dim(output_size, 2)
    kernel, gaps, pads, steps = _window_sizes(kernel_size, dilation, padding, stride)
    shape = input._data.shape
    if len(shape) not in (2, 3):
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
            f"non-zero dimensions for input, but got: {list(shape)}"
        )
    if shape[-2] % (kernel[0] * kernel[1]):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, "
            f"but got input.size(1)={shape[-2]} and kernel_size={kernel}."
        )
    padded = tuple(n + 2 * p for n, p in zip(wanted, pads, strict=True))
    rows, columns = window_count(padded, kernel, steps, gaps)
    if shape[-1] != rows * columns:
        raise RuntimeError(
            f"Given output_size={wanted}, kernel_size={kernel}, dilation={gaps}, padding={pads}, "
            f"stride={steps}, expected size of input's dimension 2 to match the calculated number "
            f"of sliding blocks {rows} * {columns} = {rows * columns}, but got input.size(2)="
            f"{shape[-1]}."
        )
    return F.col2im(input, wanted, kernel, gaps, pads, steps)
