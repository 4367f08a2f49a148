"""``Optimizer``, the base class: parameter groups, state, hooks, ``zero_grad``."""

from __future__ import annotations

import functools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Any

from ..absent import AbsentMethod
from ..arrays.warnings import warn
from ..autograd.accumulate_grad import clear_gradients
from ..graph import runtime
from ..graph.base import RemovableHandle
from ..graph.tensor import Tensor

Group = dict[str, Any]
State = dict[str, Any]
Closure = Callable[[], Any]
_HOOKS = ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks")


_PRE_HOOKS: OrderedDict[int, Callable[..., Any]] = OrderedDict()
_POST_HOOKS: OrderedDict[int, Callable[..., Any]] = OrderedDict()
"""Hooks of every optimizer, each called before an optimizer's own."""


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before each step of every optimizer."""
    return RemovableHandle(_PRE_HOOKS, hook)


def register_optimizer_step_post_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after each step of every optimizer."""
    return RemovableHandle(_POST_HOOKS, hook)


class _Required:
    """The default of an option that every group must give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


class Optimizer:
    """The base class; subclasses define `step`.

    `params` is an iterable of tensors, of (name, tensor) pairs, or of dicts (`{"params": [...],
    "lr": 0.1}`), whose other entries override `defaults` for that group.

    Raises:
        TypeError: a tensor instead of an iterable of tensors, or something else among them.
        ValueError: no parameters, a non-leaf, or a parameter in two groups.
    """

    state: defaultdict[Any, dict[str, Any]]
    param_groups: list[Group]
    _optimizer_step_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_step_post_hooks: OrderedDict[int, Callable[..., Any]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__:
            cls.step = _with_hooks(cls.step)  # type: ignore[method-assign]

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_hooks()
        self.state = defaultdict(dict)
        self.param_groups = []
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

    def _make_hooks(self) -> None:
        for hooks in _HOOKS:
            self.__dict__.setdefault(hooks, OrderedDict())

    # ------------------------------------------------------------------------------ groups

    def add_param_group(self, param_group: Group) -> None:
        """Optimize these parameters too, with options of their own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        members = param_group["params"]
        if isinstance(members, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the "
                "ordering of tensors in sets will change between runs. Please use a list instead."
            )
        _take_names(param_group, [members] if isinstance(members, Tensor) else list(members))
        self._check_members(param_group["params"])
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    "parameter group didn't specify a value of required optimization parameter "
                    f"{name}"
                )
            param_group.setdefault(name, default)
        self._check_against_others(param_group)
        self.param_groups.append(param_group)

    def _check_members(self, members: list[Any]) -> None:
        for member in members:
            if not isinstance(member, Tensor):
                raise TypeError(
                    "optimizer can only optimize Tensors, but one of the params is "
                    f"{type(member).__name__}"
                )
            if not (member.is_leaf or member.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")

    def _check_against_others(self, group: Group) -> None:
        members = group["params"]
        if len(set(members)) != len(members):
            warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this "
                "will cause an error; see github.com/pytorch/pytorch/issues/40967 for more "
                "information",
            )
        named = "param_names" in group
        if any(("param_names" in other) != named for other in self.param_groups):
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{'with' if named else 'without'} names to the optimizer"
            )
        if not set(self._parameters()).isdisjoint(members):
            raise ValueError("some parameters appear in more than one parameter group")

    def _parameters(self) -> Iterator[Any]:
        for group in self.param_groups:
            yield from group["params"]

    # ------------------------------------------------------------------------------- steps

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with zeros."""
        clear_gradients(self._parameters(), set_to_none)

    def step(self, closure: Closure | None = None) -> Any:
        """Change every parameter that has a gradient; returns what `closure` returns, which is
        called first to compute the loss and its gradients again."""
        raise NotImplementedError

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return both changed."""
        return RemovableHandle(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return RemovableHandle(self._optimizer_step_post_hooks, hook)

    # ------------------------------------------------------------------------------ state

    def state_dict(self) -> dict[str, Any]:
        """Options and state, with parameters replaced by their numbers."""
        numbers: dict[Any, int] = {}
        for place, parameter in enumerate(self._parameters()):
            numbers.setdefault(parameter, place)
        groups = [
            {
                **{name: value for name, value in group.items() if name != "params"},
                "params": [numbers[parameter] for parameter in group["params"]],
            }
            for group in self.param_groups
        ]
        state = {numbers.get(key, key): value for key, value in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over options and state that `state_dict()` gave.

        Raises:
            ValueError: another number of groups, or of parameters in one.
        """
        saved = deepcopy(state_dict["param_groups"])
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        pairs = list(zip(self.param_groups, saved, strict=True))
        if any(len(group["params"]) != len(stored["params"]) for group, stored in pairs):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of "
                "optimizer's group"
            )
        owners: dict[Any, Tensor] = {}
        for group, stored in pairs:
            owners.update(zip(stored["params"], group["params"], strict=True))
            stored["params"] = group["params"]
            if "param_names" in group:
                stored.setdefault("param_names", group["param_names"])
        state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            owner = owners.get(key)
            state[key if owner is None else owner] = (
                value if owner is None else _cast_state(owner, value, "")
            )
        self.__setstate__({"state": state, "param_groups": saved})

    def __getstate__(self) -> dict[str, Any]:
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_hooks()

    def __repr__(self) -> str:
        lines = []
        for number, group in enumerate(self.param_groups):
            lines += ["", f"Parameter Group {number}"]
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return f"{type(self).__name__} (" + "\n".join(lines) + "\n)"


for _name in ("state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post"):
    _hook = f"register_{_name}_hook"
    setattr(Optimizer, _hook, AbsentMethod(_hook, "torch.optim.Optimizer"))


def _take_names(group: Group, members: list[Any]) -> None:
    """Put a group's tensors into it, and apart from them the names that came with them."""
    names = [member[0] for member in members if isinstance(member, tuple)]
    group["params"] = [member[1] if isinstance(member, tuple) else member for member in members]
    if not names:
        return
    if len(names) != len(members):
        raise ValueError(
            "all optimizer params should be with/without names. Some param names are missing"
        )
    group["param_names"] = names


def _cast_state(parameter: Tensor, value: Any, name: Any) -> Any:
    """A loaded value with its tensors in the parameter's dtype, but for the count of steps."""
    if isinstance(value, Tensor):
        if name == "step" or not parameter.is_floating_point():
            return value
        return value.to(parameter.dtype)
    if isinstance(value, dict):
        return {key: _cast_state(parameter, item, key) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        kind: Any = type(value)
        return kind(_cast_state(parameter, item, None) for item in value)
    return value


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """A `step` method that calls the hooks around it and notifies an observer."""

    @functools.wraps(step)
    def observed(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        observer = runtime.observer
        if observer is None:
            return hooked(self, args, kwargs)
        observer.scope("step", self, True)
        try:
            return hooked(self, args, kwargs)
        finally:
            observer.scope("step", self, False)

    def hooked(self: Optimizer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given: tuple[Any, ...] = (self, *args)
        for hook in (*_PRE_HOOKS.values(), *self._optimizer_step_pre_hooks.values()):
            changed = hook(self, given, kwargs)
            if changed is None:
                continue
            if not (isinstance(changed, tuple) and len(changed) == 2):
                raise RuntimeError(
                    f"{step} must return None or a tuple of (new_args, new_kwargs), but got "
                    f"{changed}."
                )
            given, kwargs = changed
        result = step(*given, **kwargs)
        for hook in (*self._optimizer_step_post_hooks.values(), *_POST_HOOKS.values()):
            hook(self, given, kwargs)
        return result

    return observed
