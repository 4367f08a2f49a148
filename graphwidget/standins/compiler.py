"""``torch.compiler``: what programs tell and ask PyTorch's compiler.

Here that is ``compile`` alone, which records functions as static graphs; what else is told to it
has no effect.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from graphwidget.absent import refuse_others
from graphwidget.static.traced.torch_compile import compile

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable",
    "is_compiling", "is_dynamo_compiling", "is_exporting", "list_backends", "reset", "set_stance",
    "substitute_in_graph",
]  # fmt: skip

Given = TypeVar("Given", bound=Callable[..., Any])


def is_compiling() -> bool:
    """False."""
    return False


def is_dynamo_compiling() -> bool:
    """False."""
    return False


def is_exporting() -> bool:
    """False."""
    return False


def reset() -> None:
    """Nothing: there is nothing to forget."""


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """None."""
    return []


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """The function itself; works as a decorator, with and without arguments."""
    return fn if fn is not None else lambda given: given


def allow_in_graph(fn: Given) -> Given:
    """The function itself."""
    return fn


def assume_constant_result(fn: Given) -> Given:
    """The function itself."""
    return fn


def substitute_in_graph(original_fn: Any, **options: Any) -> Callable[[Given], Given]:
    """A decorator that changes nothing."""
    return lambda fn: fn


def cudagraph_mark_step_begin() -> None:
    """Nothing."""


@contextlib.contextmanager
def set_stance(stance: str = "default", **options: Any) -> Iterator[None]:
    """A block, or a decorated function, that runs as any other does."""
    yield


refuse_others(__name__)
