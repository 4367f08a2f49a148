"""Values, first and second derivatives where they jump, against what TensorFlow computed."""

from __future__ import annotations

import json
from itertools import zip_longest
from typing import Any

import numpy as np
import pytest

import graphwidget.static as tf
from tests.static.nonsmooth_points import ANSWERS, answers, cases

EXPECTED = json.loads(ANSWERS.read_text())


@pytest.mark.parametrize(("kind", "expression"), cases())
def test_as_tensorflow(kind: str, expression: str) -> None:
    expected = EXPECTED[f"{kind}: {expression}"]
    for ours, theirs in zip_longest(answers(tf, kind, expression), expected, fillvalue="missing"):
        one, two = (np.asarray(each, np.float64) for each in _pair(ours, theirs))
        np.testing.assert_allclose(one, two, rtol=2e-4, atol=1e-5)


def _pair(ours: Any, theirs: Any) -> tuple[Any, Any]:
    """Both, zeros in the place of None: no derivative is as good as one of 0."""
    zeros = np.zeros_like(next((x for x in (ours, theirs) if x is not None), 0.0))
    return (zeros if ours is None else ours), (zeros if theirs is None else theirs)
