"""An fx graph in the widget: its nodes as boxes, and a row of its table for each.

Nothing runs: of what a placeholder or a call gives only what ``ShapeProp`` recorded is known, while
parameters and buffers have their numbers. The modules around a node are its groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from ..graph.tensor import Tensor
from ..nn.parameter import Parameter
from ..optable import TABLE, Op
from ..optable.derivative_text import derivatives
from ..recording import events as ev
from ..recording.log import Log
from ..recording.recorder import Recorder
from ..recording.summary import summarize
from ..widget.display import image
from ..widget.ipython_kernel import kernel
from ..widget.recorded import Recorded
from .graph import COLUMNS
from .node import Node

ALIASES = {"truediv": "div", "matmul": "mm"}
"""Functions of Python that the op table has under another name."""

UNKNOWN = ev.Summary((), "", None, None, None)
"""Summary of a value that no run has computed: neither shape nor type."""


def show(graph: Any) -> Recorded:
    """The widget that shows a graph, with the picture of it where there are no widgets."""
    log = GraphLog().log_of(graph)
    words = f"<Graph: {len(graph.nodes)} nodes>"
    return Recorded(log, words, lambda: table(rows(graph)) + (image(log.model(), words) or ""))


def display_here(graph: Any) -> None:
    """Display it in the widget, in a notebook.

    Raises:
        NotImplementedError: there is no kernel; IPython goes on to the graph's text.
    """
    if kernel() is None:
        raise NotImplementedError
    show(graph).show()


def rows(graph: Any) -> list[list[str]]:
    """Return the texts that ``print_tabular`` prints of each node, with targets by their names."""
    return [
        [node.op, node.name, str(node._pretty_print_target(node.target)), str(node.args),
         str(node.kwargs)]
        for node in graph.nodes
    ]  # fmt: skip


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows as an HTML table."""
    head = "".join(f"<th>{column}</th>" for column in COLUMNS)
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>"


class GraphLog:
    """Emits the nodes of a graph as events."""

    def __init__(self) -> None:
        self.recorder = Recorder()
        self.values: dict[Node, int] = {}
        self.modules: list[tuple[str, int]] = []  # open ones, (key, scope) each

    def log_of(self, graph: Any) -> Log:
        """The log of a graph."""
        for node, row in zip(graph.nodes, rows(graph), strict=True):
            call = None
            if node.op in ("placeholder", "get_attr"):
                self._source(node)
            else:
                call = self._call(node)
            cells = dict(zip(COLUMNS, row, strict=True))
            self.recorder.emit(ev.Row(self.values.get(node), call, cells))
        self.recorder.drain()
        return self.recorder.log

    def _source(self, node: Node) -> None:
        value = attribute(node) if node.op == "get_attr" else None
        known = summarize(value._data) if isinstance(value, Tensor) else promise(node)
        self._value(node, known, isinstance(value, Parameter))
        own = node.op == "get_attr"
        name = str(node.target) if own else node.name
        self.recorder.emit(ev.Name(self.values[node], name, "module" if own else ""))

    def _value(self, node: Node, known: ev.Summary, parameter: bool = False) -> None:
        number = self.values[node] = self.recorder.ids.value()
        leaf = node.op in ("placeholder", "get_attr")
        self.recorder.emit(ev.Value(number, number, 0, False, leaf, parameter, None, known))

    def _call(self, node: Node) -> int:
        scope = self._scope(node)
        inputs = tuple(self._inputs(node))
        outputs: tuple[int, ...] = ()
        key = self._define(node)
        if node.op != "output":
            self._value(node, promise(node))
            outputs = (self.values[node],)
        call = self.recorder.ids.call()
        self.recorder.emit(ev.Op(call, key, inputs, {}, outputs, None, False, scope, None))
        if outputs:
            self.recorder.emit(ev.Name(outputs[0], node.name, "graph"))
        return call

    def _inputs(self, node: Node) -> Iterator[int | str]:
        """Yield the values that a node reads, and its numbers and texts. While a graph is being
        changed a node may read what comes after it: then no wire can be drawn."""
        for arg in node.args:
            if isinstance(arg, Node) and arg in self.values:
                yield self.values[arg]
            elif isinstance(arg, (int, float, str)):
                yield repr(arg)
        direct = {arg for arg in node.args if isinstance(arg, Node)}
        inner = (each for each in node.all_input_nodes if each not in direct)
        yield from (self.values[each] for each in inner if each in self.values)

    def _define(self, node: Node) -> str:
        """Emit the op of a node at its first use; return its name."""
        op = op_of(node)
        key = op.key if op is not None else str(node._pretty_print_target(node.target))
        if not self.recorder.define(key):
            return key
        if op is None:
            self.recorder.emit(ev.Define(key, sign_of(node), "", (), ()))
        else:
            formulas = tuple(ev.Derivative(*each) for each in derivatives(op))
            self.recorder.emit(ev.Define(key, op.sign, op.text, tuple(op.inputs), formulas))
        return key

    def _scope(self, node: Node) -> int | None:
        """The module whose ``forward`` the node stands in. One that is left is not entered again:
        what stands between two parts of a module would read the one and be read by the other."""
        around = list(node.meta.get("nn_module_stack", {}).items())
        if node.op == "call_module":
            around = around[:-1]  # the last is the module that is called
        keys = [key for key, _ in around]
        while self.modules and [key for key, _ in self.modules] != keys[: len(self.modules)]:
            self._told(self.modules.pop()[1], None, "", "", False)
        for key, (path, kind) in around[len(self.modules) :]:
            parent = self.modules[-1][1] if self.modules else None
            scope = self.recorder.ids.scope()
            self._told(scope, parent, path, getattr(kind, "__name__", str(kind)), True)
            self.modules.append((key, scope))
        return self.modules[-1][1] if self.modules else None

    def _told(self, scope: int, parent: int | None, name: str, text: str, opens: bool) -> None:
        self.recorder.emit(ev.Scope(scope, parent, "module", name, text, None, opens))


def op_of(node: Node) -> Op | None:
    """The op of the table that a call is, if it is called with its tensors or numbers alone."""
    name = getattr(node.target, "__name__", "") if node.op == "call_function" else node.target
    op = TABLE.get(ALIASES.get(str(name), str(name)))
    plain = all(isinstance(arg, (Node, int, float)) for arg in node.args) and not node.kwargs
    if op is None or op.variadic or not plain or node.op not in ("call_function", "call_method"):
        return None
    return op if len(node.args) == len(op.inputs) else None


def sign_of(node: Node) -> str:
    """Return the label of a node: of modules the name and the class, of functions the name."""
    last = str(node._pretty_print_target(node.target)).rpartition(".")[2]
    module = attribute(node) if node.op == "call_module" else None
    return last if module is None else f"{last}: {type(module).__name__}"


def attribute(node: Node) -> Any:
    """Return a node's target in the module of its graph; None where it is not there."""
    found = node.graph.owning_module
    for part in str(node.target).split("."):
        found = getattr(found, part, None)
    return found


def promise(node: Node) -> ev.Summary:
    """Return the expected result of a node: as ``ShapeProp`` recorded it, or unknown."""
    meta = node.meta.get("tensor_meta")
    shape: Sequence[int] | None = getattr(meta, "shape", None)
    if shape is None:
        return UNKNOWN
    dtype = str(getattr(meta, "dtype", "")).rpartition(".")[2]
    return ev.Summary(tuple(int(size) for size in shape), dtype, None, None, None)
