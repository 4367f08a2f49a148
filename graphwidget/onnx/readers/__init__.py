"""Readers of ONNX's operators, by family: functions of a node and its operands."""

from . import layers, pointwise, pooling, reductions, shapes

__all__ = ["layers", "pointwise", "pooling", "reductions", "shapes"]
