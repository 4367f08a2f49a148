"""Makes symbols of Python's values: constants, placeholders, and whatever an argument may be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .add_operation import emit, make_constant
from .dtypes import REFS, DType, as_dtype, float32
from .graph import get_default_graph, only
from .symbol import Spec, Symbol
from .tensor_shape import sizes_of


def constant_array(value: Any, dtype: Any = None) -> np.ndarray:
    """The array of a constant: Python's floats are float32, its integers int32.

    Raises:
        TypeError: the value is not of the type that was asked for (TensorFlow's text).
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, (np.ndarray, np.generic)):
        found = np.array(value)
    else:
        found = np.array(value)
        if found.dtype.kind in "OUS":
            name = "string" if found.dtype.kind in "US" else type(value).__name__
            raise TypeError(f"Expected {(wanted or float32).name}, but got {value!r} of type "
                            f"'{'str' if name == 'string' else name}'.")  # fmt: skip
        check_items(value, found, wanted)
        if wanted is None:
            if found.dtype == np.float64:
                found = found.astype(np.float32)
            elif found.dtype == np.int64 and fits_int32(found):
                found = found.astype(np.int32)
    if wanted is not None:
        found = found.astype(wanted.numpy, copy=False)
    return found


def fits_int32(array: np.ndarray) -> bool:
    """Return whether all items are within 32 bits."""
    limits = np.iinfo(np.int32)
    return not array.size or bool(limits.min <= array.min() and array.max() <= limits.max)


def check_items(value: Any, array: np.ndarray, wanted: DType | None) -> None:
    """Check that Python's numbers are of the kind that a type holds.

    Raises:
        TypeError: a float for integers, a bool for numbers, ... (TensorFlow's text).
    """
    if wanted is None or not array.size:
        return
    kind = array.dtype.kind
    fits = {"f": "fiu", "i": "iu", "u": "iu", "b": "b"}[wanted.numpy.kind]
    if kind not in fits:
        first = value
        while isinstance(first, (list, tuple)):
            first = next((each for each in first if np.array(each).dtype.kind == kind), first[0])
        raise TypeError(
            f"Expected {wanted.name}, but got {first!r} of type '{type(first).__name__}'."
        )


def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str = "Const",
    verify_shape: bool = False,
) -> Symbol:  # fmt: skip
    """A constant. With a shape, its last item fills up what is missing."""
    array = constant_array(value, dtype)
    sizes = sizes_of(shape)
    if sizes is not None and array.shape != sizes:
        count = math.prod(size or 0 for size in sizes)
        if array.size > count:
            raise ValueError(
                f"Too many elements provided. Takes at most {count}, but got {array.size}."
            )
        flat = array.reshape(-1)
        padded = np.concatenate([flat, np.repeat(flat[-1:], count - flat.size)])
        array = padded.reshape(sizes)  # type: ignore[arg-type]
    return make_constant(array, name)


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Symbol:
    """Create a symbol that is fed when the graph runs; sizes may be None, and the whole shape."""
    sizes = sizes_of(shape)
    made = get_default_graph().create(
        "Placeholder", (), [Spec(as_dtype(dtype), sizes)], name=name or "Placeholder"
    )
    return only(made)


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Symbol:
    """Create a symbol that may be fed, and is the input otherwise."""
    given = convert_to_tensor(input)
    made = given.graph.create(
        "PlaceholderWithDefault", (given,), [Spec(given.dtype, sizes_of(shape))],
        name=name or "PlaceholderWithDefault",
    )  # fmt: skip
    return only(made)


def convert_to_tensor(
    value: Any, dtype: Any = None, name: str | None = None, preferred_dtype: Any = None
) -> Symbol:
    """A value as a symbol: of a variable, what it holds; of numbers, a constant.

    Raises:
        ValueError: a symbol is of another type than asked for (TensorFlow's text).
    """
    value = getattr(value, "_as_graph_tensor", lambda: value)()
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Symbol):
        if wanted is not None and value.dtype.base_dtype != wanted:
            raise ValueError(
                f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype "
                f"{value.dtype.base_dtype.name}: {value!r}"
            )
        return value
    if has_symbols(value):
        return pack(value, wanted, name or "packed")
    if preferred_dtype is not None and wanted is None:
        try:
            return constant(value, preferred_dtype, name=name or "Const")
        except TypeError:
            pass
    return constant(value, wanted, name=name or "Const")


def has_symbols(value: Any) -> bool:
    """Return whether there are symbols, or variables, in a list."""
    if isinstance(value, (list, tuple)):
        return any(map(has_symbols, value))
    return isinstance(value, Symbol) or hasattr(value, "_as_graph_tensor")


def pack(value: Sequence[Any], dtype: DType | None, name: str) -> Symbol:
    """A list in which there are symbols, as one symbol."""
    if dtype is None:
        first = next(each for each in flat(value) if isinstance(each, Symbol))
        dtype = first.dtype.base_dtype
    with get_default_graph().name_scope(name) as scope:
        parts = [
            pack(each, dtype, str(place)) if isinstance(each, (list, tuple)) and has_symbols(each)
            else convert_to_tensor(each, dtype, name=str(place))
            for place, each in enumerate(value)
        ]  # fmt: skip
        return emit("stack", parts, {"dim": 0}, type="Pack", name=scope)[0]


def flat(value: Any) -> Any:
    """The items of nested lists, variables as what they hold."""
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from flat(each)
    else:
        yield getattr(value, "_as_graph_tensor", lambda: value)()


def shape_param(shape: Any) -> Any:
    """A shape as the table's metadata: numbers where they are known, else symbols."""
    if isinstance(shape, Symbol):
        from_list = packed_sizes(shape)
        return shape if from_list is None else from_list
    sizes = shape.as_list() if hasattr(shape, "as_list") else shape
    if not isinstance(sizes, (list, tuple, np.ndarray)):
        sizes = [sizes]
    return tuple(
        each if isinstance(each, Symbol) else -1 if each is None else int(each) for each in sizes
    )


def packed_sizes(shape: Symbol) -> tuple[Any, ...] | None:
    """The parts of a shape that is a constant or was packed of numbers; None of others."""
    if shape.op.type == "Const":
        return tuple(int(each) for each in shape.op.params["value"].reshape(-1))
    if shape.op.type == "Pack":
        return tuple(
            int(each.op.params["value"]) if each.op.type == "Const" else each
            for each in shape.op.inputs
        )
    return None


def ref_spec(symbol: Symbol) -> Spec:
    """Return the spec of a variable itself that holds values like this symbol's."""
    return Spec(REFS[symbol.dtype.base_dtype.name], symbol.sizes)
