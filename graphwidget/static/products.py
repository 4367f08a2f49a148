"""``tf.matmul`` and ``tf.tensordot``: products of matrices, and of tensors along axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .add_operation import emit
from .convert import convert_to_tensor
from .graph import get_default_graph, node_text
from .math import check_same_type, operand, shared
from .symbol import Symbol


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


@shared
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Symbol:
    """The sum of products along axes of both."""
    with get_default_graph().name_scope(name or "Tensordot"):
        a = convert_to_tensor(a, name="a")
        b = operand(b, a, "MatMul", "b")
        if a.sizes is None or b.sizes is None or None in (*a.sizes, *b.sizes):
            raise ValueError("tensordot needs to know the shapes when the graph is built.")
        rank = len(a.sizes)
        if isinstance(axes, int):
            axes = list(range(rank - axes, rank)), list(range(axes))
        over = [[each] if isinstance(each, int) else list(each) for each in axes]
        first, second = ([axis % len(each.sizes) for axis in dims]
                         for dims, each in zip(over, (a, b), strict=True))  # fmt: skip
        free_a = [i for i in range(rank) if i not in first]
        free_b = [i for i in range(len(b.sizes)) if i not in second]
        inner = int(np.prod([a.sizes[i] for i in first], dtype=int))
        left = emit("permute", (a,), {"dims": (*free_a, *first)})[0]
        right = emit("permute", (b,), {"dims": (*second, *free_b)})[0]
        left = emit("unsafe_view", (left,), {"shape": (-1, inner)})[0]
        right = emit("unsafe_view", (right,), {"shape": (inner, -1)})[0]
        product = emit("mm", (left, right))[0]
        shape = tuple(a.sizes[i] for i in free_a) + tuple(b.sizes[i] for i in free_b)
        return emit("unsafe_view", (product,), {"shape": shape})[0]
