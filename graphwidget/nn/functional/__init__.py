"""Functions that layers and losses are made of, as in `torch.nn.functional`."""

from inspect import isfunction

from ...absent import refuse_others
from ...dispatch.offer import with_out
from ...dispatch.parsed import parsed_function
from ...dispatch.python_written import python_written_function
from ...dispatch.signatures import inner_signatures
from ...dispatch.torch_function import add_places, bound_call, method_call, written_in
from ...eager.overridable import overridable
from ...functions.linalg.products import linear
from ...functions.pointwise.activations import (
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
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    relu_,
    rrelu,
    rrelu_,
    selu,
    selu_,
    sigmoid,
    silu,
    softplus,
    softshrink,
    softsign,
    tanh,
    tanhshrink,
    threshold,
    threshold_,
)
from ...functions.shape.repeat_flip_pad import pad
from . import (  # noqa: F401  (the last two offer functions of the package itself)
    grad,
    top_level_namesakes,
)
from .adaptive_pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices,
)
from .attention import scaled_dot_product_attention
from .bilinear import bilinear
from .convolution import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from .cross_entropy_losses import cross_entropy, nll_loss
from .distance import cosine_similarity, normalize, pairwise_distance
from .dropout import alpha_dropout, dropout, dropout1d, dropout2d, dropout3d, feature_alpha_dropout
from .embedding import embedding, one_hot
from .fold import fold, unfold
from .interpolation import (
    interpolate,
    native_channel_shuffle,
    upsample,
    upsample_bilinear,
    upsample_nearest,
)
from .margin_losses import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from .multi_head_attention import multi_head_attention_forward
from .normalization import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
    rms_norm,
)
from .pixel_shuffle import channel_shuffle, pixel_shuffle, pixel_unshuffle
from .pooling import (
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
    max_pool3d,
    max_pool3d_with_indices,
)
from .probability_losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    gaussian_nll_loss,
    kl_div,
    poisson_nll_loss,
)
from .regression_losses import huber_loss, l1_loss, mse_loss, smooth_l1_loss
from .softmax import log_softmax, softmax, softmin

