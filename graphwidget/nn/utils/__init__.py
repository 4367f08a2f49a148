"""Tools for parameters and sequences, as in `torch.nn.utils`."""

import importlib
from typing import TYPE_CHECKING, Any

from ...absent import refuse
from . import clip_grad, convert_parameters, rnn
from .clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from .convert_parameters import parameters_to_vector, vector_to_parameters
from .spectral_norm import remove_spectral_norm, spectral_norm
from .weight_norm import remove_weight_norm, weight_norm

if TYPE_CHECKING:
    from . import parametrizations, parametrize, prune, stateless
    from .fusion import (
        fuse_conv_bn_eval,
        fuse_conv_bn_weights,
        fuse_linear_bn_eval,
        fuse_linear_bn_weights,
    )
    from .init import skip_init

_LAZY = {
    "fuse_conv_bn_eval": "fusion",
    "fuse_conv_bn_weights": "fusion",
    "fuse_linear_bn_eval": "fusion",
    "fuse_linear_bn_weights": "fusion",
    "skip_init": "init",
}
"""Names that load with the file that has them, when they are first used."""

if not TYPE_CHECKING:  # checkers know the names above

    def __getattr__(name: str) -> Any:
        if name in _LAZY:
            return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
        if name in ("parametrizations", "parametrize", "prune", "stateless", *_LAZY.values()):
            return importlib.import_module(f".{name}", __name__)
        return refuse(__name__, name)


def __dir__() -> list[str]:
    """What completion offers: the public names."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


__all__ = [
    "clip_grad",
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "convert_parameters",
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "prune",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "skip_init",
    "spectral_norm",
    "stateless",
    "vector_to_parameters",
    "weight_norm",
]
