"""graphwidget: PyTorch's autograd in numpy, with a live picture of the graph in Jupyter.

``import graphwidget as torch`` runs tutorial code unchanged. ``%load_ext graphwidget`` in a
notebook, or ``graphwidget.watch()``, shows the graph while it grows and lets you step backward
through it.

Importing this package loads numpy and nothing else from outside; the widget, IPython and Graphviz
load when they are first used.
"""

from __future__ import annotations

import importlib
import math
import sys
import warnings
from typing import Any, TypeGuard

# The rooms from the bottom up, so that imports nest little: Python's stack is small in a browser.
for _room in (
    "optable", "graph.views", "eager.inplace", "autograd", "dispatch.offer", "functions.shape",
    "functions.memory", "functions.creation", "functions.random", "functions.reduction",
    "functions.pointwise", "functions.indexing", "functions.linalg", "functions.statistics",
    "functions.fill_runtime", "functions.tensor.attach_methods",
):  # fmt: skip
    importlib.import_module(f".{_room}", __name__)

from . import autograd
from .absent import ANSWERS, AbsentModules, StandIns, load_when_used
from .arrays.devices import device
from .arrays.dtypes import ABSENT as _ABSENT_TYPES
from .arrays.dtypes import bool_ as _bool
from .arrays.dtypes import (  # fmt: skip
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    set_default_dtype,
    uint8,
)
from .arrays.memory_formats import LAYOUTS as _LAYOUTS
from .arrays.memory_formats import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    layout,
    memory_format,
    preserve_format,
    strided,
)
from .arrays.size import Size
from .as_torch import as_torch
from .autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .dispatch.offer import FUNCTIONS as _FUNCTIONS
from .dispatch.offer import set_home_module as _at_home
from .functions.random.generator import Generator, initial_seed, manual_seed, seed
from .functions.tensor import attach_methods as _methods  # noqa: F401  (Tensor gets its methods)
from .functions.tensor.printing import set_printoptions
from .graph.errors import AcceleratorError, OutOfMemoryError
from .graph.tensor import Tensor

# Like PyTorch, nan and inf arise silently; numpy would warn from inside our kernels.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"graphwidget\.")

__version__ = "0.1.0"

half, double, short, long = float16, float64, int16, int64
globals().update(bool=_bool, float=float32, int=int32)  # torch's names, builtins here
e, inf, nan, pi = math.e, math.inf, math.nan, math.pi
newaxis = None
globals().update(_FUNCTIONS)
globals().update(_ABSENT_TYPES | _LAYOUTS)  # for programs that list or compare them
_at_home(__name__, _FUNCTIONS)


def is_tensor(obj: Any, /) -> TypeGuard[Tensor]:
    """Return whether an object is a tensor."""
    return isinstance(obj, Tensor)


def _display(self: Tensor, include: Any = None, exclude: Any = None) -> Any:
    """A tensor's rich display in a notebook: its graph, when one is being watched."""
    return importlib.import_module(".widget.display", __name__).tensor_mimebundle(
        self, include, exclude
    )


sys.meta_path += [StandIns(), AbsentModules()]

# The core does not know the widget, so the display is given to it here.
Tensor._repr_mimebundle_ = _display  # type: ignore[attr-defined]

_LAZY = {
    "default_generator": "random",
    "get_rng_state": "random",
    "set_rng_state": "random",
    "is_anomaly_check_nan_enabled": "autograd.anomaly_mode",
    "is_anomaly_enabled": "autograd.anomaly_mode",
    "set_anomaly_enabled": "autograd.anomaly_mode",
    "GradScaler": "amp",
    "autocast": "amp",
    "vmap": "func",
    "compile": "tracing.torch_compile",
    "load": "serialization",
    "save": "serialization",
    "show_code": "eager.show_code",
    "_assert": "fx.wrapping",
    "watch": "widget",
    "explain": "widget",
    "set_language": "recording.language",
    "diagnose": "widget",
    "GraphWidget": "widget",
    "to_graphviz": "exporters.graphviz",
    "to_html": "widget",
    "load_ipython_extension": "ipython",
    "unload_ipython_extension": "ipython",
}
"""Names that load with the module that has them, when they are first used."""

_PARTS = {
    "adapters", "amp", "distributions", "exporters", "func", "functional", "fx", "ipython",
    "linalg", "nn", "onnx", "optim", "random", "recording", "return_types", "serialization",
    "special", "static", "testing", "tutorial", "types", "utils", "widget",
    *(name for name in ANSWERS if "." not in name),
}  # fmt: skip
"""Modules that load when they are first used."""

_OF_LAYERS = (
    "adaptive_avg_pool1d",
    "avg_pool1d", "batch_norm", "conv1d", "conv2d",
    "conv_transpose1d", "conv_transpose2d", "cosine_similarity", "dropout",
    "embedding",
    "group_norm", "gru", "gru_cell", "instance_norm", "layer_norm", "lstm", "lstm_cell",
    "max_pool1d", "max_pool2d", "pairwise_distance",
    "pixel_shuffle", "rms_norm", "rnn_relu", "rnn_relu_cell",
    "rnn_tanh", "rnn_tanh_cell",
)  # fmt: skip
"""Functions that layers are made of: they load with ``nn``."""


def __dir__() -> list[str]:
    """Return the public names, for completion."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def _functions_of_layers() -> dict[str, Any]:
    importlib.import_module(".nn", __name__)
    return {name: _FUNCTIONS[name] for name in _OF_LAYERS}


load_when_used(__name__, {**_LAZY, **dict.fromkeys(_OF_LAYERS, _functions_of_layers)}, _PARTS)

__all__ = [
    "AcceleratorError", "Generator", "GradScaler", "GraphWidget", "OutOfMemoryError", "Size",
    "Tensor", "__version__", "accelerator", "amp", "as_torch",
    "autocast", "autograd", "backends", "bool", "channels_last", "channels_last_3d", "compiler",
    "contiguous_format", "cpu", "cuda", "default_generator", "device", "diagnose",
    "distributed", "distributions", "double", "dtype", "e", "enable_grad", "explain", "finfo",
    "float", "float16", "float32", "float64", "func", "functional", "fx", "get_default_dtype",
    "get_rng_state", "half", "iinfo",
    "inf", "inference_mode", "initial_seed", "int", "int16", "int32", "int64", "int8",
    "is_anomaly_check_nan_enabled", "is_anomaly_enabled", "is_grad_enabled", "is_inference",
    "is_inference_mode_enabled", "is_tensor", "jit", "layout", "linalg", "load",
    "load_ipython_extension", "long", "manual_seed", "memory_format", "mps", "nan", "newaxis", "nn",
    "no_grad", "onnx", "optim", "pi", "preserve_format", "profiler", "random",
    "return_types", "save", "seed", "serialization", "set_anomaly_enabled", "set_default_dtype",
    "set_grad_enabled", "set_language", "set_printoptions", "set_rng_state", "short",
    "show_code", "special",
    "strided", "testing", "to_graphviz", "to_html", "types", "uint8",
    "unload_ipython_extension", "utils", "version", "vmap", "watch", "xpu",
    *_ABSENT_TYPES, *(name for name in _LAYOUTS if name != "strided"), *_FUNCTIONS,
    *_OF_LAYERS,
]  # fmt: skip
