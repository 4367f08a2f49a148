"""Reads ONNX operators that arrange, pick and make items."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..nodes import F, Node, compute, constant, known, limited, reads


@reads("Constant")
def _constant(node: Node) -> Any:
    for name in ("value", "value_float", "value_floats", "value_int", "value_ints"):
        if name in node.attributes:
            kind = None if name == "value" else np.float32 if "float" in name else np.int64
            return constant(np.asarray(node.attributes[name], kind))
    raise ValueError("a constant without a value that is known here")


@reads("ConstantOfShape")
def _of_shape(node: Node, shape: Any) -> Any:
    value = np.reshape(node.get("value", np.zeros(1, np.float32)), ())
    sizes = node.ints(shape)
    limited(*sizes)
    return constant(np.full(sizes, value))


@reads("Range")
def _range(node: Node, start: Any, limit: Any, delta: Any) -> Any:
    ends: list[Any] = [np.reshape(node.numbers(each), ())[()] for each in (start, limit, delta)]
    first, last, step = ends
    limited(max(0, int((float(last) - float(first)) / float(step))))
    return constant(np.arange(first, last, step).astype(first.dtype))


@reads("Shape")
def _shape(node: Node, x: Any) -> Any:
    return constant(np.array(known(x), np.int64)[node.get("start", 0) : node.get("end")])


@reads("Size")
def _size(node: Node, x: Any) -> Any:
    return constant(np.array(np.prod(known(x), dtype=np.int64)))


@reads("Reshape")
def _reshape(node: Node, x: Any, shape: Any) -> Any:
    wanted = list(node.ints(shape))
    if not node.get("allowzero", 0):
        wanted = [known(x)[i] if size == 0 else size for i, size in enumerate(wanted)]
    return F.reshape(x, tuple(wanted))


@reads("Flatten")
def _flatten(node: Node, x: Any) -> Any:
    axis = node.get("axis", 1)
    axis = axis + x.ndim if axis < 0 else axis
    lead = int(np.prod(known(x)[:axis]))
    return F.reshape(x, (lead, int(np.prod(known(x)[axis:]))))


@reads("Transpose")
def _transpose(node: Node, x: Any) -> Any:
    return F.permute(x, tuple(node.get("perm", range(x.ndim)[::-1])))


@reads("Squeeze")
def _squeeze(node: Node, x: Any, axes: Any = None) -> Any:
    dims = node.ints(axes)
    if dims is None:
        dims = tuple(i for i, size in enumerate(known(x)) if size == 1)
    wrong = [dim for dim in dims if x.symbol.sizes[dim] not in (1, None)]
    if wrong:
        raise ValueError(f"dim {wrong[0]} is squeezed, but its size is not 1")
    return F.squeeze_dims(x, dims)


@reads("Unsqueeze")
def _unsqueeze(node: Node, x: Any, axes: Any) -> Any:
    dims = node.ints(axes)
    rank = x.ndim + len(dims)
    for dim in sorted(each % rank for each in dims):
        x = F.unsqueeze(x, dim)
    return x


@reads("Concat")
def _concat(node: Node, *operands: Any) -> Any:
    return F.cat(list(operands), node.get("axis", 1) % operands[0].ndim)


@reads("Split")
def _split(node: Node, x: Any, split: Any = None) -> Any:
    axis, count = node.get("axis", 0) % x.ndim, len(node.outputs)
    sizes = node.ints(split)
    if sizes is None:
        total = known(x)[axis]
        each = -(-total // count)
        sizes = tuple(min(each, total - i * each) for i in range(count))
    return list(F.split_sizes(x, sizes, axis)) if count > 1 else [F.alias(x)]


@reads("Slice")
def _slice(node: Node, x: Any, starts: Any, ends: Any, axes: Any = None, steps: Any = None) -> Any:
    first, last = node.ints(starts), node.ints(ends)
    dims = node.ints(axes) or tuple(range(len(first)))
    by = node.ints(steps) or (1,) * len(first)
    for start, end, dim, step in zip(first, last, dims, by, strict=True):
        dim = dim % x.ndim
        if step > 0:
            x = F.slice(x, dim, start, end, step)
        else:
            places = np.arange(known(x)[dim])
            low = None if end < -len(places) else end
            x = F.index_select(x, constant(places[slice(start, low, step)]), dim)
    return x


@reads("Gather")
def _gather(node: Node, x: Any, indices: Any) -> Any:
    axis = node.get("axis", 0) % x.ndim
    size, shape = known(x)[axis], known(indices)
    index = F.to_copy(indices, np.dtype(np.int64))
    behind = F.add(index, constant(np.int64(size)))
    index = F.where(F.lt(index, constant(np.int64(0))), behind, index)
    found = F.index_select(x, F.reshape(index, (-1,)), axis)
    rest = known(x)
    return F.reshape(found, (*rest[:axis], *shape, *rest[axis + 1 :]))


@reads("GatherElements")
def _gather_elements(node: Node, x: Any, indices: Any) -> Any:
    axis = node.get("axis", 0) % x.ndim
    count = known(x)[axis]
    index = F.to_copy(indices, np.dtype(np.int64))
    return F.gather(x, F.remainder(index, constant(np.int64(count))), axis)


@reads("GatherND", batch_dims=0)
def _gather_nd(node: Node, x: Any, indices: Any) -> Any:
    return compute(lambda a, places: a[tuple(np.moveaxis(places, -1, 0))], x, indices)


@reads("ScatterND", "ScatterElements")
def _scatter(node: Node, x: Any, indices: Any, updates: Any) -> Any:
    how = node.get("reduction", "none")
    if how not in ("none", "add"):
        raise ValueError(f"scattering by {how} is not known here")

    def put(a: Any, i: Any, u: Any) -> Any:
        if node.type == "ScatterND":
            places: Any = tuple(np.moveaxis(i, -1, 0))
        else:
            axis = node.get("axis", 0) % a.ndim
            grid = list(np.ogrid[tuple(slice(n) for n in i.shape)])
            places = (*grid[:axis], i % a.shape[axis], *grid[axis + 1 :])
        found = a.copy()
        if how == "none":
            found[places] = u
        else:
            np.add.at(found, places, u)
        return found

    return compute(put, x, indices, updates)


@reads("Expand")
def _expand(node: Node, x: Any, shape: Any) -> Any:
    sizes = np.broadcast_shapes(known(x), node.ints(shape))
    limited(*sizes)
    return F.expand(x, sizes)


@reads("Tile")
def _tile(node: Node, x: Any, repeats: Any) -> Any:
    times = node.ints(repeats)
    limited(*known(x), *times)
    return F.repeat(x, times)


@reads("Pad")
def _pad(node: Node, x: Any, pads: Any, value: Any = None, axes: Any = None) -> Any:
    counts, dims = node.ints(pads), node.ints(axes)
    n = len(counts) // 2
    pairs = [(0, 0)] * x.ndim
    for i, dim in enumerate(dims or range(n)):
        pairs[dim % x.ndim] = counts[i], counts[i + n]
    mode = node.get("mode", "constant")
    limited(*(max(n + a + b, 0) for n, (a, b) in zip(known(x), pairs, strict=True)))
    filler = 0.0 if value is None else node.numbers(value).item()
    flat = tuple(number for pair in reversed(pairs) for number in pair)
    if mode == "constant":
        return F.constant_pad_nd(x, flat, filler)
    return compute(lambda a: np.pad(a, pairs, mode), x)


@reads("Trilu")
def _trilu(node: Node, x: Any, k: Any = None) -> Any:
    diagonal = 0 if k is None else int(node.numbers(k))
    return (F.triu if node.get("upper", 1) else F.tril)(x, diagonal)


@reads("OneHot")
def _one_hot(node: Node, indices: Any, depth: Any, values: Any) -> Any:
    count = int(np.reshape(node.numbers(depth), ()))
    axis = node.get("axis", -1)
    limited(count, *known(indices))

    def make(i: Any, pair: Any) -> Any:
        hit = np.asarray(i.astype(np.int64) % count)[..., None] == np.arange(count)
        inside = ((i >= -count) & (i < count))[..., None]
        return np.moveaxis(np.where(hit & inside, pair[1], pair[0]), -1, axis)

    return compute(make, indices, values)


@reads("NonZero")
def _nonzero(node: Node, x: Any) -> Any:
    return compute(lambda a: np.array(np.nonzero(np.atleast_1d(a)), np.int64), x)


@reads("DepthToSpace")
def _depth_to_space(node: Node, x: Any) -> Any:
    if node.get("mode", "DCR") != "CRD":
        raise ValueError("the mode DCR is not known here")
    return F.pixel_shuffle(x, node.get("blocksize"))
