"""`torch.xpu` as a build of PyTorch without it has it: there is no device."""

from __future__ import annotations

from graphwidget.absent import refuse_others

__all__ = ["device_count", "is_available", "manual_seed", "manual_seed_all"]


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def manual_seed(seed: int) -> None:
    """Nothing: there is no generator of a device to seed."""


def manual_seed_all(seed: int) -> None:
    """Nothing: there is no generator of a device to seed."""


refuse_others(__name__)
