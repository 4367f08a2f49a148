"""What all optimizers share: parameter groups, their state, and clearing gradients."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Any

from ..core.gradients import clear_gradients
from ..core.modes import enable_grad, no_grad
from ..core.tensor import Tensor

Group = dict[str, Any]


class Optimizer:
    """The base class; subclasses define `update` for one group of parameters.

    `params` is an iterable of tensors, of (name, tensor) pairs, or of dicts (`{"params": [...],
    "lr": 0.1}`), whose other entries override `defaults` for that group.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or "
                f"dicts, but got {params.type()}"
            )
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: Group) -> None:
        """Optimize these parameters too, with options of their own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        members = param_group["params"]
        if isinstance(members, Tensor):
            members = [members]
        elif isinstance(members, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the "
                "ordering of tensors in sets will change between runs. Please use a list instead."
            )
        group: Group = {**param_group, "params": list(members)}
        if group["params"] and isinstance(group["params"][0], tuple):
            pairs = group["params"]
            group["params"] = [tensor for _, tensor in pairs]
            group["param_names"] = [name for name, _ in pairs]
        self._check_members(group["params"])
        for name, default in self.defaults.items():
            group.setdefault(name, default)
        self.param_groups.append(group)

    def _check_members(self, members: list[Any]) -> None:
        for member in members:
            if not isinstance(member, Tensor):
                raise TypeError(
                    "optimizer can only optimize Tensors, but one of the params is "
                    f"{type(member).__name__}"
                )
            if not (member.is_leaf or member.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        if len(set(members)) != len(members):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this "
                "will cause an error; see github.com/pytorch/pytorch/issues/40967 for more "
                "information",
                stacklevel=4,
            )
        if not set(self._parameters()).isdisjoint(members):
            raise ValueError("some parameters appear in more than one parameter group")

    def _parameters(self) -> Iterator[Any]:
        for group in self.param_groups:
            yield from group["params"]

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with zeros."""
        clear_gradients(self._parameters(), set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient; returns what `closure` returns, which is
        called first to compute the loss and its gradients again."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                self.update(group)
        return loss

    def update(self, group: Group) -> None:
        """One step for the parameters of one group; runs with grad mode off."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------ state

    def state_dict(self) -> dict[str, Any]:
        """Options and state, with parameters replaced by their numbers."""
        numbers = {parameter: n for n, parameter in enumerate(self._parameters())}
        groups = [
            {
                **{name: value for name, value in group.items() if name != "params"},
                "params": [numbers[parameter] for parameter in group["params"]],
            }
            for group in self.param_groups
        ]
        state = {numbers[parameter]: state for parameter, state in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over options and state that `state_dict()` gave."""
        state_dict = deepcopy(state_dict)
        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        for group, stored in zip(self.param_groups, saved, strict=True):
            if len(group["params"]) != len(stored["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size "
                    "of optimizer's group"
                )
        owners: dict[int, Tensor] = {}
        for group, stored in zip(self.param_groups, saved, strict=True):
            members = group["params"]
            owners.update(zip(stored["params"], members, strict=True))
            group.clear()
            group.update({**stored, "params": members})
        self.state.clear()
        for number, values in state_dict["state"].items():
            self.state[owners[number]] = values

    def __repr__(self) -> str:
        lines = []
        for number, group in enumerate(self.param_groups):
            lines += ["", f"Parameter Group {number}"]
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return f"{type(self).__name__} (" + "\n".join(lines) + "\n)"
