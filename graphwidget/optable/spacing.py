"""Evenly spaced numbers, rounded as where the processor fuses a product and a sum."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any

_WIDE: dict[str, Any] = {"f": np.float64, "d": np.longdouble}


def fused(dtype: np.dtype[Any]) -> Any:
    """A type in which a product and a sum of numbers of ``dtype`` are rounded only at the end."""
    return _WIDE.get(dtype.char, dtype.type)


def spread(first: Any, last: Any, steps: int, dtype: np.dtype[Any]) -> Array:
    """``steps`` numbers of a floating type from ``first`` to ``last``, each counted from the nearer
    end, as PyTorch's are."""
    wide, half = fused(dtype), steps // 2
    first, last = dtype.type(first), dtype.type(last)
    step = wide(dtype.type((last - first) / dtype.type(max(steps - 1, 1))))
    place = np.arange(steps).astype(wide)
    found = np.empty(steps, dtype)
    found[:half] = wide(first) + step * place[:half]
    found[half:] = wide(last) - step * place[: steps - half][::-1]
    return found
