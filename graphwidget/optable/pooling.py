"""Pooling over windows of the last dims."""

from __future__ import annotations

from . import pooling_kernels as kernels
from .declare import Namespace, op

F = Namespace()

# The node keeps which place of its window was chosen rather than PyTorch's flat indices: one byte
# instead of eight, and the gradient needs no scattering.
for _dims in (2, 3):
    op(f"max_pool{_dims}d_with_indices(self, /, kernel_size, stride, padding, dilation, ceil_mode)"
       " -> result; choice", kernels.max_pool, refuses=f"max_pool{_dims}d: bool",
       node=f"MaxPool{_dims}DWithIndicesBackward0",
       d_self=lambda grad, self, choice, _self_shape, kernel_size, stride, padding, dilation,
                     ceil_mode:
           F.max_pool2d_with_indices_backward(
               grad, choice, _self_shape, kernel_size, stride, padding, dilation, ceil_mode
           ),
       public=False, sign="max pool", text="max of each {kernel_size} window of {self}",
       tex=r"\operatorname{{maxpool}} {self}", onnx="MaxPool")

op("max_pool2d_with_indices_backward(grad_output, choice, /, shape, kernel_size, stride, padding, "
   "dilation, ceil_mode)", kernels.max_pool_backward,
   node="MaxPool2DWithIndicesBackwardBackward0",
   d_grad_output=lambda grad, choice, kernel_size, stride, padding, dilation, ceil_mode:
       F.max_pool_gather(grad, choice, kernel_size, stride, padding, dilation, ceil_mode),
   public=False, sign="max pool′", text="{grad_output} at the largest items, 0 elsewhere",
   tex=r"{grad_output}", onnx=None)

op("max_pool_gather(self, choice, /, kernel_size, stride, padding, dilation, ceil_mode)",
   kernels.max_pool_gather, node="GatherBackward0",
   d_self=lambda grad, choice, _self_shape, kernel_size, stride, padding, dilation, ceil_mode:
       F.max_pool2d_with_indices_backward(
           grad, choice, _self_shape, kernel_size, stride, padding, dilation, ceil_mode
       ),
   public=False, text="the chosen items of {self}", tex=r"{self}", onnx=None)

op("max_pool_indices(self, /, kernel_size, stride, padding, dilation, ceil_mode)",
   kernels.max_pool_indices, nograd=True,
   public=False, text="where the largest items of {self} lie", tex=r"\arg\max {self}", onnx=None)

for _dims, _refused in ((2, "avg_pool2d: bool short"),
                        (3, "avg_pool3d_out_frame: bool half short")):
    op(f"avg_pool{_dims}d(self, /, kernel_size, stride, padding, ceil_mode, count_include_pad, "
       "divisor_override)", kernels.avg_pool, refuses=_refused,
       node=f"AvgPool{_dims}DBackward0",
       d_self=lambda grad, self, _self_shape, kernel_size, stride, padding, ceil_mode,
                     count_include_pad, divisor_override:
           F.avg_pool2d_backward(
               grad, _self_shape, kernel_size, stride, padding, ceil_mode, count_include_pad,
               divisor_override,
           ),
       public=False, sign="avg pool", text="mean of each {kernel_size} window of {self}",
       tex=r"\operatorname{{avgpool}} {self}", onnx="AveragePool")

op("avg_pool2d_backward(grad_output, /, shape, kernel_size, stride, padding, ceil_mode, "
   "count_include_pad, divisor_override)", kernels.avg_pool_backward,
   node="AvgPool2DBackwardBackward0",
   d_grad_output=lambda grad, kernel_size, stride, padding, ceil_mode, count_include_pad,
                        divisor_override:
       F.avg_pool2d(
           grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
       ),
   public=False, sign="avg pool′", text="{grad_output} shared by its window",
   tex=r"{grad_output}", onnx=None)
