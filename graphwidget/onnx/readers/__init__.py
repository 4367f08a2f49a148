"""How ONNX's operators are read, by family: functions of a node and its operands."""

from . import layers, numpy_only, pointwise, products, reductions, resize, shapes, windows

__all__ = [
    "layers", "numpy_only", "pointwise", "products", "reductions", "resize", "shapes", "windows",
]  # fmt: skip
