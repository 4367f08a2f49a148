"""The picture as a Graphviz graph: values, ops, versions, gradients, and the red of a hazard.

Its nodes are what the widget draws; a history that was not recorded is walked along ``grad_fn``
and drawn as far as the graph itself still knows it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..adapters.native import model_of
from ..graph.tensor import Tensor
from ..recording.events import Number
from ..recording.fold import Model, Row

if TYPE_CHECKING:
    import graphviz

INK, QUIET, WARM, RED = "#1f2933", "#7b8794", "#b45309", "#c0392b"
FILL = {"leaf": "#dbeafe", "parameter": "#fde9c8", "constant": "#eceff3", "value": "#ffffff"}
"""Colours; kinds of value also differ by their outline."""

MAX_NAME = 40
MAX_ITEMS = 8

NO_DOT = (
    "The picture needs Graphviz's program 'dot', which was not found. Install Graphviz "
    "(Debian, Ubuntu: apt install graphviz; macOS: brew install graphviz; conda: conda install "
    "graphviz; Windows: winget install graphviz). The widget itself does not need it."
)


def to_graphviz(what: Any) -> graphviz.Digraph:
    """The graph of a tensor, of a GraphWidget or of a Model, as a ``graphviz.Digraph``.

    A tensor's graph shows what it was computed from: as it was recorded, if it was; else as its
    ``grad_fn`` leads through it. The result shows itself in a notebook and renders to a file with
    ``.render(...)``; both need the program ``dot``, its text ``.source`` does not.

    Raises:
        ImportError: the Python package ``graphviz`` is not installed.
        TypeError: ``what`` is none of the three.
    """
    if isinstance(what, Tensor):
        model, value = model_of(what)
        return digraph(model, {value})
    shown = what if isinstance(what, Model) else getattr(what, "model", None)
    if not isinstance(shown, Model):
        raise TypeError(
            f"to_graphviz draws a Tensor, a GraphWidget or a Model, not {type(what).__name__}"
        )
    return digraph(shown)


def digraph(model: Model, roots: set[int] | None = None) -> graphviz.Digraph:
    """The model's graph: of the values ``roots``, or of all that lives."""
    graph = _empty()
    shown = _shown(model, roots)
    hazards = [
        (node, slot, write)
        for node, slot in model.hazards()
        if shown & set(node["outputs"]) and (write := _guilty(model, slot)) is not None
    ]
    for _node, _slot, write in hazards:
        shown |= _shown(model, {write["base"] or write["value"]})
    for key in sorted(shown):
        _value(graph, model.values[key])
    through = _base_writes(model)
    calls = {model.values[key]["call"] for key in shown}
    calls |= {write["call"] for base, write in through.items() if base in shown}
    for key in sorted(calls & model.calls.keys()):
        _call(graph, model, model.calls[key], shown)
    for base, write in through.items():
        if base in shown and write["call"] in model.calls:
            graph.edge(f"v{write['base_before']}", f"c{write['call']}")
            graph.edge(f"c{write['call']}", f"v{base}")
    _unrecorded(graph, model, shown)
    for node, slot, write in hazards:
        _hazard(graph, node, slot, write)
    return graph


def _empty() -> Any:
    try:
        import graphviz
    except ImportError as error:
        raise ImportError(
            "to_graphviz needs the Python package 'graphviz': pip install graphviz"
        ) from error

    class Graph(graphviz.Digraph):  # type: ignore[misc]  # graphviz ships no types
        """A Digraph that says what is missing where it cannot be rendered."""

        def pipe(self, *args: Any, **kwargs: Any) -> Any:
            require_dot()
            return super().pipe(*args, **kwargs)

        def render(self, *args: Any, **kwargs: Any) -> Any:
            require_dot()
            return super().render(*args, **kwargs)

        def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
            if not has_dot():
                return {"text/plain": NO_DOT}
            return super()._repr_mimebundle_(*args, **kwargs)

    graph = Graph("graphwidget")
    graph.attr(rankdir="LR", bgcolor="white", fontname="Helvetica", nodesep="0.3", ranksep="0.4")
    graph.attr("node", fontname="Helvetica", fontsize="11", color=QUIET, fontcolor=INK)
    graph.attr("edge", fontname="Helvetica", fontsize="9", color=QUIET, arrowsize="0.7")
    return graph


