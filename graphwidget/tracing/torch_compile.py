"""``torch.compile`` and ``torch.jit.trace``: functions and modules that run as static graphs."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

from ..nn.module import Module
from .function import StaticFunction


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = "inductor",
    mode: str | None = None,
    options: Any = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    name: str | None = None,
    isolate_recompiles: Any = None,
    shapes_spec: Any = None,
) -> Any:
    """The function or module, recorded as a graph when it is first called and run as one from then
    on; what cannot be recorded runs as it is. Works as a decorator too.

    Args:
        fullgraph: refuse what cannot be recorded.
        disable: give back what is given.
    """
    if model is None:
        return functools.partial(compile, fullgraph=fullgraph, disable=disable)
    if disable:
        return model
    if isinstance(model, Module):
        return OptimizedModule(model, fullgraph)
    return functools.wraps(model)(StaticFunction(model, strict=fullgraph))


class OptimizedModule(Module):
    """A module that runs as a graph; its parameters and attributes are the original's."""

    def __init__(self, mod: Module, strict: bool = False) -> None:
        super().__init__()
        self._orig_mod = mod
        self.__dict__["_static"] = StaticFunction(mod, strict)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the module as a graph."""
        return self.__dict__["_static"](*args, **kwargs)

    def train(self, mode: bool = True) -> OptimizedModule:
        """Set the mode of the original module."""
        super().train(mode)
        return self

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._modules["_orig_mod"], name)


def trace(func: Any, example_inputs: Any = (), *args: Any, **options: Any) -> Any:
    """The function or module as a graph, recorded with these arguments.

    Unlike PyTorch's it takes the other way where Python's ``if`` would.

    Raises:
        NotStatic: it cannot be recorded; the message names the line and the reason.
    """
    given = example_inputs if isinstance(example_inputs, tuple) else (example_inputs,)
    static = StaticFunction(func)
    static(*given)
    if not isinstance(func, Module):
        return functools.wraps(func)(static)
    made = copy.copy(func)  # the same parameters, buffers and children
    made.__dict__["forward"] = static
    return made
