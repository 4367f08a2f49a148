"""Reads pooling, ConvTranspose and Col2Im; pads given or automatic."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..nodes import F, Node, constant, known, limited, reads
from .layers import padded, pads_of


class Windows:
    """The windows of a pooling node on an input."""

    def __init__(self, node: Node, x: Any) -> None:
        self.kernel = tuple(node.get("kernel_shape"))
        n = self.n = len(self.kernel)
        self.stride, self.dilation = node.get("strides", [1] * n), node.get("dilations", [1] * n)
        self.sizes = known(x)[2:]
        self.pads = pads_of(node, self.sizes, self.kernel, self.stride, self.dilation)
        limited(*(size + 2 * max(map(abs, self.pads), default=0) for size in self.sizes))
        self.ceil = bool(node.get("ceil_mode", 0))

    @property
    def extra(self) -> list[int]:
        """Return the padding that the last windows need beyond the pads, when sizes are rounded
        up."""
        found = []
        for i, size in enumerate(self.sizes):
            reach = self.dilation[i] * (self.kernel[i] - 1) + 1
            whole = size + self.pads[i] + self.pads[i + self.n]
            count = -(-(whole - reach) // self.stride[i]) + 1 if self.ceil else 0
            if count and (count - 1) * self.stride[i] >= size + self.pads[i]:
                count -= 1  # it would begin in the pads
            found.append(max((count - 1) * self.stride[i] + reach - whole, 0))
        return found

    def sums(self, x: Any) -> Any:
        """The sum of each window, pads and all that lies behind them being 0."""
        sizes = known(x)
        ends = [self.pads[i + self.n] + each for i, each in enumerate(self.extra)]
        wide = padded(F.reshape(x, (-1, 1, *sizes[2:])), [*self.pads[: self.n], *ends], 0.0)
        ones = constant(np.ones((1, 1, *self.kernel), x.dtype))
        none = (0,) * self.n
        found = F.convolution(wide, ones, None, tuple(self.stride), none, tuple(self.dilation),
                              False, none, 1)  # fmt: skip
        return F.reshape(found, (*sizes[:2], *known(found)[2:]))

    def counts(self, dtype: Any, with_pads: bool) -> Any:
        """Return how many items each window holds: of the input, or of the pads too."""
        pairs = list(zip(self.pads[: self.n], self.pads[self.n :], strict=True))
        inner = np.pad(np.ones(self.sizes), pairs, constant_values=float(with_pads))
        shown = np.pad(inner, [(0, each) for each in self.extra])
        reach = [d * (k - 1) + 1 for d, k in zip(self.dilation, self.kernel, strict=True)]
        every = np.lib.stride_tricks.sliding_window_view(shown, reach)
        steps = tuple(slice(None, None, each) for each in self.stride)
        taps = tuple(slice(None, None, each) for each in self.dilation)
        found = every[steps + taps].sum(tuple(range(-self.n, 0)))
        return constant(np.maximum(found, 1).astype(dtype))


@reads("MaxPool", "AveragePool")
def _pool(node: Node, x: Any) -> Any:
    windows = Windows(node, x)
    kernel, n, stride, dilation = windows.kernel, windows.n, windows.stride, windows.dilation
    pads, largest = windows.pads, node.type == "MaxPool"
    with_pads = bool(node.get("count_include_pad", 0))
    even = pads[:n] == pads[n:]
    if len(node.outputs) > 1:
        raise ValueError("the places of the largest are not known here")
    if not largest and (windows.ceil or any(d != 1 for d in dilation) or not even):
        return F.div(windows.sums(x), windows.counts(x.dtype, with_pads))
    if not even:
        x, pads = padded(x, pads, float("-inf")), [0] * 2 * n
    if n == 1:  # the table's pools have two dims or three
        x = F.unsqueeze(x, 2)
        kernel, stride, dilation = (1, *kernel), [1, *stride], [1, *dilation]
        pads = [0, pads[0]]
    dims = max(n, 2)
    padding = tuple(pads[:dims])
    if largest:
        found = getattr(F, f"max_pool{dims}d_with_indices")(
            x, kernel, tuple(stride), padding, tuple(dilation), windows.ceil
        )
        found = found[0] if isinstance(found, (tuple, list)) else found
    else:
        found = getattr(F, f"avg_pool{dims}d")(
            x, kernel, tuple(stride), padding, False, with_pads, None
        )
    return F.squeeze_dims(found, (2,)) if n == 1 else found


@reads("LpPool")
def _lp_pool(node: Node, x: Any) -> Any:
    p = node.get("p", 2)
    total = Windows(node, x).sums(F.pow(F.abs(x), constant(x.dtype.type(p))))
    return F.pow(total, constant(x.dtype.type(1 / p)))


@reads("ConvTranspose")
def _conv_transpose(node: Node, x: Any, weight: Any, bias: Any = None) -> Any:
    kernel, sizes = known(weight)[2:], known(x)[2:]
    n = len(kernel)
    stride, dilation = node.get("strides", [1] * n), node.get("dilations", [1] * n)
    extra, pads = node.get("output_padding", [0] * n), node.get("pads", [0] * 2 * n)
    auto, wanted = node.get("auto_pad", "NOTSET"), node.get("output_shape")
    if auto.startswith("SAME") and wanted is None:
        wanted = [size * step for size, step in zip(sizes, stride, strict=True)]
    if wanted is not None:
        wanted = wanted[-n:]
        total = [
            stride[i] * (sizes[i] - 1) + extra[i] + (kernel[i] - 1) * dilation[i] + 1 - wanted[i]
            for i in range(n)
        ]
        less, more = [each // 2 for each in total], [each - each // 2 for each in total]
        pads = [*less, *more] if auto == "SAME_UPPER" else [*more, *less]
    even = pads[:n] == pads[n:] and min(pads, default=0) >= 0
    found = F.convolution(x, weight, bias if even else None, tuple(stride),
                          tuple(pads[:n]) if even else (0,) * n, tuple(dilation), True,
                          tuple(extra), node.get("group", 1))  # fmt: skip
    if even:
        return found
    found = padded(found, [-each for each in pads], 0.0)  # pads below 0 cut off
    return found if bias is None else F.add(found, F.reshape(bias, (-1, *(1,) * n)))


@reads("Col2Im")
def _col2im(node: Node, x: Any, image: Any, block: Any) -> Any:
    size, kernel = node.ints(image), node.ints(block)
    n = len(size)
    pads = node.get("pads", [0] * 2 * n)
    if n != 2 or pads[:n] != pads[n:]:
        raise ValueError("Col2Im of two dims with even pads is known here alone")
    dilation, stride = node.get("dilations", [1] * n), node.get("strides", [1] * n)
    return F.col2im(x, size, kernel, tuple(dilation), tuple(pads[:n]), tuple(stride))
