"""Functions of the eager engine, recorded as static graphs: ``torch.compile`` and its like."""

from .function import NotStatic, StaticFunction, from_function

__all__ = ["NotStatic", "StaticFunction", "from_function"]
