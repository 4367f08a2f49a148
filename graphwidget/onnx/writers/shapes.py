"""Writes ops that arrange items anew as ONNX: views, joins, padding."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import OnnxExporterError
from .values import writes


def reshape(w: Any, self: Any, shape: Any) -> Any:
    """The items in another shape."""
    return w("Reshape", self, w.sizes(shape), allowzero=1 if has_zero(shape) else None)


def has_zero(shape: Any) -> bool:
    """Return whether a shape has a size 0, which otherwise means the input's."""
    return isinstance(shape, (tuple, list)) and any(
        isinstance(each, int) and each == 0 for each in shape
    )


writes("view", "reshape_alias", "unsafe_view")(reshape)


@writes("unsqueeze", "unsqueeze_inplace")
def _unsqueeze(w: Any, self: Any, dim: int) -> Any:
    return w("Unsqueeze", self, w.ints(dim))


@writes("squeeze", "squeeze_inplace")
def _squeeze(w: Any, self: Any) -> Any:
    return _squeezed(w, self, range(self.rank))


@writes("squeeze.dim", "squeeze_inplace.dim", "squeeze.dims", "squeeze_inplace.dims")  # fmt: skip
def _squeezed(w: Any, self: Any, dim: Any) -> Any:
    dims = [dim] if isinstance(dim, int) else list(dim)
    dims = [each % max(self.rank, 1) for each in dims if self.rank]
    if any(self.sizes[each] is None for each in dims):
        raise OnnxExporterError("a dim is squeezed whose size is unknown")
    dims = sorted(each for each in dims if self.sizes[each] == 1)
    return w("Squeeze", self, w.ints(*dims)) if dims else self


@writes("expand")
def _expand(w: Any, self: Any, shape: Any) -> Any:
    if isinstance(shape, (tuple, list)):
        shape = [1 if isinstance(each, int) and each == -1 else each for each in shape]
    return w("Expand", self, w.sizes(shape))


def arranged(w: Any, self: Any, order: Any) -> Any:
    """The dims in another order."""
    return w("Transpose", self, perm=[int(each) for each in order])


@writes("t", "t_inplace")
def _transpose2(w: Any, self: Any) -> Any:
    return arranged(w, self, (1, 0)) if self.rank == 2 else self


@writes("transpose", "transpose_inplace")
def transpose(w: Any, self: Any, dim0: int, dim1: int) -> Any:
    """Two dims exchanged."""
    order = list(range(self.rank))
    if order:
        order[dim0], order[dim1] = order[dim1], order[dim0]
    return arranged(w, self, order) if order else self


@writes("permute")
def _permute(w: Any, self: Any, dims: Any) -> Any:
    return arranged(w, self, [each % max(self.rank, 1) for each in dims]) if dims else self


def place(w: Any, index: Any) -> Any:
    """A single index, as a value."""
    return index if hasattr(index, "dtype") else w.constant(np.array(index, np.int64))


@writes("select")
def _select(w: Any, self: Any, dim: int, index: Any) -> Any:
    return w("Gather", self, place(w, index), axis=dim % self.rank)


LAST = np.iinfo(np.int64).max


@writes("slice")
def _slice_(w: Any, self: Any, dim: int = 0, start: Any = 0, end: Any = None, step: Any = 1) -> Any:
    start = 0 if start is None else start
    end = LAST if end is None else end
    return w("Slice", self, w.sizes([start]), w.sizes([end]), w.ints(dim % self.rank),
             w.sizes([step]))  # fmt: skip


@writes("split.sizes")
def _split_sizes(w: Any, self: Any, split_sizes: Any, dim: int = 0) -> Any:
    if len(split_sizes) == 1:
        return [w("Identity", self)]
    return w("Split", self, w.ints(*split_sizes), outputs=len(split_sizes), axis=dim % self.rank)


