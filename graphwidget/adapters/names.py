"""What a namespace calls its tensors, including those in containers and modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..graph.tensor import Tensor

MAX_ITEMS = 64
"""Items of a container that get a name like ``xs[3]``."""


def named(namespace: Mapping[str, Any]) -> Iterator[tuple[str, str, Tensor]]:
    """(scope, name, tensor) for what the variables of a namespace hold."""
    for name, value in list(namespace.items()):
        if name.startswith("_") or name in ("In", "Out"):
            continue
        if isinstance(value, Tensor):
            yield "", name, value
        elif isinstance(value, (list, tuple)):
            for at, item in enumerate(value[:MAX_ITEMS]):
                if isinstance(item, Tensor):
                    yield "", f"{name}[{at}]", item
        elif isinstance(value, dict):
            for key, item in list(value.items())[:MAX_ITEMS]:
                if isinstance(item, Tensor):
                    yield "", f"{name}[{key!r}]", item
        elif hasattr(value, "named_parameters") and not isinstance(value, type):
            for path, parameter in _parameters(value):
                yield "module", f"{name}.{path}", parameter


def _parameters(module: Any) -> list[tuple[str, Tensor]]:
    try:
        return [(path, x) for path, x in module.named_parameters() if isinstance(x, Tensor)]
    except Exception:
        return []  # it only looks like a module
