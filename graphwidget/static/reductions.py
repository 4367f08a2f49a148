"""``tf.reduce_sum`` and the like, ``tf.argmax``, ``tf.cumsum``; ``tf.matmul``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .add_operation import constant_value, emit, make_constant, make_shape
from .convert import convert_to_tensor, has_symbols
from .dtypes import int64
from .errors import not_here
from .graph import get_default_graph, node_text
from .math import cast, check_floating, check_same_type, operand, shared, unary
from .symbol import Symbol
from .tensor_shape import list_text


def axes_of(axis: Any, symbol: Symbol, type: str, name: str) -> tuple[int, ...] | None:
    """The axes of a reduction; None for all.

    Raises:
        ValueError: there is no such axis (TensorFlow's text).
    """
    if axis is None:
        return None
    if isinstance(axis, Symbol):
        value = constant_value(axis)
        if value is None:
            raise ValueError(f"The axis of '{name}' must be known when the graph is built.")
        axis = value.tolist()
    axes = tuple(axis) if isinstance(axis, (list, tuple, np.ndarray)) else (axis,)
    rank = None if symbol.sizes is None else len(symbol.sizes)
    for each in axes:
        if rank is not None and not -rank <= each < rank:
            raise ValueError(
                f"Invalid reduction dimension {each} for input with {rank} dimensions. for "
                f"'{{{{node {name}}}}} = {type}[T=DT_{symbol.dtype.code.upper()}, Tidx=DT_INT32, "
                f"keep_dims=false]({symbol.op.name}, {name}/reduction_indices)' with input shapes: "
                f"{list_text(symbol.sizes)}, [] and with computed input tensors: input[1] = "
                f"<{each}>."
            )
    return tuple(int(each) for each in axes)


def index_constant(value: Any) -> None:
    """The constant of all axes, which TensorFlow's graph has: names count on it."""
    sizes = getattr(value, "sizes", ()) if isinstance(value, Symbol) else None
    rank = np.ndim(value) if sizes is None and not has_symbols(value) else len(sizes or ())
    make_constant(np.arange(rank, dtype=np.int32), "Const")


def reduced(
    type: str, keys: tuple[str, str], x: Any, axis: Any, keepdims: bool, name: str | None,
    params: Any = None,
) -> Symbol:  # fmt: skip
    """An op of the table that reduces: of all, or along axes."""
    graph = get_default_graph()
    if axis is None:
        index_constant(x)
    with graph.name_scope(name or type) as scope:
        x = convert_to_tensor(x, name="input")
        dims = axes_of(axis, x, type, scope[:-1])
        given = dict(params(x) if params else {})
        if dims is None and keepdims:
            if x.sizes is None:
                raise ValueError(f"'{scope[:-1]}' needs to know how many axes there are to keep.")
            dims = tuple(range(len(x.sizes)))
        if dims == ():
            return emit("alias", (x,), type="Identity", name=scope)[0]
        if dims is None and keys[0]:
            return emit(keys[0], (x,), given, type=type, name=scope)[0]
        given |= {"dim": dims or (), "keepdim": bool(keepdims)}
        return emit(keys[1], (x,), given, type=type, name=scope)[0]


def same_type(x: Symbol) -> dict[str, Any]:
    """Sums of TensorFlow are of the operands' type."""
    return {} if x.dtype.is_floating else {"dtype": x.dtype.numpy}


def make_reduction(name: str, type: str, keys: tuple[str, str], params: Any) -> Callable[..., Any]:
    """``tf.reduce_<what>``."""

    def function(
        input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None,
        reduction_indices: Any = None, keep_dims: bool | None = None,
    ) -> Symbol:  # fmt: skip
        axis = reduction_indices if axis is None else axis
        return reduced(type, keys, input_tensor, axis, bool(keepdims or keep_dims), name, params)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"``{keys[1]}`` of all items, or along axes; an operation ``{type}``."
    return shared(function)


REDUCTIONS: dict[str, tuple[str, tuple[str, str], Any]] = {
    "reduce_sum": ("Sum", ("sum", "sum.dim"), same_type),
    "reduce_max": ("Max", ("", "amax"), None),
    "reduce_min": ("Min", ("", "amin"), None),
    "reduce_any": ("Any", ("", "any"), None),
    "reduce_all": ("All", ("", "all"), None),
}
for _name, _parts in REDUCTIONS.items():
    globals()[_name] = make_reduction(_name, *_parts)


@shared
def reduce_prod(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: bool | None = None,
) -> Symbol:  # fmt: skip
    """The product of all items, or along axes, one after the other."""
    x = convert_to_tensor(input_tensor)
    axis = reduction_indices if axis is None else axis
    keep = bool(keepdims or keep_dims)
    if axis is None and not keep:
        index_constant(x)
        return unary("Prod", "prod", x, name, same_type(x))
    with get_default_graph().name_scope(name or "Prod") as scope:
        dims = axes_of(axis, x, "Prod", scope[:-1])
        rank = len(x.sizes or ())
        dims = tuple(range(rank)) if dims is None else dims
        for dim in sorted((each % rank for each in dims), reverse=True):
            params = {"dim": dim, "keepdim": keep, **same_type(x)}
            x = emit("prod.dim", (x,), params, type="Prod")[0]
        return emit("alias", (x,), type="Identity", name=scope)[0]


@shared
def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: bool | None = None,
) -> Symbol:  # fmt: skip
    """The mean of all items, or along axes; of integers without what is behind the point.

    Raises:
        TypeError: bools have none (TensorFlow's text).
    """
    axis = reduction_indices if axis is None else axis
    keep = bool(keepdims or keep_dims)
    graph = get_default_graph()
    if isinstance(input_tensor, Symbol) or hasattr(input_tensor, "_as_graph_tensor"):
        x = convert_to_tensor(input_tensor)
    else:
        with graph.name_scope(f"{graph.unique_name(name or 'Mean', False)}/"):
            x = convert_to_tensor(input_tensor, name="input")
    if x.dtype.is_bool:
        raise TypeError(
            "Value passed to parameter 'input' has DataType bool not in list of allowed values: "
            "float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
            "bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64"
        )
    if x.dtype.is_floating:
        return reduced("Mean", ("mean", "mean.dim"), x, axis, keep, name)
    with get_default_graph().name_scope(name or "Mean") as scope:
        total = reduced("Sum", ("sum", "sum.dim"), x, axis, keep, None, same_type)
        dims = axes_of(axis, x, "Mean", scope[:-1])
        sizes = make_shape(x, x.dtype.base_dtype)
        if dims is not None:
            sizes = emit("index_select", (sizes, make_constant(np.array(dims))), {"dim": 0})[0]
        count = emit("prod", (sizes,), same_type(sizes))[0]
        return emit(
            "div.mode", (total, count), {"rounding_mode": "trunc"}, type="Mean", name=scope
        )[0]


