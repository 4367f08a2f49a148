"""``torch.jit``, which is not here: what programs ask TorchScript.

``trace`` records a static graph; apart from that functions and modules stay what they are, and
compute the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from graphwidget.absent import refuse_others
from graphwidget.arrays.warnings import warn
from graphwidget.nn.module import Module
from graphwidget.static.traced.torch_compile import trace

__all__ = [
    "Final", "ScriptFunction", "ScriptModule", "annotate", "export", "freeze", "ignore",
    "is_scripting", "is_tracing", "load", "optimize_for_inference", "save", "script",
    "script_if_tracing", "trace", "trace_module", "unused",
]  # fmt: skip

Given = TypeVar("Given")
NO_FILES = (
    "graphwidget has no TorchScript, so there are no programs to save or load: save "
    "model.state_dict() with torch.save"
)


class ScriptModule(Module):
    """The type of compiled modules, which no module here is."""


class ScriptFunction:
    """The type of compiled functions, which no function here is."""


def is_scripting() -> bool:
    """False."""
    return False


def is_tracing() -> bool:
    """False."""
    return False


def _unchanged(name: str, given: Any) -> Any:
    warn(f"graphwidget does not compile: torch.jit.{name} gives back what it is given")
    return given


def script(obj: Given, *args: Any, **options: Any) -> Given:
    """The function, class or module itself.

    Warns:
        UserWarning: to say so.
    """
    return _unchanged("script", obj)  # type: ignore[no-any-return]


def trace_module(mod: Given, *args: Any, **options: Any) -> Given:
    """The module itself.

    Warns:
        UserWarning: to say so.
    """
    return _unchanged("trace_module", mod)  # type: ignore[no-any-return]


def script_if_tracing(fn: Given) -> Given:
    """The function itself: nobody traces."""
    return fn


def freeze(mod: Given, *args: Any, **options: Any) -> Given:
    """The module itself.

    Warns:
        UserWarning: to say so.
    """
    return _unchanged("freeze", mod)  # type: ignore[no-any-return]


def optimize_for_inference(mod: Given, *args: Any, **options: Any) -> Given:
    """The module itself.

    Warns:
        UserWarning: to say so.
    """
    return _unchanged("optimize_for_inference", mod)  # type: ignore[no-any-return]


def ignore(drop: Any = False, **options: Any) -> Any:
    """The function itself; works as a decorator, with and without arguments."""
    return drop if callable(drop) else lambda fn: fn


def unused(fn: Given) -> Given:
    """The function itself."""
    return fn


def export(fn: Given) -> Given:
    """The function itself."""
    return fn


def annotate(the_type: Any, the_value: Given) -> Given:
    """The value itself."""
    return the_value


def save(m: Any, f: Any, *args: Any, **options: Any) -> None:
    """Refused.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(NO_FILES)


def load(f: Any, *args: Any, **options: Any) -> Callable[..., Any]:
    """Refused.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(NO_FILES)


refuse_others(__name__)
