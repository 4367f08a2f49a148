"""Gradients that are never reset: each step of an optimizer uses the sum over all iterations."""

from __future__ import annotations

import linecache
import re
from collections.abc import Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, ref

import torch

from ...recording.findings import Finding, Place
from ...recording.fold import Model
from ...recording.libraries import is_library
from ...recording.positions import Position
from .lines import MAX_LINES, source_of, statement
from .statements import valid

ENOUGH = 2
"""Steps after the first one that used the sum of all gradients so far."""
RESETS = re.compile(r"\.grad = |set_to_none=False|\.(zero|fill|copy)_\(|\*= 0\b|\.mul_\(")
"""Code that may reset a gradient in place, or handles gradients itself."""
STEP = re.compile(r"([\w.\[\]]+)\.step\(\)|\.step\(([\w.]+)\)")


class Sum(NamedTuple):
    """A gradient that a step used, and how many steps before it used the same one."""

    gradient: ref[torch.Tensor]
    version: int
    steps: int
    position: Position


class GradientSums:
    """Counts the steps of each optimizer to whose gradient another one was added."""

    def __init__(self) -> None:
        self._sums: WeakKeyDictionary[Any, Sum] = WeakKeyDictionary()

    def step(self, optimizer: Any, graded: Sequence[Any], position: Position | None) -> None:
        """Record a step with the gradients of the parameters ``graded``."""
        gradient = graded[0].grad if graded else None
        if position is None or position.by_library or type(gradient) is not torch.Tensor:
            self._sums.pop(optimizer, None)
            return
        before, version = self._sums.get(optimizer), gradient._version
        added = before is not None and before.gradient() is gradient and version > before.version
        steps = before.steps + 1 if before is not None and added else 0
        self._sums[optimizer] = Sum(ref(gradient), version, steps, position)

    def positions(self) -> list[Position]:
        """Return where steps were made whose gradients seem never to have been reset."""
        return [each.position for each in self._sums.values() if each.steps >= ENOUGH]


def never_reset(step: Place, model: Model) -> Finding | None:
    """Steps whose gradients are the sums of those of all iterations: no line resets them, not in
    place either."""
    files = {row["file"] for row in model.sources.values()} - {None}
    texts = [source_of(model, step), *map(_text, files)]
    if any(RESETS.search(text) for text in texts):
        return None
    if any("zero" in call["op"] for call in model.calls.values()):
        return None
    found = STEP.search(step.text)
    name = "" if found is None else found[1] or found[2]
    text = "The gradients are never reset: backward adds to them, so each step uses the sum over "
    text += "all iterations so far. Reset them after the step."
    whole = statement(None, step)
    fix = f"{whole}\n{name}.zero_grad()" if name else ""
    return Finding("summed", None, step, valid(fix), text)


def _text(file: str) -> str:
    return "" if is_library(file) else "".join(linecache.getlines(file)[:MAX_LINES])
