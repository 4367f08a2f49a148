"""Readers of ONNX's operators, by family: functions of a node and its operands."""

from . import layers, numpy_only, pointwise, pooling, products, reductions, resize, shapes

__all__ = [
    "layers",
    "numpy_only",
    "pointwise",
    "pooling",
    "products",
    "reductions",
    "resize",
    "shapes",
]  # fmt: skip
