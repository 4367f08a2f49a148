"""``CosineAnnealingLR`` and warm restarts (Loshchilov and Hutter, 2017)."""

from __future__ import annotations

import math

from ..optimizer import Optimizer
from .base import LRScheduler, Rates


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
