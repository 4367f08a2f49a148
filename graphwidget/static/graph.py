"""The graph that is built before anything runs: operations, their names, scopes and regions.

A ``Graph`` is a list of operations in the order in which they were made; an operation's inputs are
symbols of earlier ones, so that order is also one in which they can run. What a loop repeats and a
branch chooses stands in a *region*: a list of operations with inputs and outputs of its own, which
belongs to the ``While`` or ``Cond`` operation that runs it. All share the names of one graph.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..arrays.warnings import user_frame
from ..optable.declare import Op
from .listener import current, default_session
from .symbol import Spec, Symbol
from .tensor_shape import list_text

VALID_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
VALID_PART = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")
FRAMES = 8
"""Number of the user's frames that an operation remembers."""


class Operation:
    """A node of the graph: what is computed of which symbols.

    ``type`` is TensorFlow's word (``AddV2``); ``op`` is the declaration in the op table, None for
    what has no formula (placeholders, constants, variables, loops). ``params`` are the table's
    metadata; symbols may stand in them, for sizes that are known only when the graph runs.
    """

    __slots__ = (
        "__weakref__", "_id", "control_inputs", "graph", "inputs", "name", "op", "outputs",
        "params", "region", "regions", "traceback", "type",
    )  # fmt: skip

    graph: Graph
    _id: int
    name: str
    type: str
    op: Op | None
    inputs: tuple[Symbol | None, ...]
    params: dict[str, Any]
    outputs: list[Symbol]
    control_inputs: list[Operation]
    region: Region
    regions: tuple[Region, ...]
    traceback: list[tuple[str, int, str]]

    @property
    def operands(self) -> list[Symbol]:
        """All symbols that it reads: its inputs, and those in its params."""
        return [each for each in self.inputs if each is not None] + list(
            symbols_in(self.params.values())
        )

    @property
    def values(self) -> list[Symbol]:
        """Its outputs."""
        return self.outputs

    def run(self, feed_dict: Mapping[Any, Any] | None = None, session: Any = None) -> None:
        """Run it in the default session, or another.

        Raises:
            ValueError: there is no session.
        """
        found = session or default_session()
        if found is None:
            raise ValueError(
                "Cannot execute operation using `run()`: No default session is registered. Use "
                "`with sess.as_default():` or pass an explicit session to `run(session=sess)`"
            )
        found.run(self, feed_dict)

    def __str__(self) -> str:
        inputs = [f"input: {each.name.removesuffix(':0')!r}" for each in self.operands]
        inputs += [f"input: '^{each.name}'" for each in self.control_inputs]
        lines = [f"name: {self.name!r}", f"op: {self.type!r}", *inputs]
        return "\n".join(line.replace("'", '"') for line in lines) + "\n"

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


def symbols_in(values: Iterable[Any]) -> Iterator[Symbol]:
    """The symbols among values, and in the tuples and lists among them."""
    for value in values:
        if isinstance(value, Symbol):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from symbols_in(value)


class Region:
    """Body of a loop or branch, or (without a parent) the graph itself."""

    def __init__(self, parent: Region | None, kind: str) -> None:
        self.parent = parent
        self.kind = kind
        self.operations: list[Operation] = []
        self.inputs: list[Symbol] = []
        self.outputs: list[Symbol] = []

    def contains(self, other: Region | None) -> bool:
        """Return whether another region is this one or inside it."""
        while other is not None:
            if other is self:
                return True
            other = other.parent
        return False

    def captures(self, needed: set[int] | None = None) -> list[Symbol]:
        """The symbols from outside that are read inside, each once; by some operations alone, where
        their numbers are given."""
        found: dict[Symbol, None] = {}
        for operation in self.operations:
            if needed is not None and operation._id not in needed:
                continue
            inner = [each for region in operation.regions for each in region.captures()]
            for symbol in (*operation.operands, *inner):
                if not self.contains(symbol.op.region):
                    found[symbol] = None
        found.update((each, None) for each in self.outputs if not self.contains(each.op.region))
        return list(found)


