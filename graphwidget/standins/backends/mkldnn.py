"""`torch.backends.mkldnn`: not used here, where numpy computes."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """False."""
    return False
