"""Small parts of PyTorch: windows, and what programs ask of compilers and profilers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compare_engines import both, programs, source

PROGRAMS = programs((Path(__file__).parent / "profiler_and_windows.txt").read_text())


@pytest.mark.parametrize(("title", "text"), PROGRAMS, ids=[title[:40] for title, _ in PROGRAMS])
def test_parts(title: str, text: str) -> None:
    both(source(text))
