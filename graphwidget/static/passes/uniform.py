"""A pass that computes with one number where an array holds the same number everywhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...optable.declare import TABLE
from ..symbol import Spec, Symbol
from .program import Program, Step, items, itemwise, read_elsewhere

SUMS, MEANS = ("sum", "sum.dim"), ("mean", "mean.dim")
LARGE = 1 << 12
"""Items from which on spreading a number costs less than what makes it everywhere."""


def narrow(program: Program) -> Program:
    """With a number in the place of each array that holds one number everywhere, as a gradient does
    that comes from a sum; a step that needs the array gets the number spread."""
    return Narrowing(program).narrowed()


class Narrowing:
    """The work of ``narrow`` on one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.wanted = set(program.wanted)
        self.constants = dict(program.constants)
        self.number: dict[Symbol, Symbol | None] = {}
        """The number that a symbol holds everywhere, without dims; None of what holds several."""
        self.made: dict[Symbol, list[Step]] = {}
        """The steps that make the number, in the place of the one that made the array."""

    def narrowed(self) -> Program:
        """The program after the pass."""
        for step in self.program.steps:
            found = self.narrow(step)
            if found is not None:
                self.made[step.outputs[0]] = found
        if not self.made:
            return self.program
        steps = self.program.steps
        arrays = self.read_as_arrays()
        written: list[Step] = []
        for step in steps:
            out = step.outputs[0] if step.outputs else None
            found = self.made.get(out) if out is not None else None
            if found is None:
                written.append(self.given_numbers(step))
                continue
            assert out is not None
            written += found
            if out in arrays and out.sizes:
                written.append(step if self.stays(out) else self.spread(step))
        return replace(self.program, steps=tuple(written), constants=self.constants)

    def narrow(self, step: Step) -> list[Step] | None:
        """The steps that make a step's result as one number; None where it is not one."""
        if step.op is None or len(step.outputs) != 1 or not items(step.outputs[0]):
            return None
        op, out = step.op, step.outputs[0]
        if op.uniform is not None and out.sizes:
            self.number[out] = self.constant(step, np.full((), op.uniform, out.dtype.numpy))
            return []
        numbers = [None if each is None else self.number_of(each) for each in step.inputs]
        if not numbers or None in numbers or not (out.sizes or step.inputs[0].sizes):  # type: ignore[union-attr]
            return None
        if (op.view or op.reshapes) and out.sizes:
            self.number[out] = numbers[0]
            return []
        if op.key in SUMS or op.key in MEANS:
            return self.narrow_sum(step, numbers[0])
        if not itemwise(step) or step.params:
            return None
        made = Symbol(step.operation, out.value_index, Spec(out.dtype, ()))
        self.number[out] = made
        return [replace(step, inputs=tuple(numbers), outputs=(made,))]

    def narrow_sum(self, step: Step, number: Symbol | None) -> list[Step] | None:
        """A sum of floats that are all the same: one of them, as often as there are."""
        (source,), out = step.inputs, step.outputs[0]
        assert step.op is not None
        assert number is not None
        plain = step.params.get("dtype") is None or step.params["dtype"] == out.dtype.numpy
        if source is None or not source.dtype.is_floating or not plain or not items(source):
            return None
        count = items(source) // items(out)
        with np.errstate(over="ignore"):
            factor = np.asarray(count).astype(out.dtype.numpy)
        if float(factor) != count:
            return None  # half precision does not have it
        made = out if out.sizes == () else Symbol(step.operation, 0, Spec(out.dtype, ()))
        self.number[out] = made
        if step.op.key in MEANS:
            return [Step(step.operation, TABLE["alias"], (number,), {}, (made,))]
        factors = number, self.constant(step, factor)
        return [Step(step.operation, TABLE["mul"], factors, {}, (made,))]

    def number_of(self, symbol: Symbol) -> Symbol | None:
        """The number that an operand is everywhere, if it is."""
        if symbol.sizes == ():
            return symbol
        if symbol not in self.number:
            array = self.program.constants.get(symbol)
            self.number[symbol] = None
            if array is not None and is_one_number(array):
                self.number[symbol] = self.constant(symbol, array.reshape(-1)[0])
        return self.number[symbol]

    def constant(self, like: Step | Symbol, value: Any) -> Symbol:
        """A new constant without dims."""
        operation = like.op if isinstance(like, Symbol) else like.operation
        array = np.array(value)
        array.flags.writeable = False
        spec = (like if isinstance(like, Symbol) else like.outputs[0]).spec
        made = Symbol(operation, 0, Spec(spec.dtype, ()))
        self.constants[made] = array
        return made

    def read_as_arrays(self) -> set[Symbol]:
        """The narrowed symbols that must be arrays for some step."""
        found = read_elsewhere(self.program)
        for step in reversed(self.program.steps):
            out = step.outputs[0] if step.outputs else None
            if out in self.made:
                if out in found and self.stays(out):
                    found.update(each for each in step.inputs if each is not None)
            elif step.op is not None:
                found.update(self.given_numbers(step).inputs)  # type: ignore[arg-type]
        return found

    def given_numbers(self, step: Step) -> Step:
        """A step that works item by item, with numbers in the place of narrowed arrays where
        another operand has all the items."""
        if not itemwise(step):
            return step
        sizes = step.outputs[0].sizes
        if not any(self.number.get(each) is not None for each in step.inputs):  # type: ignore[arg-type]
            return step  # most
        if not any(each is not None and each.sizes == sizes and not self.replaceable(each)
                   for each in step.inputs):  # fmt: skip
            return step
        numbers = {each: self.number[each] for each in step.inputs
                   if each is not None and self.replaceable(each)}  # fmt: skip
        return step.reading(numbers) if numbers else step  # type: ignore[arg-type]

    def replaceable(self, symbol: Symbol) -> bool:
        """Return whether a number stands for a symbol. A small constant is at hand as it is."""
        if self.number.get(symbol) is None or not symbol.sizes:
            return False
        return symbol in self.made or items(symbol) >= LARGE

    def stays(self, out: Symbol) -> bool:
        """Return whether a step is to make its array itself: a small one, or one that the user
        gets, who may write into it."""
        return items(out) < LARGE or out in self.wanted

    def spread(self, step: Step) -> Step:
        """The number as the array that a step would have made."""
        out = step.outputs[0]
        number = self.number[out]
        return Step(step.operation, TABLE["expand"], (number,), {"shape": out.sizes}, (out,))


def is_one_number(array: np.ndarray) -> bool:
    """Return whether an array holds the same bits everywhere."""
    if not array.size or array.dtype.kind not in "fiub":
        return False
    flat = array.reshape(-1)
    if flat[0].tobytes() != flat[-1].tobytes():  # most arrays
        return False
    bits = np.ascontiguousarray(flat).view(f"u{array.dtype.itemsize}")
    return bool((bits == bits[0]).all())
