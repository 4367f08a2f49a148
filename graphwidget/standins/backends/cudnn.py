"""`torch.backends.cudnn`: there is none; its switches may be set and change nothing."""

from __future__ import annotations

__all__ = ["allow_tf32", "benchmark", "deterministic", "enabled", "is_available", "version"]

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """False."""
    return False


def version() -> None:
    """None."""
