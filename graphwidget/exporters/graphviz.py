"""The picture as a Graphviz graph: values, ops, versions, gradients, and the red of a hazard."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

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


def digraph(model: Model) -> graphviz.Digraph:
    """The model's graph. ``.source`` is its text; rendering it needs the program ``dot``.

    Raises:
        ImportError: the Python package ``graphviz`` is not installed.
    """
    try:
        import graphviz
    except ImportError as error:
        raise ImportError(
            "to_graphviz needs the Python package 'graphviz': pip install graphviz"
        ) from error
    graph = graphviz.Digraph("graphwidget")
    graph.attr(rankdir="LR", bgcolor="white", fontname="Helvetica", nodesep="0.3", ranksep="0.4")
    graph.attr("node", fontname="Helvetica", fontsize="11", color=QUIET, fontcolor=INK)
    graph.attr("edge", fontname="Helvetica", fontsize="9", color=QUIET, arrowsize="0.7")
    shown = _shown(model)
    for key in sorted(shown):
        _value(graph, model, model.values[key])
    calls = {call for key in shown if (call := model.values[key]["call"]) is not None}
    for key in sorted(calls & model.calls.keys()):
        _call(graph, model, model.calls[key], shown)
    for node, slot in model.hazards():
        _hazard(graph, model, node, slot, shown)
    return graph


def require_dot() -> None:
    """Raise RuntimeError, naming the package to install, when there is no ``dot``."""
    if shutil.which("dot") is None:
        raise RuntimeError(NO_DOT)


def has_dot() -> bool:
    """Whether pictures can be rendered here."""
    return shutil.which("dot") is not None


def _shown(model: Model) -> set[int]:
    """What the program still holds and all that it was computed from."""
    waiting = [
        key
        for key, value in model.values.items()
        if value["alive"] and (value["names"] or value["node"] is not None)
    ]
    if not waiting:
        waiting = [key for key, value in model.values.items() if value["alive"]]
    shown: set[int] = set()
    while waiting:
        key = waiting.pop()
        value = model.values.get(key)
        if value is None or key in shown:
            continue
        shown.add(key)
        call = model.calls.get(value["call"])
        if call is not None:
            waiting += [each for each in call["inputs"] if isinstance(each, int)]
        if value["view_of"] is not None:
            waiting.append(value["view_of"])
    return shown


def _value(graph: Any, model: Model, value: Row) -> None:
    kind = _kind(value)
    lines = [_title(value)]
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


def _hazard(graph: Any, model: Model, node: Row, slot: Row, shown: set[int]) -> None:
    """A red line from the value that was written to the call whose saved value went stale."""
    storage = model.storages.get(slot["storage"])
    time = slot["stale"][0]
    write = next((w for w in storage["writes"] if w["time"] == time), None) if storage else None
    if write is None or write["value"] not in shown or node["call"] not in model.calls:
        return
    text = f"saved at version {slot['version']}, now {write['version']}"
    graph.edge(
        f"v{write['value']}", f"c{node['call']}", label=_label([text]), color=RED, fontcolor=RED,
        style="bold", constraint="false",
    )  # fmt: skip


def _title(value: Row) -> str:
    return str(value["names"][-1][1])[:MAX_NAME] if value["names"] else f"#{value['value']}"


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
    """Lines of a label; what the user wrote is text, whatever it looks like."""
    import graphviz

    text: str = graphviz.nohtml(r"\n".join(line.replace("\\", "\\\\") for line in lines))
    return text
