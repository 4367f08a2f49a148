"""Activation functions with the signatures of ``torch.nn.functional``.

Those that PyTorch also has on the top are offered there.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays.kernel_errors import not_implemented, type_name
from ...dispatch.offer import offer
from ...eager.inplace import write
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...optable import TABLE
from ..dims import wrap_dim
from ..memory.conversion import to
from ..random import generator as random
from ..random import random_tensors


def _apply(key: str, input: Tensor, inplace: bool, name: str = "", **params: Any) -> Tensor:
    """An op of one tensor, or the same written into the tensor.

    Raises:
        TypeError: it is no tensor.
    """
    if not isinstance(input, Tensor):
        raise TypeError(
            f"{name or key}{'_' * inplace}(): argument 'input' (position 1) must be Tensor, not "
            f"{type_name(input)}"
        )
    if inplace:
        op = TABLE.get(key + ".written") or TABLE[key]
        return write(op, input, (), {**op.params, **params})
    return getattr(F, key)(input, **params)  # type: ignore[no-any-return]


# Straight pieces -----------------------------------------------------------------------------
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(input, 0).

    Raises:
        RuntimeError: bools.
    """
    return _apply("relu", input, inplace)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """input where it is above the threshold, else the value."""
    return _apply("threshold", input, inplace, threshold=threshold, value=value)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input where it is positive, else negative_slope · input."""
    return _apply("leaky_relu", input, inplace, negative_slope=negative_slope)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """input between two bounds.

    Raises:
        ValueError: the bounds are in the wrong order.
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _apply("hardtanh", input, inplace, min_val=min_val, max_val=max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """input between 0 and 6."""
    return _apply("hardtanh", input, inplace, "relu6", min_val=0, max_val=6)


@offer()
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """input where it is positive, else weight · input.

    Shapes: input (N, C, ...); weight (1,), or (C,) with one slope a channel; the result is like
    input.

    Args:
        weight: one number, or one for each channel (the second dim).

    Raises:
        RuntimeError: the types differ, or the number of weights does not fit.
    """
    if input.dtype is not weight.dtype:
        raise RuntimeError(
            f"prelu: Type promoting not supported. Got {input.dtype.word} and {weight.dtype.word}"
        )
    shape = input._data.shape
    if weight._data.size != 1:
        if not shape:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = shape[1] if len(shape) > 1 else 1
        if channels != weight._data.size:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{weight._data.size} and channel size = {channels}."
            )
    if weight._data.ndim > 1:
        raise RuntimeError(
            "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = "
            f"{weight._data.ndim}"
        )
    if len(shape) != weight._data.ndim:
        sizes = (1, weight._data.size, *(1,) * (len(shape) - 2)) if len(shape) > 1 else (
            (weight._data.size,) if shape else ()
        )  # fmt: skip
        weight = F.reshape(weight, sizes)
    return F.prelu_kernel(input, weight)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """input · min(max(input + 3, 0), 6) / 6."""
    return _apply("hardswish", input, inplace)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(input + 3, 0), 6) / 6."""
    return _apply("hardsigmoid", input, inplace)


# Exponential pieces --------------------------------------------------------------------------
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where it is positive, else alpha · (exp(input) - 1)."""
    return _apply("elu", input, inplace, alpha=alpha)


SELU = {"alpha": 1.6732632423543772848170429916717, "scale": 1.0507009873554804934193349852946}
"""The constants of G. Klambauer et al., Self-Normalizing Neural Networks, 2017."""


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """scale · elu(input, alpha) with the constants that keep mean 0 and variance 1."""
    return _apply("elu", input, inplace, "selu", **SELU)


# Smooth --------------------------------------------------------------------------------------
def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """input · Φ(input), Φ the normal distribution function or (``"tanh"``) a formula near it."""
    return _apply("gelu", input, False, approximate=approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input · sigmoid(input)."""
    return _apply("silu", input, inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input · tanh(softplus(input))."""
    return _apply("mish", input, inplace)


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """log(1 + exp(beta · input)) / beta; input itself where beta · input > threshold."""
    return _apply("softplus", input, False, beta=beta, threshold=threshold)


def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|)."""
    return F.div(input, F.abs(input) + 1)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))."""
    return F.sigmoid(input)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return F.tanh(input)


