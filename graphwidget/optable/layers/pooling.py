"""``max_pool`` and ``avg_pool`` over windows of the last dims.

A stride of ``()`` is the kernel's size.
"""

from __future__ import annotations

from ..declare import Namespace, op
from . import pooling_kernels as kernels

F = Namespace()


def declare_max_pool(dims: int) -> None:
    """The largest items of windows, and the derivative.

    The node keeps which place of its window was chosen rather than PyTorch's flat indices: one
    byte instead of eight, and the gradient needs no scattering.
    """
    name, node = f"max_pool{dims}d_with_indices", f"MaxPool{dims}DWithIndices"
    op(f"{name}(self, /, kernel_size, stride, padding, dilation, ceil_mode) -> result; choice",
       kernels.max_pool, refuses=f"max_pool{dims}d: bool", node=f"{node}Backward0",
       saved_choice="result1",
       d_self=lambda grad, self, choice, kernel_size, stride, padding, dilation, ceil_mode:
           getattr(F, f"{name}_backward")(
               grad, self, choice, kernel_size, stride, padding, dilation, ceil_mode
           ),
       public=False, sign="max pool", text="max of each {kernel_size} window of {self}",
       tex=r"\operatorname{{maxpool}} {self}", onnx="MaxPool")
    op(f"{name}_backward(grad_output, self, choice, /, _kernel, _stride, _padding, _dilation, "
       "_ceil)", kernels.max_pool_backward, node=f"{node}BackwardBackward0",
       saved_choice="indices",
       d_grad_output=lambda grad, choice, _self_shape, _kernel, _stride, _padding, _dilation,
                            _ceil:
           F.max_pool_gather(grad, choice, _kernel, _stride, _padding, _dilation, _ceil),
       d_self=lambda grad: F.zeros_like(grad),
       public=False, sign="max pool′", text="{grad_output} at the largest items, 0 elsewhere",
       tex=r"{grad_output}", onnx=None)


def declare_avg_pool(dims: int, refused: str) -> None:
    """The averages of windows, and the derivative."""
    name, node = f"avg_pool{dims}d", f"AvgPool{dims}D"
    op(f"{name}(self, /, kernel_size, stride, padding, ceil_mode, count_include_pad, "
       "divisor_override)", kernels.avg_pool, refuses=refused, node=f"{node}Backward0",
       d_self=lambda grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                     divisor_override:
           getattr(F, f"{name}_backward")(
               grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
               divisor_override,
           ),
       public=False, sign="avg pool", text="mean of each {kernel_size} window of {self}",
       tex=r"\operatorname{{avgpool}} {self}", onnx="AveragePool")
    op(f"{name}_backward(grad_output, self, /, kernel_size, stride, padding, ceil_mode, "
       "count_include_pad, divisor_override)",
       kernels.avg_pool_backward, node=f"{node}BackwardBackward0",
       d_grad_output=lambda grad, kernel_size, stride, padding, ceil_mode, count_include_pad,
                            divisor_override:
           getattr(F, name)(
               grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
           ),
       d_self=lambda grad: F.zeros_like(grad),
       public=False, sign="avg pool′", text="{grad_output} shared by its window",
       tex=r"{grad_output}", onnx=None)


declare_max_pool(2)

declare_max_pool(3)

declare_avg_pool(2, "avg_pool2d: bool short")

declare_avg_pool(3, "avg_pool3d_out_frame: bool half short")

op("max_pool_gather(self, choice, /, kernel_size, stride, padding, dilation, ceil_mode)",
   kernels.max_pool_gather, node="GatherBackward0",
   d_self=lambda grad, choice, self_shape, kernel_size, stride, padding, dilation, ceil_mode:
       F.max_pool_scatter(
           grad, choice, self_shape, kernel_size, stride, padding, dilation, ceil_mode
       ),
   public=False, text="the chosen items of {self}", tex=r"{self}", onnx=None)

op("max_pool_scatter(self, choice, /, shape, kernel_size, stride, padding, dilation, ceil_mode)",
   kernels.max_pool_scatter, node="ScatterAddBackward0",
   d_self=lambda grad, choice, kernel_size, stride, padding, dilation, ceil_mode:
       F.max_pool_gather(grad, choice, kernel_size, stride, padding, dilation, ceil_mode),
   public=False, text="{self} at the chosen items, 0 elsewhere", tex=r"{self}", onnx=None)

op("max_pool_indices(self, /, kernel_size, stride, padding, dilation, ceil_mode)",
   kernels.max_pool_indices, nograd=True,
   public=False, text="where the largest items of {self} lie", tex=r"\arg\max {self}", onnx=None)
