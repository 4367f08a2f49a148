"""``x[...]`` and ``x[...] = value``: basic indexing as a chain of views, the rest as one op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...arrays import dtypes, memory_order
from ...arrays.memory_order import has_internal_overlap
from ...arrays.scalars import check_scalar_fits
from ...arrays.warnings import warn
from ...dispatch.overriding import has_undeclared_override
from ...eager import inplace
from ...eager.op_functions import TENSORS
from ...eager.promote import scalar_tensor
from ...graph.tensor import Tensor
from ...optable import TABLE
from ...optable.shape.indexing import indexed_shape
from .parse_index import (
    PLAIN,
    Indices,
    basic_part,
    check_bounds,
    check_items,
    check_masks,
    checked_index_shape,
    expand_index,
    plain_indices,
    slice_numbers,
    warn_of_byte_masks,
)

EXPANDED = (
    "Use of {} on expanded tensors is deprecated. Please clone() the tensor before performing this "
    "operation. This also applies to advanced indexing e.g. tensor[{}] = {}"
)


# Reading ----------------------------------------------------------------------------------------
def getitem(tensor: Tensor, index: Any) -> Tensor:
    """``tensor[index]``: a view for basic indices, a copy for advanced ones.

    Raises:
        IndexError, ValueError: as PyTorch's.
    """
    kind = index.__class__
    if kind is int:
        shape = tensor._data.shape
        if shape and -shape[0] <= index < shape[0]:
            return TENSORS.select(tensor, 0, index)
    elif kind is slice and tensor._data.ndim:
        return TENSORS.slice(tensor, 0, *slice_numbers(index))
    try:
        return getitem_plain(tensor, index)
    except Exception:
        if has_undeclared_override((tensor, index)):
            return tensor[index]
        raise


def getitem_plain(tensor: Tensor, index: Any) -> Tensor:
    """Like ``getitem``, for any index."""
    tensors = plain_indices(tensor, index)
    if tensors is not None:
        return advanced_getitem(tensor, Indices(tensors))
    view, left = basic_part(tensor, expand_index(tensor, index))
    if any(item is not None for item in left):
        indices = Indices(left)
        check_masks(indices, view._data.shape)
        warn_of_byte_masks(indices)
        return advanced_getitem(view, indices)
    return view if view is not tensor else TENSORS.alias(tensor)


def advanced_getitem(tensor: Tensor, indices: Indices) -> Tensor:
    """The items at advanced indices."""
    result: Tensor = with_bounds_errors(TENSORS.index, tensor, indices, indices)
    return result


def with_bounds_errors(
    act: Callable[..., Any], tensor: Tensor, indices: Indices, *args: Any
) -> Any:
    """``act(tensor, *args)``, which reads or writes at the indices. What is wrong with those is
    found out when numpy refuses them: to look at all of them before costs more than the rest.

    Raises:
        IndexError: as PyTorch's.
    """
    try:
        return act(tensor, *args)
    except (IndexError, ValueError):
        shape = tensor._data.shape
        check_bounds(indices, shape, checked_index_shape(indices, shape))
        raise


# Writing ----------------------------------------------------------------------------------------
def setitem(tensor: Tensor, index: Any, value: Any) -> None:
    """``tensor[index] = value``, through a view for basic indices.

    Raises:
        IndexError, RuntimeError, TypeError: as PyTorch's.
    """
    try:
        setitem_plain(tensor, index, value)
    except Exception:
        if not has_undeclared_override((tensor, index, value)):
            raise
        tensor[index] = value


def setitem_plain(tensor: Tensor, index: Any, value: Any) -> None:
    """Like ``setitem``, without asking for overrides."""
    if not isinstance(value, (Tensor, bool, int, float, np.integer)):
        kind = dtypes.legacy_type(tensor._data.dtype)
        raise TypeError(f"can't assign a {value_class_name(value)} to a {kind}")
    if index is False:
        return
    index = None if index is True else index
    whole = index is Ellipsis
    if isinstance(index, slice) and tensor._data.ndim:
        whole = index == slice(None)
    view: Tensor = tensor
    left: Sequence[Tensor | None] = ()
    shape = tensor._data.shape
    if index.__class__ is int and shape and -shape[0] <= index < shape[0]:
        view = TENSORS.select(tensor, 0, index)
    elif not whole:
        tensors = plain_indices(tensor, index)
        if tensors is not None:
            left = tensors
        else:
            view, left = basic_part(tensor, expand_index(tensor, index))
    if any(item is not None for item in left):
        if isinstance(value, Tensor):
            advanced_setitem(view, Indices(left), value, False, False)
        else:
            number = assigned_number(value, view)
            source = scalar_tensor(number, view._data.dtype)
            advanced_setitem(view, Indices(left), source, False, True)
    elif isinstance(value, Tensor):
        assign(view, value)
    else:
        number = assigned_number(value, view)
        filler = scalar_tensor(number, view._data.dtype)
        key = "fill.tensor" if view._data.ndim else "copy"
        inplace.write(TABLE[key], view, (filler,), {})


def plain_number(value: Any) -> Any:
    """A Python number."""
    return value.item() if isinstance(value, np.generic) else value


def assigned_number(value: Any, view: Tensor) -> Any:
    """A Python number that may be written into a view.

    Raises:
        ValueError, RuntimeError: it is too large (PyTorch's texts).
    """
    number = plain_number(value)
    if isinstance(number, int) and not -1 << 63 <= number < 1 << 63:
        raise ValueError("Overflow when unpacking long long")
    check_scalar_fits(number, view._data.dtype)
    return number


def value_class_name(value: Any) -> str:
    """The class's name in the error of an assignment."""
    module = type(value).__module__
    return f"numpy.{type(value).__name__}" if module == "numpy" else type(value).__name__


def assign(view: Tensor, value: Tensor) -> None:
    """Write a tensor into a view, broadcast to its size.

    Raises:
        RuntimeError: it does not broadcast (PyTorch's texts).
    """
    target = view._data.shape
    if value._data.shape != target:
        if value._data.ndim == 0:
            inplace.write(TABLE["fill.tensor"], view, (value,), {})
            return
        value = without_leading_ones(value)
        check_expand(value._data, target)
        if value._data.shape != target:
            single, value = not value._data.ndim, TENSORS.expand(value, target)
            # Spread, a single item has strides of 0: never those of the view.
            if single and view._data.size and memory_order.is_same_memory(view._data, value._data):
                inplace.needs_node(TABLE["copy"], (view, value))
                raise RuntimeError(memory_order.PARTIAL_OVERLAP)
    inplace.write(TABLE["copy"], view, (value,), {})


def without_leading_ones(value: Tensor) -> Tensor:
    """A view from the first size that is not 1."""
    shape = value._data.shape
    start = next((i for i, size in enumerate(shape) if size != 1), len(shape))
    return TENSORS.view(value, shape[start:])


def check_expand(data: np.ndarray, target: tuple[int, ...]) -> None:
    """Check that an array broadcasts to ``target``.

    Raises:
        RuntimeError: PyTorch's text.
    """
    shape = data.shape
    if len(shape) > len(target):
        raise RuntimeError(
            f"expand({dtypes.printed_type(data.dtype)}{{{list(shape)}}}, size={list(target)}): the "
            f"number of sizes provided ({len(target)}) must be greater or equal to the number of "
            f"dimensions in the tensor ({len(shape)})"
        )
    for i in range(1, len(shape) + 1):
        if shape[-i] not in (1, target[-i]):
            raise RuntimeError(
                f"The expanded size of the tensor ({target[-i]}) must match the existing size "
                f"({shape[-i]}) at non-singleton dimension {len(target) - i}.  Target sizes: "
                f"{list(target)}.  Tensor sizes: {list(shape)}"
            )


def warn_of_repeated(view: Tensor, masks: bool) -> None:
    """Warn of writing at indices into a tensor that shows its items several times."""
    if has_internal_overlap(view._data):
        warn(EXPANDED.format("index_put_", "indices", "tensor"))
        if masks:
            warn(EXPANDED.format("masked_fill_", "mask", "scalar"))


def advanced_setitem(
    view: Tensor, indices: Indices, value: Tensor, accumulate: bool, number: bool
) -> None:
    """Write (or add) at advanced indices.

    Raises:
        RuntimeError: the value does not broadcast to the indexed shape.
    """
    inplace.needs_node(TABLE["index_put"], (view, value))
    if not number and value._data.shape[:1] == (1,):
        value = without_leading_ones(value)
    masks = value._data.size == 1 and not accumulate and all(
        each is None or each.dtype == bool for each in indices
    )  # fmt: skip
    warn_of_repeated(view, masks)
    if not masks:
        check_no_overlap(view, indices, value)
    check_advanced_setitem(view, indices, value, masks)
    params = {"indices": indices, "accumulate": accumulate}
    with_bounds_errors(partial(inplace.write, TABLE["index_put"]), view, indices, (value,), params)


def check_no_overlap(view: Tensor, indices: Indices, value: Tensor) -> None:
    """Check that what is written at advanced indices overlaps neither itself nor what is read for
    it.

    Raises:
        RuntimeError: it does (PyTorch's texts).
    """
    given = [each._data for each in indices.tensors if each is not None]
    memory_order.check_overlap(view._data, [value._data, *given], whole=True)


def check_advanced_setitem(view: Tensor, indices: Indices, value: Tensor, masks: bool) -> None:
    """Check the value of a write at advanced indices, and these but for their bounds, which the
    write itself finds (``with_bounds_errors``). One number under masks is a ``masked_fill``.

    Raises:
        IndexError, RuntimeError: PyTorch's texts.
    """
    given = [each for each in indices.tensors if each is not None]
    same = masks or value._data.dtype == view._data.dtype
    plain = all(each._data.dtype.num in PLAIN for each in given)
    if any(each._data.dtype == bool for each in given):  # numpy takes any that choose nothing
        check_masks(indices, view._data.shape)
    if plain and same and broadcasts_to_index(value._data.shape, indices, view._data.shape):
        return  # numpy finds whatever else is wrong
    shape = checked_index_shape(indices, view._data.shape)
    if masks and any(each._data.dtype != bool for each in given):
        raise RuntimeError(
            "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char"
        )
    if not masks:
        warn_of_byte_masks(indices)
    check_items(indices, view._data.shape)
    if not broadcasts_to_index(value._data.shape, indices, view._data.shape):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(value._data.shape)} cannot be "
            f"broadcast to indexing result of shape {list(shape)}"
        )
    if not same:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{dtypes.scalar_type(view._data.dtype)} for the destination and "
            f"{dtypes.scalar_type(value._data.dtype)} for the source."
        )


def broadcasts_to_index(value: tuple[int, ...], indices: Indices, shape: tuple[int, ...]) -> bool:
    """Return whether a value of this shape broadcasts to what the indices read."""
    if not value:
        return True
    try:
        found = indexed_shape(shape, indices)
    except ValueError:
        return False
    return value == found or (
        len(value) <= len(found)
        and all(have in (1, want) for have, want in zip(value[::-1], found[::-1], strict=False))
    )
