"""``CyclicLR``: rates that go up and down, momentum the other way (Smith, 2017)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from ..optimizer import Group, Optimizer
from .base import LRScheduler, Rates, check_optimizer, for_each_group, saved_callable, set_option


class Cyclic(LRScheduler):
    """The part that `CyclicLR` and `OneCycleLR` share: the momentum."""

    cycle_momentum: bool
    use_beta1: bool

    def _start_momentum(self, lowest: Any, highest: Any, last_epoch: int) -> tuple[Rates, Rates]:
        """Note the groups' lowest and highest momentum, and begin with the highest."""
        defaults = self.optimizer.defaults
        if "momentum" not in defaults and "betas" not in defaults:
            raise ValueError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
            )
        self.use_beta1 = "betas" in defaults
        low = for_each_group("base_momentum", self.optimizer, lowest)
        high = for_each_group("max_momentum", self.optimizer, highest)
        if last_epoch == -1:
            for group, most, least in zip(self.optimizer.param_groups, high, low, strict=True):
                self._set_momentum(group, most)
                group["max_momentum"] = most
                group["base_momentum"] = least
        return low, high

    def _set_momentum(self, group: Group, momentum: float) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum


class CyclicLR(Cyclic):
    """Between two rates, up in `step_size_up` batches and down in `step_size_down`.

    `mode` says how the height changes: not at all, halved after each cycle ("triangular2"), or
    `gamma` to the power of the batch ("exp_range"); `scale_fn` is a function of your own.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = for_each_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_option(group, "lr", rate)
        self.max_lrs = for_each_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_ref: Callable[[float], float]
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums, self.max_momentums = self._start_momentum(
                base_momentum, max_momentum, last_epoch
            )
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is not None:
            return
        self.scale_mode = "iterations" if self.mode == "exp_range" else "cycle"
        known: dict[str, Callable[[float], float]] = {
            "triangular": _constant,
            "triangular2": _halved,
            "exp_range": partial(_power, self.gamma),
        }
        self._scale_fn_ref = known[self.mode]

    def scale_fn(self, x: float) -> float:
        """The factor of the height in a cycle, or at a batch."""
        return (self._scale_fn_custom or self._scale_fn_ref)(x)

    def get_lr(self) -> Rates:
        """The rates for `last_epoch`; sets the momentum too."""
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        up = x <= self.step_ratio
        height = x / self.step_ratio if up else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        rates = [
            low + (high - low) * height * scale
            for low, high in zip(self.base_lrs, self.max_lrs, strict=True)
        ]
        if self.cycle_momentum:
            groups = self.optimizer.param_groups
            for group, low, high in zip(
                groups, self.base_momentums, self.max_momentums, strict=True
            ):
                self._set_momentum(group, high - (high - low) * height * scale)
        return rates

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer; of `scale_fn` only the attributes of an object."""
        kept = super().state_dict()
        kept.pop("_scale_fn_ref", None)
        custom = kept.pop("_scale_fn_custom")
        kept["_scale_fn_custom"] = saved_callable(custom)
        return kept

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        kept = dict(state_dict)
        attributes = kept.pop("_scale_fn_custom")
        super().load_state_dict(kept)
        if attributes is not None and self._scale_fn_custom is not None:
            self._scale_fn_custom.__dict__.update(attributes)
        self._init_scale_fn()


def _constant(x: float) -> float:
    return 1.0


def _halved(x: float) -> float:
    return float(1 / (2.0 ** (x - 1)))


def _power(gamma: float, x: float) -> float:
    return float(gamma**x)
