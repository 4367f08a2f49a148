"""The page in the docs tells what is written and read."""

from __future__ import annotations

from graphwidget.onnx.coverage import text
from tests.structure.tree import PACKAGE


def test_the_page_is_current() -> None:
    assert (PACKAGE / "onnx" / "OPERATORS.md").read_text() == text()
