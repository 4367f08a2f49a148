"""Every op of the table can be watched: forward, backward, and second order."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import graphwidget
from graphwidget.recording import events as ev
from tests.extent import chosen
from tests.optable.samples import SAMPLES, Sample
from tests.optable.test_ops import data, flat, leaves, names, weighted

from .record_native import observed

OPS = [(key, sample) for key, samples in SAMPLES.items() for sample in samples[: chosen(1, full=2)]]


@pytest.mark.parametrize(
    ("key", "sample"), OPS, ids=[f"{key}: {sample.text}"[:70] for key, sample in OPS]
)
def test_an_op_is_recorded(key: str, sample: Sample) -> None:
    arrays = data(sample, sample.shapes[0], "float64")

    def program() -> Any:
        inputs = leaves(graphwidget, arrays, False)
        outputs = flat(eval(sample.text, names(graphwidget, inputs)))
        total = weighted(outputs, graphwidget)
        if total is not None:
            total.backward()
        return inputs, outputs, total

    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        recorded = observed(program)
    assert [str(each.message) for each in caught if "recording" in str(each.message)] == []
    assert recorded.of(ev.Op) or recorded.of(ev.Value)
    finished = recorded.of(ev.Done)
    assert all(run.status == "ok" for run in finished)
