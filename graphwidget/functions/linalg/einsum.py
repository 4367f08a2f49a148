"""``einsum``, ``tensordot`` and ``inner``.

As PyTorch does, they rearrange their operands and multiply with ``bmm``, ``mm``, ``dot`` or
``mul``; the derivatives follow from those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...dispatch.offer import offer
from ...dispatch.parser import refusal
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ..dims import wrap_dim
from ..shape.reshape_expand import reshape
from .products import bmm, dot, mm

ELLIPSIS = "..."
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@offer(method=False)
def einsum(*args: Any) -> Tensor:
    """The sum of products that an equation states: ``einsum("ij,jk->ik", a, b)``, or in the
    sublist format, ``einsum(a, [0, 1], b, [1, 2], [0, 2])``.

    Shapes: a dim for every letter of an operand's part, with one size for a letter everywhere; the
    result has a dim for every letter after the arrow.

    Raises:
        RuntimeError: an equation that does not fit the operands (PyTorch's texts).
    """
    equation, operands = parse_operands(args)
    if not isinstance(equation, str) or any(not isinstance(each, Tensor) for each in operands):
        raise refusal("_VF", "einsum", (equation, operands), {}) or TypeError(equation)
    left, arrow, right = equation.partition("->")
    labels: list[list[str]] = []
    start = 0
    for number, part in enumerate(left.split(",")):
        labels.append(subscripts(part, start, number))
        start += len(part) + 1
    if len(labels) != len(operands):
        which = "fewer" if len(operands) < len(labels) else "more"
        raise RuntimeError(
            f"einsum(): {which} operands were provided than specified in the equation"
        )
    dims = AlignedDims(labels, operands)
    dims.place_output(output_subscripts(right, len(left) + 2) if arrow else None)
    return contract([dims.arranged(i) for i in range(len(operands))], dims)


def parse_operands(args: tuple[Any, ...]) -> tuple[str, list[Tensor]]:
    """The equation and the operands, from either format."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one "
            "operand and its subscripts list"
        )
    if not isinstance(args[0], Tensor):
        operands = args[1:]
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = tuple(operands[0])
        return args[0], list(operands)

    def letters(sublist: Sequence[Any]) -> str:
        return "".join(ELLIPSIS if item is Ellipsis else letter(item) for item in sublist)

    def letter(number: Any) -> str:
        if not (number >= 0 and number < 52):
            raise ValueError(
                "einsum(): subscript in subscript list is not within the valid range [0, 52)"
            )
        return LETTERS[number]

    pairs = len(args) // 2
    equation = ",".join(letters(args[2 * i + 1]) for i in range(pairs))
    if len(args) % 2:
        equation += "->" + letters(args[-1])
    return equation, [args[2 * i] for i in range(pairs)]


def subscripts(part: str, start: int, operand: int | None = None) -> list[str]:
    """The subscripts of one operand, or of the output, whose part begins at ``start``.

    Raises:
        RuntimeError: something else (PyTorch's texts).
    """
    result: list[str] = []
    place = 0
    while place < len(part):
        sign = part[place]
        if sign == ".":
            if ELLIPSIS in result:
                where = (
                    "output but an ellipsis (...)"
                    if operand is None
                    else f"operand {operand} for which an ellipsis"
                )
                raise RuntimeError(f"einsum(): found '.' for {where} was already found")
            if part[place : place + 3] != ELLIPSIS:
                where = "output" if operand is None else f"operand {operand}"
                shown = " (...)" if operand is None else ""
                raise RuntimeError(
                    f"einsum(): found '.' for {where} that is not part of any ellipsis{shown}"
                )
            result.append(ELLIPSIS)
            place += 3
            continue
        if sign != " ":
            if sign not in LETTERS:
                raise RuntimeError(
                    f"einsum(): invalid subscript given at index {start + place} in the equation "
                    "string, subscripts must be in [a-zA-Z]"
                )
            result.append(sign)
        place += 1
    return result


def output_subscripts(part: str, start: int) -> list[str]:
    """The subscripts of the output, each once.

    Raises:
        RuntimeError: one stands there twice (PyTorch's text).
    """
    result = subscripts(part, start)
    for label in result:
        if result.count(label) > 1:
            raise RuntimeError(
                f"einsum(): output subscript {label} appears more than once in the output"
            )
    return result


