"""Runs ONNX files in onnxruntime, and compares."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import onnxruntime

import graphwidget as torch

onnxruntime.set_default_logger_severity(4)
warnings.filterwarnings("ignore", "enable_nested_tensor")


def run(model: Any, *inputs: Any) -> list[Any]:
    """Return what the file gives for inputs, in their order."""
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [each.name for each in session.get_inputs()]
    arrays = [each.detach().numpy() if isinstance(each, torch.Tensor) else each for each in inputs]
    return list(session.run(None, dict(zip(names, arrays, strict=True))))


def flat(results: Any) -> list[Any]:
    """The tensors of a result as arrays."""
    if isinstance(results, torch.Tensor):
        return [results.detach().numpy()]
    if isinstance(results, dict):
        results = list(results.values())
    if isinstance(results, (tuple, list)):
        return [array for each in results for array in flat(each)]
    return []


def same(found: list[Any], wanted: list[Any], rtol: float = 1e-4, atol: float = 1e-5) -> None:
    assert len(found) == len(wanted)
    for one, two in zip(found, wanted, strict=True):
        assert (one.shape, one.dtype) == (two.shape, two.dtype)
        np.testing.assert_allclose(one, two, rtol, atol)


def check(function: Any, *inputs: Any, other: tuple[Any, ...] = (), **options: Any) -> Any:
    """Export a function with inputs, and let the file run on them, and on others."""
    model = torch.onnx.export(function, inputs, **options)
    for given in filter(None, (inputs, other)):
        copies = [each.clone() if isinstance(each, torch.Tensor) else each for each in given]
        with torch.no_grad():
            wanted = flat(function(*copies))
        same(run(model, *given), wanted)
    return model
