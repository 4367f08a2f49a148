"""Shape and dtype of a tensor as one shared object, so that ``is`` compares them."""

from __future__ import annotations

from typing import Any

import numpy as np


class Meta:
    """Shape and dtype of a tensor, interned: equal ones of one layout are one object, so ``is``
    compares. One that ``repeats`` its items along a dim lies in memory as numpy would not lay out
    results; ``plain`` ones have a dim and do not."""

    __slots__ = ("dtype", "floating", "ndim", "numel", "plain", "repeats", "shape")

    def __init__(
        self, shape: tuple[int, ...], dtype: np.dtype[np.generic], layout: Any = None
    ) -> None:
        self.shape = shape
        self.repeats = layout is not None and 0 in layout
        self.dtype = dtype
        self.ndim = len(shape)
        self.plain = self.ndim > 0 and not self.repeats
        self.floating = dtype.kind == "f"
        numel = 1
        for size in shape:
            numel *= size
        self.numel = numel


META_LIMIT = 10_000
_metas: dict[tuple[tuple[int, ...], int, Any], Meta] = {}


def meta_of(data: np.ndarray) -> Meta:
    """The interned Meta of an array."""
    layout = None if data.flags.c_contiguous else data.strides
    found = _metas.get((data.shape, data.dtype.num, layout))
    if found is None:
        found = meta(data.shape, np.dtype(data.dtype.type), layout)
    return found


def meta(shape: tuple[int, ...], dtype: np.dtype[np.generic], layout: Any = None) -> Meta:
    """The interned Meta of a shape and dtype. ``layout`` keeps those apart that do not lie in C
    order: what is computed from tensors of one Meta lies in memory as they do."""
    key = (shape, dtype.num, layout)
    found = _metas.get(key)
    if found is None:
        if len(_metas) >= META_LIMIT:  # equal but distinct Metas only cost the fast path
            _metas.clear()
        found = _metas.setdefault(key, Meta(shape, dtype, layout))
    return found
