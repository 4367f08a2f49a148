"""A pass that replaces formulas that may overflow, ``log(softmax(x))``, by ones that do not."""

from __future__ import annotations

from dataclasses import replace

from ...optable.declare import TABLE
from ..symbol import Symbol
from .program import Program, Step


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