def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(input)), computed stably."""
    return _apply("log_sigmoid", input, False)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along a dim times the sigmoid of the second.

    Raises:
        RuntimeError: the size of the dim is odd, or the input is 0-d.
    """
    if input._data.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    wrapped = wrap_dim(dim, input._data.ndim)
    size = input._data.shape[wrapped]
    if size % 2:
        raise RuntimeError(
            f"Halving dimension must be even, but dimension {wrapped} is size {size}"
        )
    return F.glu(input, dim)


# Softmax -------------------------------------------------------------------------------------
def _check_floating(tensor: Tensor, name: str, dim: int) -> Tensor:
    """The tensor, refused when it holds integers as PyTorch's kernels refuse it."""
    if not tensor._meta.floating and tensor._data.size:
        last = wrap_dim(dim, tensor._data.ndim) >= tensor._data.ndim - 1
        kernel = f"{name}_lastdim_kernel_impl" if last else f"{name}_kernel_impl"
        raise not_implemented(kernel, tensor._data.dtype)
    return tensor


@offer(out=True)
def softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """exp(input) over its sum along a dim.

    Shapes: any; the result has the same.
    """
    source = to(input, dtype) if dtype is not None else input
    wrap_dim(dim, input._data.ndim)  # kept as the user gave it, but checked
    return F.softmax(_check_floating(source, "softmax", dim), dim)


@offer(out=True)
def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The logarithm of ``softmax``, computed stably.

    Shapes: any; the result has the same.
    """
    source = to(input, dtype) if dtype is not None else input
    wrap_dim(dim, input._data.ndim)
    return F.log_softmax(_check_floating(source, "log_softmax", dim), dim)


for _function in (softmax, log_softmax):
    offer(out=True, space="special")(_function)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """A sample of the Gumbel-softmax distribution (arXiv:1611.01144).

    Args:
        tau: the temperature.
        hard: give one-hot samples, with the gradient of the soft ones.
    """
    shape, dtype = logits._data.shape, logits._data.dtype
    drawn = random.draw(lambda: random_tensors.exponential(shape, dtype, 1.0))
    gumbels = -F.log(Tensor._wrap(drawn))
    soft: Tensor = softmax((logits + gumbels) / tau, dim)
    if not hard:
        return soft
    wrapped = wrap_dim(dim, logits._data.ndim)
    one_hot = np.zeros_like(soft._data)
    chosen = soft._data.argmax(wrapped, keepdims=True)
    np.put_along_axis(one_hot, chosen, 1, wrapped)
    return Tensor._wrap(one_hot) - soft.detach() + soft


def _top_level(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function as it stands on the top of the package, where it has no ``inplace``."""

    @functools.wraps(function)
    def plain(*args: Any, **kwargs: Any) -> Tensor:
        return function(*args, **kwargs)

    signature = inspect.signature(function)
    kept = [each for each in signature.parameters.values() if each.name != "inplace"]
    plain.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    return plain


offer(method=False, out=True)(_top_level(threshold))
offer(method=False)(_top_level(selu))


def _in_place(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """``elu_`` from ``elu``."""

    def written(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return function(input, *args, **kwargs, inplace=True)

    written.__name__ = written.__qualname__ = function.__name__ + "_"
    written.__doc__ = f"``{function.__name__}``, written into the tensor."
    return written


threshold_, selu_ = (offer(method=False)(_in_place(each)) for each in (threshold, selu))
relu_, elu_, leaky_relu_, hardtanh_, hardswish_, hardsigmoid_, silu_, mish_ = (
    _in_place(each)
    for each in (relu, elu, leaky_relu, hardtanh, hardswish, hardsigmoid, silu, mish)
)
