"""Runs programs statement by statement on one engine and compares what they show.

A transcript (a list of `Step`) says what PyTorch showed after every statement; `replay` runs the
same statements on graphwidget, `shrink` finds a shorter program that still differs.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Any

import torch

import graphwidget
from tests.core.both import TOLERANCE, attempt, counts, describe, differences, is_tensor

GRADIENT = re.compile(r"\(?(t\d+),?\)? = (torch\.autograd\.grad\(|t\d+\.grad$)")
VERSIONS = re.compile(r"is at version (\d+); expected version (\d+) instead")


@dataclass
class Step:
    """A statement and what PyTorch showed after it; `state` only at checkpoints, because
    looking at a tensor may make its history anew and so hide a fault."""

    text: str
    error: Any
    warned: list[Any]
    state: dict[str, Any] | None


class Machine:
    """Runs statements on one engine."""

    def __init__(self, engine: Any) -> None:
        self.names: dict[str, Any] = {"torch": engine}
        # How often PyTorch added to a gradient in place on the way is its own affair, so the
        # versions of gradients count from when they are first seen.
        self.gradients: dict[int, tuple[Any, int]] = {}

    def tensors(self) -> dict[str, Any]:
        return {name: value for name, value in self.names.items() if hasattr(value, "_version")}

    def execute(self, text: str) -> tuple[Any, list[Any]]:
        """Run a statement; its error (type and text) or None, and its warnings."""
        error = None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(compile(text, "<program>", "exec"), self.names)
            except Exception as raised:
                error = (type(raised).__name__, VERSIONS.sub(_apart, str(raised)))
        if (gradient := GRADIENT.match(text)) and error is None:
            tensor = self.names[gradient[1]]
            if tensor is not None:
                for each in filter(is_tensor, (tensor, tensor._base)):
                    self.gradients.setdefault(id(each), (each, tensor._version))
        return error, [
            (w.category.__name__, str(w.message).partition(" (Triggered internally")[0])
            for w in caught
            if counts(w)
        ]

    def look(self) -> dict[str, Any]:
        """All variables, described."""
        tensors = self.tensors()
        return {
            name: {
                **without_strides_of_grad(describe(tensor)),
                **self._as_gradient(tensor),
                "base": attempt(lambda tensor=tensor: self._name_of(tensor._base)),
            }
            for name, tensor in sorted(tensors.items())
        }

    def _as_gradient(self, tensor: Any) -> dict[str, Any]:
        found = self.gradients.get(id(tensor)) or (
            tensor._base is not None and self.gradients.get(id(tensor._base))
        )
        if not found:
            return {}
        # A derivative's own graph may be made in another way; its kind must agree.
        kind = attempt(lambda: tensor.grad_fn and tensor.grad_fn.name())
        return {"version": tensor._version - found[1], "view": None, "node": kind}

    def _name_of(self, tensor: Any) -> str | None:
        if tensor is None:
            return None
        return next((n for n, other in self.tensors().items() if other is tensor), "unnamed")


def without_strides_of_grad(told: dict[str, Any]) -> dict[str, Any]:
    """Layouts of gradients are compared where layouts are the subject."""
    if isinstance(told["grad"], dict):
        del told["grad"]["strides"]
    return told


def _apart(versions: re.Match[str]) -> str:
    found, expected = map(int, versions.groups())
    return f"is {found - expected} versions after the expected one"


def comparable(ours: dict[str, Any], theirs: dict[str, Any]) -> tuple[Any, Any]:
    """Two states without the bases that have no name in the program (those of gradients)."""
    unnamed = {name for name, told in theirs.items() if told["base"] == "unnamed"}
    without = [
        {name: {**told, "base": None} if name in unnamed else told for name, told in state.items()}
        for state in (ours, theirs)
    ]
    return without[0], without[1]


def replay(steps: list[Step]) -> list[str]:
    """Run a program on graphwidget; the first differences from PyTorch, if there are any."""
    machine = Machine(graphwidget)
    single = any("float32" in step.text or ".float()" in step.text for step in steps)
    tolerance = TOLERANCE["torch.float32"] if single else 0.0
    for number, step in enumerate(steps):
        error, warned = machine.execute(step.text)
        found = differences(error, step.error, "error")
        found += differences(warned, step.warned, "warnings")
        if step.state is not None and not found:
            found = differences(*comparable(machine.look(), step.state), tolerance=tolerance)
        if found:
            return [f"after statement {number}: {step.text}", *found]
    return []


def observe(texts: list[str], checks: list[bool]) -> list[Step]:
    """What PyTorch shows for a program given as text."""
    machine = Machine(torch)
    steps = []
    for text, check in zip(texts, checks, strict=True):
        error, warned = machine.execute(text)
        steps.append(Step(text, error, warned, machine.look() if check else None))
    return steps


def shrink(steps: list[Step]) -> list[Step]:
    """A shorter program that still differs."""
    best, again = steps, True
    while again:
        again = False
        for at in reversed(range(len(best))):
            left = best[:at] + best[at + 1 :]
            tried = observe([s.text for s in left], [s.state is not None for s in left])
            if replay(tried):
                best, again = tried, True
                break
    return best
