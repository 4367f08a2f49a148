"""Each op of the table that can be written: its file runs in onnxruntime to the same numbers."""

from __future__ import annotations

import re
from typing import Any

import pytest

import graphwidget as torch
from graphwidget.onnx.errors import OnnxExporterError
from graphwidget.onnx.writers import covered
from tests.onnx.running import flat, run, same
from tests.optable.samples import SAMPLES
from tests.optable.test_ops import data, names

CANNOT = {
    "nan, x": "its MaxPool overlooks nan",
    "dilation=3, output_padding=2": "it wants less output_padding than stride",
    "output_padding=(2, 1)": "it wants less output_padding than stride",
    "output_padding=(3, 2)": "it wants less output_padding than stride",
}
"""Samples that onnxruntime itself computes otherwise."""
NOT_THERE = {("pixel_shuffle", "int64")}
"""Ops that it has not implemented for a type."""
TIES = {"topk", "sort", "argsort"}
"""Ops that may take any of equal items."""
LIMITS = (
    "cannot be recorded as a graph|of integers has no|does not take|include_self|is uneven|"
    "nonzero of a single number|with ceil_mode|other than four dims|single number"
)
"""Refusals, in words of the message."""


def cases(key: str) -> list[Any]:
    found = []
    for sample in SAMPLES[key]:
        if key in TIES and "round" in sample.text:
            continue
        if "autograd" in sample.text or any(text in sample.text for text in CANNOT):
            continue
        for dtype in ("float32", "int64") if sample.integers and key not in TIES else ("float32",):
            for shapes in sample.shapes[:2]:
                if (key, dtype) not in NOT_THERE:
                    found += [(sample, dtype, shapes)]
    return found


# What is written in place of another op's result, or made of derivatives, has samples with those.
KEYS = [key for key in covered() if key in SAMPLES and cases(key)]


@pytest.mark.parametrize("key", KEYS)
def test_op(key: str) -> None:
    ran = refused = 0
    for sample, dtype, shapes in cases(key):
        arrays = data(sample, shapes, dtype)

        def function(*given: Any, text: str = sample.text) -> Any:
            return eval(text, names(torch, list(given)))

        inputs = [torch.from_numpy(each.copy()) for each in arrays]
        try:
            wanted = flat(function(*(each.clone() for each in inputs)))
        except (RuntimeError, IndexError, ValueError, TypeError):
            continue  # PyTorch refuses that, too (tests/optable holds it)
        try:
            model = torch.onnx.export(function, tuple(inputs))
        except OnnxExporterError as error:
            if re.search(LIMITS, str(error)):
                refused += 1
                continue
            raise
        same(run(model, *arrays), wanted)
        ran += 1
    assert ran or refused


def test_there_are_many() -> None:
    assert len(KEYS) > 200
