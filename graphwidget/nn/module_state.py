"""`state_dict` and `load_state_dict`: a module's tensors by path, out and in."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..autograd.grad_mode import no_grad
from ..graph.tensor import Tensor
from .module_base import ModuleBase
from .parameter import Parameter

EXTRA = "_extra_state"
"""The key under which a module saves what `get_extra_state` returns."""


class _IncompatibleKeys(NamedTuple):
    """Keys that `load_state_dict` missed, and keys that it does not know."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


def empty_state() -> OrderedDict[str, Any]:
    """An empty state dict: PyTorch's is an OrderedDict with an attribute."""
    state: Any = OrderedDict()
    state._metadata = OrderedDict()
    return state  # type: ignore[no-any-return]


def own_tensors(module: ModuleBase) -> Iterator[tuple[str, Tensor]]:
    """The module's own parameters and persistent buffers, in PyTorch's order."""
    for register in (module._parameters, module._buffers):
        for name, tensor in register.items():
            if tensor is not None and name not in module._non_persistent_buffers_set:
                yield name, tensor


def save(module: ModuleBase, into: Any, prefix: str, keep_vars: bool) -> Any:
    """Put the tensors of a module and of all below it under their paths; returns the dict."""
    metadata = {"version": module._version}
    if hasattr(into, "_metadata"):
        into._metadata[prefix[:-1]] = metadata
    for hook in module._state_dict_pre_hooks.values():
        hook(module, prefix, keep_vars)
    module._save_to_state_dict(into, prefix, keep_vars)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=into, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    for hook in module._state_dict_hooks.values():
        replaced = hook(module, into, prefix, metadata)
        if replaced is None:
            continue
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError("state_dict post-hook must return None")
        into = replaced
    return into


def save_own(module: ModuleBase, into: Any, prefix: str, keep_vars: bool) -> None:
    """Put the module's own tensors into the dict, detached unless `keep_vars`."""
    for name, tensor in own_tensors(module):
        into[prefix + name] = tensor if keep_vars else tensor.detach()
    if overrides(module, "get_extra_state"):
        into[prefix + EXTRA] = module.get_extra_state()


def overrides(module: ModuleBase, method: str) -> bool:
    """Return whether the module's class defines a method of `Module` anew."""
    return getattr(type(module), method) is not getattr(ModuleBase, method)


class Loading:
    """One call of `load_state_dict`, which collects what is wrong before it complains."""

    def __init__(self, assign: bool, metadata: Any) -> None:
        self.assign = assign
        self.metadata = metadata
        self.missing: list[str] = []
        self.unexpected: list[str] = []
        self.problems: list[str] = []

    def load(self, module: ModuleBase, state: Any, prefix: str = "") -> None:
        """Load a module and all below it."""
        metadata = {} if self.metadata is None else self.metadata.get(prefix[:-1], {})
        if self.assign:
            metadata["assign_to_params_buffers"] = True
        module._load_from_state_dict(
            state, prefix, metadata, True, self.missing, self.unexpected, self.problems
        )
        for name, child in module._modules.items():
            if child is not None:
                path = f"{prefix}{name}."
                part = {key: value for key, value in state.items() if key.startswith(path)}
                self.load(child, part, path)
        for hook in module._load_state_dict_post_hooks.values():
            if hook(module, _IncompatibleKeys(self.missing, self.unexpected)) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not "
                    "expected to return new values, if incompatible_keys need to be modified, "
                    "it should be done inplace."
                )

    def result(self, module: ModuleBase, strict: bool) -> _IncompatibleKeys:
        """The keys that did not match; RuntimeError lists all that does not fit."""
        listed = []
        for kind, keys in (("Missing", self.missing), ("Unexpected", self.unexpected)):
            if strict and keys:
                named = ", ".join(f'"{key}"' for key in keys)
                listed.append(f"{kind} key(s) in state_dict: {named}. ")
        problems = listed + self.problems
        if problems:
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(module).__name__}:\n\t"
                + "\n\t".join(problems)
            )
        return _IncompatibleKeys(self.missing, self.unexpected)


def load(
    module: ModuleBase, given: Mapping[str, Any], strict: bool, assign: bool
) -> _IncompatibleKeys:
    """Copy or assign the tensors of a state dict.

    Raises:
        TypeError: it is no mapping.
        RuntimeError: lists everything that does not fit.
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(given)}.")
    metadata = getattr(given, "_metadata", None)
    state: Any = OrderedDict(given)
    if metadata is not None:
        state._metadata = metadata
    loading = Loading(assign, metadata)
    loading.load(module, state)
    return loading.result(module, strict)


def load_own(
    module: ModuleBase,
    state: Any,
    prefix: str,
    metadata: dict[str, Any],
    strict: bool,
    missing: list[str],
    unexpected: list[str],
    problems: list[str],
) -> None:
    """Load the module's own tensors, and note what is missing, unexpected or does not fit."""
    for hook in module._load_state_dict_pre_hooks.values():
        hook(state, prefix, metadata, strict, missing, unexpected, problems)
    known = dict(own_tensors(module))
    assign = metadata.get("assign_to_params_buffers", False)
    for name, target in known.items():
        key = prefix + name
        if key in state:
            if problem := _load_tensor(module, name, target, key, state[key], assign):
                problems.append(problem)
        elif strict:
            missing.append(key)
    extra = prefix + EXTRA
    if overrides(module, "set_extra_state"):
        if extra in state:
            module.set_extra_state(state[extra])
        elif strict:
            missing.append(extra)
    elif strict and extra in state:
        unexpected.append(extra)
    if strict:
        for key in state:
            if key.startswith(prefix) and key != extra:
                head, dot, _ = key.removeprefix(prefix).partition(".")
                if head not in (module._modules if dot else known):
                    unexpected.append(key)


def _load_tensor(
    module: ModuleBase, name: str, target: Tensor, key: str, value: Any, assign: bool
) -> str:
    """Put one value in its place; returns what is wrong with it, if anything."""
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
            f"object from checkpoint but received {type(value)}"
        )
    if target.ndim == 0 and tuple(value.shape) == (1,):  # as PyTorch before 0.4 saved them
        value = value.reshape(())
    if value.shape != target.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {value.shape} from "
            f"checkpoint, the shape in current model is {target.shape}."
        )
    try:
        with no_grad():
            if not assign:
                target.copy_(value)
            else:
                setattr(module, name, _as_kind_of(target, value))
    except Exception as error:
        return (
            f'While copying the parameter named "{key}", whose dimensions in the model are '
            f"{target.size()} and whose dimensions in the checkpoint are {value.size()}, "
            f"an exception occurred : {error.args}."
        )
    return ""


def _as_kind_of(target: Tensor, value: Tensor) -> Tensor:
    """The value as what it replaces: a parameter if that is one."""
    if not isinstance(target, Parameter):
        return value
    if isinstance(value, Parameter):
        return value.requires_grad_(target.requires_grad)
    return Parameter(value, requires_grad=target.requires_grad)
