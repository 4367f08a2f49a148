"""From a program to one flat Python function of numpy calls.

Each step becomes one line, ``v7 = k7(v3, v5)``; what dies is let go of, and a pointwise result is
written over an operand that nobody reads any more. Long chains of pointwise steps on large arrays
run block by block (see ``blocks.py``), so that a block stays in the cache from the first to the
last. Lines belong to steps, so that an error names its operation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .blocks import Block, find_blocks
from .errors import InvalidArgumentError, OpError, while_running
from .passes import Program, Step, off, optimised, program_of
from .runner import KINDS, Ref, State, run_table_op, words
from .symbol import Symbol

NAME = "<static graph>"
LIGHT = 256
"""Items up to which a value is not worth a line that lets go of it."""
FRESH = {"sum", "sum.dim", "mean", "mean.dim", "mm", "softmax", "log_softmax", "amax", "amin"}
"""Ops whose results share no memory with their operands, besides the pointwise ones."""


class Compiled:
    """A program as a function of the values given and a session's state."""

    def __init__(self, operations: Sequence[Any], given: Sequence[Symbol],
                 wanted: Sequence[Symbol]) -> None:  # fmt: skip
        self.program = optimised(program_of(operations, given, wanted))
        self.given = tuple(given)
        writer = Writer(self.program, self.given)
        self.source = writer.source()
        self.steps = writer.steps
        scope = writer.scope
        exec(compile(self.source, NAME, "exec"), scope)
        self.function = scope["run"]

    def __call__(self, values: Sequence[Any], state: State) -> tuple[Any, ...]:
        """The wanted values.

        Raises:
            OpError: an operation failed.
        """
        old = np.seterr(all="ignore")
        try:
            return self.function(state, *values)  # type: ignore[no-any-return]
        except OpError:
            raise
        except Exception as error:
            raise self._named(error) from error
        finally:
            np.seterr(**old)

    def _named(self, error: Exception) -> Exception:
        """An error with the operation in whose line it arose."""
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != NAME:
            trace = trace.tb_next
        step = None if trace is None else self.steps.get(trace.tb_lineno)
        if step is None or trace is None:
            return error
        found = trace.tb_frame.f_locals
        env: dict[Symbol, Any] = dict(self.program.constants)
        env.update((each, found[name]) for each, name in step[1].items() if name in found)
        return while_running(
            InvalidArgumentError, step[0].operation, words(step[0].operation, env, error)
        )


