"""``layer_norm``, ``group_norm``, ``batch_norm``, ``instance_norm`` and their kin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.kernel_errors import not_implemented
from ...arrays.memory_formats import suggested_format
from ...arrays.warnings import warn_once
from ...autograd.grad_mode import no_grad
from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...functions.memory.strides import contiguous
from ...graph.tensor import Tensor
from .regression_losses import refuse_grad


def _check_floating(input: Tensor, kernel: str) -> None:
    if not input._meta.floating:
        raise not_implemented(kernel, input._data.dtype)


def _check_weight_types(input: Tensor, *others: Tensor | None) -> None:
    """Weights are of the input's type, or float32 beside halves; the first of them decides."""
    kind, kinds = input._data.dtype, [each._data.dtype for each in others if each is not None]
    if kinds and kinds[0] != kind:
        if any(each != np.float32 for each in kinds):
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
        if kind != np.float16:
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
        return
    for each in kinds if kind.kind == "f" else ():  # the kernel refuses other inputs before
        if each != kind:
            expected, found = dtypes.scalar_type(kind), dtypes.scalar_type(each)
            raise RuntimeError(f"expected scalar type {expected} but found {found}")


def _check_running_stats(running_mean: Tensor | None, running_var: Tensor | None) -> None:
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")


def _check_numbers(*values: Any) -> None:
    """Refuse what is no number: the parser, asked then, finds the words."""
    for value in values:
        float(value)


def check_weights(sizes: tuple[int, ...], **weights: Tensor | None) -> None:
    """Weights have the shape that is normalized over."""
    for name, each in weights.items():
        if each is not None and each._data.shape != sizes:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of "
                f"shape {list(each._data.shape)} and normalized_shape = {list(sizes)}"
            )


def normalized_sizes(input: Tensor, normalized_shape: Any, starred: str) -> tuple[int, ...]:
    """The last sizes of the input that are normalized over, checked."""
    sizes, shape = list(normalized_shape), list(input._data.shape)
    if not sizes:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
            "element, but got normalized_shape = []"
        )
    if shape[len(shape) - len(sizes) :] != sizes or len(shape) < len(sizes):
        listed = ", ".join(map(str, sizes))
        raise RuntimeError(
            f"Given normalized_shape={sizes}, expected input with shape [{starred}{listed}], but "
            f"got input of size{shape}"
        )
    return tuple(sizes)


def layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None,
    bias: Tensor | None = None, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """The input scaled to mean 0 and variance 1 over its last dims, times weight, plus bias.

    Args:
        normalized_shape: the sizes of those dims, and the shape of weight and bias.
        eps: added to the variance.

    Raises:
        RuntimeError: the input does not end in ``normalized_shape``, or weights of other shapes.
    """
    if isinstance(normalized_shape, int):
        raise TypeError(
            "layer_norm(): argument 'normalized_shape' (position 2) must be tuple of ints, not int"
        )
    sizes = normalized_sizes(input, normalized_shape, "*, ")
    check_weights(sizes, weight=weight, bias=bias)
    _check_weight_types(input, weight, bias)
    _check_numbers(eps)
    return F.native_layer_norm(input, weight, bias, sizes, eps)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """The channels of (N, C, *) in groups, each scaled to mean 0 and variance 1, times weight and
    plus bias by channel.

    Raises:
        RuntimeError: the channels do not divide into the groups.
        ValueError: one value for each channel only.
    """
    shape = input._data.shape
    if len(shape) < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {len(shape)}"
        )
    if num_groups < 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    _check_count([shape[0] * shape[1] // num_groups, num_groups, *shape[2:]], list(shape))
    n, channels = shape[:2]
    if channels % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of "
            f"shape {list(shape)} and num_groups={num_groups}"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and each._data.shape != (channels,):
            said = weight if weight is not None else each  # PyTorch shows the weight's shape
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, "
                f"but got {name} of shape {list(said._data.shape)} and input of shape "
                f"{list(shape)}"
            )
    _check_weight_types(input, weight, bias)
    _check_numbers(eps)
    points = input._data[:1, :1].size if n and channels else 1
    given = [None if each is None else contiguous(each) for each in (weight, bias)]
    input = contiguous(input, suggested_format(input._data))
    return F.native_group_norm(input, *given, n, channels, points, num_groups, eps)[0]


def _check_count(sizes: Sequence[int], input_size: Any) -> None:
    """More than one value is needed to have a variance."""
    count = sizes[0]
    for size in sizes[2:]:
        count *= size
    if count == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {input_size}"
        )


