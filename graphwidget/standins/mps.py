"""`torch.mps` as on a machine without Apple's Metal: there is no device."""

from __future__ import annotations

from graphwidget.absent import refuse_others

__all__ = ["device_count", "empty_cache", "is_available", "manual_seed", "seed", "synchronize"]


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def manual_seed(seed: int) -> None:
    """Nothing: there is no generator of a device to seed."""


def seed() -> None:
    """Nothing: there is no generator of a device to seed."""


def empty_cache() -> None:
    """Raises RuntimeError."""
    raise RuntimeError("Cannot execute emptyCache() without MPS backend.")


def synchronize() -> None:
    """Raises RuntimeError."""
    raise RuntimeError("Cannot execute deviceSynchronize() without MPS backend.")


refuse_others(__name__)