@writes("split", "unsafe_split")
def _split(w: Any, self: Any, split_size: int, dim: int = 0) -> Any:
    total = self.size(dim)
    count = len(w.asked.outputs)
    sizes = [min(split_size, total - i * split_size) for i in range(count)] if total else [0]
    return _split_sizes(w, self, sizes, dim)


@writes("unbind")
def _unbind(w: Any, self: Any, dim: int = 0) -> Any:
    return [_select(w, self, dim, i) for i in range(len(w.asked.outputs))]


@writes("cat")
def _cat(w: Any, tensors: Any, dim: int = 0) -> Any:
    whole = [each for each in tensors if each.sizes != (0,)] or tensors[:1]
    dtype = w.asked.outputs[0].dtype.numpy
    return w("Concat", *(each.cast(dtype) for each in whole), axis=dim)


@writes("stack")
def _stack(w: Any, tensors: Any, dim: int = 0) -> Any:
    dim = dim % (tensors[0].rank + 1)
    dtype = w.asked.outputs[0].dtype.numpy
    parts = [w("Unsqueeze", each.cast(dtype), w.ints(dim)) for each in tensors]
    return w("Concat", *parts, axis=dim)


@writes("repeat")
def _repeat(w: Any, self: Any, repeats: Any) -> Any:
    extra = len(repeats) - self.rank
    if extra:
        self = w("Unsqueeze", self, w.ints(*range(extra)))
    return w("Tile", self, w.sizes(repeats))


@writes("flip")
def _flip(w: Any, self: Any, dims: Any) -> Any:
    dims = [each % max(self.rank, 1) for each in dims if self.rank]
    if not dims:
        return self
    n = len(dims)
    return w("Slice", self, w.ints(*[-1] * n), w.ints(*[-LAST] * n), w.ints(*dims),
             w.ints(*[-1] * n))  # fmt: skip


def slice_of(w: Any, self: Any, dim: int, start: int, end: int) -> Any:
    """The items from one place to another along a dim."""
    return w("Slice", self, w.ints(start), w.ints(end), w.ints(dim % self.rank))


def _triangle(upper: int) -> Any:
    def write(w: Any, self: Any, diagonal: int = 0) -> Any:
        given = self.cast(np.int64) if self.dtype == bool else self
        return w("Trilu", given, w.constant(np.array(diagonal, np.int64)), upper=upper)

    return write


writes("tril")(_triangle(0))
writes("triu")(_triangle(1))


def pads_of(pad: Any, rank: int) -> list[int]:
    """PyTorch's pads, of the last dim first, as ONNX has them: all starts, then all ends."""
    starts, ends = [0] * rank, [0] * rank
    for i in range(len(pad) // 2):
        starts[rank - 1 - i], ends[rank - 1 - i] = pad[2 * i], pad[2 * i + 1]
    return starts + ends


def _padded(mode: str) -> Any:
    def write(w: Any, self: Any, padding: Any) -> Any:
        return w("Pad", self, w.ints(*pads_of(padding, self.rank)), mode=mode)

    return write


writes("reflection_pad1d", "reflection_pad2d")(_padded("reflect"))
writes("replication_pad1d", "replication_pad2d")(_padded("edge"))


@writes("constant_pad_nd")
def _constant_pad(w: Any, self: Any, pad: Any, value: Any = 0) -> Any:
    if not self.rank:
        return self
    pads = w.ints(*pads_of(pad, self.rank))
    if self.dtype == bool:
        return w("Pad", self.cast(np.int32), pads, w.constant(np.int32(bool(value)))).cast(bool)
    return w("Pad", self, pads, self.like(value))


@writes("pixel_shuffle")
def _pixel_shuffle(w: Any, self: Any, upscale_factor: int) -> Any:
    if self.rank != 4:
        raise OnnxExporterError("pixel_shuffle of other than four dims has no equivalent")
    return w("DepthToSpace", self, blocksize=upscale_factor, mode="CRD")
