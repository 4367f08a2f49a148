"""``OneCycleLR``: up to a high rate and down to a very low one (Smith and Topin, 2019)."""

from __future__ import annotations

import math
from typing import Any

from ..optimizer import Group, Optimizer
from .base import LRScheduler, Rates, check_optimizer, for_each_group


class OneCycleLR(LRScheduler):
    """From `max_lr / div_factor` up to `max_lr` in a part `pct_start` of all steps, then down to
    the initial rate divided by `final_div_factor`; the momentum goes the other way.

    Call `step()` after each batch; there are `total_steps`, or `epochs * steps_per_epoch`.

    Raises:
        ValueError: numbers out of range, or at a step beyond the last.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _total_steps(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        highest = for_each_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, most in zip(optimizer.param_groups, highest, strict=True):
                group["initial_lr"] = most / div_factor
                group["max_lr"] = most
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._start_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

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

    def _between(self, start: float, end: float, part: float) -> float:
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)

    def get_lr(self) -> Rates:
        """The rates for `last_epoch`; sets the momentum too."""
        self._warn_outside_step()
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        phase, start = self._phase()
        part = (self.last_epoch - start) / (phase["end_step"] - start)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._between(*_ends(group, phase, "lr"), part))
            if self.cycle_momentum:
                momentum = self._between(*_ends(group, phase, "momentum"), part)
                self._set_momentum(group, momentum)
        return rates

    def _phase(self) -> tuple[dict[str, Any], float]:
        """The phase that the present step lies in, and the step at which it began."""
        start = 0.0
        *others, last = self._schedule_phases
        for phase in others:
            if self.last_epoch <= phase["end_step"]:
                return phase, start
            start = phase["end_step"]
        return last, start


def _ends(group: Group, phase: dict[str, Any], what: str) -> tuple[float, float]:
    return group[phase["start_" + what]], group[phase["end_" + what]]


def _total_steps(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    if total_steps is not None:
        _check_positive("total_steps", total_steps)
        return total_steps
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    _check_positive("epochs", epochs)
    _check_positive("steps_per_epoch", steps_per_epoch)
    return epochs * steps_per_epoch


def _check_positive(name: str, value: object) -> None:
    if not isinstance(value, int) or value <= 0:
        raise ValueError(f"Expected positive integer {name}, but got {value}")


def _phases(total: int, part: float, three: bool) -> list[dict[str, Any]]:
    """Return where each phase ends, and the rates and momenta between which it goes."""
    initial, low, high = "initial_lr", "base_momentum", "max_momentum"
    first = _described(float(part * total) - 1, initial, "max_lr", high, low)
    if not three:
        return [first, _described(total - 1, "max_lr", "min_lr", low, high)]
    second = _described(float(2 * part * total) - 2, "max_lr", initial, low, high)
    return [first, second, _described(total - 1, initial, "min_lr", high, high)]


def _described(
    end: float, start_lr: str, end_lr: str, start_momentum: str, end_momentum: str
) -> dict[str, Any]:
    return {
        "end_step": end,
        "start_lr": start_lr,
        "end_lr": end_lr,
        "start_momentum": start_momentum,
        "end_momentum": end_momentum,
    }
