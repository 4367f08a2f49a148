"""The base class of layers that are one function of ``nn.functional`` with its options kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..graph.tensor import Tensor
from . import functional
from .module_base import OwnMethods


def repr_options(*options: str, flag: str = "") -> Callable[[Any], str]:
    """An `extra_repr` that tells attributes, as "p=0.5, dim=1", and a flag only where it is set."""

    def extra_repr(self: Any) -> str:
        """The options."""
        told = [f"{name}={getattr(self, name)}" for name in options]
        if flag and getattr(self, flag):
            told.append(f"{flag}=True")
        return ", ".join(told)

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
