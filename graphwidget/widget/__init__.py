"""The widget: a live, steppable picture of what the program computes."""

from .explaining import diagnose, explain
from .graph import GraphWidget
from .pages import to_html
from .watching import watch

__all__ = ["GraphWidget", "diagnose", "explain", "to_html", "watch"]
