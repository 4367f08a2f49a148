"""Shapes, parts and joins of symbols, under TensorFlow's names."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from .add_operation import emit, make_constant, make_shape
from .convert import constant, convert_to_tensor, shape_param
from .dtypes import as_dtype, float32, int32
from .graph import Operation, get_default_graph, node_text, only
from .math import check_bool, check_same_type, operand
from .symbol import Spec, Symbol
from .tensor_shape import list_text


def identity(input: Any, name: str | None = None) -> Symbol:
    """The same value, as a symbol of its own: of a variable, what it holds then."""
    value = getattr(input, "ref", input)
    symbol = convert_to_tensor(value)
    spec = Spec(symbol.dtype.base_dtype, symbol.sizes, symbol.known)
    made = symbol.graph.create("Identity", (symbol,), [spec], name=name or "Identity")
    return only(made)


def stop_gradient(input: Any, name: str | None = None) -> Symbol:
    """The same value, through which no gradient flows."""
    symbol = convert_to_tensor(input)
    return emit("detach", (symbol,), type="StopGradient", name=name or "StopGradient")[0]


# Sizes ---------------------------------------------------------------------------------------
def shape(input: Any, name: str | None = None, out_type: Any = int32) -> Symbol:
    """The sizes, as a symbol."""
    return make_shape(convert_to_tensor(input), as_dtype(out_type), name)


def size(input: Any, name: str | None = None, out_type: Any = int32) -> Symbol:
    """The number of items, as a symbol."""
    symbol = convert_to_tensor(input)
    count = symbol.shape.num_elements()
    if count is not None:
        return make_constant(np.array(count, as_dtype(out_type).numpy), name or "Size")
    sizes = make_shape(symbol, as_dtype(out_type))
    return emit("prod", (sizes,), {"dtype": sizes.dtype.numpy}, type="Size", name=name)[0]


def rank(input: Any, name: str | None = None) -> Symbol:
    """The number of axes, as a symbol."""
    symbol = convert_to_tensor(input)
    if symbol.sizes is not None:
        return make_constant(np.array(len(symbol.sizes), np.int32), name or "Rank")
    return size(make_shape(symbol), name)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Symbol:
    """The same items in another shape, of which one size may be -1.

    Raises:
        ValueError: they do not fit into it (TensorFlow's text).
    """
    with get_default_graph().name_scope(name or "Reshape") as scope:
        tensor = convert_to_tensor(tensor)
        sizes = shape_param(shape)
        count = tensor.shape.num_elements()
        if isinstance(sizes, tuple) and not any(isinstance(each, Symbol) for each in sizes):
            check_reshape(tensor, sizes, count, scope[:-1])
        return emit("unsafe_view", (tensor,), {"shape": sizes}, type="Reshape", name=scope)[0]


def check_reshape(tensor: Symbol, sizes: Sequence[int], count: int | None, name: str) -> None:
    """Check that this number of items fits into a shape."""
    wanted = int(np.prod([each for each in sizes if each != -1], dtype=int))
    fits = count is None or (
        wanted == count if -1 not in sizes else bool(wanted) and count % wanted == 0
    )
    if not fits:
        shown = list_text(tuple(None if each == -1 else each for each in sizes))
        where = (
            f"'{{{{node {name}}}}} = Reshape[T=DT_{tensor.dtype.code.upper()}, Tshape=DT_INT32]"
            f"({tensor.op.name}, {name}/shape)' with input shapes: {list_text(tensor.sizes)}, "
            f"[{len(sizes)}] and with input tensors computed as partial shapes: input[1] = {shown}."
        )
        raise ValueError(
            f"Cannot reshape a tensor with {count} elements to shape {shown} ({wanted} elements) "
            f"for {where}"
        )


def transpose(a: Any, perm: Any = None, name: str = "transpose", conjugate: bool = False) -> Symbol:
    """With the axes in another order; reversed, without one."""
    with get_default_graph().name_scope(name) as scope:
        a = convert_to_tensor(a, name="a")
        if perm is None:
            if a.sizes is None:
                raise ValueError("transpose needs to know how many axes there are.")
            perm = range_of(len(a.sizes))[::-1]
        dims = tuple(int(each) for each in shape_param(perm))
        return emit("permute", (a,), {"dims": dims}, type="Transpose", name=scope)[0]


def range_of(count: int) -> tuple[int, ...]:
    """The first numbers."""
    return tuple(builtins.range(count))


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Symbol:
    """With an axis of size 1 more."""
    place = int(dim if axis is None else axis)
    symbol = convert_to_tensor(input)
    return emit(
        "unsqueeze", (symbol,), {"dim": place}, type="ExpandDims", name=name or "ExpandDims"
    )[0]


def squeeze(input: Any, axis: Any = None, name: str | None = None,
            squeeze_dims: Any = None) -> Symbol:  # fmt: skip
    """Without the axes of size 1, or some of them."""
    axis = squeeze_dims if axis is None else axis
    symbol = convert_to_tensor(input)
    name = name or "Squeeze"
    if axis is None or axis == []:
        found = emit("squeeze", (symbol,), type="Squeeze", name=name)[0]
        if symbol.sizes is None or None in symbol.sizes:
            found.sizes = None  # a size that is unknown may be 1
        return found
    dims = tuple(axis) if isinstance(axis, (list, tuple)) else (axis,)
    return emit("squeeze.dims", (symbol,), {"dim": dims}, type="Squeeze", name=name)[0]


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Symbol:
    """Spread to a shape."""
    symbol = convert_to_tensor(input)
    params = {"shape": shape_param(shape)}
    return emit("expand", (symbol,), params, type="BroadcastTo", name=name or "BroadcastTo")[0]


def tile(input: Any, multiples: Any, name: str | None = None) -> Symbol:
    """Repeated along the axes."""
    symbol = convert_to_tensor(input)
    params = {"repeats": shape_param(multiples)}
    return emit("repeat", (symbol,), params, type="Tile", name=name or "Tile")[0]


# Joins and parts -----------------------------------------------------------------------------
def concat(values: Any, axis: Any, name: str = "concat") -> Symbol:
    """Several after each other along an axis.

    Raises:
        ValueError, TypeError: they do not go together (TensorFlow's texts).
    """
    with get_default_graph().name_scope(name) as scope:
        symbols = operands_of(values, "ConcatV2")
        if len(symbols) == 1:
            return identity(symbols[0], scope)
        axis = int(axis)
        check_concat(symbols, axis, scope[:-1])
        return emit("cat", symbols, {"dim": axis}, type="ConcatV2", name=scope)[0]


def operands_of(values: Any, type: str) -> list[Symbol]:
    """A list of operands of one type."""
    values = [getattr(each, "_as_graph_tensor", lambda each=each: each)() for each in values]
    first = next((each for each in values if isinstance(each, Symbol)), None)
    symbols = [operand(each, first, type, "values") for each in values]
    types = [each.dtype.base_dtype for each in symbols]
    if len(set(types)) > 1:
        names = ", ".join(each.name for each in types)
        raise TypeError(
            f"Tensors in list passed to 'values' of '{type}' Op have types [{names}] that don't "
            "all match."
        )
    return symbols


def check_concat(symbols: list[Symbol], axis: int, name: str) -> None:
    """Check that all sizes but along the axis are the same."""
    shapes = [each.sizes for each in symbols if each.sizes is not None]
    for shape in shapes[1:]:
        others = [
            tuple(size for place, size in enumerate(each) if place != axis % len(each))
            for each in (shapes[0], shape)
        ]
        for place, (one, two) in enumerate(zip(*others, strict=False)):
            if one is not None and two is not None and one != two:
                code = symbols[0].dtype.code.upper()
                attributes = f"N={len(symbols)}, T=DT_{code}, Tidx=DT_INT32"
                given = node_text(name, "ConcatV2", symbols, attributes)
                call, _, rest = given.partition(")' with")
                raise ValueError(
                    f"Dimension {place} in both shapes must be equal, but are {one} and {two}. "
                    f"Shapes are {list_text(others[0])} and {list_text(others[1])}. for {call}, "
                    f"{name}/axis)' with{rest}, [] and with computed input tensors: "
                    f"input[{len(symbols)}] = <{axis}>."
                )


def stack(values: Any, axis: int = 0, name: str = "stack") -> Symbol:
    """Several of one shape side by side along a new axis.

    Raises:
        ValueError: they have two shapes (TensorFlow's text).
    """
    with get_default_graph().name_scope(name) as scope:
        symbols = operands_of(values, "Pack")
        ranks = [len(each.sizes) for each in symbols if each.sizes is not None]
        wrong = next((each for each in ranks if each != ranks[0]), None)
        if wrong is not None:
            attributes = f"N={len(symbols)}, T=DT_{symbols[0].dtype.code.upper()}, axis={axis}"
            raise ValueError(
                f"Shapes must be equal rank, but are {ranks[0]} and {wrong}\n\tFrom merging shape "
                f"0 with other shapes. for {node_text(scope[:-1], 'Pack', symbols, attributes)}."
            )
        return emit("stack", symbols, {"dim": axis}, type="Pack", name=scope)[0]


def unstack(value: Any, num: int | None = None, axis: int = 0,
            name: str = "unstack") -> list[Symbol]:  # fmt: skip
    """The parts along an axis."""
    symbol = convert_to_tensor(value)
    if num is None and (symbol.sizes is None or symbol.sizes[axis] is None):
        raise ValueError(f"Cannot infer argument `num` from shape {symbol.shape}")
    return emit("unbind", (symbol,), {"dim": axis}, type="Unpack", name=name)


def split(value: Any, num_or_size_splits: Any, axis: int = 0, num: int | None = None,
          name: str = "split") -> list[Symbol]:  # fmt: skip
    """Parts of equal size, or of these sizes, along an axis."""
    symbol = convert_to_tensor(value)
    if isinstance(num_or_size_splits, int):
        whole = None if symbol.sizes is None else symbol.sizes[axis]
        if whole is None or whole % num_or_size_splits:
            raise ValueError(
                f"Dimension size must be evenly divisible by {num_or_size_splits} but is {whole}"
            )
        sizes = (whole // num_or_size_splits,) * num_or_size_splits
    else:
        sizes = tuple(num_or_size_splits)
    return emit(
        "split.sizes", (symbol,), {"split_sizes": sizes, "dim": axis}, type="Split", name=name
    )


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Symbol:
    """A part: where it begins along each axis, and how long it is (-1: to the end)."""
    with get_default_graph().name_scope(name or "Slice") as scope:
        symbol = convert_to_tensor(input_)
        starts, lengths = shape_param(begin), shape_param(size)
        pairs = list(zip(starts, lengths, strict=True))
        for dim, (start, length) in enumerate(pairs):
            end = None if length == -1 else start + length
            params = {"dim": dim, "start": start, "end": end, "step": 1}
            last = dim == len(pairs) - 1
            before = symbol.sizes
            symbol = emit("slice", (symbol,), params, type="Slice",
                          name=scope if last else None)[0]  # fmt: skip
            if before is not None and length != -1 and isinstance(length, int):
                whole = before[dim]
                if whole is not None and isinstance(start, int) and start + length > whole:
                    raise ValueError(
                        f"Expected size[{dim}] in [0, {whole - start}], but got {length} for "
                        f"'{scope[:-1]}'."
                    )
                symbol.sizes = (*before[:dim], length, *before[dim + 1 :])
        return symbol


def get_item(symbol: Symbol, key: Any) -> Symbol:
    """``x[1:, 0]``: numbers, slices, ``...`` and new axes."""
    keys = list(key) if isinstance(key, tuple) else [key]
    with get_default_graph().name_scope("strided_slice") as scope:
        given = len([each for each in keys if each is not None and each is not Ellipsis])
        if Ellipsis in [each for each in keys if not isinstance(each, Symbol)]:
            if symbol.sizes is None:
                raise ValueError("`...` needs to know how many axes there are.")
            place = next(i for i, each in enumerate(keys) if each is Ellipsis)
            keys[place : place + 1] = [builtins.slice(None)] * (len(symbol.sizes) - given)
        dim = 0
        for each in keys:
            symbol, dim = take(symbol, each, dim)
        if symbol.op.name.startswith(scope) and symbol.op.type == "StridedSlice":
            return rename(symbol, scope)
        return identity(symbol, scope)


def rename(symbol: Symbol, name: str) -> Symbol:
    """Give the operation that was just made the name of its scope."""
    operation: Operation = symbol.op
    graph = operation.graph
    del graph.by_name[operation.name]
    operation.name = name[:-1]
    graph.by_name[operation.name] = operation
    return symbol


def take(symbol: Symbol, key: Any, dim: int) -> tuple[Symbol, int]:
    """Apply one part of an index; return the result and the axis of the next part."""
    if key is None:
        return emit("unsqueeze", (symbol,), {"dim": dim}, type="StridedSlice")[0], dim + 1
    if isinstance(key, builtins.slice):
        start, end, step = key.start, key.stop, 1 if key.step is None else key.step
        if (start, end, step) == (None, None, 1):
            return symbol, dim + 1
        if isinstance(step, int) and step < 0:
            params: dict[str, Any] = {"dims": (dim,)}
            if (start, end, step) != (None, None, -1):
                raise ValueError("A slice that runs backwards takes all: x[::-1].")
            return emit("flip", (symbol,), params, type="StridedSlice")[0], dim + 1
        params = {"dim": dim, "start": 0 if start is None else start, "end": end, "step": step}
        return emit("slice", (symbol,), params, type="StridedSlice")[0], dim + 1
    if isinstance(key, Symbol):
        found = emit("index_select", (symbol, as_list(key)), {"dim": dim}, type="GatherV2")[0]
        return emit("squeeze.dim", (found,), {"dim": dim}, type="StridedSlice")[0], dim
    if not isinstance(key, (int, np.integer)):
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
            f"tf.int32/tf.int64 tensors are valid indices, got {key!r}"
        )
    size = None if symbol.sizes is None else symbol.sizes[dim]
    if size is not None and not -size <= key < size:
        raise ValueError(f"slice index {key} of dimension {dim} out of bounds.")
    return emit("select", (symbol,), {"dim": dim, "index": int(key)}, type="StridedSlice")[0], dim


def as_list(index: Symbol) -> Symbol:
    """One index as a list of one."""
    return emit("unsafe_view", (index,), {"shape": (1,)})[0]


def gather(params: Any, indices: Any, validate_indices: Any = None, name: str | None = None,
           axis: int = 0) -> Symbol:  # fmt: skip
    """The parts at some places along an axis."""
    with get_default_graph().name_scope(name or "GatherV2") as scope:
        params = convert_to_tensor(params, name="params")
        places = convert_to_tensor(indices, name="indices")
        if axis == 0 and params.dtype.is_floating:
            return emit("embedding", (params, places), type="GatherV2", name=scope)[0]
        if places.sizes is None or None in places.sizes or params.sizes is None:
            raise ValueError("gather along another axis needs to know the shape of the indices.")
        flat = emit("unsafe_view", (places,), {"shape": (-1,)})[0]
        found = emit("index_select", (params, flat), {"dim": axis}, type="GatherV2")[0]
        axis %= len(params.sizes)
        assert found.sizes is not None
        sizes = (*found.sizes[:axis], *places.sizes, *found.sizes[axis + 1 :])
        shape = tuple(-1 if each is None else each for each in sizes)
        return emit("unsafe_view", (found,), {"shape": shape}, type="Reshape", name=scope)[0]


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Symbol:
    """With the items along these axes in reverse."""
    symbol = convert_to_tensor(tensor)
    params = {"dims": tuple(axis)}
    return emit("flip", (symbol,), params, type="ReverseV2", name=name or "ReverseV2")[0]


def pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", name: str | None = None,
        constant_values: Any = 0) -> Symbol:  # fmt: skip
    """With items more before and after along each axis."""
    if mode.upper() != "CONSTANT":
        raise ValueError(f"tf.pad pads with a constant here, not as {mode!r}.")
    symbol = convert_to_tensor(tensor)
    pairs = np.asarray(paddings).tolist()
    params = {"pad": tuple(n for pair in pairs[::-1] for n in pair), "value": constant_values}
    return emit("constant_pad_nd", (symbol,), params, type="Pad", name=name or "Pad")[0]


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Symbol:
    """x where the condition holds, else y; the places where it holds, without them."""
    symbol = convert_to_tensor(condition, name="condition")
    check_bool(symbol, "Select", "condition")
    if x is None and y is None:
        found = emit("nonzero", (symbol,), type="Where", name=name or "Where")[0]
        found.sizes = None, found.sizes[1] if found.sizes else None
        found.known = None
        return found
    with get_default_graph().name_scope(name or "Select") as scope:
        x = convert_to_tensor(x, name="x")
        y = operand(y, x, "Select", "y")
        check_same_type("Select", x, y, ("t", "e"))
        return emit("where", (symbol, x, y), type="Select", name=scope)[0]


def one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: int = -1,
    dtype: Any = None, name: str | None = None,
) -> Symbol:  # fmt: skip
    """A row for each index, with one value at that place and another elsewhere."""
    wanted = as_dtype(dtype or (float32 if on_value is None else constant(on_value).dtype))
    on, off = (0 if each is None else each for each in (on_value, off_value))
    on = 1 if on_value is None else on
    with get_default_graph().name_scope(name or "one_hot") as scope:
        places = convert_to_tensor(indices, name="indices")
        if places.sizes is None:
            raise ValueError("one_hot needs to know how many axes the indices have.")
        column = emit("unsqueeze", (places,), {"dim": axis})[0]
        assert column.sizes is not None
        every = np.arange(int(depth), dtype=places.dtype.numpy)
        line = every.reshape(-1, *[1] * (len(column.sizes) - 1 - axis % len(column.sizes)))
        chosen = emit("eq", (column, make_constant(line, "depth")))[0]
        values = [make_constant(np.array(each, wanted.numpy)) for each in (on, off)]
        return emit("where", (chosen, *values), type="OneHot", name=scope)[0]


PUBLIC = (
    "identity",
    "stop_gradient",
    "shape",
    "size",
    "rank",
    "reshape",
    "transpose",
    "expand_dims",
    "squeeze",
    "broadcast_to",
    "tile",
    "concat",
    "stack",
    "unstack",
    "split",
    "slice",
    "gather",
    "reverse",
    "pad",
    "where",
    "one_hot",
)
