"""The text of a compiled program: a line of Python for each step.

A step becomes one line, ``v7 = k7(v3, v5)``, or an operator where its operands are single numbers;
what dies is released, and a pointwise result is written over an operand that is no longer
read. Long chains of pointwise steps on large arrays run block by block (see ``blocks.py``), so that
a block stays in the cache from the first to the last. Loops and branches are left to the runner.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..optable.declare import TABLE, Op
from .blocks import Block, find_blocks
from .function_text import Text, writable
from .graph import Operation
from .passes import Program, Step, items, itemwise, off
from .runner import KINDS, OURS, run_table_op
from .symbol import Symbol

LIGHT = 256
"""Items up to which a value is not worth a line that releases it."""
HANDS_ON = {"Identity", "Exit", "Merge", "PlaceholderWithDefault"}
"""Operations that give what they are given."""
SIZES = {"Shape", "SumTo"}
CHANGES = {"Assign": "array", "AssignAdd": "add", "AssignSub": "subtract"}
"""Operations that give a variable a value, and what makes it."""
OPERATORS: dict[Any, str] = {
    np.add: "{} + {}", np.subtract: "{} - {}", np.multiply: "{} * {}", np.true_divide: "{} / {}",
    np.negative: "-{}", np.square: "{0} * {0}", np.absolute: "abs({})", np.less: "{} < {}",
    np.less_equal: "{} <= {}", np.greater: "{} > {}", np.greater_equal: "{} >= {}",
    np.equal: "{} == {}", np.not_equal: "{} != {}", TABLE["alias"].kernel: "{}",
}  # fmt: skip
"""Python operators of kernels. On numpy's scalars an operator gives the very bits that the kernel
gives on arrays without dims, in a tenth of the time."""


class Writer:
    """Writes the lines of a program."""

    def __init__(self, program: Program, text: Text) -> None:
        self.program = program
        self.text = text
        text.constants.update(program.constants)
        self.last = last_uses(program)
        self.owned: set[Symbol] = set()
        """Results whose memory this program made, and may write over."""
        self.inner = {each for step in program.steps for each in step.outputs}
        self.looked_into = {
            each for step in program.steps for each in step.reads
            if not (copies(step) or step.operation.type in CHANGES)
        }  # fmt: skip
        """Operands of steps whose results may share memory with them."""
        self.asked = set(program.wanted)
        """Symbols read by more than lines that look up a variable's value."""
        for step in program.steps:
            if variable_read(step) is None:
                self.asked.update(step.reads)

        self.blocks: dict[int, Block] = {}
        """Steps that run together, by the place of the first."""
        self.over: dict[Symbol, Symbol] = {}
        """For a result that is written over an operand, that operand."""
        self.forgotten: dict[int, list[Symbol]] = {}
        """Symbols released after the step at a place."""

    def write_whole(self) -> None:
        """The function's body, and what it returns."""
        text = self.text
        counted = {each for step in self.program.steps if self.counts(step) for each in step.inputs}
        for each in self.program.given:
            if each in counted and each.sizes == ():
                text.line(f"{text.name(each)} = {text.number(each)}")
                text.numbers.add(each)
        self.write_steps()
        wanted = "".join(f"{text.name(each)}, " for each in self.program.wanted)
        text.line(f"return ({wanted})")

    def write_steps(self) -> None:
        """All steps."""
        if "fusion" not in off:
            self.blocks = find_blocks(self.program, self.last)
        place, steps = 0, self.program.steps
        while place < len(steps):
            block = self.blocks.get(place)
            if block is not None:
                self.write_block(place, block)
                place += len(block.steps)
            else:
                self.write(place, steps[place])
                place += 1

    def write(self, place: int, step: Step) -> None:
        """The line of a step, and what may be forgotten after it."""
        if step.op is not None:
            self.write_call(place, step, step.op)
        elif step.operation.op is not None and can_write_sizes(step):
            self.write_call(place, step, step.operation.op)
        elif step.operation.type == "NoOp":
            pass
        elif step.operation.type == "VariableV2":
            if step.outputs[0] in self.asked:
                label = self.operation(step)
                self.text.line(f"{self.text.name(step.outputs[0])} = Ref(state, {label})", step)
        elif self.read_variable(step) or self.change_variable(place, step) or self.hand_on(step):
            pass
        elif step.operation.type in SIZES and can_write_sizes(step):
            self.write_sizes(step)
        else:
            self.write_other(step)
        self.forget([self.text.name(each) for each in self.dying(place, step)])

    def dying(self, place: int, step: Step) -> list[Symbol]:
        """Return the symbols that are not read after a step, as far as it pays to release them."""
        if "reuse" in off:
            return []
        found = self.forgotten[place] = [
            each for each in step.reads
            if self.last.get(each) == place and each in self.inner and heavy(each)
            and not each.dtype.is_ref
        ]  # fmt: skip
        return found

    def forget(self, names: Sequence[str]) -> None:
        """A line that releases variables."""
        if names:
            self.text.line(" = ".join(names) + " = None")

    def operation(self, step: Step) -> str:
        """A global that is the step's operation."""
        label = f"o{step.operation._id}"
        self.text.scope[label] = step.operation
        return label

    def write_other(self, step: Step) -> None:
        """A step that the runner does, in an environment of what it reads."""
        text, label = self.text, self.operation(step)
        text.leaves = text.leaves or not types(step) <= OURS
        text.scope[f"{label}_run"] = (
            run_table_op if step.operation.op is not None else KINDS[step.operation.type]
        )
        keys = [(f"{label}_{i}", each) for i, each in enumerate(step.reads)]
        text.scope.update(keys)
        env = ", ".join(f"{key}: {text.name(each)}" for key, each in keys)
        target = ", ".join(text.name(each) for each in step.outputs)
        target = f"{target}, = " if step.outputs else ""
        text.line(f"{target}{label}_run({label}, {{{env}}}, state)", step)

    def read_variable(self, step: Step) -> bool:
        """Lines for what a variable holds, where the step is that."""
        source = variable_read(step)
        if source is None:
            return False
        text, out = self.text, step.outputs[0]
        name = text.name(out)
        self.look_up(name, source, step)
        if out.sizes == ():
            text.line(f"{name} = {name}[()]", step)
            text.numbers.add(out)
        return True

    def hand_on(self, step: Step) -> bool:
        """A line that gives a value another name, where the step does no more."""
        if step.operation.type not in HANDS_ON or step.operation.operands[0].dtype.is_ref:
            return False
        text, (source, *_), (out,) = self.text, step.operation.operands, step.outputs
        text.line(f"{text.name(out)} = {text.name(source)}", step)
        if source in text.numbers:
            text.numbers.add(out)
        return True

    def look_up(self, name: str, source: Operation, step: Step) -> None:
        """Lines for the array that is in a variable."""
        text, label = self.text, f"o{source._id}"
        text.scope[label] = source
        text.line(f"{name} = state.variables.get({label})", step)
        text.line(f"if {name} is None: Ref(state, {label}).read({self.operation(step)})", step)

    def change_variable(self, place: int, step: Step) -> bool:
        """Lines that give a variable a value, where the step is that. The value is a new array,
        or written over one that is no longer read."""
        make = CHANGES.get(step.operation.type)
        target, value = step.operation.operands[:2] if make else (None, None)
        if target is None or value is None or target.op.type != "VariableV2":
            return False
        if value.dtype.is_ref:
            return False
        text, label, out = self.text, f"o{target.op._id}", step.outputs[0]
        text.scope[label] = target.op
        if make == "array":
            text.line(f"new = array({text.name(value)})", step)
        else:
            self.look_up("old", target.op, step)
            over = "..."
            if value in self.owned and self.dies(value, place) and value.sizes == target.sizes:
                over = text.name(value)
            text.line(f"new = {make}(old, {text.name(value)}, out={over})", step)
        text.line("new.flags.writeable = False", step)
        text.line(f"state.variables[{label}] = new", step)
        if out in self.asked:
            text.line(f"{text.name(out)} = Ref(state, {label})", step)
        return True

    def counts(self, step: Step) -> bool:
        """Return whether a step is an operator on single numbers."""
        return (
            step.op is not None and step.op.kernel in OPERATORS and not step.params
            and all(each is not None and each.sizes == () for each in step.inputs)
        )  # fmt: skip

    def write_sizes(self, step: Step) -> None:
        """The sizes of a value, or a sum over what a broadcast stretched."""
        text, (out,), source = self.text, step.outputs, step.operation.operands[0]
        if step.operation.type == "Shape":
            kind = text.global_name(out.dtype.numpy)
            text.line(f"{text.name(out)} = array({text.name(source)}.shape, {kind})", step)
        else:
            shape = text.param(step.params["shape"])
            text.line(f"{text.name(out)} = sum_to({text.array(source)}, {shape})", step)

    def write_call(self, place: int, step: Step, op: Op) -> None:
        """A step that is a kernel's call, or an operator."""
        text = self.text
        plain = itemwise(step)
        if self.write_sum(step):
            return
        if self.counts(step):
            names = [text.number(each) for each in step.inputs if each is not None]
            out = step.outputs[0]
            text.line(f"{text.name(out)} = {OPERATORS[op.kernel].format(*names)}", step)
            text.numbers.add(out)
            return
        kernel = f"k_{op.key.replace('.', '_')}"
        text.scope[kernel] = op.kernel
        variable = text.name if plain else text.array
        names = ["None" if each is None else variable(each) for each in step.inputs]
        args = [f"[{', '.join(names)}]"] if op.variadic else names
        args += text.params(step.params)
        target = ", ".join(text.name(each) for each in step.outputs)
        over = self.overwritten(place, step) if plain else None
        if over is not None:
            args.append(over)
        several = not op.single or op.kept
        text.line(f"{target}{',' if several else ''} = {kernel}({', '.join(args)})", step)
        if copies(step):
            self.owned.update(step.outputs)
        if plain:
            text.numbers.update(each for each in step.outputs if each.sizes == ())

    def write_sum(self, step: Step) -> bool:
        """A line for the sum or mean of all floats in an array, where the step is that: the
        kernel's own calls, without what it does for other types."""
        op, text = step.op, self.text
        if op is None or op.key not in ("sum", "mean") or step.params["dtype"] is not None:
            return False
        (source,), (out,) = step.inputs, step.outputs
        count = 0 if source is None else items(source)
        if source is None or not source.sizes or not count or source.dtype.numpy.char not in "fd":
            return False
        line = f"{text.name(out)} = add_all({text.name(source)}, None)"
        if op.key == "mean":
            line += f" / {text.global_name(source.dtype.numpy.type(count))}"
        text.line(line, step)
        text.numbers.add(out)
        return True

    def overwritten(self, place: int, step: Step) -> str | None:
        """The variable of a dying operand of the result's type and shape, to be written over."""
        (out,) = step.outputs
        for each in step.inputs:
            if each is None or each not in self.owned or not self.dies(each, place):
                continue
            if each.sizes == out.sizes and each.dtype == out.dtype:
                self.over[out] = each
                return self.text.name(each)
        return None

    def dies(self, symbol: Symbol, place: int) -> bool:
        """Return whether an array is read here for the last time, and only steps that copy have
        read it: none looks into its memory still."""
        sizes = symbol.sizes
        if "reuse" in off or not sizes or None in sizes or 1 in sizes:
            return False
        return self.last.get(symbol) == place and symbol not in self.looked_into

    def write_block(self, place: int, block: Block) -> None:
        """The lines of a block of pointwise steps, and what may be forgotten after it."""
        text = self.text
        for each in block.outer:
            text.name(each)
        mark = len(text.lines)
        for line, step in block.lines(text.name, text.scope, mark):
            text.line(line, step)
        self.owned.update(block.results)
        steps = enumerate(block.steps, place)
        dying = [each for at, step in steps for each in self.dying(at, step)]
        dead = [text.name(each) for each in dying if each in block.outer]
        self.forget([*block.locals(mark), *dead])


