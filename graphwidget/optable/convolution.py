"""Convolution, plain and transposed, in one, two or three spatial dims."""

from __future__ import annotations

from typing import Any

from . import convolution_kernels as kernels
from .declare import Namespace, composite, op

F = Namespace()

# PyTorch computes the three gradients together, so each formula reads, and the node saves, both
# input and weight, whichever of them needs a gradient.
op("convolution(input, weight, bias=None, /, stride, padding, dilation, transposed, "
   "output_padding, groups)", kernels.convolution,
   d_input=lambda grad, input, weight, input_shape, stride, padding, dilation, transposed, groups:
       F.convolution_backward_input(
           grad, input, weight, input_shape, stride, padding, dilation, transposed, groups
       ),
   d_weight=lambda grad, input, weight, weight_shape, stride, padding, dilation, transposed,
            groups:
       F.convolution_backward_weight(
           grad, input, weight, weight_shape, stride, padding, dilation, transposed, groups
       ),
   d_bias=lambda grad, input, weight: F.convolution_backward_bias(grad, input, weight),
   public=False, sign="conv", text="{input} ∗ {weight} + {bias}",
   tex=r"{input} \ast {weight} + {bias}", onnx="Conv")

# Their own derivatives ----------------------------------------------------------------------------
op("convolution_backward_input(grad_output, input, weight, /, shape, stride, padding, dilation, "
   "transposed, groups)", kernels.backward_input, node="ConvolutionBackwardBackward0",
   d_grad_output=lambda grad, weight, stride, padding, dilation, transposed, shape,
                        grad_output_shape, groups:
       F.convolution_again(
           grad, weight, shape, grad_output_shape, stride, padding, dilation, transposed, groups
       ),
   d_input=lambda grad: None,
   d_weight=lambda grad, grad_output, weight, weight_shape, stride, padding, dilation, transposed,
            groups:
       F.convolution_backward_weight(
           grad_output, grad, weight, weight_shape, stride, padding, dilation, transposed, groups
       ),
   public=False, sign="conv′", text="{grad_output} ∗ᵀ {weight}",
   tex=r"{grad_output} \ast^T {weight}", onnx=None)

op("convolution_backward_weight(grad_output, input, weight, /, shape, stride, padding, dilation, "
   "transposed, groups)", kernels.backward_weight, node="ConvolutionBackwardBackward0",
   d_grad_output=lambda grad, input, input_shape, stride, padding, dilation, transposed,
                        grad_output_shape, groups:
       F.convolution_again(
           input, grad, input_shape, grad_output_shape, stride, padding, dilation, transposed,
           groups,
       ),
   d_input=lambda grad, grad_output, input, input_shape, stride, padding, dilation, transposed,
           groups:
       F.convolution_backward_input(
           grad_output, input, grad, input_shape, stride, padding, dilation, transposed, groups
       ),
   d_weight=lambda grad: None,
   public=False, sign="conv′", text="{grad_output} ∗ {input}",
   tex=r"{grad_output} \ast {input}", onnx=None)

op("convolution_backward_bias(grad_output, input, weight, /)", kernels.backward_bias,
   node="ConvolutionBackwardBackward0",
   d_grad_output=lambda grad, grad_output_shape: F.spread_over_channels(grad, grad_output_shape),
   d_input=lambda grad: None,
   d_weight=lambda grad: None,
   public=False, sign="Σ", text="Σ {grad_output}", tex=r"\sum {grad_output}", onnx=None)


@composite
def convolution_again(
    input: Any, weight: Any, shape: Any, result: Any, stride: Any, padding: Any, dilation: Any,
    transposed: Any, groups: Any,
) -> Any:  # fmt: skip
    """The convolution whose result has the shape ``result``, with another input of ``shape`` or
    another weight."""
    more = kernels.left_over(shape, weight.shape, result, stride, padding, dilation, transposed)
    return F.convolution(input, weight, None, stride, padding, dilation, transposed, more, groups)


@composite
def spread_over_channels(grad: Any, shape: Any) -> Any:
    """One number for each channel, spread over samples and points."""
    return F.expand(F.reshape(grad, (-1, *(1,) * (len(shape) - 2))), shape)
