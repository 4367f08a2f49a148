"""Muon (Jordan et al., 2024): momentum, made orthogonal by Newton and Schulz' iteration."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core import hot
from ..core.call_sites import call_site
from ..core.tensor import Tensor
from ..core.version import bump
from .optimizer import Group
from .stepping import Stepper, rate_of, zeros

FITS = ("original", "match_rms_adamw")
MOST_STEPS = 100


class Muon(Stepper):
    """Steps along the nearly orthogonal matrix next to the momentum, for matrices only.

    Args:
        lr, weight_decay, momentum, nesterov: as in `SGD`, with decoupled weight decay.
        ns_coefficients: a, b, c of the iteration's polynomial a x + b x³ + c x⁵.
        eps: the least norm by which the momentum is divided before.
        ns_steps: how often the polynomial is applied.
        adjust_lr_fn: how the rate follows the shape: "original" (None), for wide matrices alike,
            or "match_rms_adamw", for steps as large as AdamW's.

    Raises:
        ValueError: numbers out of range, another `adjust_lr_fn`, parameters that are no matrices.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for words, value in (
            ("Learning rate", lr), ("momentum", momentum), ("weight decay", weight_decay),
        ):  # fmt: skip
            if not value >= 0.0:
                raise ValueError(f"{words} should be >= 0 but is: {value}")
        if adjust_lr_fn not in (None, *FITS):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.ndim != 2:
                    raise ValueError(
                        "Muon only supports 2D parameters whereas we found a parameter with size: "
                        f"{parameter.size()}"
                    )

    def update(self, group: Group) -> None:
        """One step for the parameters of a group; those without gradient are left alone."""
        site, rate, share = call_site(), rate_of(group), group["momentum"]
        for parameter in group["params"]:
            grad = parameter._grad
            if grad is None:
                continue
            state = self.state[parameter]
            if not state:
                state["momentum_buffer"] = zeros(parameter)
            before = parameter._data.copy() if hot.observer is not None else None
            data, slope, buffer = parameter._data, grad._data, state["momentum_buffer"]._data
            buffer += (slope - buffer) * (1 - share)
            along = slope + (buffer - slope) * share if group["nesterov"] else buffer
            turned = orthogonal(along, group["ns_coefficients"], group["ns_steps"], group["eps"])
            data *= 1 - rate * group["weight_decay"]
            data -= turned * (rate * adjustment(group["adjust_lr_fn"], data.shape))
            for name in ("mul_", "add_"):
                bump(parameter, name, site)
            if before is not None:
                self._tell(parameter, before, group)


def rounded(a: np.ndarray) -> np.ndarray:
    """Float32 numbers to the nearest of bfloat16, in which PyTorch iterates: 16 bits fewer."""
    bits = a.astype(np.float32).view(np.uint32)
    bits += 0x7FFF + ((bits >> 16) & 1)
    bits &= np.uint32(0xFFFF0000)
    return bits.view(np.float32)


def orthogonal(
    matrix: np.ndarray, coefficients: tuple[float, float, float], steps: int, eps: float
) -> np.ndarray:
    """A matrix with the singular vectors of the given one, and singular values near 1.

    Raises:
        ValueError: too many steps, or other than three coefficients.
    """
    if steps >= MOST_STEPS:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    high = matrix.shape[0] > matrix.shape[1]
    x = rounded(matrix.T if high else matrix)
    x = rounded(x / rounded(np.maximum(rounded(np.sqrt(np.sum(x * x, keepdims=True))), eps)))
    for _ in range(steps):
        gram = rounded(x @ x.T)
        change = rounded(b * gram + c * (gram @ gram))
        x = rounded(a * x + change @ x)
    return x.T if high else x


def adjustment(how: str | None, shape: tuple[int, ...]) -> float:
    """The factor of the rate for a matrix of this shape."""
    if how == "match_rms_adamw":
        return 0.2 * math.sqrt(max(shape))
    return math.sqrt(max(1.0, shape[0] / shape[1]))
