"""Adaptive pools, interpolation, ``im2col``, pixel shuffles."""

from __future__ import annotations

import inspect
from typing import Any

from ..declare import Formula, Namespace, composite, op
from . import resampling_kernels as kernels

F = Namespace()



def adaptive_pools(dims: int) -> None:
    """Declare both adaptive pools over so many dims."""
    cpu = "" if dims == 2 else "_cpu"
    op(f"adaptive_avg_pool{dims}d(self, /, output_size)", kernels.adaptive_avg_pool,
       node=f"AdaptiveAvgPool{dims}DBackward0",
       refuses=f"adaptive_avg_pool{dims}d{cpu}: bool integer",
       d_self=lambda grad, self: getattr(F, f"adaptive_avg_pool{dims}d_backward")(grad, self, dims),
       public=False, sign="avg pool", text="means of {output_size} parts of {self}",
       tex=r"\operatorname{{avgpool}} {self}", onnx=None)
    op(f"adaptive_avg_pool{dims}d_backward(grad_output, self, /, _dims)",
       kernels.adaptive_avg_pool_backward, node=f"AdaptiveAvgPool{dims}DBackwardBackward0",
       saved_sizes={"grad_output": tuple(range(-1, -1 - dims, -1))},
       d_grad_output=lambda grad, _grad_output_shape, _dims:
           getattr(F, f"adaptive_avg_pool{dims}d")(grad, _grad_output_shape[-_dims:]),
       d_self=lambda grad: F.zeros_like(grad),
       public=False, sign="avg pool′", text="{grad_output} shared by its part",
       tex=r"{grad_output}", onnx=None)
    op(f"adaptive_max_pool{dims}d(self, /, output_size) -> result; result1",
       kernels.adaptive_max_pool, node=f"AdaptiveMaxPool{dims}DBackward0",
       refuses=f"adaptive_max_pool{dims}d{cpu}: bool integer",
       d_self=lambda grad, self, result1:
           getattr(F, f"adaptive_max_pool{dims}d_backward")(grad, self, result1, dims),
       public=False, sign="max pool", text="max of {output_size} parts of {self}",
       tex=r"\operatorname{{maxpool}} {self}", onnx=None)
    op(f"adaptive_max_pool{dims}d_backward(grad_output, self, indices, /, _dims)",
       kernels.max_pool_derivative, node=f"AdaptiveMaxPool{dims}DBackwardBackward0",
       d_grad_output=lambda grad, indices, _dims: F.take_at(grad, indices, _dims),
       d_self=lambda grad: F.zeros_like(grad),
       public=False, sign="max pool′", text="{grad_output} at the largest items, 0 elsewhere",
       tex=r"{grad_output}", onnx=None)


for _dims in (2, 3):
    adaptive_pools(_dims)

op("adaptive_max_pool_indices(self, /, output_size)",
   lambda a, output_size: kernels.adaptive_max_pool(a, output_size)[1], nograd=True,
   public=False, text="where the largest items of {self} lie", tex=r"\arg\max {self}", onnx=None)

op("put_at(self, index, /, shape, _dims)", kernels.scatter_flat, node="ScatterAddBackward0",
   d_self=lambda grad, index, _dims: F.take_at(grad, index, _dims),
   public=False, text="{self} at {index}, 0 elsewhere", tex=r"{self}", onnx=None)

op("take_at(self, index, /, dims)", kernels.gather_flat, node="GatherBackward0",
   d_self=lambda grad, index, self_shape, dims: F.put_at(grad, index, self_shape, dims),
   public=False, text="{self} at {index}", tex=r"{self}_{{{index}}}", onnx=None)

# Interpolation ------------------------------------------------------------------------------------
SCALES = {1: ("scales",), 2: ("scales_h", "scales_w"), 3: ("scales_d", "scales_h", "scales_w")}
"""What PyTorch calls the factor of each dim."""


