"""``cat``, ``stack`` and ``block_diag``."""

from __future__ import annotations

from typing import Any

from ..declare import Namespace, composite, op
from ..out import JOINED
from . import join_kernels as kernels

F = Namespace()


@composite
def cat_backward(grad: Any, shapes: Any, dim: Any) -> Any:
    """The part of the gradient that belongs to each joined tensor."""
    parts, start = [], 0
    for shape in shapes:
        if shape == (0,):
            parts.append(F.zeros_of(grad, shape))
        else:
            parts.append(F.slice(grad, dim, start, start + shape[dim], 1))
            start += shape[dim]
    return parts


op("cat(*tensors, /, dim=0)", kernels.cat, out=JOINED,
   d_tensors=lambda grad, _tensors_shape, dim: F.cat_backward(grad, _tensors_shape, dim),
   text="cat({tensors})", tex=r"[{tensors}]", onnx="Concat")


@composite
def unstacked(grad: Any, dim: Any) -> Any:
    """Split a gradient at each place of a dim."""
    return [F.select(grad, dim, place) for place in range(grad.shape[dim])]


op("stack(*tensors, /, dim=0)", kernels.stack, out=JOINED,
   d_tensors=lambda grad, dim: F.unstacked(grad, dim),
   text="stack({tensors})", tex=r"[{tensors}]", onnx=None)


@composite
def block_diag_backward(grad: Any, shapes: Any) -> Any:
    """Each block of the gradient, in its tensor's shape: PyTorch squeezes the last dim of those
    of vectors and numbers, and the engine sums what is left of the first."""
    blocks = []
    for shape, place in zip(shapes, kernels.block_corners(shapes), strict=True):
        top, bottom, left, right = place
        block = F.slice(F.slice(grad, 0, top, bottom, 1), 1, left, right, 1)
        for _ in range(2 - len(shape)):
            block = F.squeeze_dim(block, -1)
        if block.shape != shape:
            block = F.view(F.sum_dim(block, (0,), True), shape)
        blocks.append(block)
    return blocks


op("block_diag(*tensors, /, _dtype)", kernels.block_diag,
   d_tensors=lambda grad, _tensors_shape: F.block_diag_backward(grad, _tensors_shape),
   text="block_diag({tensors})", tex=r"\operatorname{{diag}}({tensors})", onnx=None)