@dataclass
class AlignedDims:
    """Places of the subscripts among the dims that all operands are arranged to: first those of the
    output, then those summed over."""

    labels: list[list[str]]
    operands: list[Tensor]
    place: dict[str, int] = field(default_factory=dict)
    ellipsis: int = 0
    """Number of dims that the ellipsis stands for."""
    outputs: int = 0
    total: int = 0

    def __post_init__(self) -> None:
        for i, (labels, operand) in enumerate(zip(self.labels, self.operands, strict=True)):
            ndim, named = operand._data.ndim, len(labels)
            if ELLIPSIS in labels:
                if named - 1 > ndim:
                    raise RuntimeError(
                        f"einsum(): the number of subscripts in the equation ({named - 1}) is more "
                        f"than the number of dimensions ({ndim}) for operand {i}"
                    )
                self.ellipsis = max(self.ellipsis, ndim - named + 1)
            elif named != ndim:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({named}) does not match "
                    f"the number of dimensions ({ndim}) for operand {i} and no ellipsis was given"
                )

    def place_output(self, output: list[str] | None) -> None:
        """Number the dims. Without a stated output it is the ellipsis and what appears once."""
        every = [label for labels in self.labels for label in labels if label != ELLIPSIS]
        if output is None:
            output = [ELLIPSIS, *(x for x in LETTERS if every.count(x) == 1)]
        for label in output:
            if label != ELLIPSIS and label not in every:
                raise RuntimeError(
                    f"einsum(): output subscript {label} does not appear in the equation for any "
                    "input operand"
                )
            self.put(label)
        self.outputs = self.total
        if ELLIPSIS not in self.place:
            self.put(ELLIPSIS)
        for label in LETTERS:
            if label in every and label not in self.place:
                self.put(label)

    def put(self, label: str) -> None:
        """Give a subscript the next dim (the ellipsis: its dims)."""
        self.place[label] = self.total
        self.total += self.ellipsis if label == ELLIPSIS else 1

    def arranged(self, i: int) -> Tensor:
        """An operand with a dim for every subscript, in order: diagonals for repeated ones, dims
        of size 1 for those that it does not have."""
        operand, labels = self.operands[i], self.labels[i]
        missing = self.ellipsis - (operand._data.ndim - len(labels) + 1)
        order, dim = [-1] * self.total, 0
        for label in labels:
            at = self.place[label]
            if label == ELLIPSIS:
                for _ in range(missing):
                    operand = F.unsqueeze(operand, dim)
                for offset in range(self.ellipsis):
                    order[at + offset] = dim
                    dim += 1
            elif order[at] == -1:
                order[at] = dim
                dim += 1
            else:
                operand = diagonal_of_repeated(operand, order[at], dim, label, i)
        for at, found in enumerate(order):
            if found == -1:
                operand = F.unsqueeze(operand, operand._data.ndim)
                order[at] = dim
                dim += 1
        return F.permute(operand, tuple(order))


def diagonal_of_repeated(operand: Tensor, first: int, dim: int, label: str, i: int) -> Tensor:
    """The diagonal of two dims with one subscript, at the place of the first of them."""
    shape = operand._data.shape
    if shape[first] != shape[dim]:
        raise RuntimeError(
            f"einsum(): subscript {label} is repeated for operand {i} but the sizes don't match, "
            f"{shape[dim]} != {shape[first]}"
        )
    found = F.diagonal(operand, 0, first, dim)
    last = found._data.ndim - 1
    order = [*range(last)]
    order.insert(first, last)
    return F.permute(found, tuple(order))


def contract(operands: list[Tensor], dims: AlignedDims) -> Tensor:
    """The operands multiplied from left to right, each dim summed over as soon as it may be."""
    counts = [0] * dims.total
    sizes = [1] * dims.total
    names = {at: label for label, at in dims.place.items()}
    for i, operand in enumerate(operands):
        for dim, size in enumerate(operand._data.shape):
            if size == 1:
                continue
            if sizes[dim] not in (1, size):
                label = names.get(dim)
                if label in (None, ELLIPSIS):
                    raise RuntimeError(
                        f"einsum(): dimension {dim - dims.place[ELLIPSIS]} covered by ellipsis in "
                        f"operand {i}has size {size} which does not broadcast with previously seen "
                        f"ellipsis with size {sizes[dim]} for the respective dimension"
                    )
                raise RuntimeError(
                    f"einsum(): subscript {label} has size {size} for operand {i} which "
                    f"does not broadcast with previously seen size {sizes[dim]}"
                )
            sizes[dim] = size
            counts[dim] += 1
    while len(operands) > 1:
        a, b = operands[0], operands[1]
        summed: list[int] = []
        alone: tuple[list[int], list[int]] = ([], [])
        for dim in range(dims.outputs, dims.total):
            in_a, in_b = a._data.shape[dim] != 1, b._data.shape[dim] != 1
            if in_a and in_b:
                counts[dim] -= 1
                if counts[dim] == 1:
                    summed.append(dim)
                    counts[dim] = 0
            elif counts[dim] == 1 and (in_a or in_b):
                alone[0 if in_a else 1].append(dim)
                counts[dim] = 0
        a = F.sum_dim(a, tuple(alone[0]), True) if alone[0] else a
        b = F.sum_dim(b, tuple(alone[1]), True) if alone[1] else b
        operands[:2] = [sumproduct_pair(a, b, summed)]
    (result,) = operands
    if dims.total == dims.outputs:
        return result
    if len(dims.operands) > 1:
        return F.view(result, result._data.shape[: dims.outputs])
    return F.sum_dim(result, tuple(range(dims.outputs, dims.total)), False)


