"""Errors of functions that PyTorch writes in Python, in PyTorch's words.

Such a function checks little itself: it hands its arguments to functions that PyTorch's parser
guards. ``DELEGATES`` says to which. Once a call has failed, ``explain`` evaluates that line with
the call's arguments: it asks the parser, and Python raises what it raises there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import CodeType
from typing import Any

from ..arrays.kernel_errors import type_name
from ..graph.tensor import Tensor
from .parser import refusal


class Guarded:
    """The functions behind PyTorch's parser: each call is checked and not made."""

    def __getattr__(self, name: str) -> Any:
        def check(*args: Any, **named: Any) -> None:
            for section in ("_VF", "nn", "torch", "linalg"):
                if error := refusal(section, name, args, named):
                    raise error

        return check


def reduction_number(reduction: Any) -> int:
    """Return PyTorch's number of a reduction.

    Raises:
        ValueError: it is none.
    """
    if reduction in (*REDUCTIONS,):
        return REDUCTIONS[reduction]
    raise ValueError(f"{reduction} is not a valid value for reduction")


REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def need_tensors(*values: Any) -> None:
    """Refuse what is no tensor among tensors that are broadcast together."""
    for place, value in enumerate(values):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"expected Tensor as element {place} in argument 0, but got {type_name(value)}"
            )


