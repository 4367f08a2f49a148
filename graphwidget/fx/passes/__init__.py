"""Passes over graphs."""

from ...absent import refuse_others
from . import shape_prop

__all__ = ["shape_prop"]

refuse_others(__name__)
