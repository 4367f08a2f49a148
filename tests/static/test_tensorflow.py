"""Random programs against what TensorFlow itself printed and computed."""

from __future__ import annotations

import json

import numpy as np
import pytest

import graphwidget.static as tf
from tests.static.tensorflow_programs import ANSWERS, answers

EXPECTED = dict(enumerate(json.loads(ANSWERS.read_text())))


@pytest.mark.parametrize("seed", [seed for seed in EXPECTED if EXPECTED[seed]])
def test_prints_and_computes_as_tensorflow(seed: int) -> None:
    found = answers(tf, seed)
    assert len(found) == len(EXPECTED[seed])
    for one, two in zip(found, EXPECTED[seed], strict=True):
        if isinstance(one, list) and isinstance(two, list):
            np.testing.assert_allclose(one, two, rtol=3e-3, atol=2e-4)
        else:
            assert one == two
