"""Summaries of arrays of every kind."""

from __future__ import annotations

import json

import numpy as np
import pytest

from graphwidget.recording.summary import detailed_summary, summarize


def test_small_arrays_travel_whole() -> None:
    reported = summarize(np.arange(32, dtype=np.float32).reshape(4, 8))
    assert reported.shape == (4, 8)
    assert reported.dtype == "float32"
    assert reported.values == tuple(range(32))
    assert reported.stats is None


def test_large_arrays_travel_as_statistics() -> None:
    reported = summarize(np.arange(33, dtype=np.float64))
    assert reported.values is None
    assert reported.stats == (0, 32, 16, 0)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("size", [0, 1, 32, 33, 1000])
def test_every_summary_is_json(dtype: str, size: int) -> None:
    array = np.ones(size, dtype)
    for reported in (summarize(array), detailed_summary(array)):
        json.dumps(reported, allow_nan=False)
        assert reported.shape == (size,)


def test_not_finite_numbers_travel_as_text() -> None:
    assert summarize(np.array([np.nan, np.inf, -np.inf, 1])).values == ("nan", "inf", "-inf", 1)


def test_statistics_are_of_the_finite_numbers() -> None:
    array = np.arange(100.0)
    array[:3] = np.nan, np.inf, -np.inf
    assert summarize(array).stats == (3, 99, 51, 3)
    assert summarize(np.full(40, np.nan)).stats == ("nan", "nan", "nan", 40)


def test_large_finite_numbers_stay_numbers() -> None:
    assert summarize(np.array([1.7e308, 1.7e308])).values == (1.7e308, 1.7e308)
    assert summarize(np.full(40, 60000, np.float16)).stats == (60000, 60000, 60000, 0)


def test_scalars() -> None:
    assert summarize(np.float32(2)).values == (2.0,)
    assert summarize(np.array(True)).values == (True,)


def test_peek_says_more() -> None:
    array = np.linspace(0, 1, 1000, dtype=np.float32)
    reported = detailed_summary(array)
    assert reported.values is not None
    assert len(reported.values) == 1000
    assert reported.histogram is not None
    assert sum(reported.histogram.counts) == 1000
    assert detailed_summary(np.zeros(5000)).values is None
