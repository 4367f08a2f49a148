"""Layer, group and batch norm."""

from __future__ import annotations

from typing import Any

from . import normalization_kernels as kernels
from .declare import ARRAYS, Namespace, composite, op
from .kernels import count_along

F = Namespace()

# PyTorch computes the gradients together, so each formula reads all that the node saves.
op("native_layer_norm(input, weight=None, bias=None, /, normalized_shape, eps)"
   " -> result; result1, result2", kernels.layer_norm,
   d_input__weight__bias=lambda grad, input, weight, bias, result1, result2, normalized_shape:
       F.layer_norm_backward(grad, input, weight, bias, result1, result2, normalized_shape),
   public=False, sign="layer norm", text="({input} − mean) ÷ deviation × {weight} + {bias}",
   tex=r"\operatorname{{layernorm}} {input}", onnx="LayerNormalization")


@composite
def layer_norm_backward(
    grad: Any, input: Any, weight: Any, bias: Any, mean: Any, rstd: Any, shape: Any
) -> Any:
    """The derivatives by input, weight and bias."""
    dims = last_dims(input, shape)
    by_input = F.normalize_backward(F.scaled(grad, weight), input, mean, rstd, dims)
    by_weight = by_bias = None
    if weight is not None:
        by_weight = F.sum_to_size(grad * F.normalized(input, mean, rstd, dims), shape)
    if bias is not None:
        by_bias = F.sum_to_size(grad, shape)
    return by_input, by_weight, by_bias


ARRAYS.__dict__["layer_norm_backward"] = kernels.layer_norm_backward


def last_dims(a: Any, shape: Any) -> Any:
    """The dims that ``shape`` covers, at the end."""
    return tuple(range(len(a.shape) - len(shape), len(a.shape)))


@composite
def scaled(grad: Any, weight: Any) -> Any:
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
   " -> result; result1, result2",
   lambda a, weight, bias, N, C, HxW, group, eps: kernels.group_norm(a, weight, bias, group, eps),
   d_input__weight__bias=lambda grad, input, weight, result1, result2, N, C, HxW, group, eps:
       F.group_norm_gradients(grad, input, weight, result1, result2, group),
   public=False, sign="group norm", text="({input} − mean) ÷ deviation × {weight} + {bias}",
   tex=r"\operatorname{{groupnorm}} {input}", onnx="GroupNormalization")


@composite
def group_norm_gradients(
    grad: Any, input: Any, weight: Any, mean: Any, rstd: Any, groups: Any
) -> Any:
    """The derivatives by input, weight and bias."""
    scaled = F.scaled_channels(grad, weight)
    by_input = F.group_norm_backward(scaled, input, mean, rstd, groups)
    by_weight = F.sum_channels(grad * F.group_normalized(input, mean, rstd, groups))
    return by_input, by_weight, F.sum_channels(grad)


ARRAYS.__dict__["group_norm_gradients"] = kernels.group_norm_backward


@composite
def group_norm_backward(grad: Any, input: Any, mean: Any, rstd: Any, groups: Any) -> Any:
    """``normalize_backward`` on the items of each group."""
    shape = (input.shape[0], groups, -1)
    found = F.normalize_backward(F.reshape(grad, shape), F.reshape(input, shape), mean, rstd, (2,))
    return F.reshape(found, tuple(input.shape))


@composite
def group_normalized(input: Any, mean: Any, rstd: Any, groups: Any) -> Any:
    """``normalized`` on the items of each group."""
    flat = F.reshape(input, (input.shape[0], groups, -1))
    return F.reshape(F.normalized(flat, mean, rstd, (2,)), tuple(input.shape))


op("native_batch_norm(input, weight=None, bias=None, running_mean=None, running_var=None, /, "
   "training, momentum, eps) -> result; result1, result2", kernels.batch_norm,
   d_input__weight__bias=lambda grad, input, weight, running_mean, running_var, result1, result2,
                                training, eps, targets:
       F.batch_norm_gradients(grad, input, weight, result1, result2, training, targets),
   public=False, sign="batch norm", text="({input} − mean) ÷ deviation × {weight} + {bias}",
   tex=r"\operatorname{{batchnorm}} {input}", onnx="BatchNormalization")


@composite
def batch_norm_gradients(
    grad: Any, input: Any, weight: Any, mean: Any, rstd: Any, training: Any, targets: Any
) -> Any:
    """The derivatives by input, weight and bias."""
    by_input = by_weight = by_bias = None
    if "input" in targets:
        scaled = F.scaled_channels(grad, weight)
        by_input = F.batch_norm_backward(scaled, input, mean, rstd, training)
    if "weight" in targets:
        by_weight = F.sum_channels(grad * F.batch_normalized(input, mean, rstd, training))
    if "bias" in targets:
        by_bias = F.sum_channels(grad)
    return by_input, by_weight, by_bias


ARRAYS.__dict__["batch_norm_gradients"] = kernels.batch_norm_backward


@composite
def batch_norm_backward(grad: Any, input: Any, mean: Any, rstd: Any, training: Any) -> Any:
    """By the batch's own statistics, or by given ones, which do not depend on the input."""
    if not training:
        return grad * rstd
    return F.normalize_backward(grad, input, mean, rstd, kernels.channel_dims(len(grad.shape)))


@composite
def batch_normalized(input: Any, mean: Any, rstd: Any, training: Any) -> Any:
    """The input brought to mean 0 and variance 1."""
    if not training:
        return (input - mean) * rstd
    return F.normalized(input, mean, rstd, kernels.channel_dims(len(input.shape)))


# Normalising: ``mean`` and ``rstd`` are the input's own, and the derivatives know it --------------
op("normalized(self, mean, rstd, /, dims)", kernels.normalized, node="MulBackward0",
   d_self=lambda grad, self, mean, rstd, dims: F.normalize_backward(grad, self, mean, rstd, dims),
   public=False, sign="normalise", text="({self} − {mean}) × {rstd}",
   tex=r"({self} - {mean}) {rstd}", onnx=None)

op("normalize_backward(grad_output, self, mean, rstd, /, dims)", kernels.normalize_backward,
   node="NativeLayerNormBackwardBackward0",
   # of a vector, what is left after two projections: the same for the vector's gradient
   d_grad_output=lambda grad, self, mean, rstd, dims:
       F.normalize_backward(grad, self, mean, rstd, dims),
   d_self=lambda grad, grad_output, self, mean, rstd, dims:
       F.normalize_double_backward(grad, grad_output, self, mean, rstd, dims),
   public=False, sign="normalise′", text="({grad_output} less its projections) × {rstd}",
   tex=r"{grad_output}", onnx=None)


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
   public=False, text="1 ÷ deviation of {self}", tex=r"{rstd}", onnx=None)


@composite
def rstd_backward(grad: Any, self: Any, rstd: Any, z: Any, dims: Any) -> Any:
    """The derivative of one over the deviation: ``-r r z / n``."""
    own = F.rstd_of(self, rstd, z, dims)
    return -(grad * own * own * z / count_along(z.shape, dims))
