"""Dynamic axes: which numbers of a recorded program change with the inputs' sizes.

A recording has the sizes of its example inputs in it: in the shapes of views, in the ends of
slices, in constants that were made for them. They cannot be distinguished from other numbers by
looking at one recording, so there are several, of example inputs in other sizes; what differs
between them is a size, and must be computed when the file runs. A number that follows none of a few
simple rules is refused, with the operation's line, rather than written as it happened to be.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..graph.tensor import Tensor
from ..static.graph import Operation
from ..static.nest import flatten, pack_like
from ..static.symbol import Symbol
from .errors import OnnxExporterError
from .programs import Program, of_function
from .value import Value
from .writer import Writer, described

Axes = dict[tuple[str, int], str]
"""The names of dynamic sizes, by input or output and dim."""


def axes_by_name(
    inputs: Mapping[str, Symbol], given: Mapping[str, Any] | None, outputs: Sequence[str] | None
) -> Axes:
    """PyTorch's ``dynamic_axes``, dims from 0.

    Raises:
        ValueError: it names no input and no output, or a dim that is not there.
    """
    found: Axes = {}
    for name, dims in (given or {}).items():
        if name not in inputs and name not in (outputs or ("output",)):
            raise ValueError(f"dynamic_axes names '{name}', which is no input and no output")
        pairs = dims.items() if isinstance(dims, Mapping) else (
            (dim, f"{name}_dim_{dim}") for dim in dims
        )  # fmt: skip
        rank = len(inputs[name].sizes or ()) if name in inputs else None
        for dim, label in pairs:
            if rank is not None and not -rank <= dim < rank:
                raise ValueError(f"dynamic_axes names dim {dim} of '{name}', which has {rank}")
            found[name, dim % rank if rank else dim] = str(label)
    return found


class Varied:
    """A number in the base recording, and how it follows from the sizes."""

    def __init__(self, base: int, slopes: dict[str, int], factor: int = 0) -> None:
        self.base, self.slopes, self.factor = base, slopes, factor


class Sizes:
    """Values that must be computed from sizes when the file runs."""

    def __init__(self, axes: Axes, start: dict[str, int], program: Program) -> None:
        self.axes, self.start, self.program = axes, start, program
        self.params: dict[tuple[Operation, str], Any] = {}
        self.constants: dict[Operation, tuple[Any, Any]] = {}

    def apply(self, w: Writer, env: dict[Symbol, Value]) -> None:
        """Write what computes the sizes, and let the operations use it."""
        values: dict[str, Value] = {}
        by_name = {value.name: value for value in env.values()}
        for (name, dim), label in self.axes.items():
            if name in by_name and label not in values:
                values[label] = w.size_of(by_name[name], dim)
        done: dict[Any, Value] = {}
        for key, value in self.params.items():
            w.replaced[key] = self.computed(w, value, values, done)
        for operation, (shape, filler) in self.constants.items():
            symbol = operation.outputs[0]
            if isinstance(shape, Varied):  # the constant is itself a size
                number = self.computed(w, shape, values, done).cast(filler.dtype)
                env[symbol] = w("Squeeze", number, w.ints(0), sizes=())
                continue
            sizes = w.sizes(self.computed(w, shape, values, done))
            if filler.ndim == 0:
                made = w("Expand", w.constant(filler), sizes, sizes=symbol.sizes)
            else:
                first, step = filler
                count = w("Squeeze", sizes, w.ints(0)).cast(filler.dtype)
                stop = count * step + first
                made = w("Range", w.constant(first), stop, w.constant(step), sizes=(None,))
            env[symbol] = made

    def computed(self, w: Writer, value: Any, sizes: dict[str, Value], done: Any) -> Any:
        """Metadata with the values of sizes in it."""
        if isinstance(value, (tuple, list)):
            return type(value)(self.computed(w, each, sizes, done) for each in value)
        if not isinstance(value, Varied):
            return value
        key = value.base, tuple(sorted(value.slopes.items())), value.factor
        if key not in done:
            done[key] = self.one(w, value, sizes)
        return done[key]

    def one(self, w: Writer, value: Varied, sizes: dict[str, Value]) -> Value:
        """A number that follows from sizes: their product, or a straight line along one."""
        if value.factor:
            found = w.ints(value.factor)
            for label in value.slopes:
                found = found * sizes[label]
            return found
        ((label, slope),) = value.slopes.items()
        rest = value.base - slope * self.start[label]
        found = sizes[label] if slope == 1 else sizes[label] * slope
        return found + rest if rest else found


def record_sizes(
    model: Any, args: Sequence[Any], kwargs: Any, program: Program, inputs: Mapping[str, Symbol],
    axes: Axes,
) -> Sizes:  # fmt: skip
    """Record again with other sizes, and compare.

    Raises:
        OnnxExporterError: the function does something else for other sizes, or has numbers in it
            that follow no rule.
    """
    named = {key: label for key, label in axes.items() if key[0] in inputs}
    start: dict[str, int] = {}
    for (name, dim), label in named.items():
        size = (inputs[name].sizes or ())[dim]
        assert size is not None
        start[label] = size
    labels = list(start)
    changes = [{label: by} for label in labels for by in (1, 2)] + [dict.fromkeys(labels, 3)]
    others = []
    for change in changes:
        other = of_function(model, *resized(args, kwargs, list(inputs), named, change))
        check_alike(program, other, change)
        others.append((change, other))
    sizes = Sizes(axes, start, program)
    for place, operation in enumerate(program.graph.operations):
        versions = [(change, other.graph.operations[place]) for change, other in others]
        compare_operation(sizes, operation, versions)
    for place, operation in enumerate(program.graph.operations):
        for i, symbol in enumerate(operation.outputs):
            seen = [other.graph.operations[place].outputs[i].sizes for _, other in others]
            if symbol.sizes is not None:
                symbol.sizes = tuple(
                    size if all(each is not None and each[dim] == size for each in seen) else None
                    for dim, size in enumerate(symbol.sizes)
                )
    return sizes


def resized(
    args: Sequence[Any], kwargs: Any, names: Sequence[str], axes: Axes, change: Mapping[str, int]
) -> Any:
    """Example arguments in other sizes: their items over again."""
    given = tuple(args), dict(kwargs)
    leaves = flatten(given)
    tensors = list({id(each): each for each in leaves if isinstance(each, Tensor)}.values())
    new = {}
    for name, tensor in zip(names, tensors, strict=True):
        array = tensor._data
        for (of, dim), label in axes.items():
            if of == name and label in change:
                count = array.shape[dim]
                array = np.take(array, np.arange(count + change[label]) % max(count, 1), axis=dim)
        new[id(tensor)] = Tensor._wrap(np.array(array))
    return pack_like(given, [new.get(id(each), each) for each in leaves])


def check_alike(program: Program, other: Program, change: Mapping[str, int]) -> None:
    """Check that the same operations were recorded.

    Raises:
        OnnxExporterError: they were not.
    """
    one, two = program.graph.operations, other.graph.operations
    for a, b in zip(one, two, strict=False):
        if a.type != b.type or a.op is not b.op or len(a.outputs) != len(b.outputs):
            break
    else:
        if len(one) == len(two):
            return
        a = one[min(len(one), len(two)) - 1]
    labels = ", ".join(change)
    raise OnnxExporterError(f"{described(a)}: for another size of {labels} the function does "
                            "something else here")  # fmt: skip


def compare_operation(
    sizes: Sizes, operation: Operation, versions: Sequence[tuple[Any, Operation]]
) -> None:
    """Record which of an operation's numbers are sizes."""
    changes = [change for change, _ in versions]
    if operation.type == "Const":
        arrays = [each.params["value"] for _, each in versions]
        compare_constant(sizes, operation, changes, arrays)
        return
    for name, value in operation.params.items():
        seen = [each.params[name] for _, each in versions]
        free = name == "shape" and operation.op is not None and operation.op.reshapes
        found = varied(sizes, operation, value, list(zip(changes, seen, strict=True)), free)
        if found is not value:
            sizes.params[operation, name] = found


