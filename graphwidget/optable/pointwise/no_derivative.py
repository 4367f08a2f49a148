"""Backward of ops without a derivative: it refuses, in PyTorch's words."""

from __future__ import annotations

from typing import Any

from ..declare import Namespace, composite, op

F = Namespace()


@composite
def without_derivative(name: str) -> Any:
    """Refuses backward through an op that PyTorch's table of derivatives leaves out.

    Raises:
        RuntimeError: always (PyTorch's text).
    """
    raise RuntimeError(f"derivative for {name} is not implemented")


@composite
def no_derivative(name: str) -> Any:
    """Refuses backward through an op that stands in that table without a derivative.

    Raises:
        NotImplementedError: always (PyTorch's text).
    """
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


@composite
def refuse(text: Any) -> Any:
    """Refuses backward with a text.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(text)


op("delayed_error(self, /, text)", lambda a, text: a.copy(), node="Error",
   d_self=lambda grad, text: F.refuse(text),
   public=False, sign="error", text="{self}", tex=r"{self}", onnx=None)
