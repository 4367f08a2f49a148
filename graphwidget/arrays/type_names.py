"""The names of Python types in PyTorch's error messages."""

from __future__ import annotations

from typing import Any

HEAP_TYPE = 1 << 9
"""The flag of types that were not written in C."""

IN_C = {name: f"torch.{name}" for name in ("Size", "device", "dtype", "layout", "memory_format")}
IN_C["Generator"] = "torch._C.Generator"
"""Types that PyTorch writes in C, and we do not."""


def type_name(value: Any) -> str:
    """The type of a value as C calls it: types that are written in C say where they are from."""
    kind = type(value)
    if kind.__name__ in IN_C:
        return IN_C[kind.__name__]
    if kind.__flags__ & HEAP_TYPE or kind.__module__ == "builtins":
        return kind.__name__
    return f"{kind.__module__}.{kind.__name__}"
