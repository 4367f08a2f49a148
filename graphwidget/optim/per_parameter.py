"""The base class of optimizers that update each parameter by itself: a rule on arrays, in blocks.

A rule is a function of numbers and of arrays: the parameter, its gradient, the optimizer's state
of it, and an array for what lies in between, into which it writes with `out=`. Large parameters are
cut into blocks that stay in the processor's cache from one operation to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from ..absent import not_here
from ..arrays import dtypes
from ..arrays.warnings import call_site
from ..autograd.grad_mode import enable_grad
from ..functions.creation.factories import zeros_like
from ..graph import runtime
from ..graph.tensor import Tensor
from ..graph.version import bump
from .optimizer import Closure, Group, Optimizer, State

Rule = Callable[..., None]
Prepared = tuple[Rule, Any, tuple[str, ...]]
BLOCK = 1 << 18
"""Items of a block; in smaller ones calls take longer than what the cache saves."""
WORDS = {"lr": "learning rate", "eps": "epsilon value"}


class PerParameter(Optimizer):
    """The base class of these optimizers.

    Subclasses say their `options`, which of them are `checked`, and the `memory` they keep of a
    parameter; they give `rule` (the rule for this step, its numbers, and the names of the state it
    takes).
    """

    options: ClassVar[tuple[str, ...]]
    """Options of parameter groups, in the order of state dicts."""
    checked: ClassVar[tuple[str, ...]] = ("lr",)
    """The options that must lie in a range, in the order in which they are looked at."""
    memory: ClassVar[tuple[str, ...]] = ()
    """The state that starts as zeros like the parameter."""
    writes: ClassVar[tuple[str, ...]] = ("add_",)
    """PyTorch's in-place operations on the parameter in one step; each counts as a version."""
    newer_options: ClassVar[dict[str, Any]] = {
        "amsgrad": False, "nesterov": False, "centered": False, "foreach": None, "maximize": False,
        "differentiable": False, "capturable": False, "decoupled_weight_decay": False,
        "fused": None,
    }  # fmt: skip
    """Options that state dicts of PyTorch's earlier versions do not have."""

    def __init__(self, params: Iterable[Any], given: dict[str, Any]) -> None:
        """With the arguments of the subclass's constructor, which are its `locals()`."""
        defaults = {name: given[name] for name in self.options}
        if defaults["differentiable"]:
            name = f"torch.optim.{type(self).__name__}(differentiable=True)"
            raise NotImplementedError(not_here(name))
        self.check(defaults)
        super().__init__(params, defaults)
        if defaults.get("fused") and defaults["foreach"]:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def check(self, options: dict[str, Any]) -> None:
        """Refuse options.

        Raises:
            ValueError: with PyTorch's text.
        """
        check_options(options, *self.checked)

    def step(self, closure: Closure | None = None) -> Any:
        """Change every parameter that has a gradient.

        Args:
            closure: computes the loss and its gradients again; called first.

        Returns:
            The closure's loss, or None.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            self.update(group)
        return loss

    def update(self, group: Group) -> None:
        """One step for the parameters of a group; those without gradient are left alone."""
        site, maximize, rate = call_site(), group.get("maximize", False), learning_rate(group)
        decay, apart = self._decays(group)
        decay, writes = float(decay), () if group.get("fused") else self.written(apart)
        members = [(each, each._grad) for each in group["params"] if each._grad is not None]
        states = [self.state.get(each) or self._init_state(each, group) for each, _ in members]
        for (parameter, grad), state in zip(members, states, strict=True):
            rule, numbers, names = self.rule(group, state, rate)
            arrays = [parameter._data, grad._data, *[state[name]._data for name in names]]
            if apart:
                parameter._data *= 1 - rate * apart
            apply_rule(rule, numbers, arrays, decay, maximize)
            for name in writes:
                bump(parameter, name, site)
        if members and runtime.observer is not None:
            runtime.observer.stepped(self, [parameter for parameter, _ in members])

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for option, value in self.newer_options.items():
                if option in self.defaults:
                    group.setdefault(option, value)
        for own in self.state.values():
            if isinstance(own.get("step"), int | float):  # of PyTorch's earlier versions
                own["step"] = state_number(float(own["step"]))

    def _decays(self, group: Group) -> tuple[Any, Any]:
        """The weight decay that goes through the gradient, and the one that does not."""
        decay = group["weight_decay"] if "weight_decay" in self.defaults else 0.0
        apart = group.get("decoupled_weight_decay", False)
        return (0.0, decay) if apart else (decay, 0.0)

    def _init_state(self, parameter: Tensor, group: Group) -> State:
        """The state of a parameter that has none; kept unless it is empty."""
        state: State = {}
        self.start(state, parameter, group)
        if state:
            self.state[parameter] = state
        return state

    def start(self, state: State, parameter: Tensor, group: Group) -> None:
        """Fill the state of a parameter before its first step: no steps yet, and zeros."""
        state["step"] = state_number(0.0)
        for name in self.memory:
            state[name] = zeros_like(parameter)

    def rule(self, group: Group, state: State, rate: float) -> Prepared:
        """The rule for this step of a parameter, its numbers, and the state it takes; ``rate`` is
        the learning rate."""
        raise NotImplementedError

    def written(self, apart: float) -> tuple[str, ...]:
        """The names of `writes`, after that of a weight decay that goes not through gradients."""
        return ("mul_", *self.writes) if apart else self.writes


def apply_rule(
    rule: Rule, numbers: Any, arrays: list[np.ndarray], decay: float, maximize: bool
) -> None:
    """Apply a rule to a parameter, its gradient and its state, a block of items at a time.

    Weight decay and maximizing change the gradient before the rule sees it.
    """
    size = arrays[0].size
    parts: Iterable[list[np.ndarray]] = (arrays,)
    if size > BLOCK and all(each.flags.c_contiguous for each in arrays):
        flat = [each.reshape(-1) for each in arrays]
        parts = ([each[i : i + BLOCK] for each in flat] for i in range(0, size, BLOCK))
    for parameter, grad, *state in parts:
        if maximize:
            grad = np.negative(grad)
        if decay:
            grad = np.add(grad, np.multiply(parameter, decay))
        rule(numbers, parameter, grad, *state, np.empty_like(parameter))


def as_number(option: Any) -> Any:
    """An option that is a number, or a tensor with one, as a number."""
    return option.item() if isinstance(option, Tensor) else option


def learning_rate(group: Group) -> float:
    """The learning rate as a number."""
    rate: float = as_number(group["lr"])
    return rate


def state_number(value: float) -> Tensor:
    """A number of the state as a 0-d tensor: float32, or float64 when that is the default."""
    kind = np.float64 if dtypes.default_numpy() == np.float64 else np.float32
    return Tensor._wrap(np.array(value, kind))


def next_step(state: dict[str, Any]) -> float:
    """Count one more step of a parameter and return its number."""
    data = state["step"]._data
    steps: float = data.item() + 1
    data.fill(steps)
    return steps


def check_rate(lr: Any) -> None:
    """ValueError for a learning rate that is a tensor of several numbers."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def check_options(options: dict[str, Any], *names: str) -> None:
    """PyTorch's checks: that betas lie in [0, 1), and that other options are not negative.

    Raises:
        ValueError: one is not so.
    """
    for name in names:
        value = options[name]
        if name == "betas":
            for place in (0, 1):
                if not 0.0 <= value[place] < 1.0:
                    raise ValueError(f"Invalid beta parameter at index {place}: {value[place]}")
            continue
        if name == "lr":
            check_rate(value)
        if not value >= 0.0:
            raise ValueError(f"Invalid {WORDS.get(name, f'{name} value')}: {value}")
