"""``CosineAnnealingLR`` and warm restarts (Loshchilov and Hutter, 2017)."""

from __future__ import annotations

import math

from ..optimizer import Optimizer
from .base import LRScheduler, Rates, _set


class CosineAnnealingLR(LRScheduler):
    """From the initial rate to `eta_min` in `T_max` epochs, and back in as many."""

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _cosine_factor(self, epoch: float) -> float:
        return 1 + math.cos(math.pi * epoch / self.T_max)

    def get_lr(self) -> Rates:
        self._warn_outside_step()
        epoch, least = self.last_epoch, self.eta_min
        if self._is_initial:
            return self._rates()
        if self._step_count == 1 and epoch > 0:
            return self._get_closed_form_lr()
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # just after the lowest point
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            pairs = zip(self.base_lrs, self._rates(), strict=True)
            return [rate + (base - least) * rise for base, rate in pairs]
        factor = self._cosine_factor(epoch) / self._cosine_factor(epoch - 1)
        return [factor * (rate - least) + least for rate in self._rates()]

    def _get_closed_form_lr(self) -> Rates:
        height, least = self._cosine_factor(self.last_epoch), self.eta_min
        return [least + (base - least) * height / 2 for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """From the initial rate to `eta_min`, again and again, in periods that grow by `T_mult`.

    `step(epoch)` takes fractions of epochs too.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, float | int):
            raise ValueError(
                f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}"
            )
        self.T_0 = T_0
        self.T_i: float = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        """The rates at the present place in the period."""
        self._warn_outside_step()
        height, least = 1 + math.cos(math.pi * self.T_cur / self.T_i), self.eta_min
        return [least + (base - least) * height / 2 for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go on to the next epoch, or to a given one, and set its rates."""
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            epoch = 0 if epoch is None else epoch
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._set_epoch(epoch)
        self.last_epoch = math.floor(epoch)
        with _set(self, "_get_lr_called_within_step"):
            self._put(self.get_lr())

    def _set_epoch(self, epoch: float) -> None:
        """Find the period that an epoch lies in."""
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            periods = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            start = self.T_0 * (self.T_mult**periods - 1) / (self.T_mult - 1)
            self.T_cur = epoch - start
            self.T_i = self.T_0 * self.T_mult**periods