def varied(sizes: Sizes, operation: Operation, value: Any, seen: Any, free: bool = False) -> Any:
    """Metadata with what varies marked; the same object where nothing does."""
    if isinstance(value, (tuple, list)):
        if any(len(each) != len(value) for _, each in seen):
            raise refusal(operation)
        left = free
        found = []
        for i, one in enumerate(value):
            parts = [(change, each[i]) for change, each in seen]
            try:
                found.append(varied(sizes, operation, one, parts))
            except OnnxExporterError:
                if not left:
                    raise
                left = False
                found.append(-1)
        same = all(a is b for a, b in zip(found, value, strict=True))
        return value if same else type(value)(found)
    if isinstance(value, Symbol) or not isinstance(value, (int, float)):
        return value
    if all(each == value for _, each in seen):
        return value
    if not isinstance(value, int):
        raise refusal(operation)
    return rule(sizes, operation, value, seen)


def rule(sizes: Sizes, operation: Operation, value: int, seen: Any) -> Varied:
    """The rule that a number follows.

    Raises:
        OnnxExporterError: none.
    """
    alone = [(next(iter(c)), next(iter(c.values())), each) for c, each in seen if len(c) == 1]
    slopes = {label: each - value for label, by, each in alone if by == 1 and each != value}
    start = sizes.start

    def at(change: Mapping[str, int], label: str) -> int:
        return start[label] + change.get(label, 0)

    if len(slopes) == 1:
        ((label, slope),) = slopes.items()
        if all(each == value + slope * change.get(label, 0) for change, each in seen):
            return Varied(value, slopes)
    if slopes:
        whole = math.prod(start[label] for label in slopes)
        factor = value // whole if whole else 0
        if (
            factor
            and value == factor * whole
            and all(
                each == factor * math.prod(at(change, label) for label in slopes)
                for change, each in seen
            )
        ):
            return Varied(value, slopes, factor)
    raise refusal(operation)