def require_dot() -> None:
    """Raise RuntimeError, naming the package to install, when there is no ``dot``."""
    if shutil.which("dot") is None:
        raise RuntimeError(NO_DOT)


def has_dot() -> bool:
    """Whether pictures can be rendered here."""
    return shutil.which("dot") is not None


def _shown(model: Model, roots: set[int] | None) -> set[int]:
    """The roots, or what the program still holds, and all that they were computed from."""
    living = {key: value for key, value in model.values.items() if value["alive"]}
    known = {key for key, v in living.items() if v["names"] or v["node"] is not None}
    waiting = list(roots or known or living)
    through = _base_writes(model)
    shown: set[int] = set()
    while waiting:
        key = waiting.pop()
        value = model.values.get(key)
        if value is None or key in shown:
            continue
        shown.add(key)
        call = model.calls.get(value["call"])
        if key in through and through[key]["call"] in model.calls:
            call = model.calls[through[key]["call"]]
            waiting.append(through[key]["base_before"])
        if call is not None:
            waiting += [each for each in call["inputs"] if isinstance(each, int)]
        else:
            waiting += _leaves(model, value["node"])
        if value["view_of"] is not None:
            waiting.append(value["view_of"])
    return shown


def _base_writes(model: Model) -> dict[int, Row]:
    """For a value that is the base after a write through one of its views: that write."""
    rows = [write for storage in model.storages.values() for write in storage["writes"]]
    return {write["base"]: write for write in rows if write["base"] is not None}


def _nodes_behind(model: Model, node: int | None) -> list[Row]:
    """A node whose call was not recorded and all such nodes behind it."""
    found: dict[int, Row] = {}
    waiting = [node]
    while waiting:
        key = waiting.pop()
        row = None if key is None else model.nodes.get(key)
        if row is not None and row["node"] not in found and row["call"] is None:
            found[row["node"]] = row
            waiting += [edge[0] for edge in row["next"]]
    return list(found.values())


def _leaves(model: Model, node: int | None) -> list[int]:
    """The values at the ends of what lies behind an unrecorded node: leaves and saved values."""
    values: list[int | None] = []
    for row in _nodes_behind(model, node):
        values += [row["variable"], *row["outputs"]]
        for behind, _nr in row["next"]:
            recorded = model.nodes.get(behind)
            if recorded is not None and recorded["call"] is not None:
                values += recorded["outputs"]
    return [value for value in values if value is not None]


def _unrecorded(graph: Any, model: Model, shown: set[int]) -> None:
    """Nodes made before anybody recorded: drawn by their names and edges."""
    drawn: set[int] = set()
    for key in sorted(shown):
        value = model.values[key]
        if value["call"] is not None:
            continue
        for node in _nodes_behind(model, value["node"]):
            if node["node"] not in drawn and node["variable"] is None:
                drawn.add(node["node"])
                _node(graph, model, node, shown)


def _node(graph: Any, model: Model, node: Row, shown: set[int]) -> None:
    name = f"n{node['node']}"
    graph.node(name, label=_label([node["name"]]), shape="ellipse", style="filled",
               fillcolor="#f5f7fa")  # fmt: skip
    for behind, nr in node["next"]:
        row = model.nodes.get(behind)
        if row is None:
            continue
        values = [row["variable"]] if row["variable"] is not None else row["outputs"][nr : nr + 1]
        known = [value for value in values if value in shown]
        graph.edge(f"v{known[0]}" if known else f"n{behind}", name)
    for value in node["outputs"]:
        if value in shown:
            graph.edge(name, f"v{value}")


