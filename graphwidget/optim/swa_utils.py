"""``torch.optim.swa_utils``: averaged weights (Izmailov et al., 2018)."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

from ..arrays import dtypes
from ..autograd.grad_mode import no_grad
from ..functions.creation.factories import tensor
from ..graph.tensor import Tensor
from ..nn.batchnorm import _BatchNorm
from ..nn.module import Module
from .lr_scheduler.base import LRScheduler, Rates, for_each_group
from .optimizer import Optimizer

__all__ = [
    "SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn",
    "get_swa_multi_avg_fn", "update_bn",
]  # fmt: skip

Average = Callable[[Any, Any, Any], Any]
Averages = Callable[[Any, Any, Any], None]


def _check_decay(decay: float) -> None:
    if not 0.0 <= decay <= 1.0:
        raise ValueError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """The exponential moving average of one tensor."""
    _check_decay(decay)

    def ema_update(ema_param: Any, current_param: Any, num_averaged: Any) -> Any:
        with no_grad():
            return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Average:
    """The plain average of one tensor."""

    def swa_update(averaged_param: Any, current_param: Any, num_averaged: Any) -> Any:
        with no_grad():
            return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def _moving_average(share: Callable[[Any], float]) -> Averages:
    """Averages that move a share of the way to the present values, in place."""

    def update(averaged_list: Any, current_list: Any, num_averaged: Any) -> None:
        part = share(num_averaged)
        with no_grad():
            for averaged, current in zip(averaged_list, current_list, strict=True):
                if averaged.is_floating_point():
                    averaged.lerp_(current, part)
                else:
                    averaged.copy_(averaged + (current - averaged) * part)

    return update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Averages:
    """The exponential moving average of several tensors, in place."""
    _check_decay(decay)
    return _moving_average(lambda num_averaged: 1 - decay)


def get_swa_multi_avg_fn() -> Averages:
    """The plain average of several tensors, in place."""
    return _moving_average(lambda num_averaged: float(1 / (num_averaged + 1)))


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of the model's, as often as
    `update_parameters(model)` is called.

    Args:
        avg_fn: the new average of a tensor from the old one, the present value and the number of
            values so far; the plain average when neither this nor
        multi_avg_fn: is given, which changes lists of averages in place.
        use_buffers: average the buffers too; else they are copied.
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Averages | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module: Module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=dtypes.int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the averaged model gives."""
        return self.module(*args, **kwargs)

    def _averaged(self, model: Module) -> list[Tensor]:
        if self.use_buffers:
            return list(itertools.chain(model.parameters(), model.buffers()))
        return list(model.parameters())

    def update_parameters(self, model: Module) -> None:
        """Take the present parameters of the model into the averages."""
        averages = [each.detach() for each in self._averaged(self.module)]
        current = [each.detach() for each in self._averaged(model)]
        if self.n_averaged == 0:
            for averaged, present in zip(averages, current, strict=True):
                averaged.copy_(present)
        elif self.avg_fn is None:
            (self.multi_avg_fn or get_swa_multi_avg_fn())(averages, current, self.n_averaged)
        else:
            for averaged, present in zip(averages, current, strict=True):
                averaged.copy_(self.avg_fn(averaged, present, self.n_averaged))
        if not self.use_buffers:
            for own, given in zip(self.module.buffers(), model.buffers(), strict=True):
                own.detach().copy_(given.detach())
        self.n_averaged += 1


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of all batch norms anew, over all batches of a loader (whose
    first item is the input, if they are tuples)."""
    momenta = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    training = model.training
    model.train()
    for module in momenta:
        module.momentum = None
    for batch in loader:
        given = batch[0] if isinstance(batch, list | tuple) else batch
        with no_grad():
            model(given if device is None else given.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(training)


class SWALR(LRScheduler):
    """From the rates as they are to `swa_lr`, within `anneal_epochs` epochs.

    Raises:
        ValueError: an unknown way, or a number of epochs that is negative.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        rates = for_each_group("swa_lr", optimizer, swa_lr)
        for rate, group in zip(rates, optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _part(self, step: int) -> float:
        """How much of the way lies behind a step."""
        part = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return part if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * part)) / 2

    def get_lr(self) -> Rates:
        """The rates for `last_epoch`, from those of the step before."""
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._part(step - 1), self._part(step)
        rates = []
        for group in self.optimizer.param_groups:
            end = group["swa_lr"]
            start = end if before == 1 else (group["lr"] - before * end) / (1 - before)
            rates.append(end * now + start * (1 - now))
        return rates
