"""A kernel for all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .kernel import Kernel, kernel


@pytest.fixture(scope="module")
def shared() -> Iterator[Kernel]:
    with kernel() as started:
        yield started
