"""``lp_pool1d``, ``lp_pool2d`` and ``lp_pool3d``: the norms of windows."""

from __future__ import annotations

import math
from typing import Any

from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ..module_utils import _pair, _triple
from .pooling import avg_pool1d, avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d


def _norms(
    input: Tensor, norm_type: float, pools: tuple[Any, Any], kernel_size: Any, count: Any,
    stride: Any, ceil_mode: bool,
) -> Tensor:  # fmt: skip
    """Norms of windows of so many items by the largest item (infinite ``norm_type``) or the average
    power; 0 where sums of powers are negative."""
    largest, average = pools
    if isinstance(norm_type, int | float) and math.isinf(norm_type):
        size = input.abs() if norm_type > 0 else -input.abs()
        found: Tensor = largest(size, kernel_size, stride, 0, 1, ceil_mode)
        return found if norm_type > 0 else -found
    out = average(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    size = F.mul(F.sign(out), F.relu(F.abs(out)))
    return size.mul(count).pow(1.0 / norm_type)


def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """The ``norm_type``-norm of each window of (N, C, D, H, W), or (C, D, H, W)."""
    depth, height, width = _triple(kernel_size)
    pools, count = (max_pool3d, avg_pool3d), depth * height * width
    return _norms(input, norm_type, pools, kernel_size, count, stride, ceil_mode)


def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """The ``norm_type``-norm of each window of (N, C, H, W), or (C, H, W)."""
    height, width = _pair(kernel_size)
    pools, count = (max_pool2d, avg_pool2d), height * width
    return _norms(input, norm_type, pools, kernel_size, count, stride, ceil_mode)


def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: int, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """The ``norm_type``-norm of each window of (N, C, L), or (C, L)."""
    pools = (max_pool1d, avg_pool1d)
    return _norms(input, norm_type, pools, kernel_size, kernel_size, stride, ceil_mode)
