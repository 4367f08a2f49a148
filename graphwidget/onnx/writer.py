"""Writer: from operations of a static graph to the nodes of an ONNX graph.

Each operation is *expanded* into one node or a few by a function of ``writers/``, which is given
``Value``s and the metadata of the op table. The last node of an expansion gets the operation's
name, so that the file reads like the graph. Loops and branches become ``Loop`` and ``If``, whose
bodies are written by the same rules into node lists of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..static.graph import Operation, Region
from ..static.runner import outputs_of, plan
from ..static.symbol import Symbol
from ..static.tensor_shape import broadcast
from .errors import OnnxExporterError, UnsupportedOperatorError
from .value import Value
from .writers import KINDS, find

Env = dict[Symbol, Value]
TYPE_WORDS = {"float16": "float16", "float32": "float", "float64": "double"}
ITEM_BY_ITEM = {
    "Abs", "Add", "And", "Cast", "Div", "Equal", "Erf", "Exp", "Greater", "GreaterOrEqual",
    "IsNaN", "Less", "LessOrEqual", "Log", "Max", "Min", "Mul", "Neg", "Not", "Or", "Pow", "Sqrt",
    "Sub", "Tanh", "Where",
}  # fmt: skip
"""Operators whose result has the shape that their operands broadcast to."""


class Writer:
    """Collects the nodes and constants of a file."""

    def __init__(self, onnx: Any, opset: int) -> None:
        self.onnx, self.opset = onnx, opset
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.names: dict[str, int] = {}
        self.preferred: dict[Symbol, str] = {}
        """Names of symbols in the file that differ from their own."""
        self.replaced: dict[tuple[Operation, str], Any] = {}
        """Metadata of operations that is a matter of sizes known only when the file runs."""
        self.renamed: dict[str, str] = {}
        """Values that became outputs, by their first names."""
        self._constants: dict[Any, Value] = {}

    # Names and types ---------------------------------------------------------------------------
    def unique(self, name: str) -> str:
        """A name that nothing in the file has yet."""
        count = self.names.get(name, 0)
        self.names[name] = count + 1
        return name if not count else self.unique(f"{name}_{count}")

    def type_of(self, dtype: Any) -> int:
        """ONNX's number of a type."""
        return int(self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def info(self, value: Value, sizes: Any = None) -> Any:
        """A value's type and shape as the file declares them."""
        return self.onnx.helper.make_tensor_value_info(
            value.name, self.type_of(value.dtype), sizes if sizes is not None else value.sizes
        )

    # Nodes -------------------------------------------------------------------------------------
    def __call__(
        self, type: str, *inputs: Value | None, outputs: int = 1, dtype: Any = None,
        sizes: Any = None, **attributes: Any,
    ) -> Any:  # fmt: skip
        """Add a node; its results, which are of the first input's type if none is given."""
        given = [each for each in inputs if each is not None]
        self.check_types(type, inputs)
        found = dtype if dtype is not None else given[0].dtype
        if sizes is None and type in ITEM_BY_ITEM and None not in (x.sizes for x in given):
            sizes = broadcast([each.sizes for each in given])
        name = self.unique(type)
        names = [name] if outputs == 1 else [self.unique(f"{name}:{i}") for i in range(outputs)]
        texts = ["" if each is None else each.name for each in inputs]
        while texts and not texts[-1]:
            texts.pop()
        kept = {key: value for key, value in attributes.items() if value is not None}
        self.nodes.append(self.onnx.helper.make_node(type, texts, names, name=name, **kept))
        made = [Value(self, each, found, sizes) for each in names]
        return made[0] if outputs == 1 else made

    def check_types(self, type: str, inputs: Sequence[Value | None]) -> None:
        """Check that an operator takes these types.

        Raises:
            OnnxExporterError: it does not.
        """
        schema = self.onnx.defs.get_schema(type, self.opset)
        for formal, value in zip(schema.inputs, inputs, strict=False):
            if value is None:
                continue
            name = TYPE_WORDS.get(value.dtype.name, value.dtype.name)
            if formal.types and f"tensor({name})" not in formal.types:
                raise OnnxExporterError(f"ONNX's {type} does not take {value.dtype.name}")

    def constant(self, array: Any, name: str = "constant") -> Value:
        """An array as an initialiser; equal small ones are written once."""
        array = np.asarray(array)
        key = (array.dtype.str, array.shape, array.tobytes()) if array.size <= 64 else id(array)
        if key not in self._constants or array.size > 64:
            value = Value(self, self.unique(name), array.dtype, array.shape)
            self.initializers.append(self.onnx.numpy_helper.from_array(array, value.name))
            self._constants[key] = value
        return self._constants[key]

    def ints(self, *numbers: int) -> Value:
        """Integers as a list of the file."""
        return self.constant(np.array(numbers, np.int64))

    def sizes(self, shape: Any) -> Value:
        """A shape of numbers and values as one list."""
        if isinstance(shape, Value):
            return self("Reshape", shape.cast(np.int64), self.ints(-1), sizes=(None,))  # type: ignore[no-any-return]
        if not any(isinstance(each, Value) for each in shape):
            return self.ints(*map(int, shape))
        parts = [
            self("Reshape", each.cast(np.int64), self.ints(1)) if isinstance(each, Value)
            else self.ints(int(each)) for each in shape
        ]  # fmt: skip
        found: Value = self("Concat", *parts, axis=0, sizes=(len(parts),))
        return found

    def size_of(self, value: Value, dim: int) -> Value:
        """One size of a value, when the file runs."""
        shape = self("Shape", value, dtype=np.int64)
        found: Value = self("Gather", shape, self.ints(dim % value.rank), axis=0, sizes=(1,))
        return found

    # Operations --------------------------------------------------------------------------------
    def write(self, operations: Sequence[Operation], env: Env) -> None:
        """Write operations in order; ``env`` holds the values of what they read, and receives
        those of what they give.

        Raises:
            OnnxExporterError: one has no equivalent; the message names it and the line that made
                it.
        """
        for operation in operations:
            if operation.type in ("Placeholder", "Argument") or (
                operation.outputs and all(each in env for each in operation.outputs)
            ):
                continue
            try:
                self.expand(operation, env)
            except KeyError as error:
                if not error.args or not isinstance(error.args[0], Symbol):
                    raise
                text = f"{error.args[0].name} has no equivalent in ONNX"
                raise OnnxExporterError(f"{described(operation)}: {text}") from None
            except OnnxExporterError as error:
                raise type(error)(f"{described(operation)}: {error}") from None

    def expand(self, operation: Operation, env: Env) -> None:
        """Write one operation."""
        start = len(self.nodes)
        if operation.op is None:
            kind = KINDS.get(operation.type) or CONTROL.get(operation.type)
            if kind is None:
                raise UnsupportedOperatorError(f"{operation.type} has no equivalent in ONNX")
            found = kind(self, operation, env)
        else:
            inputs = [None if each is None else env[each] for each in operation.inputs]
            params = {
                name: self.replaced.get((operation, name), settled(value, env))
                for name, value in operation.params.items()
            }
            function = find(operation.op)
            if function is None:
                raise UnsupportedOperatorError(f"{operation.op.key} has no equivalent in ONNX")
            self.asked = operation
            found = (
                function(self, inputs, **params) if operation.op.variadic
                else function(self, *inputs, **params)
            )  # fmt: skip
        found = [found] if isinstance(found, Value) else found
        for symbol, value in zip(operation.outputs, found, strict=False):
            if value is not None:
                env[symbol] = self.named(symbol, value, start)

    def named(self, symbol: Symbol, value: Value, start: int) -> Value:
        """A result of an operation under the operation's name, and of its type."""
        if not symbol.op.op or symbol.value_index < len(symbol.op.op.outputs) or symbol.op.op.many:
            value = value.cast(symbol.dtype.numpy)
        wanted = self.preferred.get(symbol, symbol.op.name)
        if symbol.value_index and symbol not in self.preferred:
            wanted = symbol.name
        old, new = value.name, None
        if old == wanted and any(old in node.output for node in self.nodes[start:]):
            return Value(self, old, value.dtype, symbol.sizes)
        for node in self.nodes[start:]:
            if old in node.output and new is None:
                new = self.unique(wanted)
                node.output[list(node.output).index(old)] = new
                if node.output[0] == new:
                    node.name = new
            elif new is not None:
                node.input[:] = [new if each == old else each for each in node.input]
        return Value(self, new or old, value.dtype, symbol.sizes)

    def alike(self, value: Value, name: str) -> Value:
        """The value under a name of its own."""
        node = self.onnx.helper.make_node("Identity", [value.name], [name], name=name)
        self.nodes.append(node)
        return Value(self, name, value.dtype, value.sizes)

    def called(self, value: Value, name: str) -> Value:
        """A result under an output's name: its node's own, if that has no other yet."""
        old = self.renamed.get(value.name, value.name)
        mine = any(old in each.output for each in self.nodes)
        inside = any(reads_inside(each, old) for each in self.nodes)
        if not mine or inside or old in self.renamed.values() or old in self.preferred.values():
            return self.alike(Value(self, old, value.dtype, value.sizes), name)
        self.renamed[old] = name
        for node in self.nodes:
            node.input[:] = [name if each == old else each for each in node.input]
            node.output[:] = [name if each == old else each for each in node.output]
        return Value(self, name, value.dtype, value.sizes)

    # Regions -----------------------------------------------------------------------------------
    def region(self, region: Region, given: Sequence[Value], env: Env) -> list[Value]:
        """A region's outputs, written where the writer stands."""
        inner = dict(env)
        inner.update(zip(region.inputs, given, strict=True))
        self.write(plan(outputs_of(region), region.inputs, region), inner)
        return [inner[each] for each in region.outputs]

    def subgraph(
        self, name: str, inputs: Sequence[Value], write: Callable[[], Sequence[Value]]
    ) -> Any:
        """A graph inside a node's attribute, whose outputs are all made in it."""
        before, self.nodes = self.nodes, []
        try:
            outputs: list[Value] = []
            for each in write():
                mine = any(each.name in node.output for node in self.nodes)
                again = not mine or any(each.name == other.name for other in outputs)
                outputs.append(self.alike(each, self.unique(f"{name}_out")) if again else each)
            made: Any = self.onnx.helper.make_graph(
                self.nodes, name, [self.info(each) for each in inputs],
                [self.info(each) for each in outputs],
            )  # fmt: skip
            return made
        finally:
            self.nodes = before


def reads_inside(node: Any, name: str) -> bool:
    """Return whether a value is read in a node's subgraphs."""
    inner = [each for part in node.attribute for each in part.g.node]
    return any(name in each.input or reads_inside(each, name) for each in inner)


def settled(value: Any, env: Env) -> Any:
    """Metadata with values in the place of symbols."""
    if isinstance(value, Symbol):
        return env[value]
    if isinstance(value, (tuple, list)):
        return type(value)(settled(each, env) for each in value)
    return value


def described(operation: Operation) -> str:
    """An operation and the user's line that made it."""
    lines = operation.traceback
    where = f" ({lines[-1][0]}, line {lines[-1][1]})" if lines else ""
    return f"operation '{operation.name}'{where}"


# Control flow ------------------------------------------------------------------------------------
def write_while(w: Writer, operation: Operation, env: Env) -> list[Value | None]:
    """A loop: its condition is written twice, before the loop and at the end of its body."""
    test, body = operation.regions
    first = [env[each].cast(each.dtype.numpy) for each in operation.inputs if each is not None]
    (holds,) = w.region(test, first, env)
    limit = operation.params["maximum_iterations"]
    name = w.unique(f"{operation.name}_body")
    count = Value(w, w.unique(f"{name}_turn"), np.int64, ())
    go = Value(w, w.unique(f"{name}_go"), bool, ())
    carried = [
        Value(w, w.unique(f"{name}_{i}"), each.dtype.numpy, each.sizes)
        for i, each in enumerate(body.inputs)
    ]

    def iteration() -> list[Value]:
        last = w.region(body, carried, env)[: len(carried)]
        return [*w.region(test, last, env), *last]

    graph = w.subgraph(name, [count, go, *carried], iteration)
    most = None if limit is None else w.constant(np.array(limit, np.int64))
    outputs = max(len(first), 1)
    made = w("Loop", most, holds, *first, outputs=outputs, body=graph)
    made = [made] if outputs == 1 else made
    for value, each in zip(made, first, strict=True):
        value.dtype = each.dtype
    return [*made, None]


def write_cond(w: Writer, operation: Operation, env: Env) -> list[Value]:
    """A choice of two branches."""
    graphs = [
        w.subgraph(w.unique(f"{operation.name}_{which}"), (), lambda r=region: w.region(r, (), env))  # type: ignore[misc]
        for which, region in zip(("then", "else"), operation.regions, strict=True)
    ]
    count = len(operation.outputs)
    (pred,) = (env[each] for each in operation.inputs if each is not None)
    made = w("If", pred, outputs=count, then_branch=graphs[0], else_branch=graphs[1])
    made = [made] if count == 1 else made
    for value, symbol in zip(made, operation.outputs, strict=True):
        value.dtype = symbol.dtype.numpy
    return list(made)


CONTROL: dict[str, Callable[..., Any]] = {"While": write_while, "Cond": write_cond}
"""Writers of the operations with regions."""
