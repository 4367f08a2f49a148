"""``torch.dropout``, ``torch.batch_norm`` and others that take other arguments than here.

`torch.dropout(input, p, train)`, `torch.batch_norm(input, weight, ...)` and their like are older
than `torch.nn.functional`; where these have a reduction, it is a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dispatch.offer import offer
from ...graph.tensor import Tensor
from . import adaptive_pooling as _adaptive
from . import ctc as _alignment
from . import dropout as _dropout
from . import embedding as _embedding
from . import margin_losses as _margin
from . import normalization as _normalization
from . import probability_losses as _probability
from .reduction import REDUCTIONS

NAMES = {number: name for name, number in REDUCTIONS.items()}


@offer(method=False)
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """The largest items of (N, C, L), or (C, L), in ``output_size`` parts, and where they lie."""
    result: tuple[Tensor, Tensor] = _adaptive.adaptive_max_pool1d(input, output_size, True)
    return result


@offer(method=False)
def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Each item 0 with probability p, else divided by 1 - p.

    Shapes: any; the result has the same.
    """
    return _dropout.dropout(input, _dropout.check_probability(p), train)


@offer(method=False)
def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """``dropout`` that keeps mean 0 and variance 1.

    Shapes: any; the result has the same.
    """
    return _dropout.alpha_dropout(input, _dropout.check_probability(p), train)


@offer(method=False)
def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """``alpha_dropout`` of whole channels.

    Shapes: (N, C, ...); the result has the same.
    """
    return _dropout.feature_alpha_dropout(input, _dropout.check_probability(p), train)


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
    """Each channel brought to mean 0 and variance 1, times weight and plus bias.

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
    """The input brought to mean 0 and variance 1 over its last dims, times weight, plus bias."""
    return _normalization.layer_norm(input, normalized_shape, weight, bias, eps)


@offer(method=False)
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-5, cudnn_enabled: bool = True,
) -> Tensor:  # fmt: skip
    """The channels in groups, each brought to mean 0 and variance 1, times weight and plus bias by
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
    """Each channel of each sample brought to mean 0 and variance 1, times weight, plus bias.

    Shapes: (N, C, ...), all others (C,); the result is like input.
    """
    return _normalization.instance_norm(
        input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
    )


@offer(method=False)
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None,
    reduction: int = 0,
) -> Tensor:  # fmt: skip
    """The cross entropy of the sigmoid of ``input``; reduction 0 none, 1 mean, 2 sum.

    Shapes: target is like input; 0-d but for reduction 0.
    """
    return _probability.binary_cross_entropy_with_logits(
        input, target, weight, reduction=NAMES[reduction], pos_weight=pos_weight
    )


@offer(method=False)
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int
) -> Tensor:
    """Minus the logarithm of a Poisson distribution's likelihood.

    Shapes: they broadcast together; 0-d but for reduction 0.
    """
    return _probability.poisson_nll_loss(
        input, target, log_input, full, eps=eps, reduction=NAMES[reduction]
    )


@offer(method=False)
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0
) -> Tensor:
    """The distance where the target is 1; max(0, margin - distance) where it is -1.

    Shapes: they broadcast together; 0-d but for reduction 0.
    """
    return _margin.hinge_embedding_loss(input, target, margin, reduction=NAMES[reduction])


@offer(method=False)
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """max(0, margin - target (input1 - input2)).

    Shapes: they broadcast together; 0-d but for reduction 0.
    """
    return _margin.margin_ranking_loss(input1, input2, target, margin, reduction=NAMES[reduction])


@offer(method=False)
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """1 - cos where the target is 1; max(0, cos - margin) where it is -1.

    Shapes: inputs (N, D), target (N,), or (D,) and 0-d; 0-d but for reduction 0.
    """
    return _margin.cosine_embedding_loss(input1, input2, target, margin, reduction=NAMES[reduction])


@offer(method=False)
def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2,
    eps: float = 1e-6, swap: bool = False, reduction: int = 0,
) -> Tensor:  # fmt: skip
    """max(0, d(anchor, positive) - d(anchor, negative) + margin).

    Shapes: (N, D) or (D,) each; 0-d but for reduction 0.
    """
    return _margin.triplet_margin_loss(
        anchor, positive, negative, margin, p, eps, swap, reduction=NAMES[reduction]
    )


@offer(method=False)
def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: int = 0, zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """Connectionist temporal classification; reduction 0 none, 1 mean, 2 sum.

    Shapes: log_probs (T, N, C), targets (N, S) or all in one dim, lengths (N,).
    """
    return _alignment.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, NAMES[reduction], zero_infinity
    )
