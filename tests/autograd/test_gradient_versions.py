"""The version of a gradient counts how often it was added to in place on its way, as in PyTorch."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
import torch

import graphwidget

PROGRAMS = {
    "one path": "(x * 2).sum()",
    "both operands": "(x + x).sum()",
    "two paths": "(x.exp() + x.sin()).sum()",
    "three paths": "(x * x + x * 3).sum()",
    "two items": "x[0] + x[1]",
    "an item and all": "x[0] * 2 + x.sum()",
    "a largest item": "x.max(dim=0).values + x[0]",
    "parts": "x.unbind(0)[0] * x.unbind(0)[1]",
    "a view": "(x.view(2) + x).sum()",
    "written": "(lambda y: y.mul_(2).sum() + y.prod())(x * 1)",
}


def versions(engine: ModuleType, program: str) -> list[int]:
    """Return the versions of what grad gives, of accumulated and of summed-up gradients."""

    def loss() -> Any:
        return eval(program, {"x": x, "torch": engine})

    x = engine.tensor([1.0, 2.0], requires_grad=True)
    found = [engine.autograd.grad(loss(), x)[0]._version]
    for _ in range(3):
        loss().backward()
        found.append(x.grad._version)
    x.grad = None
    for _ in range(2):
        x.backward(engine.ones(2))  # copied, since it is the program's
        found.append(x.grad._version)
    x.grad = None
    engine.autograd.backward([loss(), loss()])
    found.append(x.grad._version)
    found.append(engine.autograd.grad(loss(), x, create_graph=True)[0]._version)
    return found


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_versions_of_gradients(program: str) -> None:
    assert versions(graphwidget, program) == versions(torch, program)
