"""``trilinear``, the product of three that bilinear layers are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import Namespace, composite, op
from ..pointwise.common_kernels import Array

F = Namespace()


def trilinear(a: Array, weight: Array, b: Array) -> Array:
    """a[n, i] weight[o, i, j] b[n, j], summed over i and j."""
    halfway: Any = np.matmul(a, weight.swapaxes(0, 1).reshape(a.shape[1], -1))
    halfway = halfway.reshape(len(a), weight.shape[0], weight.shape[2])
    return np.matmul(halfway, b[:, :, None])[..., 0]


op("trilinear(i1, i2, i3, /)", trilinear,
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
