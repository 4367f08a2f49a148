"""Every op, declared once, by family: kernel, derivatives, formula, and sign in the picture."""

# From the bottom up, as the package's own __init__ does it.
# isort: off
from . import pointwise, shape, reduction, special, linalg, layers  # noqa: F401
# isort: on
from .declare import ARRAYS, COMPOSITES, REQUIRED, TABLE, Derivative, Namespace, Op, bind, op

__all__ = [
    "ARRAYS", "COMPOSITES", "REQUIRED", "TABLE", "Derivative", "Namespace", "Op", "bind", "op",
]  # fmt: skip
