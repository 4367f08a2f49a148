"""``bilinear``: the product of two inputs with a weight of three dims."""

from __future__ import annotations

from ...arrays import dtypes
from ...arrays.kernel_errors import not_implemented
from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor


@offer(method=False)
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input1^T weight input2 + bias, for each output.

    Args:
        input1, input2: (*, I) and (*, J).
        weight: (O, I, J).
        bias: (O,).

    Raises:
        RuntimeError: sizes that do not match.
    """
    first, second = input1._data.shape, input2._data.shape
    if len(first) != len(second):
        raise RuntimeError(
            f"bilinear(): input dimensions do not match: got {len(first)} and {len(second)}"
        )
    for dim, (one, other) in enumerate(zip(first[:-1], second[:-1], strict=True)):
        if one != other:
            raise RuntimeError(
                f"bilinear(): input batch dimensions do not match at dim {dim}: got {one} and "
                f"{other}"
            )
    for number, (shape, dim) in enumerate(((first, 1), (second, 2)), 1):
        if shape[-1] != weight._data.shape[dim]:
            raise RuntimeError(
                f"bilinear(): input{number} size does not match weight size: got {shape[-1]} but "
                f"expected {weight._data.shape[dim]}"
            )
    outs = weight._data.shape[0]
    if bias is not None and bias._data.shape[0] != outs:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias._data.shape[0]} but "
            f"expected {outs}"
        )
    named = [("input1", input1), ("input2", input2), ("weight", weight), ("bias", bias)]
    given = [(name, each._data.dtype) for name, each in named if each is not None]
    if len({kind for _, kind in given}) > 1:
        told = ", ".join(f"{name}: {dtypes.c_type(kind)}" for name, kind in given)
        raise RuntimeError(f"All tensors must have the same dtype, got {told}")
    if weight._data.dtype == bool:
        raise not_implemented("bmm", weight._data.dtype)
    flat = (each.reshape(-1, each._data.shape[-1]) for each in (input1, input2))
    a, b = flat
    out = F.trilinear(a, weight, b).reshape(*first[:-1], outs)
    return out if bias is None else F.add(out, bias)
