"""``torch.layout`` and ``torch.memory_format``. Tensors are always strided."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import memory_order


class layout:
    """Layout of a tensor in memory: `torch.strided` is the only one that tensors have here."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> Any:
        return named_layout, (self._name,)


def named_layout(name: str) -> layout:
    """The one of this name, for pickles and copies."""
    return LAYOUTS[name]


LAYOUTS = {
    name: layout(name)
    for name in (
        "strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged",
        "_mkldnn",
    )
}  # fmt: skip
strided = LAYOUTS["strided"]


def require_strided(asked: layout | None) -> None:
    """Refuse to make a tensor of another layout.

    Raises:
        NotImplementedError: it is one.
    """
    if asked is not None and asked is not strided:
        raise NotImplementedError(
            f"graphwidget has dense (strided) tensors only, none of the layout {asked}."
        )


class memory_format:
    """An order of the dims in memory; that of channels last is for batches of a given rank."""

    __slots__ = ("_dims", "_name")

    def __init__(self, name: str, dims: int = 0) -> None:
        self._name = name
        self._dims = dims

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> Any:
        return named_format, (self._name,)


def named_format(name: str) -> memory_format:
    """The one of this name, for pickles and copies."""
    return FORMATS[name]


contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last", 4)
channels_last_3d = memory_format("channels_last_3d", 5)
FORMATS = {
    each._name: each
    for each in (contiguous_format, preserve_format, channels_last, channels_last_3d)
}


def check_format(name: str, given: Any) -> None:
    """Refuse what is no memory format (nor None).

    Raises:
        TypeError: PyTorch's text.
    """
    if given is not None and not isinstance(given, memory_format):
        raise TypeError(
            f"{name}(): argument 'memory_format' must be torch.memory_format, not "
            f"{type(given).__name__}"
        )


def is_in_format(data: np.ndarray, wanted: memory_format) -> bool:
    """Return whether the items lie in the format's order."""
    if not wanted._dims:
        return bool(data.flags.c_contiguous)
    order = memory_order.channels_last_order(data.ndim)
    return data.ndim == wanted._dims and bool(memory_order.is_in_order(data, order))


def to_format(data: np.ndarray, wanted: memory_format | None) -> np.ndarray:
    """The items in the format's order, copied where they are not.

    Raises:
        RuntimeError: the format is for another number of dims (PyTorch's text).
    """
    if wanted is None or wanted is preserve_format:
        return data
    if not wanted._dims:
        return np.asarray(data, order="C")
    if data.ndim != wanted._dims:
        raise RuntimeError(f"required rank {wanted._dims} tensor to use {wanted._name} format")
    return np.asarray(memory_order.to_channels_last(data))


def suggested_format(data: np.ndarray) -> memory_format:
    """The format that strides speak for."""
    if not memory_order.is_channels_last(data):
        return contiguous_format
    return channels_last if data.ndim == channels_last._dims else channels_last_3d
