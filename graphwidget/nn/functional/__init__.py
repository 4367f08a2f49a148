"""Functions that layers and losses are made of, as in `torch.nn.functional`."""

from ...core.activations import (
    celu,
    celu_,
    elu,
    elu_,
    gelu,
    glu,
    gumbel_softmax,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    log_softmax,
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    rrelu,
    rrelu_,
    selu,
    selu_,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softshrink,
    softsign,
    tanh,
    tanhshrink,
    threshold,
    threshold_,
)
from ...core.padding import one_hot, pad
from .convolution import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from .dropout import dropout
from .embedding import embedding
from .linear import linear
from .loss import cross_entropy, mse_loss, nll_loss
from .normalization import batch_norm, group_norm, layer_norm
from .pooling import (
    avg_pool1d,
    avg_pool2d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
)

__all__ = [
    "avg_pool1d", "avg_pool2d", "batch_norm", "celu", "celu_", "conv1d", "conv2d", "conv3d",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "cross_entropy", "dropout", "elu",
    "elu_", "embedding", "gelu", "glu", "group_norm", "gumbel_softmax", "hardshrink",
    "hardsigmoid", "hardswish", "hardtanh", "hardtanh_", "layer_norm", "leaky_relu",
    "leaky_relu_", "linear", "log_softmax", "logsigmoid", "max_pool1d", "max_pool1d_with_indices",
    "max_pool2d", "max_pool2d_with_indices", "mish", "mse_loss", "nll_loss", "one_hot", "pad",
    "prelu", "relu", "relu6", "rrelu", "rrelu_", "selu", "selu_", "sigmoid", "silu", "softmax",
    "softmin", "softplus", "softshrink", "softsign", "tanh", "tanhshrink", "threshold",
    "threshold_",
]  # fmt: skip
