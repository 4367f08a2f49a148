"""Passes over graphs."""

from . import shape_prop, utils

__all__ = ["shape_prop", "utils"]
