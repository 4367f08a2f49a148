"""``torch.dropout`` and others that take other arguments than their namesakes in ``nn.functional``.

`torch.dropout(input, p, train)`, `torch.batch_norm(input, weight, ...)` and their like are older
than `torch.nn.functional`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...dispatch.offer import offer
from ...graph.tensor import Tensor
from . import dropout as _dropout
from . import dropout as _embedding
from . import normalization as _normalization


@offer(method=False)
def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Each item 0 with probability p, else divided by 1 - p.

    Shapes: any; the result has the same.
    """
    return _dropout.dropout(input, _dropout.check_probability(p), train)


@offer(method=False)
def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:  # fmt: skip
    """The rows of ``weight`` at the indices.

    Shapes: weight (V, D), indices any; the result is (indices..., D).
    """
    return _embedding.lookup_rows(weight, indices, padding_idx, scale_grad_by_freq, sparse)


@offer(method=False)
def batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
    running_var: Tensor | None, training: bool, momentum: float, eps: float,
    cudnn_enabled: bool = False,
) -> Tensor:  # fmt: skip
    """Each channel scaled to mean 0 and variance 1, times weight and plus bias.

    Shapes: (N, C, ...), all others (C,); the result is like input.
    """
    return _normalization.normalize_channels(
        input, weight, bias, running_mean, running_var, training, momentum, eps
    )


@offer(method=False)
def layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None,
    bias: Tensor | None = None, eps: float = 1e-5, cudnn_enable: bool = True,
) -> Tensor:  # fmt: skip
    """The input scaled to mean 0 and variance 1 over its last dims, times weight, plus bias."""
    return _normalization.layer_norm(input, normalized_shape, weight, bias, eps)


@offer(method=False)
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-5, cudnn_enabled: bool = True,
) -> Tensor:  # fmt: skip
    """The channels in groups, each scaled to mean 0 and variance 1, times weight and plus bias by
    channel.

    Shapes: (N, C, ...), weight and bias (C,); the result is like input.
    """
    return _normalization.group_norm(input, num_groups, weight, bias, eps)


@offer(method=False)
def instance_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
    running_var: Tensor | None, use_input_stats: bool, momentum: float, eps: float,
    cudnn_enabled: bool = False,
) -> Tensor:  # fmt: skip
    """Each channel of each sample scaled to mean 0 and variance 1, times weight, plus bias.

    Shapes: (N, C, ...), all others (C,); the result is like input.
    """
    return _normalization.instance_norm(
        input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
    )
