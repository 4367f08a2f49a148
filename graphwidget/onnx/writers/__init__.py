"""Writers of the table's ops in ONNX.

Where one ONNX operator of the same operands says it all, the op's declaration names it
(``onnx="Mul"``) and nothing stands here; where it takes more, a function by the op's key does:
``function(w, *inputs, **params)``, with the writer ``w`` that adds nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...optable import TABLE, Op
from . import indexing, layers, losses, pointwise, pooling, reductions, shapes  # noqa: F401
from .values import FUNCTIONS, KINDS


def find(op: Op) -> Callable[..., Any] | None:
    """Return the writer of an op; None without one."""
    found = FUNCTIONS.get(op.key)
    if found is None and op.onnx and op.pointwise and not op.params:
        return pointwise.direct(op.onnx)
    return found


def covered() -> list[str]:
    """The keys of all ops that can be written."""
    return [key for key, op in TABLE.items() if find(op) is not None]


__all__ = ["KINDS", "covered", "find"]