def can_write_sizes(step: Step) -> bool:
    """Return whether a step that depends on values of the run can be written all the same."""
    return not any(each.dtype.is_ref for each in step.operation.operands) and all(
        name == "indices" or writable(value) for name, value in step.params.items()
    )


def copies(step: Step) -> bool:
    """Return whether a step's result shares no memory with its operands."""
    return step.op is not None and not step.op.borrows


def variable_read(step: Step) -> Operation | None:
    """The variable that a step looks up, if it does that."""
    if step.op is not None or step.operation.type != "Identity":
        return None
    source: Operation = step.operation.operands[0].op
    return source if source.type == "VariableV2" else None


def heavy(symbol: Symbol) -> bool:
    """Return whether it pays to release a value: what is small may stay until the end."""
    sizes = symbol.sizes
    return sizes is None or None in sizes or math.prod(size or 0 for size in sizes) > LIGHT


def types(step: Step) -> set[str]:
    """The types of a step's operation and of those in its regions, ops of the table aside."""
    found, left = set(), [step.operation]
    while left:
        operation = left.pop()
        if operation.op is None:
            found.add(operation.type)
        left += (each for region in operation.regions for each in region.operations)
    return found


def last_uses(program: Program) -> dict[Symbol, int]:
    """The place of the last step that reads a symbol; none for what is wanted at the end."""
    found = {each: place for place, step in enumerate(program.steps) for each in step.reads}
    for each in program.wanted:
        found.pop(each, None)
    return found
