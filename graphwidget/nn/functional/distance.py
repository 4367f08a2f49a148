"""``cosine_similarity``, ``pairwise_distance``, ``pdist`` and ``normalize``."""

from __future__ import annotations

from ...arrays import dtypes
from ...arrays.kernel_errors import broadcast_shape
from ...autograd.grad_mode import no_grad
from ...dispatch.offer import FUNCTIONS, offer
from ...eager.op_functions import TENSORS as F
from ...functions.dims import wrap_dim
from ...graph.tensor import Tensor


@offer(method=False)
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of ``x1 - x2 + eps`` along the last dim."""
    away = F.add_number(F.sub(x1, x2), eps)
    return F.norm_dim(away, float(p), (away._data.ndim - 1,), keepdim)


@offer(method=False)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """x1 · x2 / (|x1| |x2|) along a dim; lengths are taken to be at least ``eps``.

    Shapes: they broadcast together; ``dim`` goes.

    Raises:
        RuntimeError: both are of integers.
    """
    common = dtypes.result_type(x1._data, x2._data)
    if common.kind != "f":
        raise RuntimeError(
            "expected common dtype to be floating point, yet common dtype is "
            + dtypes.scalar_type(common)
        )
    first, second = (x if x._meta.floating else x.to(dtypes.of(common)) for x in (x1, x2))
    if x1._data.shape != x2._data.shape:
        shape = broadcast_shape([x1._data.shape, x2._data.shape])
        first, second = F.expand(first, shape), F.expand(second, shape)
    wrap_dim(dim, first._data.ndim)
    norm, other = (F.clone(F.linalg_vector_norm(x, 2, (dim,), True)) for x in (first, second))
    with no_grad():
        norm.clamp_(min=eps)
        other.clamp_(min=eps)
    product = F.mul(F.div(first, norm), F.div(second, other))
    return F.sum_dim(product, (dim,), False)


def normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """Vectors along a dim, divided by their p-norms; these are taken to be at least ``eps``."""
    least = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return F.div(input, least) if out is None else FUNCTIONS["div"](input, least, out=out)
