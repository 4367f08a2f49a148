"""Grad modes: ``no_grad``, ``enable_grad``, ``set_grad_enabled``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from . import hot


def is_grad_enabled() -> bool:
    """Whether this thread records operations."""
    return hot.grad_enabled()


class _Mode:
    """A grad mode as context manager and decorator; generators keep the mode per step."""

    on: bool
    name: str

    def __new__(cls, function: Callable[..., Any] | None = None, *args: Any) -> Any:
        if cls is not set_grad_enabled and callable(function):
            mode: _Mode = cls()
            return mode(function)
        return super().__new__(cls)

    def __enter__(self) -> None:
        self._before = hot.grad_enabled()
        hot.set_grad_enabled(self.on)
        if hot.observer is not None:
            hot.observer.scope(self.name, self.name, True)

    def __exit__(self, *exc: object) -> None:
        hot.set_grad_enabled(self._before)
        if hot.observer is not None:
            hot.observer.scope(self.name, self.name, False)

    def _again(self) -> _Mode:
        mode: _Mode = type(self)()
        return mode

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isgeneratorfunction(function):
            return self._generator(function)

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self._again():
                return function(*args, **kwargs)

        return wrapped

    def _generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            sent: Any = None
            while True:
                with self._again():
                    try:
                        item = generator.send(sent)
                    except StopIteration as stop:
                        return stop.value
                try:
                    sent = yield item
                except GeneratorExit:
                    generator.close()
                    raise

        return wrapped


class no_grad(_Mode):
    """Nothing is recorded inside. Context manager or decorator, with or without parentheses."""

    on = False
    name = "no_grad"


class enable_grad(_Mode):
    """Operations are recorded inside, also within ``no_grad``."""

    on = True
    name = "enable_grad"


class set_grad_enabled(_Mode):
    """Record or not, by a bool: as a plain call, a context manager or a decorator."""

    name = "set_grad_enabled"

    def __init__(self, mode: bool) -> None:
        self.on = mode
        self._before = hot.grad_enabled()
        hot.set_grad_enabled(mode)

    def __enter__(self) -> None:
        hot.set_grad_enabled(self.on)

    def __exit__(self, *exc: object) -> None:
        hot.set_grad_enabled(self._before)

    def _again(self) -> _Mode:
        return type(self)(self.on)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        hot.set_grad_enabled(self._before)  # as a decorator it changes nothing outside
        return super().__call__(function)