def formula(function: Formula, *names: str) -> Formula:
    """A formula of any number of parameters, with names for them."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in names]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function


def interpolation(name: str, node: str, mode: str, dims: int, kernel: str) -> None:
    """Declare an interpolation and its derivative, which is one too.

    Args:
        kernel: what PyTorch calls the kernel that knows floats only, and the bytes of pictures.
    """
    aligning = not mode.startswith("nearest")
    names = ("output_size", *(("align_corners",) if aligning else ()), *SCALES[dims])
    key, back = f"upsample_{name}", f"upsample_{name}_backward"

    def resample(a: Any, size: Any, *given: Any) -> Any:
        return kernels.resample(a, mode, size, aligning and given[0], given[-dims:])

    def resample_backward(grad: Any, shape: Any, size: Any, *given: Any) -> Any:
        return kernels.resample_backward(
            grad, shape, mode, size, aligning and given[0], given[-dims:]
        )

    op(f"{key}(self, /, {', '.join(names)})", resample, node=f"Upsample{node}Backward0",
       refuses=f"{kernel}: bool integer" if aligning and dims != 2 else f"{kernel}: bool number",
       d_self=formula(lambda grad, *given: getattr(F, back)(grad, *given),
                      "grad", "self_shape", *names),
       public=False, sign="resample", text="{self} with {output_size} points",
       tex=r"\operatorname{{resample}} {self}", onnx="Resize")

    op(f"{back}(grad_output, /, shape, {', '.join(names)})", resample_backward,
       node=f"Upsample{node}BackwardBackward0",
       d_grad_output=formula(lambda grad, *given: getattr(F, key)(grad, *given), "grad", *names),
       public=False, sign="resample′", text="{grad_output} back to {shape}", tex=r"{grad_output}",
       onnx=None)


WEIGHTS = "compute_indices_weights"

for _dims in (1, 2, 3):
    _kernel = "upsample_nearest2d_channels_last" if _dims == 2 else f"{WEIGHTS}_nearest"
    interpolation(f"nearest{_dims}d", f"Nearest{_dims}D", "nearest", _dims, _kernel)
    interpolation(
        f"nearest_exact{_dims}d", f"NearestExact{_dims}D", "nearest-exact", _dims, _kernel
    )
interpolation("linear1d", "Linear1D", "linear", 1, f"{WEIGHTS}_linear")
interpolation("bilinear2d", "Bilinear2D", "linear", 2, "upsample_bilinear2d_channels_last")
interpolation("trilinear3d", "Trilinear3D", "linear", 3, f"{WEIGHTS}_linear")
interpolation("bicubic2d", "Bicubic2D", "cubic", 2, f"{WEIGHTS}_cubic")

# Columns and shuffles -----------------------------------------------------------------------------
op("im2col(self, /, kernel_size, dilation, padding, stride)", kernels.im2col,
   refuses="im2col_out_cpu: integer",
   node="Im2ColBackward0", saved_sizes={"self": (-1, -2)},
   d_self=lambda grad, self_shape, kernel_size, dilation, padding, stride:
       F.col2im(grad, self_shape[-2:], kernel_size, dilation, padding, stride),
   public=False, sign="unfold", text="windows of {self}", tex=r"{self}", onnx=None)

op("col2im(self, /, output_size, kernel_size, dilation, padding, stride)", kernels.col2im,
   refuses="col2im_out_cpu: integer",
   node="Col2ImBackward0",
   d_self=lambda grad, kernel_size, dilation, padding, stride:
       F.im2col(grad, kernel_size, dilation, padding, stride),
   public=False, sign="fold", text="windows {self} added up", tex=r"{self}", onnx="Col2Im")

op("pixel_shuffle(self, /, upscale_factor)", kernels.pixel_shuffle,
   d_self=lambda grad, upscale_factor: F.pixel_unshuffle(grad, upscale_factor),
   public=False, text="pixel shuffle({self})", tex=r"{self}", onnx="DepthToSpace")

op("pixel_unshuffle(self, /, downscale_factor)", kernels.pixel_unshuffle,
   d_self=lambda grad, downscale_factor: F.pixel_shuffle(grad, downscale_factor),
   public=False, text="pixel unshuffle({self})", tex=r"{self}", onnx="SpaceToDepth")

op("channel_shuffle(self, /, groups)", kernels.channel_shuffle,
   d_self=lambda grad, groups: F.channel_shuffle(grad, grad.shape[1] // groups),
   public=False, text="channel shuffle({self})", tex=r"{self}", onnx=None)

# The product of three -----------------------------------------------------------------------------
op("trilinear(i1, i2, i3, /)", kernels.trilinear,
   d_i1=lambda grad, i2, i3: F.trilinear(grad, F.permute(i2, (1, 0, 2)), i3),
   d_i2=lambda grad, i1, i3: F.trilinear_weight(grad, i1, i3),
   d_i3=lambda grad, i1, i2: F.trilinear(grad, F.permute(i2, (2, 0, 1)), i1),
   public=False, text="{i1} · {i2} · {i3}", tex=r"{i1}^T {i2} {i3}", onnx=None)


@composite
def trilinear_weight(grad: Any, first: Any, second: Any) -> Any:
    """The sum over samples of the products of what both inputs and the gradient hold."""
    pairs = F.unsqueeze(grad, 2) * F.unsqueeze(first, 1)
    outs, ins = grad.shape[1], first.shape[1]
    flat = F.reshape(pairs, (first.shape[0], outs * ins))
    return F.reshape(F.mm(F.t(flat), second), (outs, ins, second.shape[1]))
