"""Convolution, plain and transposed, in one, two or three spatial dims."""

from __future__ import annotations

import functools
import operator
from typing import Any

from ..declare import Namespace, composite, op
from . import convolution_kernels as kernels

F = Namespace()

# PyTorch computes the three gradients together, so the node saves both input and weight, whichever
# of them needs a gradient.
op("convolution(input, weight, bias=None, /, stride, padding, dilation, transposed, "
   "output_padding, groups)", kernels.convolution,
   d_input__weight__bias=lambda grad, input, weight, _bias_shape, stride, padding, dilation,
                                transposed, output_padding, groups, targets:
       F.convolution_backward(
           grad, input, weight, stride, padding, dilation, transposed, output_padding, groups,
           targets,
       ),
   public=False, sign="conv", text="{input} ∗ {weight} + {bias}",
   tex=r"{input} \ast {weight} + {bias}", onnx="Conv")

op("convolution_backward(grad_output, input, weight, /, stride, padding, dilation, transposed, "
   "output_padding, groups, wanted) -> result0, result1, result2", kernels.convolution_backward,
   node="ConvolutionBackwardBackward0",
   d_grad_output__input__weight=lambda some_grads, grad_output, input, weight, stride, padding,
                                       dilation, transposed, output_padding, groups, targets:
       F.convolution_backward_backward(
           some_grads, grad_output, input, weight,
           (stride, padding, dilation, transposed, output_padding, groups), targets,
       ),
   public=False, sign="conv′", text="conv′({grad_output}, {input}, {weight})",
   tex=r"\operatorname{{conv}}'({grad_output}, {input}, {weight})", onnx=None)


@composite
def convolution_backward_backward(
    grads: Any, grad_output: Any, input: Any, weight: Any, how: Any, targets: Any
) -> Any:
    """The derivatives of ``convolution_backward`` by its operands. It is linear in the gradient
    and, for each result, in one of the others: it is the same with what came in its place, and
    knows no more of the one that is replaced than its shape. No samples have no derivatives."""
    by_input, by_weight, by_bias = grads
    if 0 in input.shape:
        by_input = by_weight = None
    by_grad = None
    if "grad_output" in targets:
        found = [F.convolution(by_input, weight, None, *how)] if by_input is not None else []
        found += [F.convolution(input, by_weight, None, *how)] if by_weight is not None else []
        if by_bias is not None:
            found.append(F.spread_over_channels(by_bias, grad_output.shape))
        by_grad = functools.reduce(operator.add, found) if found else None
    first = second = None
    if by_weight is not None and "input" in targets:
        form = F.detach(input)
        first = F.convolution_backward(grad_output, form, by_weight, *how, ("input",))[0]
    if by_input is not None and "weight" in targets:
        form = F.detach(weight)
        second = F.convolution_backward(grad_output, by_input, form, *how, ("weight",))[1]
    return by_grad, first, second


@composite
def spread_over_channels(grad: Any, shape: Any) -> Any:
    """One number for each channel, spread over samples and points."""
    return F.expand(F.reshape(grad, (-1, *(1,) * (len(shape) - 2))), shape)
