"""Shape and type inference before anything runs.

What the op table declares decides where a general rule holds: pointwise ops broadcast, products of
matrices join two shapes. Everything else is asked of the kernel itself, which computes on
*stand-ins*: arrays of the right shape, with each unknown size taken for one number, and once more
for another. What comes out with the same size both times has that size; the rest is unknown. So no
op needs a second description, which could contradict its kernel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..optable.declare import Op
from .dtypes import as_dtype
from .symbol import Spec, Symbol
from .tensor_shape import Sizes, broadcast

STAND_INS = (3, 4)
"""Sizes that stand in for unknown ones."""
FEW = 64
"""Values are followed through integer results of up to this number of items: sizes, and what is
made of them."""

Pair = tuple[np.ndarray, np.ndarray]
_pointwise: dict[Any, tuple[Any, ...]] = {}


class UnknownShape(Exception):
    """Nothing can be computed on stand-ins: not even the number of dims is known."""


def infer(op: Op, inputs: Sequence[Symbol | None], params: Mapping[str, Any]) -> list[Spec]:
    """The types and shapes of an op's results, the kept ones last.

    Raises:
        ValueError: the shapes do not go together.
    """
    shapes = [each.sizes for each in inputs if each is not None]
    if op.pointwise and not symbolic(params):
        return infer_pointwise(op, inputs, params, broadcast(shapes))
    if op.name in PRODUCTS and None not in shapes:
        assert inputs[0] is not None
        return [Spec(inputs[0].dtype.base_dtype, PRODUCTS[op.name](*shapes))]
    try:
        return infer_by_stand_ins(op, inputs, params)
    except UnknownShape:
        asked = params.get("shape")
        sizes = sizes_asked(asked) if isinstance(asked, tuple) else None
        return [Spec(as_dtype(dtype), sizes) for dtype in types_or_first(op, inputs, params)]


def sizes_asked(shape: tuple[Any, ...]) -> Sizes:
    """Return the sizes that a shape among the params gives to the result."""
    return tuple(None if isinstance(each, Symbol) or each == -1 else each for each in shape)


def types_or_first(
    op: Op, inputs: Sequence[Symbol | None], params: Mapping[str, Any]
) -> tuple[Any, ...]:
    """The results' types; the first operand's, where the kernel refuses single items."""
    try:
        return result_types(op, inputs, params)
    except Exception:
        first = next(each.dtype.numpy for each in inputs if each is not None)
        return (first,) * (len(op.outputs) + len(op.kept))


def infer_pointwise(
    op: Op, inputs: Sequence[Symbol | None], params: Mapping[str, Any], sizes: Sizes | None
) -> list[Spec]:
    """Results of ops that work item by item: a type taken from one item, a shape that all share."""
    dtypes = result_types(op, inputs, params)
    known = followed(op, inputs, params, sizes)
    first = Spec(as_dtype(dtypes[0]), sizes, known)
    return [first, *(opaque_or(dtype, sizes) for dtype in dtypes[1:])]


def opaque_or(dtype: Any, sizes: Sizes | None) -> Spec:
    """Return the spec of an output that a kernel keeps besides its result; it need not be an
    array."""
    return Spec(as_dtype(np.float32 if dtype is None else dtype), sizes)


def result_types(
    op: Op, inputs: Sequence[Symbol | None], params: Mapping[str, Any]
) -> tuple[Any, ...]:
    """numpy's types of the results; None of what is no array."""
    dtypes = tuple(None if each is None else each.dtype.numpy for each in inputs)
    key: Any = (op.key, dtypes, tuple(params.values()))
    try:
        if key in _pointwise:
            return _pointwise[key]
    except TypeError:  # a list among the params
        key = None
    items = [None if dtype is None else np.ones((1,), dtype) for dtype in dtypes]
    found = tuple(getattr(each, "dtype", None) for each in computed(op, items, params))
    if key is not None:
        _pointwise[key] = found
    return found


def computed(op: Op, arrays: Sequence[Any], params: Mapping[str, Any]) -> tuple[Any, ...]:
    """Run the kernel on arrays; return its results as a tuple."""
    given = [list(arrays)] if op.variadic else arrays
    with np.errstate(all="ignore"):
        found = op.kernel(*given, *params.values())
    several = not op.single or op.kept
    return tuple(found) if several else (found,)


def followed(
    op: Op, inputs: Sequence[Symbol | None], params: Mapping[str, Any], sizes: Sizes | None
) -> Pair | None:
    """The values of a small result whose operands' values are all known."""
    values = [each.known for each in inputs if each is not None]
    few = sizes is not None and all(size is not None and size <= FEW for size in sizes)
    if not values or None in values or not few:
        return None
    try:
        one, two = (
            computed(op, [None if each is None else each.known[i] for each in inputs],  # type: ignore[index]
                     resolved(params, i))[0] for i in (0, 1)
        )  # fmt: skip
    except Exception:  # what numbers cannot be computed with is not known
        return None
    return np.asarray(one), np.asarray(two)


