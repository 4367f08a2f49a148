"""What nodes show of what they keep, under PyTorch's names (``_saved_*``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..optable.declare import GIVEN

if TYPE_CHECKING:
    from ..optable import Op

SIZES = ["self_sym_sizes", "self_sym_numel"]
"""PyTorch's names for what is read off the saved shape."""
SOURCE_SIZES = "source_sym_sizes"
UNSHOWN_SIZES = ("addbmm", "addmm", "addmv", "addr", "baddbmm", "linalg_cross")
"""Ops whose formulas read a shape that PyTorch does not save."""


def unsigned(value: Any) -> Any:
    """Metadata as PyTorch shows it: negative integers as 64-bit words without a sign."""
    if value.__class__ is tuple:
        return tuple(unsigned(each) for each in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value) % 2**64
    return value


def shown_names(op: Op) -> list[str]:
    """What the nodes of an op may be asked for: all that any of its derivatives reads."""
    names: list[str] = []
    for derivative in op.derivatives.values():
        for need in derivative.needs:
            if need.endswith("_strides"):
                owner = need.removesuffix("_strides")
                names += [f"{owner}_sym_sizes", f"{owner}_sym_strides"]
            elif need == "self_shape" and op.key in UNSHOWN_SIZES:
                continue
            elif need == "self_shape":
                names += SIZES if op.name == "mean" else SIZES[:1]
            elif need == "source_shape":
                names.append(SOURCE_SIZES)
            elif need.endswith(("_shape", "_strides", "_dtype")) or need.startswith("_"):
                continue
            elif need not in GIVEN:
                names.append(need)
    names += ["alpha"] if op.name in ("add", "sub", "rsub") else []
    names += ["alpha", "beta"] if op.name == "addmm" else []
    return list(dict.fromkeys(names))


def layout_of(node: Any, owner: str, what: str) -> tuple[int, ...]:
    """The sizes of a product's input, or its strides in items if its gradient is wanted."""
    wanted = owner in node.targets
    if what == "strides":
        if not wanted:
            return ()
        itemsize = getattr(node, f"p_{owner}_dtype").itemsize
        return tuple(step // itemsize for step in getattr(node, f"p_{owner}_strides"))
    if wanted:
        return tuple(getattr(node, f"p_{owner}_shape"))
    return tuple(node.read_saved(owner).shape)
