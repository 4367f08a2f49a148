"""Layer, group and batch norm."""

from __future__ import annotations

import functools
import operator
from typing import Any

from ..declare import ARRAYS, Namespace, composite, op
from ..pointwise.common_kernels import count_along
from . import normalization_kernels as kernels

F = Namespace()

# PyTorch computes the gradients together, so each formula reads all that the node saves.
op("native_layer_norm(input, weight=None, bias=None, /, normalized_shape, eps)"
   " -> result; result1, result2", kernels.layer_norm,
   refuses="LayerNormKernelImpl: bool integer",
   d_input__weight__bias=lambda grad, input, weight, bias, result1, result2, normalized_shape:
       F.native_layer_norm_backward(
           grad, input, result1, result2, weight, bias, normalized_shape),
   public=False, sign="layer norm", text="({input} − mean) ÷ deviation × {weight} + {bias}",
   onnx="LayerNormalization")


op("native_layer_norm_backward(grad_out, input, mean, rstd, weight=None, bias=None, /, "
   "normalized_shape) -> result0, result1, result2", kernels.layer_norm_backward,
   node="NativeLayerNormBackwardBackward0",
   d_grad_out__input__mean__rstd__weight__bias=lambda some_grads, grad_out, input, mean, rstd,
                                                      weight, normalized_shape:
       F.layer_norm_backward_backward(
           some_grads, grad_out, input, mean, rstd, weight, normalized_shape),
   public=False, sign="layer norm′", text="({grad_out} less its projections) × {rstd}", onnx=None)


@composite
def layer_norm_backward_backward(
    grads: Any, grad_out: Any, input: Any, mean: Any, rstd: Any, weight: Any, shape: Any
) -> Any:
    """The derivatives of ``native_layer_norm_backward`` by its operands; its results are
    ``normalize_backward`` of the gradient times the weight, the sum of the gradient times the
    normalised items, and the sum of the gradient."""
    by_input, by_weight, by_bias = grads
    dims = last_dims(input, shape)
    first, second, third = [], [], None
    if by_input is not None:
        own = F.normalize_backward(by_input, input, mean, rstd, dims)
        first.append(F.multiply_weight(own, weight))
        second.append(F.normalize_double_backward(
            by_input, F.multiply_weight(grad_out, weight), input, mean, rstd, dims))  # fmt: skip
        third = None if weight is None else F.sum_to_size(grad_out * own, shape)
    if by_weight is not None:
        first.append(by_weight * F.normalized(input, mean, rstd, dims))
        second.append(F.normalize_backward(grad_out * by_weight, input, mean, rstd, dims))
    if by_bias is not None:
        first.append(F.expand(by_bias, grad_out.shape))
    return add_terms(first), add_terms(second), None, None, third, None


def add_terms(parts: list[Any]) -> Any:
    """The sum of derivatives; None without any."""
    return functools.reduce(operator.add, parts) if parts else None


def last_dims(a: Any, shape: Any) -> Any:
    """The dims that ``shape`` covers, at the end."""
    return tuple(range(len(a.shape) - len(shape), len(a.shape)))


@composite
def multiply_weight(grad: Any, weight: Any) -> Any:
    """grad weight, where there is one."""
    return grad if weight is None else grad * weight


@composite
def scaled_channels(grad: Any, weight: Any) -> Any:
    """grad times the weight of each channel, where there is one."""
    if weight is None:
        return grad
    return grad * F.reshape(weight, (-1, *(1,) * (len(grad.shape) - 2)))


@composite
def sum_channels(grad: Any) -> Any:
    """Sums over all but the channels."""
    return F.sum_dim(grad, kernels.channel_dims(len(grad.shape)), False)


