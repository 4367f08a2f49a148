"""The globals of generated code are all there, and nothing else is made one by mistake."""

from __future__ import annotations

import pytest

from graphwidget.graph import runtime
from graphwidget.graph.tensor import Tensor


def test_what_is_declared_is_provided() -> None:
    assert [name for name in runtime.__annotations__ if not hasattr(runtime, name)] == []


def test_what_is_declared_must_get_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(runtime, "wrap")
    monkeypatch.delattr(runtime, "edge_of")
    with pytest.raises(NameError, match=r"without a value in graphwidget\.graph\.runtime: edge_of"):
        runtime.provide(wrap=Tensor._wrap)


def test_what_is_not_declared_cannot_be_provided() -> None:
    with pytest.raises(NameError, match=r"not declared in graphwidget\.graph\.runtime: stranger"):
        runtime.provide(stranger=1)
    assert not hasattr(runtime, "stranger")
