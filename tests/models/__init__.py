"""Models as tutorials write them, for both engines: the same text with either `torch`.

The static half records them, fx traces them, and onnx writes them; what is true is what the eager
run, or PyTorch, gives.
"""

from . import attention, images, layers, sequences  # noqa: F401  (they register their models)
from .register import MODELS, build

__all__ = ["MODELS", "build"]
