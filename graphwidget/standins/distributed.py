"""`torch.distributed` as a build of PyTorch without it has it: programs ask whether it is there."""

from __future__ import annotations

from graphwidget.absent import refuse_others

__all__ = ["is_available", "is_initialized", "is_torchelastic_launched"]


def is_available() -> bool:
    """False."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def is_torchelastic_launched() -> bool:
    """False."""
    return False


refuse_others(__name__)
