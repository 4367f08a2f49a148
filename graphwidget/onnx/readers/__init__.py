"""How ONNX's operators are read, by family: functions of a node and its operands."""

from . import arranging, elementwise, layers, reducing

__all__ = ["arranging", "elementwise", "layers", "reducing"]
