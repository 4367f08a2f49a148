"""Wrong arguments to what PyTorch's parser guards: the same refusals in the same words."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest
import torch

import graphwidget
from graphwidget.dispatch.parser import refusal
from graphwidget.dispatch.signatures import signatures
from tests.structure import parsers

VALUES = (
    "None", "'a'", "[1]", "[]", "(0, 1)", "['a']", "(0, 'a')", "0.5", "True", "1", "-1", "{}",
    "torch.ones(2, 3)", "torch.tensor([0, 1])", "torch.tensor(1)", "torch.float64", "np.int64(1)",
    "[torch.ones(2), torch.ones(2)]", "torch.ones(3, requires_grad=True)",
)  # fmt: skip
PLACES = {"torch": "torch", "linalg": "torch.linalg", "special": "torch.special", "Tensor": "x"}

APART = ("is_pinned", "to")
"""Devices of another kind are refused later, or (``to(0.5)``) taken for types."""


def only_tensors(section: str, name: str) -> bool:
    """Return whether a function takes tensors only. Such are the hot ones; of two mistakes in a
    call one of which is a name, Python tells the other there."""
    known = signatures(section, name)
    return all(p.type == "Tensor" for each in known for p in each.parameters if p.name != "out")


def calls(section: str, chooser: random.Random) -> list[str]:
    """Calls with wrong and right arguments, two for each function."""
    found = []
    for name in parsers.names(section):
        known = signatures(section, name)
        short = name.removeprefix(section + "_")
        owner = {"torch": graphwidget, "Tensor": graphwidget.Tensor}.get(section)
        if not known or name in APART or not hasattr(owner or getattr(graphwidget, section), short):
            continue
        names = {p.name for each in known for p in each.parameters} - {"out", "from", "async"}
        for _ in range(2):
            args = chooser.choices(VALUES, k=chooser.choice((0, 1, 1, 2, 2, 3, 4)))
            if args and section != "Tensor" and chooser.random() < 0.8:
                args[0] = "x"
            if not only_tensors(section, name):
                spelled = chooser.sample(sorted(names | {"colour"}), chooser.choice((0, 0, 1)))
                args += [f"{each}={chooser.choice(VALUES)}" for each in spelled]
            found.append(f"{PLACES[section]}.{short}({', '.join(args)})")
    return found


def reported(engine: Any, call: str) -> str | None:
    """The text of the TypeError that a call ends in."""
    x = engine.ones(2, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            eval(call, {"torch": engine, "np": np, "x": x})
        except TypeError as error:
            return str(error)
        except Exception:
            return None
    return None


@pytest.mark.parametrize("section", PLACES)
def test_refused_alike(section: str) -> None:
    wrong = {}
    for call in calls(section, random.Random(section)):
        ours = reported(graphwidget, call)
        # What other than the parser refuses is not asked here.
        theirs = reported(torch, call) if ours is None or "argument" in ours else ours
        if ours != theirs:
            wrong[call] = (ours, theirs)
    assert wrong == {}


def test_several_forms() -> None:
    x = graphwidget.ones(2, 3)
    assert "expected one of" in str(refusal("Tensor", "squeeze", [None], {}))
    assert refusal("torch", "sum", [x], {"axis": 0}) is None
    assert refusal("torch", "unheard_of", [], {}) is None
