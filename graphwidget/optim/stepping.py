"""Optimizers that treat every parameter for itself: a rule on arrays, run in blocks.

A rule is a function of numbers and of arrays: the parameter, its gradient, the optimizer's state
of it, and two arrays for what lies in between. It writes with `out=` and makes no arrays. Large
parameters are cut into blocks that stay in the processor's cache from one operation to the next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..core import dtypes, hot
from ..core.call_sites import call_site
from ..core.factories import zeros_like
from ..core.modes import enable_grad, set_grad_enabled
from ..core.tensor import Tensor
from ..core.version import bump
from ..optable import TABLE
from .optimizer import Closure, Group, Optimizer
from .recorded import is_derived

Rule = Callable[..., None]
Recorded = Callable[[Tensor, Tensor, dict[str, Any], Group], None]
_NUMBERS = "step", "eta", "mu", "mu_product"
"""State that was a number in PyTorch's earlier versions."""
_DEVICES = "cuda", "xpu", "hpu", "privateuseone", "xla"


class Stepper(Optimizer):
    """The base class of these optimizers.

    Subclasses give `start` (the state of a parameter before its first step), `rule` (the rule
    for this step, its numbers, and the names of the state it takes) and `recorded` (the same in
    recorded operations, for `differentiable=True`).
    """

    recorded: ClassVar[Recorded]

    writes: ClassVar[tuple[str, ...]] = ("add_",)
    """PyTorch's in-place operations on the parameter in one step; each counts as a version."""
    captured: ClassVar[str] = "params and state_steps"
    on_xla: ClassVar[tuple[bool, bool]] = (True, False)
    """What has to lie on a device that captures; whether XLA's are such, `foreach` or not."""
    later: ClassVar[dict[str, Any]] = {
        "amsgrad": False, "nesterov": False, "centered": False, "foreach": None, "maximize": False,
        "differentiable": False, "capturable": False, "decoupled_weight_decay": False,
        "fused": None,
    }  # fmt: skip
    """Options that state dicts of PyTorch's earlier versions do not have."""
    block: ClassVar[int] = 1 << 16
    """Items of a block: the more operations a rule has, the more a block costs beside them."""

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
        with set_grad_enabled(self.defaults.get("differentiable", False)):
            for group in self.param_groups:
                (self.derive if group.get("differentiable") else self.update)(group)
        return loss

    def update(self, group: Group) -> None:
        """One step for the parameters of a group; those without gradient are left alone."""
        site, (decay, apart), maximize = call_site(), self._decays(group), group["maximize"]
        decay, fused = float(decay), group.get("fused")
        for parameter in group["params"]:
            grad = parameter._grad
            if grad is None:
                continue
            state = self.state.get(parameter)
            if not state:
                state = {}
                self.start(state, parameter, group)
                if state:
                    self.state[parameter] = state
            self._refuse_capturing(group)
            before = parameter._data.copy() if hot.observer is not None else None
            rule, numbers, names = self.rule(group, state)
            arrays = [parameter._data, grad._data, *(state[name]._data for name in names)]
            if apart:
                parameter._data *= 1 - rate_of(group) * apart
            run(rule, numbers, arrays, decay, maximize, self.block)
            for name in () if fused else ("mul_", *self.writes) if apart else self.writes:
                bump(parameter, name, site)
            if before is not None:
                self._tell(parameter, before, group)

    def derive(self, group: Group) -> None:
        """One step in recorded operations for the parameters of a group.

        Raises:
            RuntimeError: a parameter is a leaf that requires grad.
        """
        members = [(each, each.grad) for each in group["params"] if each.grad is not None]
        for parameter, _ in members:
            state = self.state.get(parameter) or {}
            if not state:
                self.start(state, parameter, group)
            if state:
                self.state[parameter] = state
        decay, apart = self._decays(group)
        for parameter, grad in members:
            self._refuse_capturing(group)
            state = self.state.get(parameter, {})
            if "step" in state:
                state["step"] += 1
            grad = -grad if group["maximize"] else grad
            if apart:
                parameter.mul_(1 - group["lr"] * apart)
            elif is_derived(decay):
                grad = grad.addcmul_(parameter.clone(), decay)
            elif decay != 0:
                grad = grad.add(parameter, alpha=decay)
            type(self).recorded(parameter, grad, state, group)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for option, value in self.later.items():
                if option in self.defaults:
                    group.setdefault(option, value)
        for own in self.state.values():
            for name in _NUMBERS:
                if isinstance(own.get(name), int | float):
                    own[name] = number(float(own[name]))

    def _decays(self, group: Group) -> tuple[Any, Any]:
        """The weight decay that goes through the gradient, and the one that does not."""
        decay = group["weight_decay"] if "weight_decay" in self.defaults else 0.0
        return (0.0, decay) if group.get("decoupled_weight_decay") else (decay, 0.0)

    def _refuse_capturing(self, group: Group) -> None:
        if group.get("capturable") and not group.get("fused"):
            known = _DEVICES if self.on_xla[bool(group["foreach"])] else _DEVICES[:-1]
            raise AssertionError(
                f"If capturable=True, {self.captured} must be on supported devices: {[*known]}."
            )

    def start(self, state: dict[str, Any], parameter: Tensor, group: Group) -> None:
        """Fill the state of a parameter before its first step."""

    def rule(self, group: Group, state: dict[str, Any]) -> tuple[Rule, Any, tuple[str, ...]]:
        """The rule for this step of a parameter, its numbers, and the state it takes."""
        raise NotImplementedError

    def _tell(self, parameter: Tensor, before: np.ndarray, group: Group) -> None:
        """Let the observer know of the write: as the addition that it comes to."""
        observer = hot.observer
        if observer is not None:
            op, change, params = self.told(parameter, before, group)
            view = parameter._view
            base = None if view is None else view.base
            observer.wrote(TABLE[op], parameter, (parameter, change), params, base, None)

    def told(
        self, parameter: Tensor, before: np.ndarray, group: Group
    ) -> tuple[str, Tensor, dict[str, Any]]:
        """The op that an observer is told was written, its operand and its parameters."""
        return "add", Tensor._wrap(parameter._data - before), {}


