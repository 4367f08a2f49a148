"""Random programs over all ops, views, in-place writes, grad modes, hooks and backward passes.

A program is a list of statements in Python, written while they run on PyTorch: each next
statement is chosen by what the variables are by then.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.features import Features
from tests.fuzz.machine import Step
from tests.fuzz.mistakes import Mistakes
from tests.fuzz.passes import Passes
from tests.fuzz.sampled import Sampled
from tests.fuzz.writer import Writer
from tests.fuzz.writes import Writes


class Program(Writes, Sampled, Passes, Features, Mistakes, Writer):
    """One random program."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        length = self.random.randint(5, 40)
        for _ in range(self.random.randint(1, 3)):
            self.add(self.factory())
        while len(self.steps) < length and not self.over:
            self.add(self.statement())
        if not self.over:
            self.add("pass", check=True)

    def statement(self) -> str:
        kinds: list[tuple[Callable[[], str], float]] = [
            (self.factory, 3), (self.unary, 6), (self.binary, 12), (self.reduce, 5),
            (self.matmul, 3), (self.view, 16), (self.join, 2), (self.choose, 4),
            (self.in_place, 16), (self.assign, 10), (self.without_grad, 7), (self.flag, 4),
            (self.backward, 12), (self.differentiate, 6), (self.gradient, 5), (self.hook, 6),
            (self.forget, 2), (self.convert, 2), (self.sampled, 22), (self.sampled_in_place, 6),
            (self.sampled_out, 1), (self.function, 5), (self.inspect, 2), (self.penalty, 2),
            (self.mistake, 6), (self.mode, 4), (self.packed, 1), (self.batched, 1),
            (self.functional, 1), (self.module, 1), (self.trained, 1),
        ]  # fmt: skip
        if not self.machine.tensors:
            return self.factory()
        functions, weights = zip(*kinds, strict=True)
        chosen: Callable[[], str] = self.random.choices(functions, weights)[0]
        return chosen()


def write_program(seed: int) -> list[Step]:
    """The program with this number."""
    return Program(seed).steps
