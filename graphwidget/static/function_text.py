"""The source of a generated function: its objects' names, and Python's own ``while`` and ``if``.

A region's operations are optimised and written as a program of their own, in the same function: so
what it captures is at hand by its name, and an iteration costs no more than its lines. Loop
variables without dims are numpy's scalars throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..optable.declare import ARRAYS
from .graph import Region
from .inference import symbolic
from .passes import Program, Step, optimised, program_of
from .runner import Ref, captured, outputs_of, plan
from .symbol import Symbol


class Text:
    """A function as its text grows: its lines, and what the names in them mean."""

    def __init__(self, given: Sequence[Symbol]) -> None:
        self.names: dict[Symbol, str] = {}
        self.scope: dict[str, Any] = {
            "asarray": np.asarray, "empty": np.empty, "Ref": Ref, "add_all": np.add.reduce,
            "array": np.array, "sum_to": ARRAYS.sum_to_size, "add": np.add, "subtract": np.subtract,
        }  # fmt: skip
        self.lines: list[str] = []
        self.steps: dict[int, Step] = {}
        """The step to which a line belongs, by its number."""
        self.constants: dict[Symbol, np.ndarray] = {}
        self.numbers: set[Symbol] = set()
        """Values that are certainly numpy scalars, not arrays without dims."""
        self.depth = 1
        self.leaves = False
        """True if it prints, or calls a function that may be the user's."""
        names = [self.name(each) for each in given]
        self.lines.append(f"def run({', '.join(['state', *names])}):")

    def name(self, symbol: Symbol) -> str:
        """The variable of a symbol; a constant's is a global."""
        found = self.names.get(symbol)
        if found is None:
            found = self.names[symbol] = f"v{len(self.names)}"
            value = self.constants.get(symbol)
            if value is not None:
                self.scope[found] = value if value.ndim else value[()]
                if not value.ndim:
                    self.numbers.add(symbol)
        return found

    def number(self, symbol: Symbol) -> str:
        """The variable of a symbol without dims, as a numpy scalar."""
        name = self.name(symbol)
        return name if symbol in self.numbers else f"{name}[()]"

    def global_name(self, value: Any) -> str:
        """A global for a value that has no literal."""
        label = f"p{len(self.scope)}"
        self.scope[label] = value
        return label

    def array(self, symbol: Symbol) -> str:
        """The variable of a symbol for a kernel that takes no numpy scalars."""
        name = self.name(symbol)
        return name if symbol.sizes else f"asarray({name})"

    def param(self, value: Any) -> str:
        """Return the text of an op's metadata: symbolic sizes by their computed values."""
        if isinstance(value, Symbol):
            number = value.dtype.numpy.kind in "iub"
            return f"{self.name(value)}.tolist()" if number else self.array(value)
        if isinstance(value, tuple) and symbolic(value):
            return f"({', '.join(map(self.param, value))},)"
        if value.__class__ in (int, bool, type(None), str):
            return repr(value)
        return self.global_name(value)

    def params(self, given: Mapping[str, Any]) -> list[str]:
        """Like ``param``, for all of an op's metadata; indices are arrays."""
        return [
            f"({', '.join('None' if each is None else self.array(each) for each in value)},)"
            if name == "indices" and symbolic(value) else self.param(value)
            for name, value in given.items()
        ]  # fmt: skip

    def line(self, text: str, step: Step | None = None) -> None:
        """One line, of a step."""
        self.lines.append("    " * self.depth + text)
        if step is not None:
            self.steps[len(self.lines)] = step


def writable(value: Any) -> bool:
    """Return whether symbols stand in metadata so that ``Text.param`` knows what to write: as one
    number, or as one among sizes."""
    if isinstance(value, Symbol):
        return value.sizes == () and not value.dtype.is_ref
    if isinstance(value, tuple):
        return all(map(writable, value))
    return not symbolic(value)


# Loops and branches in the text of a compiled program, as Python's own while and -----------------

WriteProgram = Callable[[Program], None]
"""Writes the lines of a program where the text is."""

DEEPEST = 15
"""Python allows twenty blocks in each other; what lies deeper is left to the runner."""
FLOW = ("While", "WhileGrad", "Cond")


def can_write_control_flow(step: Step, text: Text) -> bool:
    """Return whether a step is a loop or branch that can be written: no variable itself goes
    through."""
    operation = step.operation
    return (
        operation.type in FLOW and text.depth < DEEPEST
        and not any(each.dtype.is_ref for each in operation.operands)
        and not any(each.dtype.is_ref for region in operation.regions for each in region.outputs)
    )  # fmt: skip


def write_control_flow(step: Step, text: Text, write: WriteProgram) -> None:
    """The lines of a loop or branch."""
    kinds = {"While": write_while, "WhileGrad": write_while_grad, "Cond": write_cond}
    kinds[step.operation.type](step, text, write)


