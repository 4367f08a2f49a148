"""From dynamic to static: functions of the eager engine, recorded as graphs.

This is the only part of the static half that knows the engine.
"""

from .function import NotStatic, StaticFunction, from_function

__all__ = ["NotStatic", "StaticFunction", "from_function"]