def compare_constant(
    sizes: Sizes, operation: Operation, changes: Sequence[Any], arrays: Sequence[np.ndarray]
) -> None:
    """Record how a constant follows from sizes: one number in some shape, or a range.

    Raises:
        OnnxExporterError: it follows otherwise.
    """
    base = operation.params["value"]
    every = [base, *arrays]
    if all(np.array_equal(each, base, equal_nan=base.dtype.kind == "f") for each in arrays):
        return
    seen = [(change, each.shape) for change, each in zip(changes, arrays, strict=True)]
    if base.ndim and base.size and all((each == base.flat[0]).all() for each in every):
        shape = varied(sizes, operation, base.shape, seen)
        sizes.constants[operation] = shape, np.array(base.flat[0])
    elif base.ndim == 0 and all(each == np.round(each) for each in every):
        pairs = [(change, int(each)) for change, each in zip(changes, arrays, strict=True)]
        number = rule(sizes, operation, int(base), pairs)
        sizes.constants[operation] = number, np.array(base)
    elif base.ndim == 1 and base.size > 1 and all(is_range(each, base) for each in every):
        shape = varied(sizes, operation, base.shape, seen)
        sizes.constants[operation] = shape, np.array([base[0], base[1] - base[0]], base.dtype)
    else:
        raise refusal(operation)


def is_range(array: np.ndarray, base: np.ndarray) -> bool:
    """Return whether an array counts on from where another begins, in its steps."""
    count = np.arange(len(array)).astype(array.dtype)
    return bool(np.array_equal(array, base[0] + count * (base[1] - base[0])))


def refusal(operation: Operation) -> OnnxExporterError:
    """The error for a number that follows no rule."""
    return OnnxExporterError(
        f"{described(operation)}: it has a number in it that depends on a dynamic axis in a way "
        "that no file can say"
    )
