"""Handles of hooks, as in `torch.utils.hooks`."""

from ..core.node import RemovableHandle

__all__ = ["RemovableHandle"]
