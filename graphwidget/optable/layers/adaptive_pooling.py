"""``adaptive_avg_pool`` and ``adaptive_max_pool``, which share a dim out into so many windows."""

from __future__ import annotations

from ..declare import Namespace, op
from . import adaptive_pooling_kernels as kernels

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
