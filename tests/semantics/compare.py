"""Small programs, run on PyTorch and on graphwidget; what they show must be equal.

A program is text in which ``torch`` is the engine. ``show(...)`` shows values (tensors with their
flags, nodes by name, anything else by its repr), ``fails(lambda: ...)`` shows an error.
"""

from __future__ import annotations

import re
import textwrap
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import graphwidget

ADDRESS = re.compile(r"0x[0-9a-f]+")


def told(text: str) -> str:
    """A text without addresses and without places in PyTorch's C++ source."""
    return ADDRESS.sub("0x", text).split(" (Triggered internally at", 1)[0]


class Numbers:
    """The items of a tensor, equal to others within float32's rounding; a NaN equals a NaN."""

    def __init__(self, items: np.ndarray) -> None:
        self.items = items.astype(np.float64)

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, Numbers)
        same = self.items.shape == other.items.shape
        return same and np.allclose(self.items, other.items, 1e-5, 1e-6, equal_nan=True)

    def __repr__(self) -> str:
        return repr(self.items.tolist())


def described(value: Any) -> Any:
    """What two engines must agree on about a value."""
    if isinstance(value, torch.Tensor | graphwidget.Tensor):
        node = type(value.grad_fn).__name__ if value.grad_fn is not None else None
        return {
            "numbers": Numbers(value.detach().numpy(force=True)),
            "shape": tuple(value.shape),
            "dtype": repr(value.dtype),
            "requires_grad": value.requires_grad,
            "grad_fn": node,
        }
    if hasattr(value, "next_functions"):
        return type(value).__name__
    if type(value) in (tuple, list):
        return [described(each) for each in value]
    if isinstance(value, dict):
        return {key: described(each) for key, each in value.items()}
    return told(repr(value))


def shown(engine: Any, source: str) -> list[Any]:
    """All that a program shows on one engine, its warnings and the error that ends it."""
    lines: list[Any] = []

    def show(*values: Any) -> None:
        lines.extend(described(value) for value in values)

    def fails(attempt: Callable[[], Any]) -> None:
        try:
            result = attempt()
        except Exception as error:
            lines.append((type(error).__name__, first_paragraph(error)))
        else:
            lines.append(("no error", described(result)))

    engine.manual_seed(0)
    scope = {"torch": engine, "nn": engine.nn, "show": show, "fails": fails, "np": np}
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        exec(compile(textwrap.dedent(source), "<program>", "exec"), scope)
    for each in caught:  # anomaly mode quotes lines of the program, and of this file
        message = told(str(each.message)).split("  File", 1)[0]
        lines.append((each.category.__name__, message))
    return lines


def first_paragraph(error: Exception) -> str:
    """The error's text without PyTorch's C++ traceback."""
    return told(str(error).split("\nException raised from", 1)[0])


def same(source: str) -> None:
    """Assert that a program shows the same on both engines."""
    theirs = shown(torch, source)
    assert theirs, "a program that shows nothing proves nothing"
    ours = shown(graphwidget, source)
    assert ours == theirs


def statements(programs: dict[str, str]) -> Callable[[Callable[..., None]], Any]:
    """Parametrise a test by statement: its words are the test's name."""
    return pytest.mark.parametrize("program", programs.values(), ids=programs.keys())
