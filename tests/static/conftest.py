"""Each test builds a graph of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import graphwidget.static as tf


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    with tf.Graph().as_default():
        yield