def _value(graph: Any, value: Row) -> None:
    kind = _kind(value)
    lines = [str(value["names"][-1][1])[:MAX_NAME]] if value["names"] else []
    shape, dtype, values, stats, _histogram = value["summary"]
    size = "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
    lines.append(f"{size} {dtype}")
    if values is not None:
        lines.append(_numbers(values))
    elif stats is not None:
        low, high, mean, nonfinite = stats
        lines.append(f"{_number(low)} … {_number(high)}, mean {_number(mean)}")
        if nonfinite:
            lines.append(f"{nonfinite} not finite")
    marks = ["requires grad"] if value["requires_grad"] else []
    if value["version"]:
        marks.append(f"version {value['version']}")
    if value["retains_grad"]:
        marks.append("retains grad")
    if marks:
        lines.append(", ".join(marks))
    if value["grad"] is not None:
        lines.append(f"grad {_summary(value['grad'])}")
    graph.node(
        f"v{value['value']}",
        label=_label(lines),
        shape="box",
        style={"leaf": "filled,bold", "parameter": "filled,bold,rounded"}.get(kind, "filled"),
        fillcolor=FILL[kind],
        color=WARM if value["grad"] is not None else INK if value["requires_grad"] else QUIET,
        peripheries="2" if kind == "parameter" else "1",
    )


def _kind(value: Row) -> str:
    if value["parameter"]:
        return "parameter"
    if not value["leaf"]:
        return "value"
    return "leaf" if value["requires_grad"] else "constant"


def _call(graph: Any, model: Model, call: Row, shown: set[int]) -> None:
    name = f"c{call['call']}"
    op = model.ops.get(call["op"])
    node = model.nodes.get(call["node"])
    lines = [op["sign"] if op else call["op"]]
    if node is not None:
        lines.append(node["name"])
    numbers = [text for text in call["inputs"] if isinstance(text, str)]
    if numbers:
        lines.append("with " + ", ".join(numbers))
    failed = node is not None and node["state"] == "failed"
    graph.node(
        name,
        label=_label(lines),
        shape="ellipse",
        style="filled",
        fillcolor="#fbe3df" if failed else "#f5f7fa",
        color=RED if failed else WARM if node is not None and node["state"] == "done" else QUIET,
    )
    places = _gradients(model, call, node)
    for value in call["inputs"]:
        if isinstance(value, int) and value in shown:
            graph.edge(f"v{value}", name)
            if value in places:
                label = _summary(places[value])
                graph.edge(
                    name, f"v{value}", label=_label([label]), color=WARM, fontcolor=WARM,
                    constraint="false", style="dashed",
                )  # fmt: skip
    for value in call["outputs"]:
        if value in shown:
            graph.edge(name, f"v{value}")


def _gradients(model: Model, call: Row, node: Row | None) -> dict[int, Any]:
    """The gradient that the call's node gave each input, for those that got one."""
    op = model.ops.get(call["op"])
    if node is None or op is None or not node["grads_out"]:
        return {}
    inputs = dict(zip(op["inputs"], call["inputs"], strict=False))
    order = [derivative[0] for derivative in op["derivatives"]]
    found = {}
    for name, grad in zip(order, node["grads_out"], strict=False):
        value = inputs.get(name)
        if isinstance(value, int) and grad is not None:
            found[value] = grad
    return found


def _guilty(model: Model, slot: Row) -> Row | None:
    """The first write that made the slot stale."""
    storage = model.storages.get(slot["storage"])
    writes: list[Row] = storage["writes"] if storage else []
    return next((write for write in writes if write["time"] == slot["stale"][0]), None)


def _hazard(graph: Any, node: Row, slot: Row, write: Row) -> None:
    """A red line from the value that was written to the call whose saved value went stale."""
    text = f"'{slot['slot']}' saved at version {slot['version']}, now {write['version']}"
    graph.edge(
        f"v{write['base'] or write['value']}", f"c{node['call']}", label=_label([text]), color=RED,
        fontcolor=RED, style="bold", constraint="false",
    )  # fmt: skip


def _summary(summary: Any) -> str:
    _shape, _dtype, values, stats, _histogram = summary
    return _numbers(values) if values is not None else f"mean {_number(stats[2])}"


def _numbers(values: Iterable[Number]) -> str:
    items = [_number(value) for value in values]
    more = ", …" if len(items) > MAX_ITEMS else ""
    return "[" + ", ".join(items[:MAX_ITEMS]) + more + "]" if items else "empty"


def _number(value: Number) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _label(lines: Iterable[str]) -> str:
    return quoted("\n".join(lines))


def quoted(text: str) -> str:
    """Text as a label: what the user wrote is text, whatever it looks like."""
    import graphviz

    label: str = graphviz.nohtml(text.replace("\\", "\\\\").replace("\n", "\\n"))
    return label
