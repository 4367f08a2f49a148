"""The ``_saved_*`` attributes of nodes, under PyTorch's names."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..arrays.memory_order import torch_strides
from ..optable.declare import GIVEN, Op
from ..optable.layers.pooling_kernels import flat_indices
from . import runtime
from .base import NodeBase


def saved_attribute_names(op: Op) -> list[str]:
    """Return the names of the ``_saved_*`` attributes: all inputs that any of the op's derivatives
    reads."""
    names: list[str] = []
    for target, derivative in op.derivatives.items():
        for need in derivative.needs:
            source = need.removesuffix("_shape")
            sized = need.endswith("_shape") and need not in op.params
            single = sized and source in op.saved_sizes
            if single or need.startswith("_") or need.endswith("_dtype"):
                continue
            if sized:
                names += [f"{source}_sym_sizes", *([f"{source}_sym_numel"] * (op.name == "mean"))]
            elif need.endswith("_strides"):
                names += [f"{target}_sym_sizes", f"{target}_sym_strides"]
            elif need in op.inputs or need not in GIVEN:
                names.append(op.saved_choice or need if need == "choice" else need)
    for source, dims in op.saved_sizes.items():
        names += [f"{source}_sym_argsize_{'minus_' * (d < 0)}{abs(d)}" for d in dims]
    asked = {need for derivative in op.derivatives.values() for need in derivative.needs}
    names += [f"{each}_sym_sizes_opt" for each in op.optional if f"_{each}_shape" in asked]
    names += op.saved_constants
    return list(dict.fromkeys(names))


def max_pool_indices(node: Any) -> Any:
    """The chosen places of windows as flat indices into the dims that were pooled."""
    choice, _ = node.unpack("choice")
    hidden = hasattr(node, "p__kernel")
    names = ("_kernel", "_stride", "_padding", "_dilation")
    sizes = [getattr(node, f"p_{name}") for name in (names if hidden else PARTS)]
    return runtime.Tensor._wrap(flat_indices(choice._data, shape_of_operand(node, "self"), *sizes))


PARTS = ("kernel_size", "stride", "padding", "dilation")


def shape_of_operand(node: NodeBase, name: str) -> Any:
    """The shape of an input or output, wherever the node has it from."""
    for slot in (f"p_{name}_shape", f"p__{name}_shape"):
        if hasattr(node, slot):
            return getattr(node, slot)
    return getattr(node, f"saved_{name}").shape


def saved_sym_sizes(node: NodeBase, name: str, what: str) -> Any:
    """The ``sizes`` of an input, one size, its ``numel``, or its ``strides`` in items; no strides
    where its gradient is not wanted."""
    if what.startswith("argsize_"):
        number = what.removeprefix("argsize_").replace("minus_", "-")
        return shape_of_operand(node, name)[int(number)]
    if what == "sizes_opt":
        return getattr(node, f"p__{name}_shape") or (0,)
    shape = getattr(node, f"p_{name}_shape")
    if what == "strides" and name not in node.targets:
        return ()
    if what != "strides":
        return prod(shape) if what == "numel" else tuple(shape)
    itemsize = getattr(node, f"p_{name}_dtype").itemsize
    strides = torch_strides(shape, getattr(node, f"p_{name}_strides"), itemsize)
    return tuple(step // itemsize for step in strides)


NUMBERS = (
    "alpha", "beta", "correction", "exponent", "lambd", "max", "max_val", "maxnorm", "min",
    "min_val", "negative_slope", "ord", "other", "p", "threshold", "value",
)  # fmt: skip
"""Metadata that are numbers, not dims or sizes."""


def as_unsigned(name: str, value: Any) -> Any:
    """Metadata as PyTorch shows it: negative dims and sizes as 64-bit words without a sign."""
    if name in NUMBERS:
        return value.item() if isinstance(value, (np.generic, runtime.Tensor)) else value
    if value.__class__ is tuple:
        return tuple(as_unsigned(name, each) for each in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value) % 2**64
    return value


def saved_statistics(node: NodeBase, name: str, tensor: Any) -> Any:
    """Return statistics that a kernel kept for derivatives in PyTorch's form: without dims of size
    1, and none of a batch where they were given."""
    if node.op is None or name not in node.op.kept:
        return tensor
    if node.op.name == "native_batch_norm":
        return tensor.reshape(-1) if node.p_training else tensor.reshape(-1)[:0]
    return tensor