class Graph:
    """A graph under construction, into which ``as_default()`` puts what is built."""

    def __init__(self) -> None:
        self.root = Region(None, "graph")
        self.operations: list[Operation] = []
        self.by_name: dict[str, Operation] = {}
        self.collections: dict[str, list[Any]] = {}
        self.finalized = False
        self.seed: int | None = None
        self.variables: dict[str, Any] = {}
        self.variable_scope: Any = None
        self._uses: dict[str, int] = {}
        self._scope = ""
        self.region = self.root
        self._controls: list[Operation] = []

    # Names ---------------------------------------------------------------------------------
    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name that nothing else has, whatever the case of its letters."""
        if self._scope:
            name = f"{self._scope}/{name}"
        key = name.lower()
        count = self._uses.get(key, 0)
        if mark_as_used:
            self._uses[key] = count + 1
        if not count:
            return name
        tried = key
        while tried in self._uses:
            tried = f"{key}_{count}"
            count += 1
        if mark_as_used:
            self._uses[tried] = 1
        return f"{name}_{count - 1}"

    @contextlib.contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Names made inside stand under this one. ``name/`` enters a scope again, None and ``""``
        the root."""
        if name and not (VALID_PART if self._scope else VALID_NAME).match(name):
            if self._scope:
                raise ValueError(f"'{name}' is not a valid scope name. A scope name has to match "
                                 f"the following pattern: {VALID_PART.pattern}")  # fmt: skip
            raise ValueError(
                f"'{name}' is not a valid root scope name. A root scope name has to match the "
                f"following pattern: {VALID_NAME.pattern}"
            )
        before = self._scope
        if not name:
            self._scope = ""
        else:
            self._scope = name[:-1] if name.endswith("/") else self.unique_name(name)
        try:
            yield f"{self._scope}/" if self._scope else ""
        finally:
            self._scope = before

    # Construction --------------------------------------------------------------------------
    def create(
        self, type: str, inputs: Sequence[Symbol | None], outputs: Sequence[Spec], *,
        op: Op | None = None, params: Mapping[str, Any] | None = None, name: str | None = None,
        regions: Sequence[Region] = (),
    ) -> Operation:  # fmt: skip
        """Add an operation where the graph is being built.

        Args:
            inputs: its operands, None for one that was left out.
            outputs: what is known of each result.
            name: made unique; one that ends with ``/`` is taken as it is.

        Raises:
            RuntimeError: the graph is finalized.
            ValueError: the name is none, or an operand is of another graph or inside a loop.
        """
        if self.finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        name = name or type
        if not (name.endswith("/") or VALID_NAME.match(name)):
            raise ValueError(
                f"`{name}` is not a valid node name. Accepted names conform to Regex "
                f"/{VALID_NAME!r}/"
            )
        made = Operation()
        made.graph, made.op, made.type = self, op, type
        made.inputs, made.params = tuple(inputs), dict(params or {})
        made.name = name[:-1] if name.endswith("/") else self.unique_name(name)
        self._check(made)
        made._id = len(self.operations)
        made.region, made.regions = self.region, tuple(regions)
        made.control_inputs = list(self._controls)
        made.traceback = user_lines()
        made.outputs = [Symbol(made, place, spec) for place, spec in enumerate(outputs)]
        self.operations.append(made)
        self.region.operations.append(made)
        self.by_name[made.name] = made
        if current.listener is not None:
            current.listener.added(made)
        return made

    def _check(self, made: Operation) -> None:
        """Check that all operands may be read from here."""
        first: Symbol | None = None
        for symbol in made.operands:
            if symbol.graph is not self:
                raise other_graph(symbol, first)
            first = symbol if first is None else first
            if not symbol.op.region.contains(self.region):
                what = "while loop" if symbol.op.region.kind in ("cond", "body") else "branch"
                raise ValueError(
                    f"Cannot use '{symbol.op.name}' as input to '{made.name}' because "
                    f"'{symbol.op.name}' is in a {what}. See info log for more details."
                )

    @contextlib.contextmanager
    def entering(self, region: Region) -> Iterator[Region]:
        """Build inside a region; control dependencies stay outside, where the whole has them."""
        before = self.region, self._controls
        self.region, self._controls = region, []
        try:
            yield region
        finally:
            self.region, self._controls = before

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> Iterator[None]:
        """Let operations made inside run after these; None forgets those of outer blocks."""
        before = self._controls
        if control_inputs is None:
            self._controls = []
        else:
            found = [self.as_graph_element(each) for each in control_inputs]
            wanted = [each.op if isinstance(each, Symbol) else each for each in found]
            self._controls = list(dict.fromkeys([*before, *wanted]))
        try:
            yield
        finally:
            self._controls = before

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Build into this graph."""
        stacks.graphs.append(self)
        try:
            yield self
        finally:
            stacks.graphs.pop()

    def finalize(self) -> None:
        """Refuse further operations."""
        self.finalized = True

    # Looking things up ---------------------------------------------------------------------
    def get_operations(self) -> list[Operation]:
        """All operations, in the order in which they were made."""
        return list(self.operations)

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of a name.

        Raises:
            KeyError, ValueError: there is none; the name is a tensor's.
        """
        found = self.as_graph_element(name, allow_tensor=False)
        assert isinstance(found, Operation)
        return found

    def get_tensor_by_name(self, name: str) -> Symbol:
        """The symbol of a name such as ``x:0``.

        Raises:
            KeyError, ValueError: there is none; the name is an operation's.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        found = self.as_graph_element(name, allow_operation=False)
        assert isinstance(found, Symbol)
        return found

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """The symbol or operation that an object is, or that a name names.

        Raises:
            KeyError, ValueError, TypeError: it is none of this graph's (TensorFlow's texts).
        """
        obj = getattr(obj, "_as_graph_element", lambda: obj)()
        if isinstance(obj, (Symbol, Operation)):
            if obj.graph is not self:
                kind = "Tensor" if isinstance(obj, Symbol) else "Operation"
                raise ValueError(f"{kind} {obj} is not an element of this graph.")
            return obj
        if not isinstance(obj, str):
            what = " or ".join(["Tensor"] * allow_tensor + ["Operation"] * allow_operation)
            raise TypeError(f"Can not convert a {type(obj).__name__} into a {what}.")
        name, colon, place = obj.partition(":")
        if not colon:
            if allow_operation:
                if name not in self.by_name:
                    raise KeyError(f"The name '{name}' refers to an Operation not in the graph.")
                return self.by_name[name]
            if name in self.by_name:
                raise ValueError(
                    f"The name '{name}' refers to an Operation, not a Tensor. Tensor names must be "
                    'of the form "<op_name>:<output_index>".'
                )
            raise ValueError(
                f"The name '{name}' looks like an (invalid) Operation name, not a Tensor. Tensor "
                'names must be of the form "<op_name>:<output_index>".'
            )
        if not allow_tensor:
            raise ValueError(f"Name '{obj}' appears to refer to a Tensor, not a Operation.")
        return self._symbol(obj, name, place)

    def _symbol(self, text: str, name: str, place: str) -> Symbol:
        if not place.isdigit():
            raise ValueError(
                f"The name '{text}' looks a like a Tensor name, but is not a valid one. Tensor "
                'names must be of the form "<op_name>:<output_index>".'
            )
        start = f"The name '{text}' refers to a Tensor which does not exist. The operation, "
        if name not in self.by_name:
            raise KeyError(f"{start}'{name}', does not exist in the graph.")
        outputs = self.by_name[name].outputs
        if int(place) >= len(outputs):
            raise KeyError(f"{start}'{name}', exists but only has {len(outputs)} outputs.")
        return outputs[int(place)]

    # Collections ---------------------------------------------------------------------------
    def add_to_collection(self, name: str, value: Any) -> None:
        """Remember a value under a name."""
        self.collections.setdefault(name, []).append(value)

    def get_collection(self, name: str, scope: str | None = None) -> list[Any]:
        """Return the members of a collection; with a scope, those whose names begin with it."""
        found = self.collections.get(name, [])
        if scope is None:
            return list(found)
        return [each for each in found if re.match(scope, getattr(each, "name", ""))]


def only(operation: Operation) -> Symbol:
    """The result of an operation that has one."""
    return operation.outputs[0]


def user_lines() -> list[tuple[str, int, str]]:
    """Return where the user's program stands: file, line and function of its frames, the outermost
    first."""
    frame = user_frame(2)
    found: list[tuple[str, int, str]] = []
    while frame is not None and len(found) < FRAMES:
        code = frame.f_code
        found.append((code.co_filename, frame.f_lineno, code.co_name))
        frame = frame.f_back
        if code.co_name == "<module>":  # what stands above called the program
            break
    return found[::-1]


def other_graph(symbol: Symbol, first: Symbol | None) -> ValueError:
    """The error for operands of two graphs."""
    if first is None:
        return ValueError(f"{symbol} is not from the graph that is being built.")
    return ValueError(
        f"{symbol} must be from the same graph as {first} (graphs are {symbol.graph} and "
        f"{first.graph})."
    )


def node_text(name: str, type: str, inputs: Sequence[Symbol], attributes: str) -> str:
    """An operation as messages describe it."""
    shapes = ", ".join(list_text(each.sizes) for each in inputs)
    names = ", ".join(each.name.removesuffix(":0") for each in inputs)
    return f"'{{{{node {name}}}}} = {type}[{attributes}]({names})' with input shapes: {shapes}"


# What is built into ------------------------------------------------------------------------------
class Stacks(threading.local):
    """The default graphs of a thread, the innermost last."""

    def __init__(self) -> None:
        self.graphs = [Graph()]


stacks = Stacks()


def get_default_graph() -> Graph:
    """The graph that is being built."""
    return stacks.graphs[-1]


def reset_default_graph() -> None:
    """Begin a new graph.

    Raises:
        AssertionError: inside ``as_default()``.
    """
    if len(stacks.graphs) > 1:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared "
            "graph, exit the nesting and create a new graph."
        )
    stacks.graphs[:] = [Graph()]