def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None,
    weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False,
    momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Each channel of (N, C, *) scaled to mean 0 and variance 1, times weight and plus bias.

    Args:
        running_mean, running_var: (C,). In training the batch's own mean and (unbiased) variance
            move them by ``momentum``; else they are what the input is normalized by.

    Raises:
        ValueError: training with one value for each channel.
        RuntimeError: tensors that do not fit the channels.
    """
    shape = input._data.shape
    if training:
        _check_count(shape, input.size())
    if training and eps <= 0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if eps < 0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return normalize_channels(
        input, weight, bias, running_mean, running_var, training, momentum, eps
    )


def normalize_channels(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
    running_var: Tensor | None, training: bool, momentum: float, eps: float,
) -> Tensor:  # fmt: skip
    """``batch_norm``, whatever is added to the variance, and of single values, too."""
    shape = input._data.shape
    _check_numbers(momentum)
    if not input._data.size:
        return _normalize_empty(input, weight, bias)
    if not training and (running_mean is None or running_var is None):
        missing = "running_mean" if running_mean is None else "running_var"
        raise RuntimeError(f"{missing} must be defined in evaluation mode")
    _check_running_stats(running_mean, running_var)
    channels = shape[1] if len(shape) > 1 else 0
    given = {
        "running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias,
    }  # fmt: skip
    for name, each in given.items():
        if each is not None and each._data.size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {each._data.size}")
    refuse_grad("native_batch_norm", running_mean=running_mean, running_var=running_var)
    _check_floating(input, "batch_norm")
    _check_weight_types(input, weight, bias, running_mean, running_var)
    return F.native_batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps
    )


def _normalize_empty(input: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """An input without items, unchecked, and joined to weight and bias as PyTorch does."""
    out = F.clone(input)
    if weight is not None:
        out = F.mul(out, weight.select(0, 0))
    return out if bias is None else F.add(out, bias.select(0, 0))


def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
    weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True,
    momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Each channel of each sample of (N, C, *) scaled to mean 0 and variance 1, times weight and
    plus bias by channel; see ``batch_norm``."""
    shape = input._data.shape
    if use_input_stats and math.prod(shape[2:]) == 1:
        raise ValueError(
            f"Expected more than 1 spatial element when training, got input size {input.size()}"
        )
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when use_input_stats is false"
        )
    _check_numbers(momentum, eps)
    _check_running_stats(running_mean, running_var)
    n, channels = shape[:2]
    weight, bias, mean, var = (
        None if each is None else each.repeat(n)
        for each in (weight, bias, running_mean, running_var)
    )
    _check_weight_types(input, weight, bias)
    if input._data.dtype != np.float16:  # halves are computed with statistics in floats
        mean, var = (None if each is None else each.to(input.dtype) for each in (mean, var))
    flat = contiguous(input).view(1, n * channels, *shape[2:])
    out = normalize_channels(flat, weight, bias, mean, var, use_input_stats, momentum, eps)
    for kept, moved in ((running_mean, mean), (running_var, var)):
        if use_input_stats and kept is not None and moved is not None:
            with no_grad():
                kept.copy_(moved.view(n, channels).mean(0))
    return out.view(*shape)


@offer(method=False)
def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:  # fmt: skip
    """The input over the root of its mean square along its last dims, times weight.

    Args:
        normalized_shape: the sizes of those dims, and the shape of weight.
        eps: added to the mean square; the type's own ``finfo.eps`` when not given.
    """
    sizes = normalized_sizes(input, normalized_shape, "*")
    check_weights(sizes, weight=weight)
    kind = input._data.dtype
    if weight is not None and weight._data.dtype != kind:
        given, other = dtypes.c_type(kind), dtypes.c_type(weight._data.dtype)
        warn_once(
            f"Mismatch dtype between input and weight: input dtype = {given}, weight dtype = "
            f"{other}, Cannot dispatch to fused implementation.",
            "rms_norm",
        )
    _check_floating(input, "rms_norm")
    if kind == np.float16:  # computed in float32
        input = F.to_copy(input, np.dtype(np.float32))
    dims = tuple(range(input._data.ndim - len(sizes), input._data.ndim))
    least = float(np.finfo(input._data.dtype).eps) if eps is None else eps
    square = F.add_number(F.mean_dim(F.pow(input, 2), dims, True), least)
    out = F.mul(input, F.rsqrt(square))
    if weight is not None:
        out = F.mul(out, weight)
    return out if out._data.dtype == kind else F.to_copy(out, kind)
