"""The numbers of ``linspace`` and ``arange``, rounded with fused multiply-adds as PyTorch's."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any

_WIDE: dict[str, Any] = {"f": np.float64, "d": np.longdouble}


def fused_dtype(dtype: np.dtype[Any]) -> Any:
    """A type in which a product and a sum of numbers of ``dtype`` are rounded only at the end."""
    return _WIDE.get(dtype.char, dtype.type)


def linspace_array(first: Any, last: Any, steps: int, dtype: np.dtype[Any]) -> Array:
    """``steps`` numbers of a floating type from ``first`` to ``last``, each counted from the nearer
    end, as PyTorch's are."""
    wide, half = fused_dtype(dtype), steps // 2
    first, last = dtype.type(first), dtype.type(last)
    step = wide(dtype.type((last - first) / dtype.type(max(steps - 1, 1))))
    place = np.arange(steps).astype(wide)
    found = np.empty(steps, dtype)
    found[:half] = wide(first) + step * place[:half]
    found[half:] = wide(last) - step * place[: steps - half][::-1]
    return found


_LANES = 8


def arange_float32(start: Any, step: Any, count: int) -> np.ndarray:
    """``count`` float32 numbers from ``start``, ``step`` apart, as PyTorch computes them: eight at
    a time, of which the first is rounded and the others are counted from that.

    What does not fill two such rows at the end is counted from ``start``. (PyTorch also begins anew
    where each of several threads does, in more than 32,768 numbers; here there is one.)
    """
    wide: Any = fused_dtype(np.dtype(np.float64))
    start, step = wide(start), wide(step)
    whole = count - count % (2 * _LANES)
    numbers = (start + step * np.arange(count)).astype(np.float64)
    found: np.ndarray = numbers.astype(np.float32)
    rows = found[:whole].reshape(-1, _LANES)
    rows[:, 1:] = (rows[:, :1] + step * np.arange(1, _LANES)).astype(np.float64)
    return found