@shared
def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: bool | None = None,
) -> Symbol:  # fmt: skip
    """log Σ exp of all items, or along axes, without overflow."""
    x = convert_to_tensor(input_tensor)
    axis = reduction_indices if axis is None else axis
    check_floating(x, "x")
    with get_default_graph().name_scope(name or "ReduceLogSumExp") as scope:
        dims = axes_of(axis, x, "ReduceLogSumExp", scope[:-1])
        dims = tuple(range(len(x.sizes or ()))) if dims is None else dims
        params = {"dim": dims, "keepdim": bool(keepdims or keep_dims)}
        return emit("logsumexp", (x,), params, type="LogSumExp", name=scope)[0]


def chosen(type: str, key: str, input: Any, axis: Any, output_type: Any, name: str | None) -> Any:
    """Return where along an axis the largest or smallest item is."""
    with get_default_graph().name_scope(name or type) as scope:
        x = convert_to_tensor(input, name="input")
        wanted = int64 if output_type is None else output_type
        found = emit(key, (x,), {"dim": 0 if axis is None else int(axis)}, type=type, name=scope)[0]
        return cast(found, wanted)


@shared
def argmax(input: Any, axis: Any = None, name: str | None = None, dimension: Any = None,
           output_type: Any = int64) -> Symbol:  # fmt: skip
    """Return where along an axis the largest item is."""
    return chosen("ArgMax", "argmax", input, dimension if axis is None else axis,  # type: ignore[no-any-return]
                  output_type, name)  # fmt: skip


@shared
def argmin(input: Any, axis: Any = None, name: str | None = None, dimension: Any = None,
           output_type: Any = int64) -> Symbol:  # fmt: skip
    """Return where along an axis the smallest item is."""
    return chosen("ArgMin", "argmin", input, dimension if axis is None else axis,  # type: ignore[no-any-return]
                  output_type, name)  # fmt: skip