def sumproduct_pair(left: Tensor, right: Tensor, summed: list[int]) -> Tensor:
    """The product of two arranged operands, summed over dims that both have: one ``bmm``."""
    if not summed:
        return F.mul(left, right)
    a, b = left._data.shape, right._data.shape
    both: list[int] = []
    only_left: list[int] = []
    only_right: list[int] = []
    for dim in range(len(a)):
        if dim not in summed:
            alone = only_left if a[dim] != 1 else only_right
            (both if a[dim] != 1 and b[dim] != 1 else alone).append(dim)
    if only_left and only_right and only_right[-1] < only_left[0]:
        left, right, a, b = right, left, b, a
        only_left, only_right = only_right, only_left
    order = [*both, *only_left, *summed, *only_right]
    batch, rows = size_of(a, both), size_of(a, only_left)
    inner, columns = size_of(a, summed), size_of(b, only_right)
    x = reshape(F.permute(left, tuple(order)), batch, rows, inner)
    right_order = (*both, *summed, *only_right, *only_left)
    y = reshape(F.permute(right, right_order), batch, inner, columns)
    shape = tuple(1 if d in summed else b[d] if d in only_right else a[d] for d in order)
    back = tuple(order.index(dim) for dim in range(len(a)))
    return F.permute(F.view(bmm(x, y), shape), back)


def size_of(shape: tuple[int, ...], dims: list[int]) -> int:
    """The number of items of some dims."""
    count = 1
    for dim in dims:
        count *= shape[dim]
    return count


# Kin ---------------------------------------------------------------------------------------------
@offer(method=False, out=True)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The sum of products over the last ``dims`` dims of ``a`` and the first of ``b``, or over
    pairs of dims given as two lists.

    Shapes: the summed dims agree in size; the result has those left of ``a``, then those left of
    ``b``.

    Raises:
        RuntimeError: dims that do not match (PyTorch's texts).
    """
    n, m = a._data.ndim, b._data.ndim
    if not isinstance(dims, (tuple, list, Tensor, int)):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] "
            f"containing two lists, but got dims={dims}"
        )
    if isinstance(dims, Tensor):
        dims = dims._data.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(n, m):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        first, second = list(range(-dims, 0)), list(range(dims))
    else:
        first, second = dims
    return contract_dims(a, b, first, second)


def contract_dims(a: Tensor, b: Tensor, first: list[int], second: list[int]) -> Tensor:
    """The sum of products over pairs of dims."""
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    if a._data.dtype != b._data.dtype:
        raise RuntimeError("both inputs should have same dtype")
    one = [wrap_dim(d, a._data.ndim) for d in first]
    two = [wrap_dim(d, b._data.ndim) for d in second]
    for i, (d, e) in enumerate(zip(one, two, strict=True)):
        size, size2 = a._data.shape[d], b._data.shape[e]
        if size2 == 1:
            a = F.sum_dim(a, (d,), True, a._data.dtype)
        elif size == 1:
            b = F.sum_dim(b, (e,), True, b._data.dtype)
        elif size != size2:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {size} in dim "
                f"{first[i]} and second has size {size2} in dim {second[i]}"
            )
    free = [d for d in range(a._data.ndim) if d not in one]
    free2 = [d for d in range(b._data.ndim) if d not in two]
    shape = tuple(a._data.shape[d] for d in free) + tuple(b._data.shape[d] for d in free2)
    rows, columns = size_of(a._data.shape, free), size_of(b._data.shape, free2)
    inner = size_of(a._data.shape, one)
    order, order2 = (*free, *one), (*two, *free2)
    if rows == 1 and columns == 1:
        x, y = F.permute(a, order), F.permute(b, order2)
        if x.is_contiguous() and y.is_contiguous():
            return reshape(dot(flatten(x), flatten(y)), shape)
        return reshape(F.sum(F.squeeze(x) * F.squeeze(y), x._data.dtype), shape)
    x = reshape(F.permute(a, order), rows, inner)
    return reshape(mm(x, reshape(F.permute(b, order2), inner, columns)), shape)


def flatten(x: Tensor) -> Tensor:
    """The items in one dim; a vector as it is."""
    return x if x._data.ndim == 1 else reshape(x, x._data.size)


@offer(out=True)
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The sum of products over the last dims; of a 0-d tensor, the product.

    Raises:
        RuntimeError: their sizes differ (PyTorch's text).
    """
    a, b = input._data.shape, other._data.shape
    if not a or not b:
        return F.mul(input, other)
    if a[-1] != b[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(a)} and {list(b)}"
        )
    return contract_dims(input, other, [-1], [-1])
