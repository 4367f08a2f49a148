"""Numerical limits of the element types: `finfo` and `iinfo`."""

import operator

import numpy as np

from graphwidget.arrays.dtypes import bool_, dtype, get_default_dtype


class Limits:
    """Base of `finfo` and `iinfo`: equal when they are of one type."""

    dtype: str

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Limits) and other.dtype == self.dtype

    __hash__ = None  # type: ignore[assignment]  # as PyTorch's, they cannot be looked up


class finfo(Limits):
    """Limits of a floating dtype (by default the default dtype)."""

    def __init__(self, type: dtype | None = None) -> None:
        chosen = get_default_dtype() if type is None else _dtype_argument("finfo", type)
        if not chosen.is_floating_point:
            raise TypeError(
                "torch.finfo() requires a floating point input type. "
                "Use torch.iinfo to handle 'torch.finfo'"
            )
        limits = np.finfo(chosen.numpy)
        self.dtype = chosen.name
        self.bits = chosen.itemsize * 8
        self.eps = float(limits.eps)
        self.max = float(limits.max)
        self.min = float(limits.min)
        self.tiny = self.smallest_normal = float(limits.smallest_normal)
        self.resolution = float(10.0**-limits.precision)

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
            f"eps={self.eps:g}, smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, "
            f"dtype={self.dtype})"
        )


class iinfo(Limits):
    """Limits of an integer dtype."""

    def __init__(self, type: dtype) -> None:
        chosen = _dtype_argument("iinfo", type)
        if chosen.is_floating_point:
            raise TypeError(
                "torch.iinfo() requires an integer input type. "
                "Use torch.finfo to handle 'torch.iinfo'"
            )
        if chosen is bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        limits = np.iinfo(chosen.numpy)
        self.dtype = chosen.name
        self.bits = chosen.itemsize * 8
        self.min = operator.index(limits.min)
        self.max = operator.index(limits.max)

    def __repr__(self) -> str:
        return f"iinfo(min={float(self.min):g}, max={float(self.max):g}, dtype={self.dtype})"


def _dtype_argument(caller: str, value: object) -> dtype:
    if not isinstance(value, dtype):
        raise TypeError(
            f"{caller}(): argument 'type' (position 1) must be torch.dtype, "
            f"not {type(value).__name__}"
        )
    return value
