"""`torch.cuda` as a build of PyTorch without CUDA has it: there is no device."""

from __future__ import annotations

from typing import Any, NoReturn

from graphwidget.absent import refuse_others
from graphwidget.graph.errors import OutOfMemoryError

from . import amp

__all__ = [
    "OutOfMemoryError",
    "amp",
    "current_device",
    "device_count",
    "empty_cache",
    "get_device_name",
    "get_device_properties",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "memory_allocated",
    "memory_reserved",
    "reset_peak_memory_stats",
    "seed_all",
    "set_device",
    "synchronize",
]


def _refuse() -> NoReturn:
    raise AssertionError("Torch not compiled with CUDA enabled")


def is_available() -> bool:
    """False."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def manual_seed(seed: int) -> None:
    """Nothing: there is no generator of a device to seed."""


def manual_seed_all(seed: int) -> None:
    """Nothing: there is no generator of a device to seed."""


def seed_all() -> None:
    """Nothing: there is no generator of a device to seed."""


def empty_cache() -> None:
    """Nothing: there is no cache."""


def reset_peak_memory_stats(device: Any = None) -> None:
    """Nothing: no memory of a device is counted."""


def memory_allocated(device: Any = None) -> int:
    """0 bytes."""
    return 0


def max_memory_allocated(device: Any = None) -> int:
    """0 bytes."""
    return 0


def memory_reserved(device: Any = None) -> int:
    """0 bytes."""
    return 0


def synchronize(device: Any = None) -> None:
    """Raises AssertionError, as everything that needs a device does."""
    _refuse()


def current_device() -> int:
    """Raises AssertionError."""
    _refuse()


def set_device(device: Any) -> None:
    """Raises AssertionError."""
    _refuse()


def get_device_name(device: Any = None) -> str:
    """Raises AssertionError."""
    _refuse()


def get_device_properties(device: Any = None) -> Any:
    """Raises AssertionError."""
    _refuse()


refuse_others(__name__)
