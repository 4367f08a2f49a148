"""Lets the op table's own formulas build graph: ``F``, and operands that are symbols.

A derivative in the table is a function of ``F`` and of operators. Given arrays it computes, given
tensors it records; given ``Operand``s, which are symbols that speak the table's dialect (PyTorch's:
types promote, ``shape`` is a tuple), it adds operations to the graph. A size that is unknown until
the graph runs is an operand too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays.dtypes import default_numpy, result_type
from ..optable.declare import COMPOSITES, TABLE, UNTYPED, Namespace, Op, bind
from .add_operation import emit, make_constant, make_sum_to, size_at
from .symbol import Symbol


class CannotBuild(Exception):
    """A formula needs a value that is unknown before the graph runs."""


class Operand:
    """A symbol as formulas see it."""

    __slots__ = ("symbol",)

    def __init__(self, symbol: Symbol) -> None:
        self.symbol = symbol

    @property
    def shape(self) -> tuple[Any, ...]:
        """The sizes: numbers, or operands where they are unknown."""
        sizes = self.symbol.sizes
        if sizes is None:
            raise CannotBuild("the number of dims is unknown")
        return tuple(
            Size(size_at(self.symbol, dim)) if size is None else size
            for dim, size in enumerate(sizes)
        )

    @property
    def ndim(self) -> int:
        """Number of dims."""
        if self.symbol.sizes is None:
            raise CannotBuild("the number of dims is unknown")
        return len(self.symbol.sizes)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its type."""
        return self.symbol.dtype.numpy

    def __bool__(self) -> bool:
        raise CannotBuild("a value is unknown")

    __int__ = __index__ = __float__ = __iter__ = __len__ = __bool__

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        """Return whether it is the same; its value is unknown."""
        if isinstance(other, (int, float)):
            raise CannotBuild("a value is unknown")
        return self is other

    def __add__(self, other: Any) -> Any:
        return SYMBOLS.add(self, other)

    def __radd__(self, other: Any) -> Any:
        return SYMBOLS.add(other, self)

    def __sub__(self, other: Any) -> Any:
        return SYMBOLS.sub(self, other)

    def __rsub__(self, other: Any) -> Any:
        return SYMBOLS.sub(other, self)

    def __mul__(self, other: Any) -> Any:
        return SYMBOLS.mul(self, other)

    def __rmul__(self, other: Any) -> Any:
        return SYMBOLS.mul(other, self)

    def __truediv__(self, other: Any) -> Any:
        return SYMBOLS.div(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return SYMBOLS.div(other, self)

    def __floordiv__(self, other: Any) -> Any:
        return SYMBOLS.div_mode(self, other, "floor")

    def __neg__(self) -> Any:
        return SYMBOLS.neg(self)

    def __pow__(self, other: Any) -> Any:
        return SYMBOLS.pow(self, other)

    def __matmul__(self, other: Any) -> Any:
        return SYMBOLS.matmul(self, other)


class Size(Operand):
    """A size that only a run knows. Formulas take it for none of those that they treat in a way
    of their own, such as 1."""

    __slots__ = ()
    __hash__ = Operand.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def bare(value: Any) -> Any:
    """A value with symbols in the place of operands."""
    if isinstance(value, Operand):
        return value.symbol
    if isinstance(value, (tuple, list)):
        return type(value)(bare(each) for each in value)
    return value


def promoted(op: Op, operands: Sequence[Any]) -> list[Symbol | None]:
    """Operands of a pointwise op as symbols of one type, numbers among them as constants."""
    typed = [
        each for name, each in zip(op.inputs, operands, strict=True)
        if name not in UNTYPED and each is not None
    ]  # fmt: skip
    found = result_type(*map(sample, typed))
    if op.dtype == "float" and found.kind != "f":
        found = default_numpy()
    return [
        None if each is None else as_type(each, each.dtype if name in UNTYPED
                                          and isinstance(each, Operand) else found)
        for name, each in zip(op.inputs, operands, strict=True)
    ]  # fmt: skip


def sample(operand: Any) -> Any:
    """Return an operand for promotion: an array of as many dims, or the number itself."""
    if not isinstance(operand, Operand):
        return operand
    sizes = operand.symbol.sizes
    return np.empty((1,) * (1 if sizes is None else len(sizes)), operand.dtype)


def as_type(operand: Any, dtype: np.dtype[Any]) -> Symbol:
    """An operand as a symbol of a type."""
    if not isinstance(operand, Operand):
        return make_constant(np.array(operand, dtype))
    if operand.dtype == dtype:
        return operand.symbol
    return emit("to_copy", (operand.symbol,), {"dtype": dtype})[0]


def builder(op: Op) -> Callable[..., Any]:
    """``F.<op>`` on operands."""

    def build(*args: Any, **named: Any) -> Any:
        if op.variadic:
            operands, rest = list(args[0]), args[1:]
        else:
            count = len(op.inputs)
            operands, rest = list(args[:count]), args[count:]
            operands += [named.pop(name, None) for name in op.inputs[len(operands) :]]
        params = dict(zip(op.params, map(bare, rest), strict=False))
        params.update((name, bare(value)) for name, value in named.items())
        inputs = promoted(op, operands) if op.pointwise else [bare(each) for each in operands]
        if not op.pointwise:
            inputs = alike(op, inputs)
        found = [Operand(each) for each in emit(op.key, inputs, params)]
        return found[0] if op.single else tuple(found[: len(found) - len(op.kept)])

    return build


def alike(op: Op, inputs: list[Any]) -> list[Symbol | None]:
    """Operands of other ops: numbers become constants of the first symbol's type."""
    first = next((each for each in inputs if isinstance(each, Symbol)), None)
    if first is None:
        raise CannotBuild(f"{op.key} has no operand that is a symbol")
    return [
        each if each is None or isinstance(each, Symbol)
        else make_constant(np.asarray(each, first.dtype.numpy)) for each in inputs
    ]  # fmt: skip


# What is no op of the table, or has a better one here ---------------------------------------------
def reshape(self: Any, shape: Any) -> Any:
    """Another shape; a copy where it must be."""
    return SYMBOLS.unsafe_view(self, tuple(shape))


def sum_to_size(self: Any, shape: Any) -> Any:
    """The sum over what a broadcast from a shape stretched."""
    symbol, shape = self.symbol, tuple(bare(shape))
    sizes = symbol.sizes
    if sizes is None or None in sizes or any(isinstance(size, Symbol) for size in shape):
        return Operand(make_sum_to(symbol, shape))
    extra = len(sizes) - len(shape)
    stretched = (i + extra for i, size in enumerate(shape) if size != sizes[i + extra])
    dims = (*range(extra), *stretched)
    if not shape and dims:
        return SYMBOLS.sum(self)
    if dims:
        self = SYMBOLS.sum_dim(self, dims, True)
    return SYMBOLS.unsafe_view(self, shape) if extra else self


def matmul(self: Any, other: Any) -> Any:
    """A product of matrices, or of batches of them."""
    return (SYMBOLS.mm if self.ndim == other.ndim == 2 else SYMBOLS.bmm)(self, other)


def prod_backward(grad: Any, self: Any, result: Any, dim: Any, keepdim: Any) -> Any:
    """The gradient of a product in the form that is exact where items are 0, as they may be."""
    if self.ndim == 0:
        return grad
    if dim is not None:
        grad = SYMBOLS.restore_reduced_dims(grad, self.shape, dim, keepdim)
        return grad * SYMBOLS.products_of_others(self, dim)
    flat = SYMBOLS.products_of_others(reshape(self, (-1,)), 0)
    return grad * reshape(flat, self.shape)


def is_column_major(shape: Any, strides: Any, dtype: Any) -> bool:
    """False: values of a static graph lie in memory row by row."""
    return False


def write(*args: Any, **params: Any) -> Any:
    """Formulas that write parts of new arrays are left to arrays."""
    raise CannotBuild("it writes in place")


def make_namespace() -> Namespace:
    """``F`` on operands, from the whole table."""
    found = Namespace()
    for op in TABLE.values():
        found.__dict__[op.key.replace(".", "_")] = builder(op)
    for name, function in COMPOSITES.items():
        found.__dict__[name] = bind(function, found)
    for function in (reshape, sum_to_size, matmul, prod_backward, is_column_major, write):
        found.__dict__[function.__name__] = function
    return found


SYMBOLS = make_namespace()
"""``F`` on operands."""
