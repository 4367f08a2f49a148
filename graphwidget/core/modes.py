"""Grad modes: ``no_grad``, ``enable_grad``, ``set_grad_enabled``, ``inference_mode``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from . import hot
from .listeners import switch
from .tensor import Tensor
from .version import InferenceCounter
from .warning import warn

CLASS_DECORATED = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only "
    "decorate functions or methods. To preserve the current behavior of class decoration, you can "
    "directly decorate the `__init__` method and nothing else."
)


def is_grad_enabled() -> bool:
    """Whether this thread records operations."""
    return hot.mode.asked


def wanted_bool(function: str, value: Any) -> None:
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
        self.prev = hot.mode.asked
        hot.set_grad_enabled(self.on)
        if hot.observer is not None:
            hot.observer.scope(self.name, self.name, True)

    def __exit__(self, *exc: object) -> None:
        hot.set_grad_enabled(self.prev)
        if hot.observer is not None:
            hot.observer.scope(self.name, self.name, False)

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
    """Nothing is recorded inside. Context manager or decorator, with or without parentheses."""

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
        wanted_bool("set_grad_enabled", mode)
        self.mode = mode
        self.prev = hot.mode.asked
        hot.set_grad_enabled(mode)

    def __enter__(self) -> None:
        hot.set_grad_enabled(self.mode)

    def __exit__(self, *exc: object) -> None:
        hot.set_grad_enabled(self.prev)

    def clone(self) -> _Mode:
        return type(self)(self.mode)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        hot.set_grad_enabled(self.prev)  # as a decorator it changes nothing outside
        return super().__call__(function)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


class Inference:
    """What inference mode hears while it is on in some thread: new tensors get a counter that
    nodes refuse to save. Views share the counter of what they are views of."""

    def called(
        self, op: Any, inputs: Any, params: Any, outputs: Sequence[Tensor], node: Any
    ) -> None:
        if hot.mode.inference:
            for out in outputs:
                if out._counter.__class__ is InferenceCounter:
                    out._view = None  # nobody follows the views of inference tensors
                self.made(out)

    def made(self, tensor: Tensor) -> None:
        if hot.mode.inference and tensor._counter is None:
            tensor._counter = InferenceCounter()


INFERENCE = Inference()


class inference_mode(_Mode):
    """Nothing is recorded inside, and what is made inside can never take part in a graph.

    A context manager or decorator; ``inference_mode(False)`` ends the mode for a block. It
    concerns the thread that enters it.
    """

    name = "inference_mode"

    def __new__(cls, mode: Any = True) -> Any:
        return object.__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        self._outer = hot.mode.inference
        self.prev = hot.mode.asked
        hot.mode.inference = self.mode
        hot.set_grad_enabled(not self.mode)
        switch(INFERENCE, True)
        if hot.observer is not None:
            hot.observer.scope(self.name, self.name, True)

    def __exit__(self, *exc: object) -> None:
        if hot.observer is not None:
            hot.observer.scope(self.name, self.name, False)
        switch(INFERENCE, False)
        hot.mode.inference = self._outer
        hot.set_grad_enabled(self.prev)

    def clone(self) -> _Mode:
        return inference_mode(self.mode)


for _kind in (no_grad, enable_grad, set_grad_enabled, inference_mode):
    _kind.__module__ = "torch.autograd.grad_mode"  # what printing one shows


def is_inference_mode_enabled() -> bool:
    """Whether this thread is in inference mode."""
    return hot.mode.inference


def is_inference(input: Tensor) -> bool:
    """Whether a tensor was made in inference mode."""
    return input.is_inference()
