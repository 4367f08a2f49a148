"""Base of the writers of random programs: it writes while it runs on PyTorch, so that each next
statement can be chosen by what the variables are by then."""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch

from tests.fuzz.machine import Step, Value, Watched

SHAPES = ["", "2", "3", "2 3", "3 2", "2 2", "1 3", "2 1", "2 2 2", "4", "0", "2 0", "3 3"]
NUMBERS = [-2.0, -1.0, -0.5, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 0.0]
CAPACITY = 7
LARGE = 1e4
"""Larger numbers are forgotten: what is computed from them is mostly rounding."""

LOOKED_AT = ("i", "o")
"""Variables that are no operands: what nodes saved and inference tensors are not quite ordinary
tensors, and what ``out=`` names may be written while it is read."""

UNDEFINED = ("INTERNAL ASSERT", "select() cannot be applied to a 0-dim tensor")
"""Errors after which a program ends: faults of PyTorch's, and what it says when it has read the
size of a dim that a 0-d tensor does not have (there is what its memory held before)."""

JUMPS = re.compile(r"linalg|cholesky|inver|solve|svd|\bqr\(|det\(|\blu|eig")
"""Functions whose results jump where a matrix becomes singular, or at a pole."""
SHIFT = 1e3
"""By how many roundings their operands are moved, to see whether they do."""

DTYPES = ["float64", "float64", "float32", "float32", "int64", "bool", "float16", "int32"]


