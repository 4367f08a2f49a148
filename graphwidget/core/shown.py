"""What nodes show of what they keep, under PyTorch's names (``_saved_*``)."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..optable.declare import GIVEN
from ..optable.layout import true_strides

if TYPE_CHECKING:
    from ..optable import Op
    from .node import Node

CONSTANTS: dict[str, dict[str, Any]] = {
    "add": {"alpha": 1},
    "sub": {"alpha": 1},
    "rsub": {"alpha": 1},
    "addmm": {"alpha": 1, "beta": 1},
}
"""What PyTorch tells of an op where ours, in its plain form, has nothing to choose."""


def shown_names(op: Op) -> list[str]:
    """What ``_saved_*`` may be asked for: all that any of the op's derivatives reads."""
    names: list[str] = []
    for target, derivative in op.derivatives.items():
        for need in derivative.needs:
            if need == "self_shape":
                names += ["self_sym_sizes", *(["self_sym_numel"] if op.name == "mean" else [])]
            elif need in ("source_shape", "input_shape"):
                names.append(need.replace("shape", "sym_sizes"))
            elif need.endswith("_strides"):
                names += [f"{target}_sym_sizes", f"{target}_sym_strides"]
            elif need.endswith(("_shape", "_dtype")) or need.startswith("_"):
                continue
            elif need not in GIVEN:
                names.append(need)
    names += CONSTANTS.get(op.name, ())
    return list(dict.fromkeys(names))


def shown_sizes(node: Node, name: str, what: str) -> Any:
    """The ``sizes`` of an input, its ``numel``, or its ``strides`` in items; no strides where its
    gradient is not wanted."""
    if what == "strides" and name not in node.targets:
        return ()
    shape = getattr(node, f"p_{name}_shape")
    if what != "strides":
        return prod(shape) if what == "numel" else tuple(shape)
    itemsize = getattr(node, f"p_{name}_dtype").itemsize
    strides = true_strides(shape, getattr(node, f"p_{name}_strides"), itemsize)
    return tuple(step // itemsize for step in strides)


def unsigned(value: Any) -> Any:
    """Metadata as PyTorch shows it: negative integers as 64-bit words without a sign."""
    if value.__class__ is tuple:
        return tuple(unsigned(each) for each in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value) % 2**64
    return value
