"""How ONNX's operators are read, by family: functions of a node and its operands."""

from . import arranging, computing, elementwise, layers, reducing, resizing, sliding

__all__ = ["arranging", "computing", "elementwise", "layers", "reducing", "resizing", "sliding"]