op("native_group_norm(input, weight=None, bias=None, /, N, C, HxW, group, eps)"
   " -> result, result1, result2",
   lambda a, weight, bias, N, C, HxW, group, eps: kernels.group_norm(a, weight, bias, group, eps),
   refuses="GroupNormKernelImpl: bool integer",
   d_input__weight__bias=lambda some_grads, input, weight, result1, result2, N, C, HxW, group, eps:
       F.group_norm_gradients(
           some_grads, input, weight, result1, result2, (N, group, C // group, HxW)),
   public=False, sign="group norm", text="({input} − mean) ÷ deviation × {weight} + {bias}",
   onnx="GroupNormalization")


@composite
def group_norm_gradients(
    grads: Any, input: Any, weight: Any, mean: Any, rstd: Any, sizes: Any
) -> Any:
    """The derivatives by input, weight and bias; ``sizes`` are samples, groups, the channels of one
    and points."""
    if grads[1] is None and grads[2] is None:
        return F.group_norm_backward(grads[0], input, weight, mean, rstd, sizes)
    return F.group_norm_backward_recorded(grads, input, weight, mean, rstd, sizes)


@composite
def group_norm_backward(
    grad: Any, input: Any, weight: Any, mean: Any, rstd: Any, sizes: Any
) -> Any:
    """The same where the statistics have no gradients."""
    if grad is None:
        return None, None, None
    return F.group_norm_backward_recorded((grad, None, None), input, weight, mean, rstd, sizes)


ARRAYS.__dict__["group_norm_backward"] = kernels.group_norm_backward


@composite
def sum_keepdim(a: Any, dim: Any) -> Any:
    """Sums along a dim, which stays."""
    return F.unsqueeze_inplace(F.sum_dim(a, (dim,), False), dim)


@composite
def group_norm_backward_recorded(
    grads: Any, input: Any, weight: Any, mean: Any, rstd: Any, sizes: Any
) -> Any:
    """The same in ops that can be derived again, as PyTorch writes it: the statistics are results,
    whose own gradients are due to the input, too."""
    n, groups, inner, points = sizes
    share = 1.0 / max(inner * points, 1)
    whole = F.reshape(input, sizes)
    mean, rstd = (F.reshape(each, (n, groups, 1, 1)) for each in (mean, rstd))
    cube = rstd * rstd * rstd
    parts: list[Any] = []
    by_weight = by_bias = None
    if grads[0] is not None:
        grad = F.reshape(grads[0], sizes)
        along = F.sum_keepdim(grad * whole, 3)
        total = F.sum_keepdim(grad, 3)
        gamma = None if weight is None else F.reshape(weight, (1, groups, inner, 1))
        slope, level = (F.sum_keepdim(F.multiply_weight(each, gamma), 2) for each in (along, total))
        slope = (level * mean - slope) * cube * share
        level = -slope * mean - level * rstd * share
        parts = [F.multiply_weight(rstd, gamma) * grad + slope * whole + level]
        by_weight = F.reshape(F.sum_dim((along - total * mean) * rstd, (0,), False), (-1,))
        by_bias = F.reshape(F.sum_dim(total, (0,), False), (-1,))
    if grads[1] is not None and grads[2] is not None:
        by_mean, by_rstd = (F.reshape(each, (n, groups, 1, 1)) for each in grads[1:])
        centred = whole - F.mean_dim(whole, (2, 3), True)
        parts.append((by_rstd * cube * -0.5) * centred * (2 * share) + by_mean * share)
    return F.reshape(add_terms(parts), tuple(input.shape)) if parts else None, by_weight, by_bias


op("native_batch_norm(input, weight=None, bias=None, running_mean=None, running_var=None, /, "
   "training, momentum, eps) -> result; result1, result2", kernels.batch_norm,
   mutates=("running_mean", "running_var"),
   refuses="batch_norm: bool integer",
   d_input__weight__bias=lambda grad, input, weight, running_mean, running_var, result1, result2,
                                training, eps, targets:
       F.native_batch_norm_backward(
           grad, input, weight, running_mean, running_var, result1, result2, training, eps,
           targets),
   public=False, sign="batch norm", text="({input} − mean) ÷ deviation × {weight} + {bias}",
   onnx="BatchNormalization")


op("native_batch_norm_backward(grad_out, input, weight=None, running_mean=None, running_var=None, "
   "save_mean=None, save_invstd=None, /, train, eps, wanted) -> result0, result1, result2",
   lambda grad, a, weight, running_mean, running_var, mean, rstd, train, eps, wanted:
       kernels.batch_norm_backward(grad, a, weight, mean, rstd, train, wanted),
   node="NativeBatchNormBackwardBackward0",
   d_grad_out__input__weight__save_mean__save_invstd=lambda some_grads, grad_out, input, weight,
       running_mean, running_var, save_mean, save_invstd, train, eps:
       F.batch_norm_backward_backward(
           some_grads, grad_out, input, weight, save_mean, save_invstd, train),
   public=False, sign="batch norm′", text="({grad_out} less its projections) × {save_invstd}",
   onnx=None)


@composite
def batch_norm_backward_backward(
    grads: Any, grad_out: Any, input: Any, weight: Any, mean: Any, rstd: Any, training: Any
) -> Any:
    """The derivatives of ``native_batch_norm_backward`` by its operands (as those of
    ``native_layer_norm_backward``, by channel)."""
    by_input, by_weight, by_bias = grads
    dims = kernels.channel_dims(len(grad_out.shape))
    first, second, third = [], [], None
    if by_input is not None:
        own = F.batch_norm_backward(by_input, input, mean, rstd, training)
        first.append(F.scaled_channels(own, weight))
        if training:
            second.append(F.normalize_double_backward(
                by_input, F.scaled_channels(grad_out, weight), input, mean, rstd, dims,
            ))  # fmt: skip
        third = None if weight is None else F.sum_channels(grad_out * own)
    if by_weight is not None:
        z = F.batch_normalized(input, mean, rstd, training)
        first.append(F.scaled_channels(z, by_weight))
        scaled = F.scaled_channels(grad_out, by_weight)
        second.append(F.batch_norm_backward(scaled, input, mean, rstd, training))
    if by_bias is not None:
        first.append(F.spread_over_channels(by_bias, grad_out.shape))
    return add_terms(first), add_terms(second), third, None, None


@composite
def batch_norm_backward(grad: Any, input: Any, mean: Any, rstd: Any, training: Any) -> Any:
    """By the batch's own statistics, or by given ones, which do not depend on the input."""
    if not training:
        return F.scaled_as_before(grad, input, rstd)
    return F.normalize_backward(grad, input, mean, rstd, kernels.channel_dims(len(grad.shape)))


@composite
def batch_normalized(input: Any, mean: Any, rstd: Any, training: Any) -> Any:
    """The input scaled to mean 0 and variance 1."""
    if not training:
        return (input - mean) * rstd
    return F.normalized(input, mean, rstd, kernels.channel_dims(len(input.shape)))


op("scaled_as_before(grad_output, input, rstd, /)", lambda grad, a, rstd: grad * rstd,
   node="NativeBatchNormBackwardBackward0",
   d_grad_output=lambda grad, rstd: grad * rstd,
   d_input=lambda grad: None,
   public=False, sign="batch norm′", text="{grad_output} × {rstd}",
   onnx=None)

# Normalising: ``mean`` and ``rstd`` are the input's own, and the derivatives know it --------------
op("normalized(self, mean, rstd, /, dims)", kernels.normalized, node="MulBackward0",
   d_self=lambda grad, self, mean, rstd, dims: F.normalize_backward(grad, self, mean, rstd, dims),
   public=False, sign="normalise", text="({self} − {mean}) × {rstd}", onnx=None)

op("normalize_backward(grad_output, self, mean, rstd, /, dims)", kernels.normalize_backward,
   node="NativeLayerNormBackwardBackward0",
   # of a vector, what is left after two projections: the same for the vector's gradient
   d_grad_output=lambda grad, self, mean, rstd, dims:
       F.normalize_backward(grad, self, mean, rstd, dims),
   d_self=lambda grad, grad_output, self, mean, rstd, dims:
       F.normalize_double_backward(grad, grad_output, self, mean, rstd, dims),
   public=False, sign="normalise′", text="({grad_output} less its projections) × {rstd}", onnx=None)


@composite
def normalize_double_backward(
    grad: Any, grad_output: Any, self: Any, mean: Any, rstd: Any, dims: Any
) -> Any:
    """The derivative of ``sum(grad * normalize_backward(grad_output, x))`` by x.

    With z the normalised items, r one over the deviation, P the projection off constants and off
    z, and m means over dims, that sum is ``n r (m(u v) - m(u) m(v) - m(u z) m(v z))`` for u, v the
    two gradients. z depends on x by ``r P``, r by ``-r r z / n``.
    """
    u = F.normalize_backward(grad, self, mean, rstd, dims)
    v = F.normalize_backward(grad_output, self, mean, rstd, dims)
    z = F.normalized(self, mean, rstd, dims)
    own = F.rstd_of(self, rstd, z, dims)
    first = z * F.mean_dim(grad * v, dims, True)
    second = F.mean_dim(grad_output * z, dims, True) * u
    return -(own * (first + second + F.mean_dim(grad * z, dims, True) * v))


op("rstd_of(self, rstd, z, /, dims)", lambda a, rstd, z, dims: rstd, node="RsqrtBackward0",
   d_self=lambda grad, self, rstd, z, dims: F.rstd_backward(grad, self, rstd, z, dims),
   public=False, text="1 ÷ deviation of {self}", onnx=None)


@composite
def rstd_backward(grad: Any, self: Any, rstd: Any, z: Any, dims: Any) -> Any:
    """The derivative of one over the deviation: ``-r r z / n``."""
    own = F.rstd_of(self, rstd, z, dims)
    return -(grad * own * own * z / count_along(z.shape, dims))