DELEGATES = {
    "relu": "c.relu_(input) if inplace else c.relu(input)",
    "relu6": "c.relu6_(input) if inplace else c.relu6(input)",
    "leaky_relu": "c.leaky_relu(input, negative_slope)",
    "elu": "c.elu(input, alpha)",
    "selu": "c.selu(input)",
    "silu": "c.silu(input)",
    "mish": "c.mish(input)",
    "hardtanh": "min_val > max_val or c.hardtanh(input, min_val, max_val)",
    "hardswish": "c.hardswish(input)",
    "hardsigmoid": "c.hardsigmoid(input)",
    "threshold": "c.threshold(input, threshold, value)",
    "glu": "input.dim(), c.glu(input, dim)",
    "sigmoid": "input.sigmoid()",
    "tanh": "input.tanh()",
    "softsign": "input.abs()",
    "softmax": "input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)",
    "log_softmax": "input.log_softmax(dim) if dtype is None"
    " else input.log_softmax(dim, dtype=dtype)",
    "gumbel_softmax": "c.empty_like(input), input / tau, input.softmax(dim)",
    "dropout": "p < 0.0 or p > 1.0, c.dropout(input, p, training)",
    "dropout1d": "p < 0.0 or p > 1.0, input.dim(), c.feature_dropout(input, p, training)",
    "dropout2d": "p < 0.0 or p > 1.0, input.dim(), c.feature_dropout(input, p, training)",
    "embedding": "padding_idx is not None and padding_idx > 0 and weight.size(0),"
    "max_norm is not None and (input.contiguous(),"
    " c.embedding_renorm_(weight.detach(), input, max_norm, norm_type)),"
    "c.embedding(weight, input, -1 if padding_idx is None else padding_idx,"
    " scale_grad_by_freq, sparse)",
    "layer_norm": "c.layer_norm(input, normalized_shape, weight, bias, eps, True)",
    "rms_norm": "c.rms_norm(input, normalized_shape, weight, eps)",
    "batch_norm": "training and input.size(), eps < 0.0 or "
    "c.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)",
    "group_norm": "input.dim() < 2 or (input.size(0) * input.size(1) // num_groups"
    " or 1, c.group_norm(input, num_groups, weight, bias, eps, True))",
    "instance_norm": "use_input_stats and input.size(),"
    "c.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum,"
    " eps, True)",
    "normalize": "input.norm(p, dim, keepdim=True).clamp_min(eps)",
    "max_pool1d": "c.max_pool1d(input, kernel_size, [] if stride is None else stride, padding,"
    " dilation, ceil_mode)",
    "max_pool2d": "c.max_pool2d(input, kernel_size, [] if stride is None else stride, padding,"
    " dilation, ceil_mode)",
    "pad": "c.pad(input, pad, mode, value)",
    "unfold": "c.im2col(input, pair(kernel_size), pair(dilation), pair(padding), pair(stride))",
    "cross_entropy": "c.cross_entropy_loss(input, target, weight, number(reduction), ignore_index,"
    " label_smoothing)",
    "nll_loss": "c.nll_loss_nd(input, target, weight, number(reduction), ignore_index)",
    "mse_loss": "target.size(), input.size(), tensors(input, target), number(reduction)",
    "interpolate": "input.dim()",
    "adaptive_avg_pool2d": "input.size(), isinstance(output_size, int) or len(output_size),"
    "c.adaptive_avg_pool2d(input,"
    " output_size if isinstance(output_size, int) else [*output_size])",
    "l1_loss": "target.size(), input.size(), tensors(input, target), number(reduction)",
    "smooth_l1_loss": "target.size(), input.size(), tensors(input, target),"
    "beta == 0.0 or c.smooth_l1_loss(input, target, number(reduction), beta)",
    "huber_loss": "target.size(), input.size(), tensors(input, target),"
    "c.huber_loss(input, target, number(reduction), delta)",
    "binary_cross_entropy": "number(reduction), target.size(), input.size(),"
    "weight is None or weight.size(), c.binary_cross_entropy(input, target, weight, 0)",
    "binary_cross_entropy_with_logits": "number(reduction), target.size(), input.size(),"
    "c.binary_cross_entropy_with_logits(input, target, weight, pos_weight, 0)",
    "kl_div": "c.kl_div(input, target, 2 if reduction == 'batchmean' else number(reduction),"
    " log_target=log_target)",
    "hinge_embedding_loss": "c.hinge_embedding_loss(input, target, margin, number(reduction))",
    "triplet_margin_loss": "number(reduction), not margin <= 0,"
    "c.triplet_margin_loss(input, positive, negative, margin, p, eps, swap, number(reduction))",
    "norm": "input.layout,"
    "c.linalg_vector_norm(input, 2.0 if p is None or isinstance(p, str) else p,"
    " [dim] if isinstance(dim, int) else dim, keepdim, dtype=dtype)",
    "split": "(c.split if isinstance(split_size, int) else c.split_with_sizes)"
    "(input, split_size, dim)",
    "unique": "not return_inverse, not return_counts,"
    "c._unique2(input, sorted=sorted, return_inverse=return_inverse,"
    " return_counts=return_counts) if dim is None else c.unique_dim(input, dim, sorted=sorted,"
    " return_inverse=return_inverse, return_counts=return_counts)",
}
"""The calls that a function makes: ``c`` stands for the functions that PyTorch's parser
guards, ``input`` for the first argument."""


@cache
def compiled(name: str) -> CodeType | None:
    """Return the code of a function's line; None for one without a line."""
    line = DELEGATES.get(name)
    return None if line is None else compile(f"({line})", f"<{name}>", "eval")


def explain(name: str, arguments: Mapping[str, Any]) -> bool:
    """Raise PyTorch's error for a failed call, if it has one.

    Args:
        name: of a function that PyTorch writes in Python.
        arguments: those of the call, by name and in order.

    Returns:
        Whether the function is known here.
    """
    code = compiled(name)
    if code is None or not arguments:
        return False
    first = next(iter(arguments.values()))
    names = {**arguments, "input": first, "c": Guarded(), **HELPERS}
    try:
        eval(code, names)
    except Exception as error:
        refused = error
    else:
        return True
    raise refused.with_traceback(None) from None


HELPERS = {
    "number": reduction_number,
    "tensors": need_tensors,
    "pair": lambda value: tuple(value) if isinstance(value, Iterable) else (value, value),
}
