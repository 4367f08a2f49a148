"""Functions that layers and losses are made of, as in `torch.nn.functional`."""

from inspect import isfunction

from ...absent import refuse_others
from ...dispatch.offer import with_out
from ...dispatch.parsed import parsed_function
from ...dispatch.signatures import inner_signatures
from ...eager.overridable import overridable
from ...functions.linalg.products import linear
from ...functions.pointwise.activations import (
    elu,
    elu_,
    gelu,
    glu,
    gumbel_softmax,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    relu_,
    selu,
    selu_,
    sigmoid,
    silu,
    softplus,
    softsign,
    tanh,
    threshold,
    threshold_,
)
from ...functions.shape.repeat_flip_pad import pad
from . import top_level_namesakes  # noqa: F401  (offers functions of the package itself)
from .attention import log_softmax, scaled_dot_product_attention, softmax
from .convolution import (
    conv1d,
    conv2d,
    conv_transpose1d,
    conv_transpose2d,
)
from .dropout import dropout, dropout1d, dropout2d, embedding, one_hot
from .multi_head_attention import multi_head_attention_forward
from .normalization import batch_norm, group_norm, instance_norm, layer_norm, rms_norm
from .pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    avg_pool1d,
    avg_pool2d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
)
from .probability_losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    kl_div,
    nll_loss,
)
from .regression_losses import (
    cosine_similarity,
    hinge_embedding_loss,
    huber_loss,
    l1_loss,
    mse_loss,
    normalize,
    pairwise_distance,
    smooth_l1_loss,
    triplet_margin_loss,
)
from .resampling import (
    interpolate,
    pixel_shuffle,
    unfold,
)

BOUND = (
    "adaptive_avg_pool1d", "avg_pool1d", "avg_pool2d",
    "conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d",
    "cosine_similarity", "elu_", "gelu", "hardtanh_",
    "leaky_relu_", "linear", "logsigmoid", "one_hot",
    "pairwise_distance", "pixel_shuffle", "prelu", "relu_",
    "scaled_dot_product_attention", "selu_", "softplus", "threshold_",
)  # fmt: skip
"""Functions that PyTorch does not write in Python, so that its argument parser checks calls."""

PARSED: dict[str, tuple[str, str]] = {}
"""The sections and names by which the parser knows them."""

for _name in BOUND:
    _known = "log_sigmoid" if _name == "logsigmoid" else _name
    _section = "nn" if inner_signatures("nn", _known) else "torch"
    _written = any(" out=" in each for each in inner_signatures(_section, _known))
    PARSED[_name] = _section, _known
    globals()[_name] = parsed_function(
        _section, _known, globals()[_name], with_out(_known) if _written else None
    )

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d",

    "avg_pool1d",
    "avg_pool2d", "batch_norm", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "conv1d", "conv2d",
    "conv_transpose1d", "conv_transpose2d",
    "cosine_similarity", "cross_entropy", "dropout",
    "dropout1d", "dropout2d", "elu", "elu_", "embedding",
    "gelu", "glu",
    "group_norm", "gumbel_softmax", "hardsigmoid", "hardswish", "hardtanh",
    "hardtanh_", "hinge_embedding_loss", "huber_loss", "instance_norm", "interpolate", "kl_div",
    "l1_loss", "layer_norm", "leaky_relu", "leaky_relu_", "linear",
    "log_softmax", "logsigmoid",
    "max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool2d_with_indices",

    "mish", "mse_loss", "multi_head_attention_forward",
    "nll_loss", "normalize", "one_hot", "pad", "pairwise_distance", "pixel_shuffle",
    "prelu", "relu", "relu6", "relu_", "rms_norm",
    "scaled_dot_product_attention", "selu", "selu_", "sigmoid", "silu",
    "smooth_l1_loss", "softmax", "softplus",
    "softsign", "tanh", "threshold", "threshold_", "triplet_margin_loss",
    "unfold",

]  # fmt: skip

for _name in __all__:
    if isfunction(globals()[_name]):
        globals()[_name] = overridable(globals()[_name])

refuse_others(__name__)
