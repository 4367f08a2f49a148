"""``torch.signal.windows``: symmetric window functions, or (`sym=False`) periodic ones."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..arrays import devices, dtypes
from ..arrays.layouts import strided
from ..dispatch.offer import FUNCTIONS as F

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine",
    "general_hamming", "hamming", "hann", "kaiser", "nuttall",
]  # fmt: skip


class _Grid:
    """Where a window is computed: its length, type and options, checked.

    Raises:
        ValueError: a negative length, a type that is neither float32 nor float64.
    """

    def __init__(self, name: str, M: int, sym: bool, options: dict[str, Any]) -> None:
        self.count, self.sym = M, sym
        known = {"dtype", "layout", "device", "requires_grad"}
        for each in options:
            if each not in known:
                raise TypeError(f"{name}() got an unexpected keyword argument '{each}'")
        dtype = options.get("dtype") or dtypes.get_default_dtype()
        if M < 0:
            raise ValueError(f"{name} requires non-negative window length, got M={M}")
        if options.get("layout", strided) is not strided:
            raise ValueError(
                f"{name} is implemented for strided tensors only, got: {options['layout']}"
            )
        if dtype not in (dtypes.float32, dtypes.float64):
            raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
        devices.require_cpu(options.get("device"))
        self.made: dict[str, Any] = {
            "dtype": dtype, "requires_grad": options.get("requires_grad", False)
        }  # fmt: skip

    def trivial(self, least: int = 0) -> Any:
        """The window of no item, or of one where that has no formula; else None."""
        if self.count > least:
            return None
        return F["ones" if self.count else "empty"]((self.count,), **self.made)

    def centred(self) -> float:
        """The length that a window is symmetric over."""
        return self.count if not self.sym and self.count > 1 else self.count - 1

    def whole(self) -> int:
        """The steps of a period."""
        return self.count - 1 if self.sym else self.count

    def line(self, start: Any, end: Any) -> Any:
        """Evenly spaced places."""
        return F["linspace"](start, end, self.count, **self.made)


def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, **options: Any
) -> Any:
    """exp -|n - center| / tau.

    Raises:
        ValueError: a `tau` that is not positive; a `center` of a symmetric window.
    """
    grid = _Grid("exponential", M, sym, options)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if (found := grid.trivial()) is not None:
        return found
    middle = grid.centred() / 2.0 if center is None else center
    step = 1 / tau
    return F["exp"](-F["abs"](grid.line(-middle * step, (-middle + (M - 1)) * step)))


def cosine(M: int, *, sym: bool = True, **options: Any) -> Any:
    """sin π (n + ½) / M."""
    grid = _Grid("cosine", M, sym, options)
    if (found := grid.trivial()) is not None:
        return found
    step = math.pi / (grid.centred() + 1)
    return F["sin"](grid.line(0.5 * step, (0.5 + (M - 1)) * step))


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **options: Any) -> Any:
    """exp -½ ((n - middle) / std)².

    Raises:
        ValueError: a deviation that is not positive.
    """
    grid = _Grid("gaussian", M, sym, options)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if (found := grid.trivial()) is not None:
        return found
    start, step = -grid.centred() / 2.0, 1 / (std * math.sqrt(2))
    return F["exp"](-(grid.line(start * step, (start + (M - 1)) * step) ** 2))


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **options: Any) -> Any:
    """I₀(beta √(1 - x²)) / I₀(beta), for x from -1 to 1.

    Raises:
        ValueError: a negative `beta`.
    """
    grid = _Grid("kaiser", M, sym, options)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if (found := grid.trivial(1)) is not None:
        return found
    height = F["tensor"](beta, dtype=grid.made["dtype"])
    step = 2.0 * height / grid.whole()
    line = grid.line(-height, F["minimum"](height, -height + (M - 1) * step))
    return F["i0"](F["sqrt"](height * height - F["pow"](line, 2))) / F["i0"](height)


def bartlett(M: int, *, sym: bool = True, **options: Any) -> Any:
    """1 - |x|, for x from -1 to 1."""
    grid = _Grid("bartlett", M, sym, options)
    if (found := grid.trivial(1)) is not None:
        return found
    return 1 - F["abs"](grid.line(-1, -1 + (M - 1) * (2 / grid.whole())))


def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, **options: Any) -> Any:
    """The sum of (-1)**i aᵢ cos i x, for x over a turn.

    Raises:
        TypeError, ValueError: `a` is no list of coefficients, or an empty one.
    """
    grid = _Grid("general_cosine", M, sym, options)
    if (found := grid.trivial(1)) is not None:
        return found
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    line = grid.line(0, (M - 1) * (2 * math.pi / grid.whole()))
    signed = F["tensor"]([(-1) ** i * weight for i, weight in enumerate(a)], **grid.made)
    order = F["arange"](signed.shape[0], **grid.made)
    return (signed.unsqueeze(-1) * F["cos"](order.unsqueeze(-1) * line)).sum(0)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options: Any) -> Any:
    """alpha - (1 - alpha) cos x, for x over a turn."""
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, **options)


def hamming(M: int, *, sym: bool = True, **options: Any) -> Any:
    """0.54 - 0.46 cos x, for x over a turn."""
    return general_hamming(M, sym=sym, **options)


def hann(M: int, *, sym: bool = True, **options: Any) -> Any:
    """½ - ½ cos x, for x over a turn."""
    return general_hamming(M, alpha=0.5, sym=sym, **options)


def blackman(M: int, *, sym: bool = True, **options: Any) -> Any:
    """Blackman's three terms."""
    _Grid("blackman", M, sym, options)
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, **options)


def nuttall(M: int, *, sym: bool = True, **options: Any) -> Any:
    """Nuttall's four terms (IEEE Trans. ASSP 29, 1981)."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, **options)
