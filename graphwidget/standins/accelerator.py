"""`torch.accelerator` where there is none."""

from __future__ import annotations

from typing import Any

from graphwidget.absent import refuse_others

__all__ = ["current_accelerator", "device_count", "is_available", "synchronize"]


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def current_accelerator(check_available: bool = False) -> Any:
    """None."""
    return None


def synchronize(device: Any = None) -> None:
    """Raises RuntimeError."""
    raise RuntimeError("Cannot access accelerator device when none is available.")


refuse_others(__name__)
