"""``tf.nn``: layers' functions and losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .add_operation import emit, make_constant, make_shape
from .array_ops import stop_gradient
from .convert import convert_to_tensor, shape_param
from .dtypes import float32
from .fills import random_uniform
from .graph import get_default_graph
from .math import binary, cast, check_same_type, operand, unary
from .reductions import reduce_mean
from .symbol import Symbol


def make_activation(name: str, type: str, key: str, params: Any = None) -> Callable[..., Symbol]:
    """``tf.nn.<name>`` of one operand."""

    def function(features: Any, name: str | None = None) -> Symbol:
        return unary(type, key, features, name, params, argument="features",
                     floating=key != "relu")  # fmt: skip

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"``{key}`` of each item, as an operation ``{type}``."
    return function


relu = make_activation("relu", "Relu", "relu")
relu6 = make_activation("relu6", "Relu6", "hardtanh", {"min_val": 0.0, "max_val": 6.0})
elu = make_activation("elu", "Elu", "elu")
softplus = make_activation("softplus", "Softplus", "softplus")
sigmoid = make_activation("sigmoid", "Sigmoid", "sigmoid")
tanh = make_activation("tanh", "Tanh", "tanh")


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Symbol:
    """x where it is positive, else alpha x."""
    params = {"negative_slope": alpha}
    return unary("LeakyRelu", "leaky_relu", features, name, params, floating=True)


def softmax(logits: Any, axis: int | None = None, name: str | None = None,
            dim: int | None = None) -> Symbol:  # fmt: skip
    """exp, divided by its sum along an axis."""
    place = next((each for each in (axis, dim) if each is not None), -1)
    return unary("Softmax", "softmax", logits, name, {"dim": place}, floating=True,
                 argument="logits")  # fmt: skip


def log_softmax(logits: Any, axis: int | None = None, name: str | None = None,
                dim: int | None = None) -> Symbol:  # fmt: skip
    """The logarithm of softmax, without overflow."""
    place = next((each for each in (axis, dim) if each is not None), -1)
    return unary("LogSoftmax", "log_softmax", logits, name, {"dim": place}, floating=True,
                 argument="logits")  # fmt: skip


def bias_add(value: Any, bias: Any, data_format: Any = None, name: str | None = None) -> Symbol:
    """With a bias added along the last axis."""
    with get_default_graph().name_scope(name or "BiasAdd") as scope:
        value = convert_to_tensor(value, name="input")
        bias = operand(bias, value, "BiasAdd", "bias")
        return emit("add", (value, bias), type="BiasAdd", name=scope)[0]


# Losses --------------------------------------------------------------------------------------
def softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, dim: int = -1, name: str | None = None,
    axis: int | None = None,
) -> Symbol:  # fmt: skip
    """−Σ labels · log softmax(logits) along the last axis; the labels are taken for constants."""
    return cross_entropy(stop_gradient(convert_to_tensor(labels)), logits,
                         dim if axis is None else axis,
                         name or "softmax_cross_entropy_with_logits_sg")  # fmt: skip


def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None, dim: int | None = None
) -> Symbol:
    """Like ``softmax_cross_entropy_with_logits``, with gradients for the labels too."""
    return cross_entropy(labels, logits, axis if dim is None else dim,
                         name or "softmax_cross_entropy_with_logits")  # fmt: skip


def cross_entropy(labels: Any, logits: Any, axis: int, name: str) -> Symbol:
    """−Σ labels · log softmax(logits)."""
    with get_default_graph().name_scope(name):
        logits = convert_to_tensor(logits, name="logits")
        labels = operand(labels, logits, "SoftmaxCrossEntropyWithLogits", "labels")
        check_same_type("SoftmaxCrossEntropyWithLogits", logits, labels, ("features", "labels"))
        logs = emit("log_softmax", (logits,), {"dim": axis})[0]
        weighted = emit("mul", (labels, logs))[0]
        total = emit("sum.dim", (weighted,), {"dim": (axis,)})[0]
        return emit("neg", (total,), name="Reshape_2")[0]


def sparse_softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Symbol:
    """−log softmax(logits) at the labels, which are places."""
    with get_default_graph().name_scope(name or "SparseSoftmaxCrossEntropyWithLogits"):
        logits = convert_to_tensor(logits, name="logits")
        places = cast(convert_to_tensor(labels, name="labels"), np.int64)
        logs = emit("log_softmax", (logits,), {"dim": -1})[0]
        index = emit("unsqueeze", (places,), {"dim": -1})[0]
        found = emit("gather", (logs, index), {"dim": -1})[0]
        row = emit("squeeze.dim", (found,), {"dim": -1})[0]
        return emit("neg", (row,), name="SparseSoftmaxCrossEntropyWithLogits")[0]


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Symbol:
    """max(x, 0) − x z + log(1 + exp(−|x|)), of logits x and labels z."""
    with get_default_graph().name_scope(name or "logistic_loss") as scope:
        x = convert_to_tensor(logits, name="logits")
        z = operand(labels, x, "Mul", "labels")
        zero = make_constant(np.zeros((), x.dtype.numpy))
        above = emit("ge", (x, zero))[0]
        positive = emit("where", (above, x, zero))[0]
        # one condition for max(x, 0) and for |x|: at 0 their derivatives belong together
        small = emit("where", (above, emit("neg", (x,))[0], x))[0]
        tail = emit("log1p", (emit("exp", (small,))[0],))[0]
        first = emit("sub", (positive, emit("mul", (x, z))[0]))[0]
        return emit("add", (first, tail), name=scope)[0]


def l2_loss(t: Any, name: str | None = None) -> Symbol:
    """Σ t² / 2."""
    with get_default_graph().name_scope(name or "L2Loss") as scope:
        t = convert_to_tensor(t)
        total = emit("sum", (emit("mul", (t, t), type="Square")[0],))[0]
        half = make_constant(np.array(0.5, t.dtype.numpy))
        return emit("mul", (total, half), type="L2Loss", name=scope)[0]


def mean_squared_error(labels: Any, predictions: Any, weights: Any = 1.0,
                       scope: str | None = None) -> Symbol:  # fmt: skip
    """The mean of the squared differences (``tf.losses``)."""
    with get_default_graph().name_scope(scope or "mean_squared_error"):
        predictions = convert_to_tensor(predictions)
        distance = binary("Sub", "sub", predictions, labels, None, "Sub")
        squares = emit("mul", (distance, distance), type="SquaredDifference")[0]
        weighted = binary("Mul", "mul", squares, weights, None, "Mul")
        return reduce_mean(weighted, name="value")


# Others --------------------------------------------------------------------------------------
def dropout(x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: int | None = None,
            name: str | None = None, rate: Any = None) -> Symbol:  # fmt: skip
    """Some items set to 0 at random in each run, the others raised for it.

    Raises:
        ValueError: neither ``keep_prob`` nor ``rate`` is given.
    """
    if keep_prob is None and rate is None:
        raise ValueError("You must provide a rate to dropout.")
    with get_default_graph().name_scope(name or "dropout"):
        x = convert_to_tensor(x, name="x")
        kept = 1 - rate if keep_prob is None else keep_prob
        keep = operand(kept, x, "RealDiv", "keep_prob")
        scaled = emit("div", (x, keep))[0]
        sizes = make_shape(x) if noise_shape is None else noise_shape
        drawn = random_uniform(shape_param(sizes), 0, 1, float32, seed)
        mask = binary("Less", "lt", drawn, cast(keep, float32), None, "Less")
        zero = make_constant(np.zeros((), x.dtype.numpy))
        return emit("where", (mask, scaled, zero), type="SelectV2")[0]


def embedding_lookup(params: Any, ids: Any, name: str | None = None) -> Symbol:
    """The rows of a matrix at some places."""
    from .array_ops import gather

    return gather(params, ids, name=name or "embedding_lookup")


def conv2d(input: Any, filter: Any = None, strides: Any = (1, 1, 1, 1), padding: str = "VALID",
           name: str | None = None, filters: Any = None) -> Symbol:  # fmt: skip
    """Convolution of images (batch, rows, columns, channels) with a filter (rows, columns, in,
    out)."""
    with get_default_graph().name_scope(name or "Conv2D") as scope:
        x = convert_to_tensor(input)
        weight = operand(filters if filter is None else filter, x, "Conv2D", "filter")
        steps = tuple(strides[1:3])
        assert weight.sizes is not None
        x, pads = padded(x, weight.sizes[:2], steps, padding, 0.0)
        images = emit("permute", (x,), {"dims": (0, 3, 1, 2)})[0]
        kernel = emit("permute", (weight,), {"dims": (3, 2, 0, 1)})[0]
        params = {"stride": steps, "padding": pads, "dilation": (1, 1), "transposed": False,
                  "output_padding": (0, 0), "groups": 1}  # fmt: skip
        found = emit("convolution", (images, kernel, None), params, type="Conv2D")[0]
        return emit("permute", (found,), {"dims": (0, 2, 3, 1)}, name=scope)[0]


def padded(
    x: Symbol, window: Any, steps: Any, padding: str, value: float
) -> tuple[Symbol, tuple[int, int]]:
    """Pad images as ``SAME`` does, so that there are as many windows as steps."""
    if padding == "VALID":
        return x, (0, 0)
    if x.sizes is None or None in x.sizes[1:3]:
        raise ValueError("SAME padding needs to know the size of the images.")
    amounts = []
    for size, width, step in zip(x.sizes[1:3], window, steps, strict=True):
        assert size is not None
        whole = max((-(-size // step) - 1) * step + width - size, 0)
        amounts.append((whole // 2, whole - whole // 2))
    (top, bottom), (left, right) = amounts
    pad = (0, 0, left, right, top, bottom)
    return emit("constant_pad_nd", (x,), {"pad": pad, "value": value})[0], (0, 0)


def pooled(x: Any, ksize: Any, strides: Any, padding: str, name: str, largest: bool) -> Symbol:
    """The largest, or the mean, of the items in each window of images."""
    with get_default_graph().name_scope(name) as scope:
        symbol = convert_to_tensor(x)
        window, steps = tuple(ksize[1:3]), tuple(strides[1:3])
        if padding == "SAME" and not largest:
            raise ValueError("avg_pool pools without padding here.")
        symbol, pads = padded(symbol, window, steps, padding, -np.inf)
        images = emit("permute", (symbol,), {"dims": (0, 3, 1, 2)})[0]
        params: dict[str, Any] = {"kernel_size": window, "stride": steps, "padding": pads,
                                  "ceil_mode": False}  # fmt: skip
        if largest:
            key = "max_pool2d_with_indices"
            params = {**params, "dilation": (1, 1)}
        else:
            key = "avg_pool2d"
            params |= {"count_include_pad": True, "divisor_override": None}
        found = emit(key, (images,), params)[0]
        return emit("permute", (found,), {"dims": (0, 2, 3, 1)}, name=scope)[0]


def max_pool(value: Any, ksize: Any, strides: Any, padding: str,
             name: str | None = None) -> Symbol:  # fmt: skip
    """The largest item in each window of images."""
    return pooled(value, ksize, strides, padding, name or "MaxPool", True)


def avg_pool(value: Any, ksize: Any, strides: Any, padding: str,
             name: str | None = None) -> Symbol:  # fmt: skip
    """The mean of the items in each window of images."""
    return pooled(value, ksize, strides, padding, name or "AvgPool", False)
