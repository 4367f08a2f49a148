"""Every op, declared once: its kernel, its derivatives, its formula and its signs, by family."""

from . import layers, linalg, pointwise, reduction, shape, special  # noqa: F401
from .declare import ARRAYS, COMPOSITES, REQUIRED, TABLE, Derivative, Namespace, Op, bind, op

__all__ = [
    "ARRAYS", "COMPOSITES", "REQUIRED", "TABLE", "Derivative", "Namespace", "Op", "bind", "op",
]  # fmt: skip
