"""Exceptions for faulty programs and files, and the import of the onnx package."""

from __future__ import annotations

import importlib
from typing import Any


class OnnxExporterError(RuntimeError):
    """A program cannot be written as an ONNX file."""


class UnsupportedOperatorError(OnnxExporterError):
    """An op that ONNX has no words for; the message names it."""


class LoadError(ValueError):
    """A file cannot be read as a graph; the message names the node where there is one."""


def onnx_package() -> Any:
    """The onnx package, loaded when it is first asked for.

    Raises:
        ImportError: it is not installed.
    """
    try:
        importlib.import_module("onnx.checker")
        importlib.import_module("onnx.shape_inference")
        return importlib.import_module("onnx")
    except ImportError as error:
        raise ImportError(
            "ONNX files need the package onnx, which is not installed: "
            "pip install 'graphwidget[onnx]'"
        ) from error