class Writer:
    """Writes the source of a program."""

    def __init__(self, program: Program, given: Sequence[Symbol]) -> None:
        self.program = program
        self.names: dict[Symbol, str] = {}
        self.scope: dict[str, Any] = {
            "asarray": np.asarray, "empty": np.empty, "Ref": Ref,
        }  # fmt: skip
        self.lines: list[str] = []
        self.steps: dict[int, tuple[Step, dict[Symbol, str]]] = {}
        self.last = last_uses(program)
        self.owned: set[Symbol] = set()
        self.looked_into = {
            each for step in program.steps for each in step.reads
            if step.op is None or not (isinstance(step.op.kernel, np.ufunc) or step.op.key in FRESH)
        }  # fmt: skip
        """What steps read whose results may share memory with it."""
        self.given = given

    def name(self, symbol: Symbol) -> str:
        """The variable of a symbol; a constant's is a global."""
        found = self.names.get(symbol)
        if found is None:
            found = self.names[symbol] = f"v{len(self.names)}"
            if symbol in self.program.constants:
                self.scope[found] = self.program.constants[symbol]
        return found

    def source(self) -> str:
        """The whole function."""
        head = f"def run({', '.join(['state', *map(self.name, self.given)])}):"
        blocks = find_blocks(self.program, self.last) if "fusion" not in off else {}
        place, steps = 0, self.program.steps
        self.lines = [head]
        while place < len(steps):
            block = blocks.get(place)
            if block is not None:
                self.write_block(block)
                place += len(block.steps)
            else:
                self.write(place, steps[place])
                place += 1
        wanted = "".join(f"{self.name(each)}, " for each in self.program.wanted)
        self.lines.append(f"    return ({wanted})")
        return "\n".join(self.lines) + "\n"

    def line(self, text: str, step: Step) -> None:
        """One line, of a step."""
        self.lines.append("    " + text)
        known = {each: self.names[each] for each in step.reads if each in self.names}
        self.steps[len(self.lines)] = step, known

    def write(self, place: int, step: Step) -> None:
        """The line of a step, and what may be forgotten after it."""
        for each in step.reads:
            self.name(each)
        if step.operation.type == "VariableV2":
            label = f"o{step.operation._id}"
            self.scope[label] = step.operation
            self.line(f"{self.name(step.outputs[0])} = Ref(state, {label})", step)
        elif step.op is None and self.read_variable(step):
            pass
        elif step.op is None:
            self.write_other(step)
        else:
            self.write_call(place, step)
        dying = [
            each for each in step.reads
            if self.last.get(each) == place and each not in self.program.constants and heavy(each)
        ]  # fmt: skip
        names = [self.name(each) for each in dict.fromkeys(dying)]
        if names:
            self.lines.append("    " + " = ".join(names) + " = None")

    def write_other(self, step: Step) -> None:
        """A step that the runner does, in an environment of what it reads; a variable is read at
        once, where it has a value."""
        label = f"o{step.operation._id}"
        self.scope[label] = step.operation
        self.scope[f"{label}_run"] = (
            run_table_op if step.operation.op is not None else KINDS[step.operation.type]
        )
        keys = [(f"{label}_{i}", each) for i, each in enumerate(step.reads)]
        self.scope.update(keys)
        env = ", ".join(f"{key}: {self.name(each)}" for key, each in keys)
        target = ", ".join(self.name(each) for each in step.outputs)
        target = f"{target}, = " if step.outputs else ""
        self.line(f"{target}{label}_run({label}, {{{env}}}, state)", step)

    def read_variable(self, step: Step) -> bool:
        """A line for what a variable holds, where the step is that."""
        source = step.operation.operands[0].op if step.operation.type == "Identity" else None
        if source is None or source.type != "VariableV2":
            return False
        label = f"o{source._id}"
        self.scope[label] = source
        name, ref = self.name(step.outputs[0]), self.name(source.outputs[0])
        self.line(f"{name} = state.variables.get({label})", step)
        self.line(f"if {name} is None: {ref}.read(o{step.operation._id})", step)
        self.scope[f"o{step.operation._id}"] = step.operation
        return True

    def write_call(self, place: int, step: Step) -> None:
        """A step that is a kernel's call."""
        op = step.op
        assert op is not None
        kernel = f"k_{op.key.replace('.', '_')}"
        self.scope[kernel] = op.kernel
        plain = isinstance(op.kernel, np.ufunc)
        names = ["None" if each is None else self.argument(each, plain) for each in step.inputs]
        args = [f"[{', '.join(names)}]"] if op.variadic else names
        for value in step.params.values():
            label = repr(value)
            if value.__class__ not in (int, bool, type(None), str):
                label = f"p{len(self.scope)}"
                self.scope[label] = value
            args.append(label)
        target = ", ".join(self.name(each) for each in step.outputs)
        over = self.overwritten(place, step) if plain else None
        if over is not None:
            args.append(over)
        several = not op.single or op.kept
        self.line(f"{target}{',' if several else ''} = {kernel}({', '.join(args)})", step)
        if plain or op.key in FRESH:
            self.owned.update(step.outputs)

    def argument(self, symbol: Symbol, plain: bool) -> str:
        """An operand; ufuncs give numbers for 0-d arrays, which other kernels do not take."""
        name = self.name(symbol)
        number = symbol.sizes == () or symbol.sizes is None
        return f"asarray({name})" if number and not plain else name

    def overwritten(self, place: int, step: Step) -> str | None:
        """The variable of a dying operand of the result's type and shape, to be written over."""
        (out,) = step.outputs
        if "reuse" in off or not out.sizes or None in out.sizes or 1 in out.sizes:
            return None
        for each in step.inputs:
            if each is None or each not in self.owned or self.last.get(each) != place:
                continue
            if each.sizes == out.sizes and each.dtype == out.dtype and self.unshared(each):
                return self.name(each)
        return None

    def unshared(self, symbol: Symbol) -> bool:
        """Whether only steps that copy have read a symbol: none looks into its memory still."""
        return symbol not in self.looked_into

    def write_block(self, block: Block) -> None:
        """The lines of a block of pointwise steps."""
        for each in block.outer:
            self.name(each)
        for text, step in block.lines(self.name, self.scope, len(self.lines)):
            self.line(text, step)
        self.owned.update(block.results)


def heavy(symbol: Symbol) -> bool:
    """Whether it pays to let go of a value: what is small may stay until the end."""
    sizes = symbol.sizes
    return sizes is None or None in sizes or math.prod(size or 0 for size in sizes) > LIGHT


def last_uses(program: Program) -> dict[Symbol, int]:
    """The place of the last step that reads a symbol; none for what is wanted at the end."""
    found = {each: place for place, step in enumerate(program.steps) for each in step.reads}
    for each in program.wanted:
        found.pop(each, None)
    return found
