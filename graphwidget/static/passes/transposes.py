"""A pass that takes transposes out of the way of matrix products."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ...optable.declare import TABLE
from ..symbol import Spec, Symbol
from .program import Program, Step, read_elsewhere, replaced

TRANSPOSES = {"t", "transpose", "permute"}
MATRICES = {*TRANSPOSES, "mm"}


def turn_products(program: Program) -> Program:
    """With (a bᵀ)ᵀ as b aᵀ, and aᵀᵀ as a. What derivatives of products give is so written in the
    order in which it is read."""
    fixed = read_elsewhere(program)
    reads = Counter(each for step in program.steps for each in step.reads)
    made: dict[Symbol, Step] = {}
    same: dict[Symbol, Symbol] = {}
    steps: list[Step] = []
    for step in program.steps:
        step = step.reading(same)
        (source, *_), out = step.inputs or (None,), step.outputs[0] if step.outputs else None
        before = made.get(source) if source is not None and transposes(step) else None
        if before is None or out is None:
            steps.append(step)
        elif transposes(before) and out not in fixed:
            assert before.inputs[0] is not None
            same[out] = before.inputs[0]
            continue
        elif turnable(before, made) and reads[before.outputs[0]] == 1 and source not in fixed:
            one, two = (turned(each, made, steps) for each in before.inputs)
            step = replace(step, op=TABLE["mm"], inputs=(two, one), params={})
            steps.append(step)
        else:
            steps.append(step)
        if step.op is not None and step.op.key in MATRICES:
            made[step.outputs[0]] = step
    return replaced(program.with_steps(steps), same)


def transposes(step: Step) -> bool:
    """Return whether a step exchanges the two dims of a matrix."""
    if step.op is None or step.op.key not in TRANSPOSES or len(step.outputs[0].sizes or ()) != 2:
        return False
    dims = step.params.get("dims") or (step.params.get("dim0", 1), step.params.get("dim1", 0))
    return [each % 2 for each in dims] == [1, 0] or (
        step.op.key == "transpose" and [each % 2 for each in dims] == [0, 1]
    )


def turnable(step: Step, made: dict[Symbol, Step]) -> bool:
    """Return whether a step is a product with a transposed factor."""
    return step.op is not None and step.op.key == "mm" and any(
        each in made and transposes(made[each]) for each in step.inputs if each is not None
    )  # fmt: skip


def turned(symbol: Symbol | None, made: dict[Symbol, Step], steps: list[Step]) -> Symbol:
    """A matrix transposed: what it was made of, or by a new step."""
    assert symbol is not None
    before = made.get(symbol)
    if before is not None and transposes(before):
        assert before.inputs[0] is not None
        return before.inputs[0]
    sizes = None if symbol.sizes is None else tuple(reversed(symbol.sizes))
    found = Symbol(symbol.op, symbol.value_index, Spec(symbol.dtype, sizes))
    steps.append(Step(symbol.op, TABLE["t"], (symbol,), {}, (found,)))
    return found
