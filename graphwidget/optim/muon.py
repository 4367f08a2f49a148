"""Muon (Jordan et al., 2024): momentum, made orthogonal by Newton and Schulz' iteration."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..functions.creation.factories import zeros_like
from ..graph.tensor import Tensor
from .optimizer import Group, State
from .per_parameter import WHOLE, PerParameter, Prepared, check_rate, learning_rate

WORDS = {"lr": "Learning rate", "momentum": "momentum", "weight_decay": "weight decay"}
FITS = ("original", "match_rms_adamw")
MOST_STEPS = 100


class Muon(PerParameter):
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

    decoupled = True
    block = WHOLE
    options = (
        "lr", "weight_decay", "momentum", "nesterov", "ns_coefficients", "eps", "ns_steps",
        "adjust_lr_fn",
    )  # fmt: skip

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
        super().__init__(params, locals())
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.ndim != 2:
                    raise ValueError(
                        "Muon only supports 2D parameters whereas we found a parameter with size: "
                        f"{parameter.size()}"
                    )

    def check(self, options: dict[str, Any]) -> None:
        """None negative, and a rate adjusted in a known way."""
        check_rate(options["lr"])
        for name, words in WORDS.items():
            if not options[name] >= 0.0:
                raise ValueError(f"{words} should be >= 0 but is: {options[name]}")
        how = options["adjust_lr_fn"]
        if how not in (None, *FITS):
            raise ValueError(f"Adjust learning rate function {how} is not supported")

    def start(self, state: State, parameter: Tensor, group: Group) -> None:
        """No momentum yet."""
        state["momentum_buffer"] = zeros_like(parameter)

    def rule(self, parameter: Tensor, group: Group, state: State) -> Prepared:
        """With the options as they are."""
        return _muon, group, ("momentum_buffer",)

    def written(self, apart: float) -> tuple[str, ...]:
        """Decayed even by nothing."""
        return super().written(1.0)


def _muon(group: Group, p: Any, g: Any, buffer: Any, s: Any) -> None:
    share = group["momentum"]
    buffer += (g - buffer) * (1 - share)
    along = g + (buffer - g) * share if group["nesterov"] else buffer
    turned = orthogonalize(along, group["ns_coefficients"], group["ns_steps"], group["eps"])
    p -= turned * (learning_rate(group) * rate_factor(group["adjust_lr_fn"], p.shape))


def round_to_bfloat16(a: np.ndarray) -> np.ndarray:
    """Float32 numbers to the nearest of bfloat16, in which PyTorch iterates: 16 bits fewer."""
    bits = a.astype(np.float32).view(np.uint32)
    bits += 0x7FFF + ((bits >> 16) & 1)
    bits &= np.uint32(0xFFFF0000)
    return bits.view(np.float32)


def orthogonalize(
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
    x = round_to_bfloat16(matrix.T if high else matrix)
    x = round_to_bfloat16(
        x
        / round_to_bfloat16(
            np.maximum(round_to_bfloat16(np.sqrt(np.sum(x * x, keepdims=True))), eps)
        )
    )
    for _ in range(steps):
        gram = round_to_bfloat16(x @ x.T)
        change = round_to_bfloat16(b * gram + c * (gram @ gram))
        x = round_to_bfloat16(a * x + change @ x)
    return x.T if high else x


def rate_factor(how: str | None, shape: tuple[int, ...]) -> float:
    """The factor of the rate for a matrix of this shape."""
    if how == "match_rms_adamw":
        return 0.2 * math.sqrt(max(shape))
    return math.sqrt(max(1.0, shape[0] / shape[1]))
