"""The user's own PyTorch, if there is one in this process. It is never imported here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.machinery import PathFinder
from typing import Any

from ..arrays.warnings import PACKAGE
from ..recording.looking import is_a


def real_torch() -> Any:
    """The real PyTorch when the program has imported it; None when it has not, or when ``torch``
    is this package."""
    module = sys.modules.get("torch")
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or file.startswith(PACKAGE) or not hasattr(module, "_C"):
        return None
    loading = getattr(getattr(module, "__spec__", None), "_initializing", False)
    return None if loading or not hasattr(module, "optim") else module


def is_real(value: Any) -> bool:
    """Return whether it is a tensor of the real PyTorch."""
    torch = real_torch()
    return torch is not None and is_a(value, torch.Tensor)


class _Arrival:
    """Waits in the import system for PyTorch to be imported by the program."""

    def __init__(self) -> None:
        self.callbacks: list[Callable[[], None]] = []

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return where PyTorch is found, with the news that it is there."""
        if name != "torch" or path is not None:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            run(module)
            callbacks, self.callbacks = self.callbacks, []
            sys.meta_path[:] = [each for each in sys.meta_path if each is not self]
            for callback in callbacks:
                callback()

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


_arrival = _Arrival()


def when_imported(callback: Callable[[], None]) -> None:
    """Call back when the program has imported PyTorch."""
    if callback not in _arrival.callbacks:
        _arrival.callbacks.append(callback)
    if _arrival not in sys.meta_path:
        sys.meta_path.insert(0, _arrival)


def no_longer(callback: Callable[[], None]) -> None:
    """Call back no more."""
    if sys.meta_path is None:
        return  # the interpreter ends
    if callback in _arrival.callbacks:
        _arrival.callbacks.remove(callback)
    if not _arrival.callbacks and _arrival in sys.meta_path:
        sys.meta_path.remove(_arrival)
