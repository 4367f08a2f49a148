"""``torch.native_layer_norm``, ``torch.dropout_``, ``torch.convolution`` and the like.

Functions of the package itself that PyTorch's layers are made of: with all their results, in place,
or with a convolution's whole list of options.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dispatch.offer import offer
from ...eager.inplace import set_history
from ...eager.op_functions import TENSORS as F
from ...eager.op_functions import node_maker
from ...graph import runtime
from ...graph.tensor import Tensor
from ...optable import TABLE
from . import convolution as _convolution
from . import dropout as _dropout
from . import normalization as _normalization
from . import pooling as _pooling
from . import probability_losses as _probability
from .reduction import REDUCTIONS

NAMES = {number: name for name, number in REDUCTIONS.items()}

offer(method=False)(_pooling.max_pool1d_with_indices)


# Dropout -----------------------------------------------------------------------------------------
@offer(method=False)
def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """``dropout``, written into the tensor."""
    return _dropout.dropout(input, _dropout.check_probability(p), train, True)


@offer(method=False)
def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """``alpha_dropout``, written into the tensor."""
    return _dropout.alpha_dropout(input, _dropout.check_probability(p), train, True)


@offer(method=False)
def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """``feature_alpha_dropout``, written into the tensor."""
    return _dropout.feature_alpha_dropout(input, _dropout.check_probability(p), train, True)


@offer(method=False)
def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """``dropout`` of whole channels.

    Shapes: (N, C, ...); the result has the same.
    """
    return _dropout.feature_dropout(input, _dropout.check_probability(p), train, False)


@offer(method=False)
def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """``feature_dropout``, written into the tensor."""
    return _dropout.feature_dropout(input, _dropout.check_probability(p), train, True)


@offer(method=False)
def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """``dropout``, and which items it kept. Of an empty tensor it is the tensor itself, a leaf or
    not, with a history more, and what was kept has its type."""
    data = input._data
    if not data.size:
        nothing = Tensor._wrap(np.empty_like(data))
        wanted = runtime.grad_enabled()
        node = node_maker("native_dropout")(input, nothing, p, train, None) if wanted else None
        if node is not None:
            set_history(input, node)
        return input, nothing
    mask = Tensor._wrap(_dropout.keep_mask(data, np.dtype(bool), 0.0 if train is False else p))
    if train is not False and data.dtype.kind != "f":
        given = input.dtype.word
        raise RuntimeError(f"result type Float can't be cast to the desired output type {given}")
    return F.native_dropout(input, mask, p, train), mask


# Norms -------------------------------------------------------------------------------------------
def norm_with_statistics(key: str, tensors: Sequence[Any], *params: Any) -> tuple[Tensor, ...]:
    """What a norm gives, and the means and deviations that it computed."""
    arrays = [None if each is None else each._data for each in tensors]
    saved = TABLE[key].kernel(*(None if a is None else a.copy() for a in arrays), *params)[1:]
    return getattr(F, key)(*tensors, *params), *(Tensor._wrap(np.asarray(a)) for a in saved)


@offer(method=False)
def native_layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None,
    eps: float,
) -> tuple[Tensor, ...]:  # fmt: skip
    """``layer_norm``, the means and 1 / deviation."""
    sizes = _normalization.normalized_sizes(input, normalized_shape, "*, ")
    _normalization.check_weights(sizes, weight=weight, bias=bias)
    return norm_with_statistics("native_layer_norm", (input, weight, bias), sizes, eps)


@offer(method=False)
def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int,
    group: int, eps: float,
) -> tuple[Tensor, ...]:  # fmt: skip
    """``group_norm``, the means and 1 / deviation."""
    return F.native_group_norm(input, weight, bias, N, C, HxW, group, eps)  # type: ignore[return-value]


@offer(method=False)
def native_batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
    running_var: Tensor | None, training: bool, momentum: float, eps: float,
) -> tuple[Tensor, ...]:  # fmt: skip
    """``batch_norm``, the means and 1 / deviation (empty when not training)."""
    found = norm_with_statistics(
        "native_batch_norm", (input, weight, bias, running_mean, running_var), training, momentum,
        eps,
    )  # fmt: skip
    kept = slice(None if training else 0)
    return found[0], *(Tensor._wrap(each._data.reshape(-1)[kept].copy()) for each in found[1:])


# Convolution, losses -----------------------------------------------------------------------------
@offer(method=False)
def convolution(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[int],
    padding: Sequence[int], dilation: Sequence[int], transposed: bool,
    output_padding: Sequence[int], groups: int,
) -> Tensor:  # fmt: skip
    """The convolution over as many dims as there are, plain or transposed.

    Shapes: input (N, C, ...), weight (D, C / groups, ...), (C, D / groups, ...) when transposed.
    """
    numbers = {
        "stride": tuple(stride), "padding": tuple(padding), "dilation": tuple(dilation),
        "output_padding": tuple(output_padding),
    }  # fmt: skip
    return _convolution.convolve_any(input, weight, bias, numbers, groups, transposed)


@offer(method=False)
def kl_div(
    input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False
) -> Tensor:
    """target (log target - input), of logarithms ``input``; reduction 0 none, 1 mean, 2 sum.

    Shapes: they broadcast together; 0-d but for reduction 0.
    """
    return _probability.divergence(input, target, reduction, log_target)
