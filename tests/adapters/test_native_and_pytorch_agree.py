"""Both adapters tell the same of a program: graphwidget's own engine and PyTorch's are heard in
quite different ways, and each is the other's truth."""

from __future__ import annotations

import random
import re
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest

from graphwidget.recording.fold import Model

from . import random_writes
from .engines import native, real

WATCHED = ("{0}.retain_grad()", "{0}.register_hook(lambda grad: grad * 2)")
"""Statements that are added to random programs."""

MADE = re.compile(r"(v\d+|[cd]) = ")
PARTS = 8


def program(seed: int) -> str:
    """A random program over views, in-place writes and saves, with hooks, that may run backward
    twice."""
    dice = random.Random(seed)
    *lines, last = random_writes.write(seed)
    made = [at for at, line in enumerate(lines) if MADE.match(line)]
    for at in sorted(dice.sample(made, min(len(made), 2)), reverse=True):
        name = lines[at].partition(" ")[0]
        line = dice.choice(WATCHED).format(name)
        lines.insert(at + 1, f"if {name}.requires_grad: {line}")
    if dice.random() < 0.3 and "backward()" in last:
        lines.append(last.replace("backward()", "backward(retain_graph=True)"))
    if last.startswith("torch.autograd.grad("):
        last = f"got, = {last}"
    return "\n".join(["F = torch.nn.functional", *lines, last])


def numbers(summary: Any) -> np.ndarray | None:
    values = None if summary is None else summary.values
    return None if values is None else np.array([float(each) for each in values])


def variables(model: Model) -> dict[str, tuple[list[Any], list[np.ndarray | None]]]:
    """Return the flags and the numbers of what each name means in the end."""
    found = {}
    for row in sorted(model.values.values(), key=lambda row: int(row["time"])):
        for scope, name in row["names"]:
            if scope == "<lambda>":  # what hooks compute is recorded of our own engine alone
                continue
            flags = [scope, row["version"], row["requires_grad"], row["leaf"], row["retains_grad"]]
            found[name] = flags, [numbers(row["summary"]), numbers(row["grad"])]
    return found


def repeated(model: Model) -> list[Any]:
    """Versions of storages that are more than one value of a variable."""
    named = Counter(
        (name, row["storage"], row["version"])
        for row in model.values.values()
        for _scope, name in row["names"]
    )
    return sorted((name, version) for (name, _storage, version), n in named.items() if n > 1)


def arrived(model: Model) -> list[tuple[str, list[np.ndarray | None]]]:
    """Return what came to the nodes that ran: their names and the numbers of their gradients."""
    ran = [row for row in model.nodes.values() if row["state"] == "done"]
    found = [(row["name"], [numbers(each) for each in row["grads_in"]]) for row in ran]
    return sorted(
        found, key=lambda each: (each[0], str([x if x is None else x.round(2) for x in each[1]]))
    )


def alike(one: list[np.ndarray | None], other: list[np.ndarray | None]) -> bool:
    return len(one) == len(other) and all(
        (x is None and y is None)
        or (x is not None and y is not None and np.allclose(x, y, 1e-3, 1e-5, equal_nan=True))
        for x, y in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs(part: int) -> None:
    seeds = range(part, 10 * PARTS, PARTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # infinities, and gradients of what keeps none
        for source in map(program, seeds):
            if "_foreach" in source:
                continue  # which our engine does not have
            (first, theirs), (second, ours) = real(source), native(source)
            assert ("error" in theirs) == ("error" in ours), source
            # A write through `.data` makes a new value of the same version.
            assert repeated(first) == repeated(second), source
            assert ".data" in source or repeated(first) == [], source
            one, other = variables(first), variables(second)
            assert one.keys() == other.keys(), source
            for name, (flags, found) in one.items():
                assert flags == other[name][0], (name, source)
                assert alike(found, other[name][1]), (name, source)
            came, went = arrived(first), arrived(second)
            assert [name for name, _ in came] == [name for name, _ in went], source
            for (name, grads), (_, others) in zip(came, went, strict=True):
                assert alike(grads, others), (name, source)
