"""``cat``, ``repeat``, ``flip``, ``roll``, ``tril``, ``pad``."""

from __future__ import annotations

from typing import Any

from ...arrays import memory_order
from ..declare import Namespace, composite, op
from ..out import JOINED
from . import join_kernels

F = Namespace()

# Joins ------------------------------------------------------------------------------------------


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


op("cat(*tensors, /, dim=0)", join_kernels.cat, out=JOINED,
   d_tensors=lambda grad, _tensors_shape, dim: F.cat_backward(grad, _tensors_shape, dim),
   text="cat({tensors})", tex=r"[{tensors}]", onnx="Concat")

@composite
def unstacked(grad: Any, dim: Any) -> Any:
    """What stands at each place of a dim."""
    return [F.select(grad, dim, place) for place in range(grad.shape[dim])]


op("stack(*tensors, /, dim=0)", join_kernels.stack, out=JOINED,
   d_tensors=lambda grad, dim: F.unstacked(grad, dim),
   text="stack({tensors})", tex=r"[{tensors}]", onnx=None)


@composite
def block_diag_backward(grad: Any, shapes: Any) -> Any:
    """Each block of the gradient, in its tensor's shape: PyTorch squeezes the last dim of those
    of vectors and numbers, and the engine sums what is left of the first."""
    blocks = []
    for shape, place in zip(shapes, join_kernels.block_corners(shapes), strict=True):
        top, bottom, left, right = place
        block = F.slice(F.slice(grad, 0, top, bottom, 1), 1, left, right, 1)
        for _ in range(2 - len(shape)):
            block = F.squeeze_dim(block, -1)
        if block.shape != shape:
            block = F.view(F.sum_dim(block, (0,), True), shape)
        blocks.append(block)
    return blocks


op("block_diag(*tensors, /, _dtype)", join_kernels.block_diag,
   d_tensors=lambda grad, _tensors_shape: F.block_diag_backward(grad, _tensors_shape),
   text="block_diag({tensors})", tex=r"\operatorname{{diag}}({tensors})", onnx=None)


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

op("repeat(self, /, repeats)", join_kernels.repeat,
   d_self=lambda grad, repeats, self_shape: F.repeat_backward(grad, repeats, self_shape),
   text="{self} repeated {repeats}", tex=r"{self}", onnx="Tile")

op("flip(self, /, dims)", join_kernels.flip,
   d_self=lambda grad, dims: F.flip(grad, dims),
   text="{self} reversed along {dims}", tex=r"\operatorname{{flip}} {self}", onnx=None)

op("roll(self, /, shifts, dims=())", join_kernels.roll,
   d_self=lambda grad, shifts, dims: F.roll(grad, tuple(-shift for shift in shifts), dims),
   text="{self} rolled by {shifts}", tex=r"\operatorname{{roll}} {self}", onnx=None)

op("rot90(self, /, k=1, dims=(0, 1))", join_kernels.rot90,
   d_self=lambda grad, k, dims: F.rot90(grad, -k, dims),
   text="{self} turned {k} × 90°", tex=r"\operatorname{{rot90}} {self}", onnx=None)

# Triangles and diagonals --------------------------------------------------------------------------
op("tril(self, /, diagonal=0)", join_kernels.tril, inplace=True, overlap="anything",
   d_self=lambda grad, diagonal: F.tril(grad, diagonal),
   text="tril({self})", tex=r"\operatorname{{tril}} {self}", onnx="Trilu")

op("triu(self, /, diagonal=0)", join_kernels.triu, inplace=True, overlap="anything",
   d_self=lambda grad, diagonal: F.triu(grad, diagonal),
   text="triu({self})", tex=r"\operatorname{{triu}} {self}", onnx="Trilu")

op("diag_embed(self, /, offset=0, dim1=-2, dim2=-1)", join_kernels.diag_embed,
   d_self=lambda grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2),
   text="matrices with {self} on the diagonal", tex=r"\operatorname{{diag}} {self}", onnx=None)

# Padding ------------------------------------------------------------------------------------------
op("constant_pad_nd(self, /, pad, value=0)", join_kernels.constant_pad,
   node="ConstantPadNdBackward0",
   d_self=lambda grad, pad: F.constant_pad_nd(grad, tuple(-size for size in pad), 0),
   sign="pad", text="{self} with {pad} more items", tex=r"\operatorname{{pad}} {self}", onnx="Pad")



def declare_border_pad(rule: str, count: int) -> None:
    """Padding of the last ``count`` dims with items from inside, and its derivative."""
    name, node = f"{rule}_pad{count}d", f"{rule.capitalize()}Pad{count}D"
    op(f"{name}(self, /, padding)",
       lambda a, padding: join_kernels.border_pad(a, padding, rule), refuses=f"{name}: bool",
       node=f"{node}Backward0",
       d_self=lambda grad, self, padding: getattr(F, f"{name}_backward")(grad, self, padding),
       public=False,
       sign="pad", text="{self} with {padding} more items", tex=r"\operatorname{{pad}} {self}",
       onnx="Pad")
    op(f"{name}_backward(grad_output, self, /, padding)",
       lambda grad, a, padding: join_kernels.border_pad_backward(grad, a, padding, rule),
       node=f"{node}BackwardBackward0",
       d_grad_output=lambda grad, padding: getattr(F, name)(grad, padding),
       d_self=lambda grad: F.zeros_like(grad),
       public=False,
       sign="pad'", text="{grad_output}, added inside", tex=r"{grad_output}", onnx=None)


for _rule in join_kernels.RULES:
    for _count in (1, 2, 3):
        declare_border_pad(_rule, _count)
