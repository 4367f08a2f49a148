"""Handles of hooks, as in `torch.utils.hooks`."""

from ..core.handles import RemovableHandle

__all__ = ["RemovableHandle"]
