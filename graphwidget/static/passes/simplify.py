"""Passes: dead code, constants, common parts, algebra, stable formulas."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ...optable.declare import TABLE
from ..inference import computed, symbolic
from ..symbol import Symbol
from .program import Program, Step, read_elsewhere, replaced

LARGEST = 1 << 16
"""Results of up to this number of items are computed beforehand."""


def remove_dead_code(program: Program) -> Program:
    """Remove steps whose results are not read."""
    needed, kept = set(program.wanted), []
    for step in reversed(program.steps):
        if not step.pure or any(each in needed for each in step.outputs):
            kept.append(step)
            needed.update(step.reads)
    return program.with_steps(reversed(kept))


def fold_constants(program: Program) -> Program:
    """With steps done beforehand that read constants only."""
    constants, steps = dict(program.constants), []
    for step in program.steps:
        arrays = [None if each is None else constants.get(each) for each in step.inputs]
        known = all(
            array is not None
            for each, array in zip(step.inputs, arrays, strict=True) if each is not None
        )  # fmt: skip
        small = all(fits(each) for each in step.outputs)
        if step.op is not None and step.op.uniform is not None and small:
            symbol = step.outputs[0]
            value, dtype = step.op.uniform, symbol.dtype.numpy
            shape: Any = symbol.sizes or ()
            constants[symbol] = locked(np.full(shape, value, dtype))
            continue
        if not (step.pure and known and small and step.inputs) or symbolic(step.params):
            steps.append(step)
            continue
        assert step.op is not None
        try:
            found = computed(step.op, arrays, step.params)
        except Exception:  # it is said when it runs
            steps.append(step)
            continue
        for symbol, value in zip(step.outputs, found, strict=True):
            constants[symbol] = locked(np.asarray(value))
    return replace(program, steps=tuple(steps), constants=constants)


def locked(array: np.ndarray) -> np.ndarray:
    """An array made read-only."""
    array.flags.writeable = False
    return array


def fits(symbol: Symbol) -> bool:
    """Return whether a symbol is small enough to be kept as a constant."""
    sizes = symbol.sizes
    if sizes is None or None in sizes:
        return False
    return math.prod(size or 0 for size in sizes) <= LARGEST


def share_common_parts(program: Program) -> Program:
    """With each computation done once, however often the graph holds it."""
    fixed, steps = read_elsewhere(program), []
    same = same_constants(program, fixed)
    seen: dict[Any, Step] = {}
    for step in program.steps:
        step = step.reading(same)
        key = (step.op.key, step.inputs, frozen(step.params)) if step.pure and step.op else None
        before = seen.get(key) if key is not None else None
        if before is None or any(each in fixed for each in step.outputs):
            steps.append(step)
            if key is not None:
                seen.setdefault(key, step)
        else:
            same.update(zip(step.outputs, before.outputs, strict=True))
    return replaced(program.with_steps(steps), same)


def same_constants(program: Program, fixed: set[Symbol]) -> dict[Symbol, Symbol]:
    """For each constant that is another one again, that one."""
    first: dict[Any, Symbol] = {}
    found = {}
    for symbol, array in program.constants.items():
        if array.size <= 16 and symbol not in fixed:
            key = array.dtype, array.shape, array.tobytes()
            if first.setdefault(key, symbol) is not symbol:
                found[symbol] = first[key]
    return found


def frozen(params: Any) -> Any:
    """Params as a key; None, which is no key, for such as cannot be compared."""
    if not params:
        return ()
    items = tuple((name, tuple(value) if isinstance(value, list) else value)
                  for name, value in params.items())  # fmt: skip
    try:
        hash(items)
    except TypeError:
        return object()
    return tuple((name, type(value), value) for name, value in items)


NEUTRAL = {"mul": (1, True), "add": (0, True), "sub": (0, False), "div": (1, False)}
"""The number that changes nothing, and whether it may stand on the left too."""


def simplify(program: Program) -> Program:
    """Without steps that change nothing: products with 1, sums with 0, views of the same shape."""
    same: dict[Symbol, Symbol] = {}
    fixed, steps = read_elsewhere(program), []
    for step in program.steps:
        found = unchanged(step, program)
        if found is None or step.outputs[0] in fixed:
            steps.append(step)
        else:
            same[step.outputs[0]] = same.get(found, found)
    return replaced(program.with_steps(steps), same)


def unchanged(step: Step, program: Program) -> Symbol | None:
    """The operand that a step merely hands on, if it does."""
    if step.op is None or not step.inputs:
        return None
    (out, *rest), first = step.outputs, step.inputs[0]
    if rest or first is None:
        return None
    if step.op.borrows and (step.op.reshapes or step.op.key == "expand"):
        return first if alike(first, out) else None
    neutral = NEUTRAL.get(step.op.key)
    if neutral is None:
        return None
    one, two = step.inputs
    assert one is not None
    assert two is not None
    if is_all(program, two, neutral[0]) and alike(one, out):
        return one
    if neutral[1] and is_all(program, one, neutral[0]) and alike(two, out):
        return two
    return None


def is_all(program: Program, symbol: Symbol, number: int) -> bool:
    """Return whether a symbol is a constant of one number everywhere."""
    array = program.constants.get(symbol)
    return array is not None and array.size > 0 and bool(np.all(array == number))


def alike(one: Symbol, two: Symbol) -> bool:
    """Return whether two symbols certainly have one type and shape."""
    certain = one.sizes is not None and None not in one.sizes
    return certain and one.sizes == two.sizes and one.dtype == two.dtype


# A pass that replaces formulas that may overflow, log(softmax(x)), by ones that d ----------------


def stabilise(program: Program) -> Program:
    """log Σ exp, log softmax and log σ as one op each, which none of them overflows."""
    made: dict[Symbol, Step] = {each: step for step in program.steps for each in step.outputs}
    return program.with_steps(stable(step, made) for step in program.steps)


def stable(step: Step, made: dict[Symbol, Step]) -> Step:
    """A logarithm in a form that does not overflow, if there is one."""
    if step.op is None or step.op.key != "log" or step.inputs[0] is None:
        return step
    inner = made.get(step.inputs[0])
    if inner is None or inner.op is None:
        return step
    if inner.op.key == "softmax":
        return replace(step, op=TABLE["log_softmax"], inputs=inner.inputs, params=inner.params)
    if inner.op.key == "sum.dim" and inner.inputs[0] is not None:
        first = made.get(inner.inputs[0])
        if first is not None and first.op is not None and first.op.key == "exp":
            params = {name: inner.params[name] for name in ("dim", "keepdim")}
            return replace(step, op=TABLE["logsumexp"], inputs=first.inputs, params=params)
    return step
