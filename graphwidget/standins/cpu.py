"""`torch.cpu`: the one device there is."""

from __future__ import annotations

from typing import Any

from graphwidget.absent import refuse_others

__all__ = ["current_device", "device_count", "is_available", "synchronize"]


def is_available() -> bool:
    """True."""
    return True


def device_count() -> int:
    """1."""
    return 1


def current_device() -> str:
    """The text "cpu"."""
    return "cpu"


def synchronize(device: Any = None) -> None:
    """Nothing: no work is left running."""


refuse_others(__name__)
