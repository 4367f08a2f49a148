"""`state_dict` and `load_state_dict`: a module's tensors by path, out and in."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.modes import no_grad
from ..core.tensor import Tensor
from .parameter import Parameter

if TYPE_CHECKING:
    from .module import Module


class Incompatible(NamedTuple):
    """What `load_state_dict` did not find, and found but does not know."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


def tensors_of(module: Module, prefix: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    """(path, register, name) of everything a state dict holds, in PyTorch's order."""
    for register in (module._parameters, module._buffers):
        for name, tensor in register.items():
            if tensor is not None and name not in module._transient_buffers:
                yield prefix + name, register, name
    for name, child in module._modules.items():
        if child is not None:
            yield from tensors_of(child, f"{prefix}{name}.")


def save(module: Module, prefix: str = "") -> OrderedDict[str, Tensor]:
    """The state dict: detached tensors that share the module's memory."""
    return OrderedDict(
        (path, register[name].detach()) for path, register, name in tensors_of(module, prefix)
    )


def load(module: Module, state: Mapping[str, Any], strict: bool, assign: bool) -> Incompatible:
    """Copy or assign the tensors of `state`; RuntimeError lists all that does not fit."""
    if not isinstance(state, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state)}.")
    missing: list[str] = []
    misfits: list[str] = []
    known: set[str] = set()
    for path, register, name in tensors_of(module, ""):
        known.add(path)
        if path not in state:
            missing.append(path)
        elif problem := _put(path, register, name, state[path], assign):
            misfits.append(problem)
    unexpected = [path for path in state if path not in known]
    problems = misfits
    if strict:
        listed = [
            f"{kind} key(s) in state_dict: " + ", ".join(f'"{path}"' for path in paths) + ". "
            for kind, paths in (("Missing", missing), ("Unexpected", unexpected))
            if paths
        ]
        problems = listed + misfits
    if problems:
        raise RuntimeError(
            f"Error(s) in loading state_dict for {module._get_name()}:\n\t" + "\n\t".join(problems)
        )
    return Incompatible(missing, unexpected)


def _put(path: str, register: dict[str, Any], name: str, value: Any, assign: bool) -> str:
    """Put one value in its place; returns what is wrong with it, if anything."""
    target = register[name]
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{path}", expected torch.Tensor or Tensor-like '
            f"object from checkpoint but received {type(value)}"
        )
    if value.shape != target.shape:
        return (
            f"size mismatch for {path}: copying a param with shape {value.shape} from "
            f"checkpoint, the shape in current model is {target.shape}."
        )
    if not assign:
        with no_grad():
            target.copy_(value)
    elif isinstance(target, Parameter) and not isinstance(value, Parameter):
        register[name] = Parameter(value, requires_grad=target.requires_grad)
    else:
        register[name] = value
    return ""
