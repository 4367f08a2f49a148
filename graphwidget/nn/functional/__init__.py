"""Functions that layers and losses are made of, as in `torch.nn.functional`."""

from ...core.padding import one_hot, pad
from .activation import (
    hardtanh,
    leaky_relu,
    log_softmax,
    relu,
    relu6,
    sigmoid,
    silu,
    softmax,
    softplus,
    tanh,
)
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
    "avg_pool1d", "avg_pool2d", "batch_norm", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "cross_entropy", "dropout", "embedding",
    "group_norm", "hardtanh", "layer_norm", "leaky_relu", "linear", "log_softmax",
    "max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool2d_with_indices",
    "mse_loss", "nll_loss", "one_hot", "pad", "relu", "relu6", "sigmoid", "silu", "softmax",
    "softplus", "tanh",
]  # fmt: skip
