"""Program: the operations of one run as data, which passes make shorter.

A pass is a function from a program to a program. It never changes an operation of the graph: it
drops, merges and replaces steps, which only say what is called with which values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...optable.declare import Op
from ..graph import Operation
from ..inference import symbolic
from ..runner import captured
from ..symbol import Symbol

SOURCES = frozenset({"Placeholder", "Const", "VariableV2", "Argument"})
"""Operations that give a value which is there already: they compute nothing."""


@dataclass(frozen=True)
class Step:
    """One call. ``op`` is None where only the runner knows what an operation does."""

    operation: Operation
    op: Op | None
    inputs: tuple[Symbol | None, ...]
    params: Mapping[str, Any]
    outputs: tuple[Symbol, ...]

    @property
    def pure(self) -> bool:
        """True if it only computes: it may be left out, merged, or done beforehand."""
        return self.op is not None and not self.op.mutates

    @cached_property
    def reads(self) -> list[Symbol]:
        """All symbols that it reads, each once, those in regions and params included."""
        found = [each for each in self.inputs if each is not None]
        if self.op is None:
            found += self.operation.operands
        for region in self.operation.regions:
            found += captured(region)
        return list(dict.fromkeys(found))

    def reading(self, same: Mapping[Symbol, Symbol]) -> Step:
        """The step with other symbols in the place of some; what only the runner knows stays."""
        if self.op is None or same.keys().isdisjoint(self.inputs):
            return self  # symbols among the params are the runner's
        inputs = tuple(each if each is None else same.get(each, each) for each in self.inputs)
        return Step(self.operation, self.op, inputs, self.params, self.outputs)


@dataclass(frozen=True)
class Program:
    """Steps in order, what is given, what is wanted, and what is known already."""

    given: tuple[Symbol, ...]
    wanted: tuple[Symbol, ...]
    steps: tuple[Step, ...]
    constants: Mapping[Symbol, np.ndarray] = field(default_factory=dict)

    def with_steps(self, steps: Iterable[Step]) -> Program:
        """The same with other steps."""
        return replace(self, steps=tuple(steps))


Pass = Callable[[Program], Program]


def program_of(
    operations: Sequence[Operation], given: Sequence[Symbol], wanted: Iterable[Symbol]
) -> Program:
    """The program of a plan: constants are known, everything else is a step."""
    constants: dict[Symbol, np.ndarray] = {}
    steps, fed = [], set(given)
    for each in operations:
        if each.type == "Const" and each.op is None and not each.control_inputs:
            if each.outputs[0] not in fed:
                constants[each.outputs[0]] = each.params["value"]
        else:
            op = None if opaque(each) else each.op
            steps.append(Step(each, op, each.inputs, each.params, tuple(each.outputs)))
    return Program(tuple(given), tuple(wanted), tuple(steps), constants)


def opaque(operation: Operation) -> bool:
    """Return whether only the runner can do it: sizes must be looked up first, or variables
    read."""
    return symbolic(operation.params) or any(
        each is not None and each.dtype.is_ref for each in operation.inputs
    )


def replaced(program: Program, same: Mapping[Symbol, Symbol]) -> Program:
    """A program that reads other symbols in the place of some that are no longer computed."""
    if not same:
        return program
    return program.with_steps(step.reading(same) for step in program.steps)


def read_elsewhere(program: Program) -> set[Symbol]:
    """Return the symbols that must keep their own names: those wanted, or read by the runner."""
    found = set(program.wanted)
    for step in program.steps:
        if step.op is None:
            found.update(step.reads)
    return found


def items(symbol: Symbol) -> int:
    """Return how many items a symbol certainly has; 0 where that is not known."""
    sizes = symbol.sizes
    return 0 if sizes is None or None in sizes else math.prod(size or 0 for size in sizes)


def itemwise(step: Step) -> bool:
    """Return whether a step is a ufunc that works item by item: that of a product does not."""
    return step.op is not None and step.op.pointwise and isinstance(step.op.kernel, np.ufunc)
