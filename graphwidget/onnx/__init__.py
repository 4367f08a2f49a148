"""ONNX: programs as files that other runtimes read, and such files as static graphs.

    graphwidget.onnx.export(model, (x,), "model.onnx", input_names=["x"])
    model = graphwidget.onnx.load("model.onnx")
    model.run({"x": array})

``export`` records a function or module (or takes a static graph) and writes each op as the op
table's declaration (``onnx="Mul"``) or ``writers/`` say; ``load`` goes the other way through
``readers/``. The package onnx reads and writes the bytes; it is asked for when first used.
"""

from __future__ import annotations

from ..absent import refuse_others
from .errors import LoadError, OnnxExporterError, UnsupportedOperatorError
from .exporting import export
from .loading import Model, load

__all__ = [
    "LoadError", "Model", "OnnxExporterError", "UnsupportedOperatorError", "export", "load",
]  # fmt: skip

refuse_others(__name__)