@shared
def cumsum(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False,
           name: str | None = None) -> Symbol:  # fmt: skip
    """Running sums along an axis, each with its own item, from the first on."""
    if exclusive or reverse:
        raise NotImplementedError(not_here("tf.cumsum with exclusive or reverse"))
    with get_default_graph().name_scope(name or "Cumsum") as scope:
        x = convert_to_tensor(x, name="x")
        params = {"dim": axis, **same_type(x)}
        return emit("cumsum", (x,), params, type="Cumsum", name=scope)[0]


# Products of matrices -----------------------------------------------------------------------------


@shared
def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False,
    adjoint_a: bool = False, adjoint_b: bool = False, a_is_sparse: bool = False,
    b_is_sparse: bool = False, name: str | None = None,
) -> Symbol:  # fmt: skip
    """A product of matrices, or of batches of them.

    Raises:
        ValueError, TypeError: they do not go together (TensorFlow's texts).
    """
    flip_a, flip_b = transpose_a or adjoint_a, transpose_b or adjoint_b
    with get_default_graph().name_scope(name or "MatMul") as scope:
        a = convert_to_tensor(a, name="a")
        b = operand(b, a, "MatMul", "b")
        batched = any(each.sizes is not None and len(each.sizes) > 2 for each in (a, b))
        type = "BatchMatMulV2" if batched else "MatMul"
        check_same_type(type, a, b, ("a", "b"))
        check_product(type, scope[:-1], a, b, (flip_a, flip_b), batched)
        a = transposed(a) if flip_a else a
        b = transposed(b) if flip_b else b
        if batched:
            return batch_product(a, b, scope)
        return emit("mm", (a, b), type=type, name=scope)[0]


def check_product(
    type: str, name: str, a: Symbol, b: Symbol, flips: tuple[bool, bool], batched: bool
) -> None:
    """Check that two matrices can be multiplied."""
    flags = ", ".join(
        f"{word}={str(value).lower()}"
        for word, value in (("grad_a", False), ("grad_b", False),
                            ("transpose_a", flips[0]), ("transpose_b", flips[1]))
    )  # fmt: skip
    where = node_text(name, type, (a, b), f"T=DT_{a.dtype.code.upper()}, {flags}")
    for each in (a, b):
        rank = None if each.sizes is None else len(each.sizes)
        if rank is not None and (rank < 2 or (rank > 2 and not batched)):
            atleast = "at least rank" if batched else "rank"
            raise ValueError(f"Shape must be {atleast} 2 but is rank {rank} for {where}.")
    if a.sizes is None or b.sizes is None:
        return
    inner = a.sizes[-2 if flips[0] else -1], b.sizes[-1 if flips[1] else -2]
    if None not in inner and inner[0] != inner[1]:
        raise ValueError(
            f"Dimensions must be equal, but are {inner[0]} and {inner[1]} for {where}."
        )


def transposed(symbol: Symbol) -> Symbol:
    """With the last two axes exchanged."""
    return emit("transpose", (symbol,), {"dim0": -2, "dim1": -1}, type="Transpose")[0]


def batch_product(a: Symbol, b: Symbol, name: str) -> Symbol:
    """A product of batches of matrices, as the table's product of two such batches of one size."""
    if a.sizes is None or b.sizes is None or None in (*a.sizes[:-2], *b.sizes[:-2]):
        raise ValueError("matmul of batches needs to know how many matrices there are.")
    batch = np.broadcast_shapes(a.sizes[:-2], b.sizes[:-2])  # type: ignore[arg-type]
    count = int(np.prod(batch, dtype=int))
    if len(batch) == 1 and len(a.sizes) == len(b.sizes) == 3 and a.sizes[0] == b.sizes[0]:
        return emit("bmm", (a, b), type="BatchMatMulV2", name=name)[0]
    parts = []
    for each in (a, b):
        assert each.sizes is not None
        rows, columns = each.sizes[-2:]
        wide = emit("expand", (each,), {"shape": (*batch, rows, columns)})[0]
        parts.append(emit("unsafe_view", (wide,), {"shape": (count, rows, columns)})[0])
    found = emit("bmm", parts, type="BatchMatMulV2")[0]
    assert found.sizes is not None
    return emit("unsafe_view", (found,), {"shape": (*batch, *found.sizes[1:])}, name=name)[0]