class Writer:
    """Writes one random program while running it on PyTorch."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.machine = Watched()
        self.steps: list[Step] = []
        self.over = False
        self.looked = False
        self.made = 0
        self.checks = self.some([0.1, 0.35, 0.6])
        self.dtype = self.some(["float64", "float64", "float32"])
        self.mixed = self.chance(0.3)

    def add(self, text: str, check: bool | None = None) -> None:
        """Append a statement and run it."""
        if self.over or self.undecided(text):
            return
        check = self.chance(self.checks) if check is None else check
        known = "o" in self.machine.tensors
        step, self.looked = self.machine.step(text, check, self.looked), False
        if step.error and any(fault in step.error[1] for fault in UNDEFINED):
            self.over = True
            return
        if step.error and step.error[0] == "TypeError" and "out=o" in text:
            gone = self.machine.step("del o", False)  # another form of out=
            self.steps += [gone] if known else []
            return
        self.steps.append(step)
        for name, value in step.values.items():
            if value[0].startswith("float") and name in self.machine.tensors and _large(value):
                self.add(f"del {name}", False)

    def undecided(self, text: str) -> bool:
        """Return whether what a statement gives hangs on rounding: of operands that are moved a
        little it gives something else, as the factors of singular matrices do."""
        if not JUMPS.search(text):
            return False
        state = torch.random.get_rng_state()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plain, moved = (self.tried(text, shift) for shift in (0.0, SHIFT))
        torch.random.set_rng_state(state)
        return plain.keys() != moved.keys() or not all(
            np.allclose(plain[name], moved[name], 1e-2, 1e-2, equal_nan=True) for name in plain
        )

    def tried(self, text: str, shift: float) -> dict[str, Any]:
        """Return what a statement gives on copies of the variables, moved by so many roundings:
        arrays by name and shape; without them, where it fails."""
        names = dict(self.machine.names)
        for name, tensor in self.machine.tensors.items():
            copy = tensor.detach().clone()
            if not copy.is_floating_point() and re.search(rf"\b{name}\b", text):
                copy = copy.double()  # as what is added to it makes it
            if copy.is_floating_point():
                turns = torch.arange(copy.numel(), dtype=copy.dtype).reshape(copy.shape).cos()
                copy.mul_(1 + shift * torch.finfo(copy.dtype).eps * turns)
                copy.requires_grad_(tensor.requires_grad)
            names[name] = copy
        try:
            exec(text, names)
        except Exception:
            return {}
        return {
            f"{name}[{place}]{list(each.shape)}": each.detach().numpy()
            for name, value in names.items()
            for place, each in enumerate(value if isinstance(value, tuple) else (value,))
            if isinstance(each, torch.Tensor)
        }

    # -------------------------------------------------------------------------- choosing

    def some(self, options: Iterable[Any]) -> Any:
        return self.random.choice(list(options))

    def chance(self, likelihood: float) -> bool:
        return self.random.random() < likelihood

    def pick(self, wanted: Callable[[Any], bool] = lambda tensor: True) -> str:
        """The name of a variable, of a wanted kind if there is one; recent ones more often."""
        # What nodes saved is looked at only: it is not quite an ordinary tensor.
        tensors = {n: t for n, t in self.machine.tensors.items() if n not in LOOKED_AT}
        names = [name for name, tensor in tensors.items() if wanted(tensor)] or list(tensors)
        if not names:
            self.add(self.factory(), False)
            return f"t{self.made}"
        recent = names[-3:]
        return str(self.some(recent if self.chance(0.6) else names))

    def target(self) -> str:
        names = [name for name in self.machine.tensors if name not in LOOKED_AT]
        if len(names) >= CAPACITY or (names and self.chance(0.12)):
            return str(self.some(names))
        self.made += 1
        return f"t{self.made}"

    def get(self, name: str) -> Any:
        return self.machine.names[name]

    def node(self, name: str) -> Any:
        """A variable's node; that it was looked at is noted."""
        self.looked = True
        return self.get(name).grad_fn

    def broken(self, tensor: Any) -> bool:
        """Return whether looking at a tensor's history raises."""
        self.looked = True
        try:
            tensor.grad_fn  # noqa: B018
        except RuntimeError:
            return True
        return False

    def number(self) -> str:
        return str(self.some(["2", "0.5", "-1", "1.5", "3.", "1", "-2.0"]))

    def fitting(self, name: str) -> str:
        """A variable that broadcasts with this one, or a number."""
        shape = self.get(name).shape
        if self.chance(0.3):
            return self.number()
        return self.pick(lambda t: fits(t.shape, shape)) if self.chance(0.95) else self.pick()

    def dim(self, name: str) -> int:
        dims = self.get(name).ndim
        return self.random.randint(-dims, dims - 1) if dims else 0

    def factory(
        self, shape: tuple[int, ...] | None = None, positive: bool = False, dtype: str | None = None
    ) -> str:
        """A new tensor, of a given shape if need be."""
        name = self.target()
        if shape is None:
            shape = tuple(int(size) for size in str(self.some(SHAPES)).split())
        if dtype is None:
            dtype = self.some(DTYPES) if self.mixed and self.chance(0.4) else self.dtype
        count = 1
        for size in shape:
            count *= size
        numbers = [each for each in NUMBERS if each > 0] if positive else NUMBERS
        values: Any = [self.some(numbers) for _ in range(count)]
        for size in reversed(shape[1:]):
            values = [values[at : at + size] for at in range(0, len(values), size)] if size else []
        values = values if shape else values[0]
        floating = dtype.startswith("float")
        grad = ", requires_grad=True" if floating and self.chance(0.65) else ""
        text = f"torch.tensor({values}, dtype=torch.{dtype}{grad})"
        if count == 0:
            text = f"torch.zeros({shape}, dtype=torch.{dtype}{grad})"
        return f"{name} = {text}"


def fits(shape: Any, other: Any) -> bool:
    """Return whether two shapes broadcast."""
    pairs = zip(reversed(shape), reversed(other), strict=False)
    return all(a == b or a == 1 or b == 1 for a, b in pairs)


def _large(value: Value) -> bool:
    """Return whether there are numbers, other than inf and nan, that rounding will drown."""
    kind, _, data = value
    numbers = np.frombuffer(data, kind)
    finite = np.abs(numbers[np.isfinite(numbers)])
    return bool(finite.size and finite.max() > LARGE)
