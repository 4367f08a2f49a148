"""``torch.nn.modules.utils``: helpers for layers that users write."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from ..graph.tensor import Tensor
from . import functional
from .module_base import OwnMethods


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """A function that makes a tuple of an iterable, or of anything else n times."""

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    parse.__name__ = name
    return parse


_single, _pair = _ntuple(1, "_single"), _ntuple(2, "_pair")
_triple, _quadruple = _ntuple(3, "_triple"), _ntuple(4, "_quadruple")


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take a prefix off the keys of a state dict, in place, and off those of its metadata."""
    for key in [key for key in state_dict if key.startswith(prefix)]:
        state_dict[key.removeprefix(prefix)] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", {})
    for key in [key for key in metadata if f"{key}.".startswith(prefix)]:
        metadata[key[len(prefix) :]] = metadata.pop(key)


def repr_options(*options: str, flag: str = "") -> Callable[[Any], str]:
    """An `extra_repr` that lists attributes, as "p=0.5, dim=1", and a flag only where it is set."""

    def extra_repr(self: Any) -> str:
        """The options."""
        parts = [f"{name}={getattr(self, name)}" for name in options]
        if flag and getattr(self, flag):
            parts.append(f"{flag}=True")
        return ", ".join(parts)

    return extra_repr


def repr_changed(module: Any, **usual: Any) -> str:
    """The attributes that differ from what they usually are, each as ", dim=1"."""
    values = {name: getattr(module, name) for name in usual}
    return "".join(f", {name}={each}" for name, each in values.items() if each != usual[name])


class _FunctionalLayer(OwnMethods):
    """A base of layers that call a function of `nn.functional` with attributes of their own."""

    _function: ClassVar[str]
    _options: ClassVar[tuple[str, ...]] = ()
    """The attributes that the function takes, by the names of its parameters."""

    def _call_function(self, *inputs: Any) -> Tensor:
        """Call the function on these inputs."""
        options = {}
        for name in self._options:  # faster than a comprehension
            options[name] = getattr(self, name)
        found: Tensor = getattr(functional, self._function)(*inputs, **options)
        return found
