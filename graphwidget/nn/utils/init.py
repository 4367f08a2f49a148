"""``skip_init``: modules without starting values."""

from __future__ import annotations

import inspect
from typing import Any

from ...functions.random.generator import default as generator
from ..module import Module


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """A module of a class, with any values in its parameters: no random numbers are used up.

    Raises:
        RuntimeError: it is no class of modules, or takes no device.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    state = generator.get_state()
    try:
        return module_cls(*args, **kwargs)
    finally:
        generator.set_state(state)