def symbolic(value: Any) -> bool:
    """Return whether there are symbols among params."""
    if isinstance(value, Mapping):
        return any(symbolic(each) for each in value.values())
    if isinstance(value, (tuple, list)):
        return any(symbolic(each) for each in value)
    return isinstance(value, Symbol)


def resolved(value: Any, which: int) -> Any:
    """Params with the known values of their symbols in place.

    Raises:
        UnknownShape: the values of one are not known.
    """
    if isinstance(value, Mapping):
        return {
            name: as_places(each, which) if name == "indices" else resolved(each, which)
            for name, each in value.items()
        }
    if isinstance(value, (tuple, list)):
        return type(value)(resolved(each, which) for each in value)
    if not isinstance(value, Symbol):
        return value
    if value.known is None:
        raise UnknownShape
    found = value.known[which]
    return found.tolist() if found.dtype.kind in "iub" else found


def as_places(indices: Any, which: int) -> Any:
    """Advanced indices: symbols among them stay arrays."""
    return tuple(stand_in(each, which) if isinstance(each, Symbol) else each for each in indices)


def stand_in(symbol: Symbol, which: int) -> np.ndarray:
    """An array that stands for a symbol's value."""
    if symbol.known is not None:
        return symbol.known[which]
    if symbol.sizes is None:  # of another rank each time
        shape = STAND_INS[which : which + 1] * (which + 1)
    else:
        shape = tuple(STAND_INS[which] if size is None else size for size in symbol.sizes)
    dtype = symbol.dtype.numpy
    return np.ones(shape, dtype) if dtype.kind == "f" else np.zeros(shape, dtype)


def infer_by_stand_ins(
    op: Op, inputs: Sequence[Symbol | None], params: Mapping[str, Any]
) -> list[Spec]:
    """Infer specs by running the kernel on stand-ins.

    Raises:
        ValueError: it refuses them, and nothing about them is unknown.
        UnknownShape: it refuses them, or there are none.
    """
    present = [each for each in inputs if each is not None]
    certain = not symbolic(params) and all(
        each.sizes is not None and None not in each.sizes for each in present
    )
    given = all(each.known is not None for each in present)
    outcomes: list[tuple[Any, ...]] = []
    for which in (0, 1):
        if which and certain and not given:
            outcomes.append(outcomes[0])
            break
        arrays = [None if each is None else stand_in(each, which) for each in inputs]
        try:
            outcomes.append(computed(op, arrays, resolved(params, which)))
        except IndexError:  # a matter of values, which only a run may refuse: places of 0 fit
            places = [None if each is None else each * 0 for each in arrays]
            outcomes.append(computed(op, places, resolved(params, which)))
        except (ValueError, RuntimeError, TypeError) as error:
            if not certain:
                raise UnknownShape from None
            raise ValueError(str(error)) from None
    found = [spec_of(one, two, given) for one, two in zip(*outcomes, strict=True)]
    return cut(found, present[0], params["dim"]) if op.key == "slice" else found


def cut(found: list[Spec], whole: Symbol, dim: int) -> list[Spec]:
    """A slice of what is of unknown size is, too: it may be shorter than it was asked to be."""
    if found[0].sizes is None or whole.sizes is None or whole.sizes[dim] is not None:
        return found
    dim %= len(whole.sizes)
    sizes = tuple(None if i == dim else size for i, size in enumerate(found[0].sizes))
    return [Spec(found[0].dtype, sizes)]


def spec_of(one: Any, two: Any, given: bool) -> Spec:
    """Return the spec that two outcomes on stand-ins have in common."""
    if not isinstance(one, (np.ndarray, np.generic)):
        return opaque_or(None, None)
    dtype = as_dtype(one.dtype)
    if one.ndim != two.ndim:
        return Spec(dtype, None)
    pairs = zip(one.shape, two.shape, strict=True)
    sizes = tuple(a if a == b else None for a, b in pairs)
    small = given and one.size <= FEW and None not in sizes
    return Spec(dtype, sizes, (np.asarray(one), np.asarray(two)) if small else None)


# Products ----------------------------------------------------------------------------------------
# They would take as long on stand-ins as the product itself.
PRODUCTS: Any = {
    "mm": lambda a, b: (*a[:-1], b[-1]),
    "bmm": lambda a, b: (*broadcast((a[:1], b[:1])), a[1], b[2]),  # type: ignore[misc]
    "addmm": lambda a, b, c: broadcast((a, (b[0], c[1]))),
    "mv": lambda a, b: a[:1],
    "dot": lambda a, b: (),
}
"""The shape of a product by those of its factors, whose fit the caller has checked."""
