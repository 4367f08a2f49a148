"""Grad modes: ``no_grad``, ``enable_grad``, ``set_grad_enabled``, ``inference_mode``.

What is here is ``torch.autograd.grad_mode``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ..absent import refuse_others
from ..arrays.warnings import warn
from ..graph import runtime
from ..graph.listeners import switch_listener
from ..graph.tensor import Tensor
from ..graph.version import InferenceCounter

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled"]

CLASS_DECORATED = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only "
    "decorate functions or methods. To preserve the current behavior of class decoration, you can "
    "directly decorate the `__init__` method and nothing else."
)


def is_grad_enabled() -> bool:
    """Return whether this thread records operations."""
    return runtime.mode.requested


def check_bool(function: str, value: Any) -> None:
    """Refuse to switch something to what is no bool.

    Raises:
        TypeError: with PyTorch's text.
    """
    if not isinstance(value, bool):
        raise TypeError(
            f"{function}(): argument 'enabled' (position 1) must be bool, not "
            f"{type(value).__name__}"
        )


class _Mode:
    """A grad mode as context manager and decorator; generators keep the mode per step."""

    on: bool
    prev: bool
    name: str

    def __enter__(self) -> None:
        self.prev = runtime.mode.requested
        runtime.set_grad_enabled(self.on)
        if runtime.observer is not None:
            runtime.observer.scope(self.name, None, True)

    def __exit__(self, *exc: object) -> None:
        runtime.set_grad_enabled(self.prev)
        if runtime.observer is not None:
            runtime.observer.scope(self.name, None, False)

    def clone(self) -> _Mode:
        """Another one of this mode."""
        mode: _Mode = type(self)()
        return mode

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(function):
            warn(CLASS_DECORATED, FutureWarning)
            kind = function
            return self(lambda *args, **kwargs: kind(*args, **kwargs))
        if inspect.isgeneratorfunction(function):
            return self._generator(function)

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return wrapped

    def _generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            go_on = functools.partial(generator.send, None)
            while True:
                with self.clone():
                    try:
                        item = go_on()
                    except StopIteration as stop:
                        return stop.value
                try:
                    go_on = functools.partial(generator.send, (yield item))
                except GeneratorExit:
                    with self.clone():
                        generator.close()
                    raise
                except BaseException as error:
                    go_on = functools.partial(generator.throw, error)

        return wrapped


class _NoParamDecoratorContextManager(_Mode):
    """A mode without arguments, which needs no parentheses as a decorator."""

    def __new__(cls, orig_func: Any = None) -> Any:
        return super().__new__(cls) if orig_func is None else cls()(orig_func)


class no_grad(_NoParamDecoratorContextManager):
    """Switch recording off inside. Context manager or decorator, with or without parentheses."""

    on = prev = False
    name = "no_grad"


class enable_grad(_NoParamDecoratorContextManager):
    """Operations are recorded inside, also within ``no_grad``."""

    on = True
    name = "enable_grad"


class set_grad_enabled(_Mode):
    """Record or not, by a bool: as a plain call, a context manager or a decorator."""

    name = "set_grad_enabled"

    def __init__(self, mode: bool) -> None:
        check_bool("set_grad_enabled", mode)
        self.mode = mode
        self.prev = runtime.mode.requested
        runtime.set_grad_enabled(mode)

    def __enter__(self) -> None:
        runtime.set_grad_enabled(self.mode)

    def __exit__(self, *exc: object) -> None:
        runtime.set_grad_enabled(self.prev)

    def clone(self) -> _Mode:
        return type(self)(self.mode)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        runtime.set_grad_enabled(self.prev)  # as a decorator it changes nothing outside
        return super().__call__(function)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


class Inference:
    """Observer of inference mode while it is on in some thread: new tensors get a counter that
    nodes refuse to save. Views share the counter of their base."""

    def called(
        self, op: Any, inputs: Any, params: Any, outputs: Sequence[Tensor], node: Any
    ) -> None:
        if runtime.mode.inference:
            for out in outputs:
                if out._counter.__class__ is InferenceCounter:
                    out._view = None  # views of inference tensors are not tracked
                self.made(out)

    def made(self, tensor: Tensor) -> None:
        if runtime.mode.inference and tensor._counter is None:
            tensor._counter = InferenceCounter()


INFERENCE = Inference()


class inference_mode(_Mode):
    """Switch recording off; tensors made inside can never take part in a graph.

    A context manager or decorator; ``inference_mode(False)`` ends the mode for a block. It
    concerns the thread that enters it.
    """

    name = "inference_mode"

    def __new__(cls, mode: Any = True) -> Any:
        return object.__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        self._outer = runtime.mode.inference
        self.prev = runtime.mode.requested
        runtime.mode.inference = self.mode
        runtime.set_grad_enabled(not self.mode)
        switch_listener(INFERENCE, True)
        if runtime.observer is not None:
            runtime.observer.scope(self.name, None, True)

    def __exit__(self, *exc: object) -> None:
        if runtime.observer is not None:
            runtime.observer.scope(self.name, None, False)
        switch_listener(INFERENCE, False)
        runtime.mode.inference = self._outer
        runtime.set_grad_enabled(self.prev)

    def clone(self) -> _Mode:
        return inference_mode(self.mode)


def is_inference_mode_enabled() -> bool:
    """Return whether this thread is in inference mode."""
    return runtime.mode.inference


def is_inference(input: Tensor) -> bool:
    """Return whether a tensor was made in inference mode."""
    return input.is_inference()


for _kind in (no_grad, enable_grad, set_grad_enabled, inference_mode):
    _kind.__module__ = "torch.autograd.grad_mode"  # what printing one shows
refuse_others(__name__)