BOUND = (
    "adaptive_avg_pool1d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "bilinear", "celu_",
    "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "cosine_similarity", "elu_", "gelu", "hardshrink", "hardtanh_",
    "leaky_relu_", "linear", "logsigmoid", "native_channel_shuffle", "one_hot",
    "pairwise_distance", "pixel_shuffle", "pixel_unshuffle", "prelu", "relu_", "rrelu_",
    "scaled_dot_product_attention", "selu_", "softplus", "softshrink", "threshold_",
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

POOLED = "input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode"
SOFTLY = "0 if dim is None else dim, dtype=dtype"
SIZES = (
    "input, output_size if isinstance(output_size, int) else "
    "[0 if size is None else size for size in output_size]"
)
PAIR = "{0} if hasattr({0}, '__iter__') else ({0}, {0})"
PAIRS = ", ".join(map(PAIR.format, ("kernel_size", "dilation", "padding", "stride")))
HERE = "'{0}_' if inplace else '{0}'"
PASSED = {
    **{f"adaptive_{kind}_pool{n}d": ("nn", f"adaptive_{kind}_pool{n}d", SIZES)
       for kind in ("avg", "max") for n in (2, 3)},
    "adaptive_max_pool1d": ("torch", "adaptive_max_pool1d", "input, output_size"),
    "alpha_dropout": ("torch", HERE.format("alpha_dropout"), "input, p, training"),
    "batch_norm": ("torch", "batch_norm", "input, weight, bias, running_mean, running_var, "
                   "training, momentum, eps, False"),
    "binary_cross_entropy_with_logits": ("torch", "binary_cross_entropy_with_logits",
                                         "input, target, weight, pos_weight"),
    "celu": ("torch", HERE.format("celu"), "input, alpha"),
    "cosine_embedding_loss": ("torch", "cosine_embedding_loss", "input1, input2, target, margin"),
    "cross_entropy": ("nn", "cross_entropy_loss",
                      "input, target, weight, 0, ignore_index, label_smoothing"),
    "dropout": ("torch", HERE.format("dropout"), "input, p, training"),
    **{f"dropout{n}d": ("torch", HERE.format("feature_dropout"), "input, p, training")
       for n in (1, 2, 3)},
    "elu": ("nn", HERE.format("elu"), "input, alpha"),
    "embedding": ("torch", "embedding", "weight, input, -1 if padding_idx is None else "
                  "padding_idx, scale_grad_by_freq, sparse"),
    "feature_alpha_dropout": ("torch", HERE.format("feature_alpha_dropout"), "input, p, training"),
    "glu": ("nn", "glu", "input, dim"),
    "group_norm": ("torch", "group_norm", "input, num_groups, weight, bias, eps"),
    "hardtanh": ("nn", HERE.format("hardtanh"), "input, min_val, max_val"),
    "hinge_embedding_loss": ("torch", "hinge_embedding_loss", "input, target, margin"),
    "huber_loss": ("nn", "huber_loss", "input, target, 0, delta"),
    "instance_norm": ("torch", "instance_norm", "input, weight, bias, running_mean, running_var, "
                      "use_input_stats, momentum, eps, False"),
    "kl_div": ("torch", "kl_div", "input, target, 0, log_target=log_target"),
    "layer_norm": ("torch", "layer_norm", "input, normalized_shape, weight, bias, eps"),
    "leaky_relu": ("nn", HERE.format("leaky_relu"), "input, negative_slope"),
    "log_softmax": ("Tensor", "log_softmax", SOFTLY),
    **{name: ("nn", f"{op}", columns) for name, op, columns in (
        ("fold", "col2im", f"input, {PAIR.format('output_size')}, {PAIRS}"),
        ("unfold", "im2col", f"input, {PAIRS}"))},
    "margin_ranking_loss": ("torch", "margin_ranking_loss", "input1, input2, target, margin"),
    "max_pool1d": ("torch", "max_pool1d", POOLED),
    "max_pool2d": ("torch", "max_pool2d", POOLED),
    "max_pool3d": ("torch", "max_pool3d", POOLED),
    "nll_loss": ("nn", "nll_loss_nd", "input, target, weight, 0, ignore_index"),
    "normalize": ("linalg", "linalg_vector_norm", "input, 2 if isinstance(p, str) else 2 if p is "
                  "None else p, [dim] if isinstance(dim, int) else dim, True"),
    "pad": ("nn", "pad", "input, pad, mode, value"),
    "poisson_nll_loss": ("torch", "poisson_nll_loss", "input, target, log_input, full, eps, 0"),
    "relu6": ("nn", HERE.format("relu6"), "input"),
    "rms_norm": ("torch", "rms_norm", "input, normalized_shape, weight, eps"),
    "rrelu": ("torch", HERE.format("rrelu"), "input, lower, upper, training"),
    "selu": ("torch", HERE.format("selu"), "input"),
    "smooth_l1_loss": ("nn", "smooth_l1_loss", "input, target, 0, beta"),
    "softmax": ("Tensor", "softmax", SOFTLY),
    "softmin": ("Tensor", "softmax", SOFTLY),
    "threshold": ("torch", HERE.format("threshold"), "input, threshold, value"),
    "triplet_margin_loss": ("torch", "triplet_margin_loss", "anchor, positive, negative, margin, "
                            "p, eps, swap"),
}  # fmt: skip
"""The bound functions that others, which PyTorch writes in Python, hand their arguments to."""

ASKED = {
    "instance_norm": "input.size()",
    **dict.fromkeys(
        ("adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool2d",
         "adaptive_max_pool3d"), "input.size(), isinstance(output_size, int) or len(output_size)",
    ),
    **dict.fromkeys(
        ("glu", "interpolate",
         "local_response_norm", "upsample", "upsample_bilinear", "upsample_nearest"), "input.dim",
    ),
    "batch_norm": "training and (input.size(), eps <= 0.0), eps < 0.0",
    **dict.fromkeys(("alpha_dropout", "dropout", "feature_alpha_dropout"), "p < 0.0"),
    **dict.fromkeys(("dropout1d", "dropout2d", "dropout3d"), "p < 0.0, input.dim"),
    "binary_cross_entropy_with_logits": "target.size(), input.size()",
    "embedding": "max_norm is None or input.contiguous",
    "group_norm": "input.dim() < 2 or input.size(0) * input.size(1) // num_groups",
    "hardtanh": "min_val > max_val",
    "huber_loss": "target.size(), input.size()",
    "margin_ranking_loss": "input1.dim, input2.dim, target.dim",
    "multi_head_attention_forward": "query.dim",
    "log_softmax": "input.dim if dim is None else input.log_softmax",
    "softmax": "input.dim if dim is None else input.softmax",
    "softmin": "input.dim if dim is None else (-input).softmax",
    "smooth_l1_loss": "target.size(), input.size()",
    "normalize": "input.norm",
    "softsign": "input.abs",
    "tanhshrink": "input.tanh",
    "triplet_margin_loss": "margin <= 0",
}  # fmt: skip
"""Checks that functions which PyTorch writes in Python make of their arguments first."""

for _name in {**PASSED, **ASKED}:
    globals()[_name] = python_written_function(
        globals()[_name], ASKED.get(_name, ""), *PASSED.get(_name, ())
    )

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices", "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices", "alpha_dropout", "avg_pool1d",
    "avg_pool2d", "avg_pool3d", "batch_norm", "bilinear", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "celu", "celu_", "channel_shuffle", "conv1d", "conv2d",
    "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "cosine_embedding_loss", "cosine_similarity", "cross_entropy", "dropout",
    "dropout1d", "dropout2d", "dropout3d", "elu", "elu_", "embedding",
    "feature_alpha_dropout", "fold", "gaussian_nll_loss", "gelu", "glu",
    "group_norm", "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish", "hardtanh",
    "hardtanh_", "hinge_embedding_loss", "huber_loss", "instance_norm", "interpolate", "kl_div",
    "l1_loss", "layer_norm", "leaky_relu", "leaky_relu_", "linear",
    "local_response_norm",
    "log_softmax", "logsigmoid", "margin_ranking_loss",
    "max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool2d_with_indices",
    "max_pool3d", "max_pool3d_with_indices",
    "mish", "mse_loss", "multi_head_attention_forward",
    "native_channel_shuffle",
    "nll_loss", "normalize", "one_hot", "pad", "pairwise_distance", "pixel_shuffle",
    "pixel_unshuffle", "poisson_nll_loss", "prelu", "relu", "relu6", "relu_", "rms_norm",
    "rrelu", "rrelu_", "scaled_dot_product_attention", "selu", "selu_", "sigmoid", "silu",
    "smooth_l1_loss", "softmax", "softmin", "softplus", "softshrink",
    "softsign", "tanh", "tanhshrink", "threshold", "threshold_", "triplet_margin_loss",
    "triplet_margin_with_distance_loss", "unfold", "upsample", "upsample_bilinear",
    "upsample_nearest",
]  # fmt: skip

for _name in __all__:
    if isfunction(globals()[_name]):
        globals()[_name] = overridable(globals()[_name])

AS_METHODS = ("sigmoid", "tanh")
"""Those that are the methods of the same name to whoever is asked what they do."""

add_places(
    lambda: [(globals()[each], bound_call(*known)) for each, known in PARSED.items()],
    lambda: [(globals()[each], method_call(each)) for each in AS_METHODS],
    written_in(
        "torch.nn.functional",
        globals(),
        [each for each in __all__ if each not in (*BOUND, *AS_METHODS)],
    ),
)

refuse_others(__name__)
