"""Every function and method says what it computes, and shows its parameters."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import graphwidget.nn  # offers functions of its own
from graphwidget.dispatch.offer import FUNCTIONS, METHODS, SPACES
from graphwidget.optable import TABLE
from graphwidget.optable.derivative_text import Text

OFFERED = {
    **{f"torch.{name}": each for name, each in FUNCTIONS.items()},
    **{f"Tensor.{name}": each for name, each in METHODS.items() if callable(each)},
    **{f"{space}.{name}": f for space, names in SPACES.items() for name, f in names.items()},
}


def test_what_is_offered_is_documented() -> None:
    names = [name for name in OFFERED if "__" not in name]
    docs = {name: inspect.getdoc(OFFERED[name]) or "" for name in names}
    assert [name for name, doc in docs.items() if not doc or " object at " in doc] == []
    assert [name for name in names if not inspect.signature(OFFERED[name])] == []


def test_ops_tell_their_node_and_gradient() -> None:
    silent = [
        op.key
        for op in TABLE.values()
        if op.public and op.derivatives and op.key in FUNCTIONS
        and op.node not in (FUNCTIONS[op.key].__doc__ or "")
    ]  # fmt: skip
    assert silent == []


def test_examples() -> None:
    doc = inspect.getdoc(graphwidget.exp) or ""
    assert "grad × result" in doc
    assert "ExpBackward0" in doc
    assert str(inspect.signature(graphwidget.mul)) == "(input, other, *, out=None)"


def test_dtypes_of_texts_have_none() -> None:
    # numpy would ask a dtype's dtype for its own, without end (in a browser: the stack's).
    with pytest.raises(TypeError):
        np.result_type(Text("x").dtype, np.float32)
    with pytest.raises(AttributeError):
        _ = Text("x").dtype.dtype
