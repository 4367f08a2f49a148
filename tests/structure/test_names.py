"""Users write `import graphwidget as torch`: a name of ours that torch has means the same."""

from __future__ import annotations

import inspect
from types import ModuleType

import pytest
import torch

import graphwidget
from graphwidget.absent import ANSWERS
from tests.structure.test_imports import PARTS

# packages that mean the same here and there
SHARED_PARTS = {
    "accelerator", "amp", "autograd", "backends", "compiler",
    "cpu", "cuda", "distributed", "distributions", "func", "functional", "fx", "jit", "linalg",
    "mps", "nn", "onnx", "optim", "profiler", "random", "return_types",
    "serialization", "special", "testing", "types", "utils", "version", "xpu",
}  # fmt: skip


def kind(thing: object) -> str:
    if isinstance(thing, ModuleType):
        return "module"
    if inspect.isclass(thing):
        return "class"
    return "callable" if callable(thing) else "value"


def public(thing: object) -> list[str]:
    return [name for name in dir(thing) if not name.startswith("_") and hasattr(thing, name)]


def test_parts_do_not_shadow_torch() -> None:
    standins = {name for name in ANSWERS if "." not in name}
    assert {name for name in PARTS | standins if hasattr(torch, name)} == SHARED_PARTS


@pytest.mark.parametrize("space", ["", "Tensor", "nn", "nn.functional", "optim", "autograd", "fx"])
def test_shared_names_are_of_the_same_kind(space: str) -> None:
    ours, theirs = graphwidget, torch
    for name in filter(None, space.split(".")):
        ours, theirs = getattr(ours, name), getattr(theirs, name)
    differing = {
        name: (kind(getattr(ours, name)), kind(getattr(theirs, name)))
        for name in public(ours)
        if name in dir(theirs) and kind(getattr(ours, name)) != kind(getattr(theirs, name))
    }
    # no_grad and its like are classes there and may be functions here, and the other way round
    callables = {"class", "callable"}
    assert {k: v for k, v in differing.items() if not set(v) <= callables} == {}


def test_tensors_have_no_public_name_of_their_own() -> None:
    own = set(public(graphwidget.Tensor)) - set(public(torch.Tensor))
    assert own == set()
