"""``fuse_conv_bn_eval`` and ``fuse_linear_bn_eval``: a layer and its batch norm as one layer."""

from __future__ import annotations

import copy
from typing import Any

from ...functions.creation.factories import zeros_like
from ...graph.tensor import Tensor
from ..parameter import Parameter


def fuse_conv_bn_weights(
    conv_w: Tensor, conv_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float,
    bn_w: Tensor | None, bn_b: Tensor | None, transpose: bool = False,
) -> tuple[Parameter, Parameter]:  # fmt: skip
    """The weight and bias of a convolution with the batch norm after it."""
    place = 1 if transpose else 0
    return _fuse_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, place)


def fuse_linear_bn_weights(
    linear_w: Tensor, linear_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float,
    bn_w: Tensor | None, bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:  # fmt: skip
    """The weight and bias of a linear layer with the batch norm after it."""
    return _fuse_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, 0)


def _fuse_weights(
    weight: Tensor, bias: Tensor | None, mean: Tensor, variance: Tensor, eps: float,
    gain: Tensor | None, shift: Tensor | None, place: int,
) -> tuple[Parameter, Parameter]:  # fmt: skip
    gain = variance.new_ones(variance.shape) if gain is None else gain
    shift = zeros_like(mean) if shift is None else shift
    scale = gain * (variance + eps).rsqrt()
    shape = [1] * weight.dim()
    shape[place] = -1
    made = (weight * scale.reshape(shape)).to(dtype=weight.dtype)
    offset = (-mean if bias is None else bias - mean) * scale + shift
    dtype = weight.dtype if bias is None else bias.dtype
    learnt = bias is not None and bias.requires_grad
    return Parameter(made, weight.requires_grad), Parameter(offset.to(dtype=dtype), learnt)


def _fuse(layer: Any, bn: Any, place: int) -> Any:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    features = getattr(layer, "out_features", bn.num_features)
    if bn.num_features not in (1, features):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={features} and bn.num_features={bn.num_features}"
        )
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    made = copy.deepcopy(layer)
    made.weight, made.bias = _fuse_weights(
        made.weight, made.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, place
    )
    return made


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution that does what both do, in evaluation.

    Raises:
        AssertionError: one is in training mode.
    """
    return _fuse(conv, bn, 1 if transpose else 0)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A linear layer that does what both do, in evaluation.

    Raises:
        AssertionError: one is in training mode, or they have different sizes.
    """
    return _fuse(linear, bn, 0)