def run(
    rule: Rule, numbers: Any, arrays: list[np.ndarray], decay: float, maximize: bool, block: int
) -> None:
    """Apply a rule to a parameter, its gradient and its state, so many items at a time.

    Weight decay and maximizing change the gradient before the rule sees it.
    """
    size = arrays[0].size
    if size <= block or not all(each.flags.c_contiguous for each in arrays):
        _block(rule, numbers, arrays, decay, maximize)
        return
    flat = [each.reshape(-1) for each in arrays]
    for start in range(0, size, block):
        blocks = [each[start : start + block] for each in flat]
        _block(rule, numbers, blocks, decay, maximize)


def _block(
    rule: Rule, numbers: Any, arrays: list[np.ndarray], decay: float, maximize: bool
) -> None:
    parameter, grad, *state = arrays
    if maximize:
        grad = np.negative(grad)
    if decay:
        grad = np.add(grad, np.multiply(parameter, decay))
    rule(numbers, parameter, grad, *state, np.empty_like(parameter), np.empty_like(parameter))


def plain(option: Any) -> Any:
    """An option that is a number, or a tensor with one, as a number."""
    return option.item() if isinstance(option, Tensor) else option


def rate_of(group: Group) -> float:
    """The learning rate as a number."""
    rate: float = plain(group["lr"])
    return rate


def number(value: float) -> Tensor:
    """A number of the state as a 0-d tensor: float32, or float64 when that is the default."""
    kind = np.float64 if dtypes.default_numpy() == np.float64 else np.float32
    return Tensor._wrap(np.array(value, kind))


def count(state: dict[str, Any]) -> float:
    """Count one more step of a parameter and return its number."""
    data = state["step"]._data
    data += 1
    return float(data)


def zeros(parameter: Tensor) -> Tensor:
    """Zeros like a parameter, for its state."""
    return zeros_like(parameter)


def check_options(defaults: dict[str, Any], **least: str) -> None:
    """PyTorch's checks: options that must not be negative, by the words of its messages.

    Raises:
        ValueError: one is.
    """
    lr = defaults.get("lr")
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    for name, words in least.items():
        if not defaults[name] >= 0.0:
            raise ValueError(f"Invalid {words}: {defaults[name]}")


def check_betas(betas: tuple[Any, Any]) -> None:
    """ValueError unless both lie in [0, 1)."""
    for place in (0, 1):
        beta = betas[place]
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {place}: {beta}")


def check_fused(fused: bool | None, foreach: bool | None, differentiable: bool) -> None:
    """RuntimeError for choices of PyTorch's implementation that exclude each other."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
