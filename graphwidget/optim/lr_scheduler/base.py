"""``LRScheduler``, the base class: when the rate is computed, where it is put, what is saved."""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...arrays.warnings import warn
from ...graph.tensor import Tensor
from ..optimizer import Group, Optimizer

Rates = list[Any]

EPOCH_IS_DEPRECATED = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
    "possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if "
    "epoch is different from None, the closed form is used instead of the new chainable form, "
    "where available. Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)
_SEE = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
_OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
    "initialization. Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. "
    + _SEE
)
_WRONG_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, "
    "you should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  "
    "Failure to do this will result in PyTorch skipping the first value of the learning rate "
    "schedule. " + _SEE
)
_RESUMED = (
    "param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with "
    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 "
    "for a fresh training run (not recommended)"
)


class LRScheduler:
    """The base class; subclasses define `get_lr`, the rates of all groups for `last_epoch`.

    Call `step()` once after each epoch's (or each batch's) last `optimizer.step()`.

    Raises:
        TypeError: the first argument is no optimizer.
    """

    optimizer: Optimizer
    base_lrs: Rates
    last_epoch: int
    _last_lr: Rates
    _step_count: int
    _get_lr_called_within_step: bool = False
    _is_initial: bool = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for place, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copy_value(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(_RESUMED.format(place))
        self.base_lrs = group_options(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _note_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        """Set the rates of the first epoch."""
        self._step_count = 0
        with _set(self, "_is_initial"):
            self.step()

    def get_last_lr(self) -> Rates:
        """The rates of all groups as the last step set them."""
        return self._last_lr

    def get_lr(self) -> Rates:
        """The rates of all groups for `last_epoch`; subclasses define it."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch (or, deprecated, to a given one) and set its rates."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warn(_OVERRIDDEN, UserWarning)
            elif not getattr(self.optimizer, "_opt_called", False):
                warn(_WRONG_ORDER, UserWarning)
        self._step_count += 1
        if epoch is not None:
            warn(EPOCH_IS_DEPRECATED, UserWarning)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        with _set(self, "_get_lr_called_within_step"):
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            closed = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
            self._put(self.get_lr() if closed is None else closed())

    def _put(self, rates: Rates) -> None:
        """Give the groups these rates."""
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_option(group, "lr", rate)
        self._last_lr = self._rates()

    def _rates(self) -> Rates:
        """The rates of all groups as they are."""
        return group_options(self.optimizer, "lr")

    def _scaled(self, factor: float) -> Rates:
        """The rates of all groups times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _warn_outside_step(self) -> None:
        """Warn users who call `get_lr` themselves."""
        if not self._get_lr_called_within_step:
            warn(
                "To get the last learning rate computed by the scheduler, please use "
                "`get_last_lr()`.",
                UserWarning,
            )

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` gave."""
        self.__dict__.update(state_dict)


class _LRScheduler(LRScheduler):
    """The base class under its former name."""


def check_optimizer(optimizer: object) -> None:
    """TypeError unless it is an optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


@contextmanager
def _set(scheduler: LRScheduler, flag: str) -> Iterator[None]:
    setattr(scheduler, flag, True)
    try:
        yield
    finally:
        setattr(scheduler, flag, False)


def copy_value(value: Any) -> Any:
    """A value that later writes into a tensor do not change."""
    return value.clone() if isinstance(value, Tensor) else value


def group_options(optimizer: Optimizer, name: str) -> Rates:
    """An option of all groups."""
    return [copy_value(group[name]) for group in optimizer.param_groups]


def set_option(group: Group, name: str, value: Any) -> None:
    """Set an option of a group; written into it when it is a tensor."""
    if isinstance(group[name], Tensor):
        group[name].fill_(value.item() if isinstance(value, Tensor) else value)
    else:
        group[name] = value


def for_each_group(name: str, optimizer: Optimizer, value: Any) -> Rates:
    """One value for each group, from a list of them or from one for all.

    Raises:
        ValueError: a list of another length.
    """
    groups = len(optimizer.param_groups)
    if not isinstance(value, list | tuple):
        value = [value] * groups
    elif len(value) != groups:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has "
            f"{len(value)} values, param_groups has {groups}."
        )
    return [copy_value(each) for each in value]


def _note_steps(optimizer: Optimizer) -> None:
    """Let the optimizer remember that its `step` was called."""
    step: Any = optimizer.step
    if hasattr(step, "_wrapped_by_lr_sched"):
        return
    function = step.__func__
    reference = weakref.ref(optimizer)

    @functools.wraps(function)
    def noted(*args: Any, **kwargs: Any) -> Any:
        owner: Any = reference()
        owner._opt_called = True
        return function(owner, *args, **kwargs)

    noted._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = noted  # type: ignore[method-assign]


def saved_callable(function: Callable[..., Any] | None) -> dict[str, Any] | None:
    """Return the part of a callable that a state dict keeps: an object's attributes, nothing of a
    function."""
    if function is None or isinstance(function, types.FunctionType):
        return None
    return function.__dict__.copy()
