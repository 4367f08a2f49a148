"""``default_collate``: a batch made of samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...arrays import dtypes
from ...dispatch.offer import FUNCTIONS
from ...functions.creation import factories
from ...graph.tensor import Tensor

_REFUSED = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def default_convert(data: Any) -> Any:
    """Numpy arrays in nested data become tensors; everything else stays."""
    if isinstance(data, Tensor):
        return data
    if isinstance(data, np.ndarray | np.generic):
        return data if data.dtype.kind in "SUO" else factories.as_tensor(data)
    if isinstance(data, Mapping):
        return _rebuild_container(
            data, {key: default_convert(value) for key, value in data.items()}
        )
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(item) for item in data))
    if isinstance(data, tuple):
        return [default_convert(item) for item in data]
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _rebuild_container(data, [default_convert(item) for item in data])
    return data


def default_collate(batch: Any) -> Any:
    """Samples stacked along a new first dim; numbers become tensors, dicts and lists of samples
    become dicts and lists of batches, texts stay.

    Raises:
        TypeError: samples of another type.
        RuntimeError: lists of different lengths.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return FUNCTIONS["stack"](batch, 0)
    if isinstance(first, np.ndarray):
        if first.dtype.kind in "SUO":
            raise TypeError(_REFUSED.format(first.dtype))
        return default_collate([factories.as_tensor(each) for each in batch])
    if isinstance(first, np.generic):
        return factories.as_tensor(np.array(batch))
    if isinstance(first, float):
        return factories.tensor(batch, dtype=dtypes.float64)
    if isinstance(first, int):
        return factories.tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        found = {key: default_collate([sample[key] for sample in batch]) for key in first}
        return _rebuild_container(first, found)
    if isinstance(first, Sequence):
        return _collated_sequences(first, batch)
    raise TypeError(_REFUSED.format(type(first)))


def _collated_sequences(first: Any, batch: Any) -> Any:
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(each) for each in zip(*batch, strict=True)))
    if any(len(each) != len(first) for each in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    columns = [default_collate(each) for each in zip(*batch, strict=True)]
    return columns if isinstance(first, tuple) else _rebuild_container(first, columns)


def _rebuild_container(like: Any, content: Any) -> Any:
    """The content in a container of the same type, where that can be made from it."""
    try:
        return type(like)(content)
    except TypeError:
        return content
