"""Names of the tensors in a namespace, including those in containers and modules."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from ..graph.tensor import Tensor
from ..recording.containers import parts
from ..recording.looking import is_a
from .imported_torch import is_real
from .module_paths import tensors
from .position_finder import is_module


def named(namespace: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield (scope, name, tensor) for the tensors in the variables of a namespace. The last of
    several names counts: a variable's own comes after those of items."""
    own: list[tuple[str, str, Any]] = []
    for name, value in list(namespace.items()):
        if name.startswith("_") or name in ("In", "Out"):
            continue
        if _is_tensor(value):
            own.append(("", name, value))
        elif is_module(value):
            for path, tensor in tensors(value, name):
                if _is_tensor(tensor):
                    yield "module", path, tensor
        else:
            for suffix, _path, item in parts(value, _is_tensor):
                yield "", name + suffix, item
    yield from own


def _is_tensor(value: Any) -> bool:
    return is_a(value, Tensor) or is_real(value) or is_symbol(value)


def is_symbol(value: Any) -> bool:
    """Return whether it is a tensor of a static graph, if the program has imported these."""
    static = sys.modules.get("graphwidget.static.symbol")
    return static is not None and is_a(value, static.Symbol)
