"""`torch.autograd.profiler`: programs may use it; nothing is measured."""

from __future__ import annotations

import contextlib
from typing import Any

__all__ = ["profile", "record_function"]

NOT_HERE = "graphwidget does not profile; Python's own cProfile does (python -m cProfile)"


class record_function(contextlib.ContextDecorator):
    """A block, or a decorated function, with a name that nobody asks for."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args

    def __enter__(self) -> record_function:
        return self

    def __exit__(self, *exc: object) -> None:
        pass


class profile:
    """Not here.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        raise NotImplementedError(NOT_HERE)
