"""``repeat``, ``flip``, ``roll``, ``rot90``, ``tril``, ``triu``, ``diag_embed``."""

from __future__ import annotations

from typing import Any

from ...arrays import memory_order
from ..declare import Namespace, composite, op
from . import repeat_flip_kernels as kernels

F = Namespace()


# Repetition and order ---------------------------------------------------------------------------
@composite
def repeat_backward(grad: Any, repeats: Any, shape: Any) -> Any:
    """The sum over the repetitions."""
    new = len(repeats) - len(shape)
    if 0 in repeats:
        return F.zeros_of(grad, shape)
    sizes: list[int] = []
    summed = list(range(new))
    for times, size in zip(repeats[new:], shape, strict=True):
        if times != 1:
            summed.append(new + len(sizes))
            sizes.append(times)
        sizes.append(size)
    split = len(sizes) > len(shape)
    spread = F.reshape(grad, (*repeats[:new], *sizes)) if split else grad
    return F.sum_dim(spread, tuple(summed), False) if summed else spread


op("zeros_of(self, /, shape)", memory_order.new_zeros, nograd=True,
   public=False, text="zeros", tex="0", onnx=None)

op("repeat(self, /, repeats)", kernels.repeat,
   d_self=lambda grad, repeats, self_shape: F.repeat_backward(grad, repeats, self_shape),
   text="{self} repeated {repeats}", tex=r"{self}", onnx="Tile")

op("flip(self, /, dims)", kernels.flip,
   d_self=lambda grad, dims: F.flip(grad, dims),
   text="{self} reversed along {dims}", tex=r"\operatorname{{flip}} {self}", onnx=None)

op("roll(self, /, shifts, dims=())", kernels.roll,
   d_self=lambda grad, shifts, dims: F.roll(grad, tuple(-shift for shift in shifts), dims),
   text="{self} rolled by {shifts}", tex=r"\operatorname{{roll}} {self}", onnx=None)

op("rot90(self, /, k=1, dims=(0, 1))", kernels.rot90,
   d_self=lambda grad, k, dims: F.rot90(grad, -k, dims),
   text="{self} turned {k} × 90°", tex=r"\operatorname{{rot90}} {self}", onnx=None)

# Triangles and diagonals --------------------------------------------------------------------------
op("tril(self, /, diagonal=0)", kernels.tril, inplace=True, overlap="anything",
   d_self=lambda grad, diagonal: F.tril(grad, diagonal),
   text="tril({self})", tex=r"\operatorname{{tril}} {self}", onnx="Trilu")

op("triu(self, /, diagonal=0)", kernels.triu, inplace=True, overlap="anything",
   d_self=lambda grad, diagonal: F.triu(grad, diagonal),
   text="triu({self})", tex=r"\operatorname{{triu}} {self}", onnx="Trilu")

op("diag_embed(self, /, offset=0, dim1=-2, dim2=-1)", kernels.diag_embed,
   d_self=lambda grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2),
   text="matrices with {self} on the diagonal", tex=r"\operatorname{{diag}} {self}", onnx=None)
