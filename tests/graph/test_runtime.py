"""The globals of generated code are all there, and nothing else is made one by mistake."""

from __future__ import annotations

import pytest

import graphwidget  # noqa: F401
from graphwidget.graph import runtime


def test_what_is_declared_is_provided() -> None:
    assert [name for name in runtime.__annotations__ if not hasattr(runtime, name)] == []


def test_what_is_not_declared_cannot_be_provided() -> None:
    with pytest.raises(NameError, match=r"not declared in graphwidget\.graph\.runtime: stranger"):
        runtime.provide(stranger=1)
    assert not hasattr(runtime, "stranger")
