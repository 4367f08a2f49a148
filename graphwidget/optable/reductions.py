"""Ops that make fewer items out of many."""

from __future__ import annotations

from typing import Any

from . import kernels
from .declare import Namespace, composite, op

F = Namespace()


@composite
def unreduce(grad: Any, shape: Any, dim: Any, keepdim: Any) -> Any:
    """Spread the gradient of a reduction along dims back over what was reduced."""
    if not keepdim:
        for d in sorted(dim):
            grad = F.unsqueeze(grad, d)
    return F.expand(grad, shape)


def size(shape: Any, dim: Any = None) -> int:
    """The number of items of a shape, or of its dims."""
    return kernels.count_along(shape, tuple(range(len(shape))) if dim is None else dim)


op("sum(self, /)", kernels.sum_all,
   d_self=lambda grad, self_shape: F.expand(grad, self_shape),
   sign="Σ", text="Σ {self}", tex=r"\sum {self}", onnx="ReduceSum")

op("sum.dim(self, /, dim, keepdim=False)", kernels.sum_dim, node="SumBackward1",
   d_self=lambda grad, self_shape, dim, keepdim: F.unreduce(grad, self_shape, dim, keepdim),
   sign="Σ", text="Σ {self} over {dim}", tex=r"\sum_{{{dim}}} {self}", onnx="ReduceSum")

op("mean(self, /)", kernels.mean_all,
   d_self=lambda grad, self_shape: F.expand(grad, self_shape) / size(self_shape),
   text="mean({self})", tex=r"\overline{{{self}}}", onnx="ReduceMean")

op("mean.dim(self, /, dim, keepdim=False)", kernels.mean_dim, node="MeanBackward1",
   d_self=lambda grad, self_shape, dim, keepdim:
       F.unreduce(grad, self_shape, dim, keepdim) / size(self_shape, dim),
   text="mean({self}) over {dim}", tex=r"\overline{{{self}}}_{{{dim}}}", onnx="ReduceMean")


@composite
def evenly(grad: Any, self: Any, result: Any, shape: Any, dtype: Any) -> Any:
    """The gradient of the largest item, shared equally where several are equal to it."""
    nan = F.isnan(result)
    mask = F.logical_or(F.eq(self, result), F.logical_and(F.isnan(self), nan))
    part = F.expand(grad / F.sum(F.to_copy(mask, dtype)), shape)
    return F.where(mask, part, F.zeros_like(self))


for name, kernel, along in (
    ("max", kernels.max_all, kernels.max_dim),
    ("min", kernels.min_all, kernels.min_dim),
):
    op(f"{name}(self, /)", kernel, node=f"{name.title()}Backward1",
       d_self=lambda grad, self, result, self_shape, self_dtype:
           F.evenly(grad, self, result, self_shape, self_dtype),
       text=name + "({self})", tex=rf"\{name} {{self}}", onnx=f"Reduce{name.title()}")
    op(f"{name}.dim(self, /, dim, keepdim=False) -> values, indices", along,
       node=f"{name.title()}Backward0",
       d_self=lambda grad, indices, self_shape, dim, keepdim:
           F.scatter_chosen(grad, indices, self_shape, dim, keepdim),
       text=name + "({self}) along {dim}", tex=rf"\{name}_{{{{{{dim}}}}}} {{self}}", onnx=None)

op("scatter_chosen(grad_output, index, /, shape, dim, keepdim)", kernels.scatter_chosen,
   node="ScatterBackward0",
   d_grad_output=lambda grad, index, dim, keepdim: F.gather_chosen(grad, index, dim, keepdim),
   public=False,
   text="{grad_output} at the chosen items, 0 elsewhere", tex=r"{grad_output}", onnx=None)

op("gather_chosen(self, index, /, dim, keepdim)", kernels.gather_chosen, node="GatherBackward0",
   d_self=lambda grad, index, self_shape, dim, keepdim:
       F.scatter_chosen(grad, index, self_shape, dim, keepdim),
   public=False, text="the chosen items of {self}", tex=r"{self}", onnx=None)

op("argmax(self, /, dim=None, keepdim=False)", kernels.argmax, nograd=True,
   text="argmax({self})", tex=r"\arg\max {self}", onnx="ArgMax")
op("argmin(self, /, dim=None, keepdim=False)", kernels.argmin, nograd=True,
   text="argmin({self})", tex=r"\arg\min {self}", onnx="ArgMin")
