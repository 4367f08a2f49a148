"""Window functions: ``hann_window``, ``hamming_window``, ``kaiser_window`` and their kin.

F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform",
Proceedings of the IEEE 66 (1978). A periodic window is that of one more item, without its last.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays.kernel_errors import C_WORDS
from ...optable.special.special_kernels import i0
from .factory_decorator import factory
from .nested_sequences import numpy_type

Weigh = Callable[[np.ndarray], np.ndarray]


def window(name: str, length: int, periodic: bool, weigh: Weigh, dtype: Any) -> np.ndarray:
    """A window whose weights are a function of the place, which goes from 0 to 1.

    Raises:
        RuntimeError: a negative length, or a type that is not floating (PyTorch's texts).
    """
    kind = numpy_type(dtype)
    if kind.kind != "f":
        raise RuntimeError(
            f"{name} expects floating point dtypes, got: TensorOptions(dtype={C_WORDS[kind.name]}, "
            "device=cpu, layout=Strided (default), requires_grad=false (default), "
            "pinned_memory=false, memory_format=(nullopt))"
        )
    if length < 0:
        raise RuntimeError(
            f"{name} requires non-negative window_length, got window_length={length}"
        )
    if length < 2:
        return np.ones(length, kind)
    steps = length if periodic else length - 1
    return weigh(np.arange(length) / steps).astype(kind)


def cosine_sum(*weights: float) -> Weigh:
    """weights[0] - weights[1] cos(2 π x) + weights[2] cos(4 π x)."""

    def weigh(x: np.ndarray) -> np.ndarray:
        total: np.ndarray = sum(
            (-1) ** k * weight * np.cos(2 * math.pi * k * x) for k, weight in enumerate(weights)
        )
        return total

    return weigh


def offer_window(name: str, weigh: Weigh, text: str) -> None:
    """Offer a window without parameters."""

    def numbers(window_length: int, periodic: bool = True, *, dtype: Any = None) -> np.ndarray:
        return window(name, window_length, periodic, weigh, dtype)

    numbers.__name__ = numbers.__qualname__ = name
    numbers.__doc__ = f"{text}, periodic or symmetric, of ``window_length`` items."
    factory()(numbers)


offer_window("hann_window", cosine_sum(0.5, 0.5), "1/2 - 1/2 cos(2 π x)")
offer_window(
    "blackman_window", cosine_sum(0.42, 0.5, 0.08), "0.42 - 0.5 cos(2 π x) + 0.08 cos(4 π x)"
)
offer_window("bartlett_window", lambda x: 1 - np.abs(2 * x - 1), "A triangle")


@factory()
def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: Any = None,
) -> np.ndarray:
    """alpha - beta cos(2 π x), periodic or symmetric, of ``window_length`` items.

    Shapes: (window_length,).
    """
    weigh = cosine_sum(alpha, beta)
    return window("hamming_window", window_length, periodic, weigh, dtype)


@factory()
def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: Any = None,
) -> np.ndarray:
    """I0(beta √(1 - (2 x - 1)²)) / I0(beta), periodic or symmetric, of ``window_length`` items.

    Shapes: (window_length,).
    """

    def weigh(x: np.ndarray) -> np.ndarray:
        arch = np.sqrt(np.maximum(1 - (2 * x - 1) ** 2, 0))
        weights: np.ndarray = i0(beta * arch) / i0(np.array([float(beta)]))
        return weights

    return window("kaiser_window", window_length, periodic, weigh, dtype)