def write_region(region: Region, text: Text, write: WriteProgram) -> list[Symbol]:
    """The lines of a region, at the depth where the text is; its outputs."""
    operations = plan(outputs_of(region), region.inputs, region)
    around = text.constants
    known = {each: around[each] for each in captured(region) if each in around}
    write(optimised(program_of(operations, region.inputs, region.outputs, known)))
    return region.outputs


def assign(targets: Sequence[str], values: Sequence[str], step: Step, text: Text) -> None:
    """All at once: a value may be another's target."""
    pairs = [pair for pair in zip(targets, values, strict=True) if pair[0] != pair[1]]
    if pairs:
        left, right = zip(*pairs, strict=True)
        text.line(f"{', '.join(left)} = {', '.join(right)}", step)


def value(symbol: Symbol, like: Symbol, text: Text) -> str:
    """A value on its way into a variable, which is a number if it has no dims."""
    return text.number(symbol) if like.sizes == () else text.name(symbol)


def share(symbols: Sequence[Symbol], names: Sequence[str], text: Text) -> None:
    """Let symbols be known by the names of loop variables."""
    for symbol, name in zip(symbols, names, strict=True):
        text.names[symbol] = name
        if symbol.sizes == ():
            text.numbers.add(symbol)


def write_while(step: Step, text: Text, write: WriteProgram) -> None:
    """``while True``: the condition's lines, a ``break``, the body's lines."""
    operation = step.operation
    test, body = operation.regions
    *results, history_of = operation.outputs
    first = [each for each in operation.inputs if each is not None]
    starts = [value(symbol, like, text) for symbol, like in zip(first, results, strict=True)]
    names = [text.name(each) for each in results]
    for region_symbols in (results, test.inputs, body.inputs):
        share(region_symbols, names, text)
    assign(names, starts, step, text)
    kept, limit = operation.params["keep"][0], operation.params["maximum_iterations"]
    history, count = text.name(history_of), f"n_{text.name(history_of)}"
    text.line(f"{history} = []" if limit is None else f"{history} = []; {count} = 0", step)
    text.line("while True:", step)
    text.depth += 1
    if limit is not None:
        text.line(f"if {count} >= {limit}: break", step)
        text.line(f"{count} += 1", step)
    (holds,) = write_region(test, text, write)[:1]
    text.line(f"if not {text.name(holds)}: break", step)
    outputs = write_region(body, text, write)
    if kept:
        again = [text.name(each) for each in outputs[len(results) :]]
        text.line(f"{history}.append(({', '.join([*names, *again])},))", step)
    pairs = zip(outputs, results, strict=False)
    assign(names, [value(each, like, text) for each, like in pairs], step, text)
    text.depth -= 1


def write_while_grad(step: Step, text: Text, write: WriteProgram) -> None:
    """A loop over the iterations, the last first."""
    operation = step.operation
    (region,) = operation.regions
    history_of, *first = (each for each in operation.inputs if each is not None)
    results, count = operation.outputs, operation.params["carried"]
    starts = [value(symbol, like, text) for symbol, like in zip(first, results, strict=True)]
    names = [text.name(each) for each in results]
    share(results, names, text)
    assign(names, starts, step, text)
    begun = region.inputs[: len(region.inputs) - count]
    share(region.inputs[len(begun) :], names[:count], text)
    begin = [text.name(each) for each in begun]
    text.line(f"for {', '.join(begin)}, in reversed({text.name(history_of)}):", step)
    text.depth += 1
    outputs = write_region(region, text, write)
    found = [value(each, like, text) for each, like in zip(outputs, results, strict=True)]
    sums = [f"{name} + {each}" for name, each in zip(names[count:], found[count:], strict=True)]
    assign(names, [*found[:count], *sums], step, text)
    text.depth -= 1


def write_cond(step: Step, text: Text, write: WriteProgram) -> None:
    """``if`` and ``else``."""
    operation = step.operation
    (chosen,) = (each for each in operation.inputs if each is not None)
    names = [text.name(each) for each in operation.outputs]
    name = text.name(chosen)
    if chosen.sizes != ():
        text.scope["one_bool"] = one_bool
        name = f"one_bool({name})"
    for head, region in zip((f"if {name}:", "else:"), operation.regions, strict=True):
        text.line(head, step)
        text.depth += 1
        outputs = write_region(region, text, write)
        found = [value(each, like, text)
                 for each, like in zip(outputs, operation.outputs, strict=True)]  # fmt: skip
        assign(names, found, step, text)
        text.line("pass", step)
        text.depth -= 1
    share(operation.outputs, names, text)


def one_bool(chosen: Any) -> Any:
    """A condition that is certainly single.

    Raises:
        ValueError: it has dims.
    """
    if np.ndim(chosen):
        raise ValueError(f"The pred of a cond must be a scalar, but has shape {chosen.shape}")
    return chosen
