"""The picture as a Graphviz graph: values, ops, versions, gradients, and the red of a hazard.

Its nodes are what the widget draws; a history that was not recorded is walked along ``grad_fn``
and drawn as far as the graph itself still knows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..adapters.composite import model_of
from ..adapters.error_words import full_name
from ..adapters.imported_torch import is_real
from ..graph.tensor import Tensor
from ..recording.fold import Model, Row
from .labels import (
    COLOURS,
    UNSEEN,
    Line,
    in_a_line,
    in_rows,
    label,
    plain,
    sign,
    size_in_words,
    title,
)
from .still import (
    MOST,
    Pill,
    Scopes,
    Still,
    base_writes,
    iteration_shown,
    newest,
    nodes_behind,
    still,
    values_shown,
)

if TYPE_CHECKING:
    import graphviz

CARDS = {
    "leaf": {
        "color": COLOURS["leaf"], "fillcolor": COLOURS["leaf-fill"], "style": "filled,rounded,bold"
    },
    "parameter": {
        "color": COLOURS["parameter"], "fillcolor": COLOURS["parameter-fill"],
        "style": "filled,rounded,bold", "peripheries": "2",
    },
    "constant": {
        "color": COLOURS["constant"], "fillcolor": COLOURS["constant-fill"],
        "style": "filled,dashed",
    },
    "value": {"color": COLOURS["node"], "fillcolor": COLOURS["bg"], "style": "filled,rounded"},
}  # fmt: skip
"""Kinds of value differ by their outlines too, for who prints without colours."""

PILL = {
    "shape": "box", "style": "filled,rounded", "color": COLOURS["node"],
    "fillcolor": COLOURS["pill"],
}  # fmt: skip

MAX_NAME = 40
LONG = 6
"""Beyond this number of operations in a row the picture goes down instead of to the right."""


def to_graphviz(what: Any) -> graphviz.Digraph:
    """The graph of a tensor, of a GraphWidget or of a Model, as a ``graphviz.Digraph``.

    A tensor's graph shows what it was computed from: as it was recorded, if it was; else as its
    ``grad_fn`` leads through it. The result shows itself in a notebook and renders to a file with
    ``.render(...)``; both need the program ``dot``, its text ``.source`` does not.

    Raises:
        ImportError: the Python package ``graphviz`` is not installed.
        TypeError: ``what`` is none of the three.
    """
    if isinstance(what, Tensor) or is_real(what):
        model, value = model_of(what)
        return digraph(model, {value})
    shown = what if isinstance(what, Model) else getattr(what, "model", None)
    if not isinstance(shown, Model):
        name = full_name(type(what))
        raise TypeError(f"to_graphviz draws a Tensor, a GraphWidget or its Model, not {name}")
    return digraph(shown)


def digraph(model: Model, roots: set[int] | None = None) -> graphviz.Digraph:
    """The model's graph: of the values ``roots``, or of all that lives; of a training loop one
    iteration."""
    scopes = Scopes(model)
    iteration = iteration_shown(model, scopes, roots)
    shown = values_shown(model, roots, scopes, iteration)
    hazards = [
        (node, slot, write)
        for node, slot in model.hazards()
        if shown.keys() & _made_with(model, node) and (write := _guilty(model, slot)) is not None
    ]
    for _node, _slot, write in hazards:
        shown |= values_shown(model, {write["base"] or write["value"]}, scopes, iteration)
    cards = newest(model, shown)
    through = base_writes(model)
    calls = {model.values[key]["call"] for key in shown if shown[key] == "made"}
    calls |= {write["call"] for base, write in through.items() if base in shown}
    made = {key: model.calls[key] for key in sorted(calls & model.calls.keys())}
    opened = _around_the_error(model, scopes, hazards)
    picture = still(model, scopes, dict(sorted(cards.items())), made, opened)
    for base, write in through.items():
        if base in picture.cards and f"c{write['call']}" in picture.pills:
            picture.edges[(f"v{write['base_before']}", f"c{write['call']}")] = None
            picture.edges[(f"c{write['call']}", f"v{base}")] = None
    graph = _empty("TB" if len(picture.pills) > LONG else "LR")
    _write(graph, model, scopes, picture, _read(cards, made))
    _unrecorded(graph, model, set(picture.cards))
    places = {call["call"]: name for name, pill in picture.pills.items() for call in pill.calls}
    _hazards(graph, hazards, places)
    if iteration is not None:
        row = model.scopes[iteration]
        loop = model.scopes.get(row["parent"], {"text": ""})
        count = model.loops[row["parent"]]["count"]
        counts = f"iteration {row['name']} of {count}: {loop['text']}"
        graph.attr(label=plain(counts), labelloc="t", fontsize="12", fontcolor=COLOURS["dim"])
    graph.counts = (len(picture.cards), len(picture.pills))
    return graph


def _made_with(model: Model, node: Row) -> set[int]:
    """The values that the call made which made a node: of a composite call the node's own output
    may be none of them."""
    call = model.calls.get(node["call"])
    return {*node["outputs"], *(() if call is None else call["outputs"])}


def _around_the_error(
    model: Model, scopes: Scopes, hazards: list[tuple[Row, Row, Row]]
) -> set[int]:
    """The scopes around the reader and the culprit of what failed, or would fail last."""
    for node, _slot, write in sorted(hazards, key=lambda hazard: hazard[0]["state"] != "failed"):
        calls = [model.calls.get(node["call"]), model.calls.get(write["call"])]
        return {row["scope"] for call in calls if call for row in scopes.frames(call)}
    return set()


def _read(cards: dict[int, int], made: dict[int, Row]) -> dict[int, int]:
    """For the values that stand for several on one card, the first of them that a call read."""
    read: dict[int, int] = {}
    for call in made.values():
        for key in call["inputs"]:
            if key in cards:
                read.setdefault(cards[key], key)
    return read


def _write(graph: Any, model: Model, scopes: Scopes, picture: Still, read: dict[int, int]) -> None:
    """Cards and pills in the frames of their scopes, then the wires."""
    frames: dict[tuple[int, ...], list[tuple[str, dict[str, str]]]] = {(): []}
    for key, frame in picture.cards.items():
        value = model.values[key]
        step = scopes.step(model.calls.get(value["call"]))
        card = _value(model, value, step, model.values[read.get(key, key)])
        frames.setdefault(frame, []).append((f"v{key}", card))
    failed = {node["call"] for node in model.nodes.values() if node["state"] == "failed"}
    for pill in picture.pills.values():
        drawn = _pill(model, pill, picture.absorbed.get(pill.key, 0), failed)
        frames.setdefault(pill.frames, []).append((pill.key, drawn))
    for frame in list(frames):
        for depth in range(len(frame)):
            frames.setdefault(frame[:depth], [])
    _frame(graph, model, (), frames)
    few = len(picture) <= MOST // 2
    for start, end in picture.edges:
        graph.edge(start, end)
        reader = picture.pills.get(end)
        if few and reader is not None and reader.scope is None:
            (call,) = reader.calls
            grad = _gradients(model, call, model.nodes.get(call["node"])).get(int(start[1:]))
            if grad is not None:
                graph.edge(
                    end, start, label=plain(in_a_line(grad)), color=COLOURS["grad-line"],
                    fontcolor=COLOURS["grad"], constraint="false", style="dashed",
                )  # fmt: skip


def _frame(
    graph: Any, model: Model, frame: tuple[int, ...],
    frames: dict[tuple[int, ...], list[tuple[str, dict[str, str]]]],
) -> None:  # fmt: skip
    for name, attributes in frames[frame]:
        graph.node(name, **attributes)
    for inner in frames:
        if len(inner) == len(frame) + 1 and inner[: len(frame)] == frame:
            row = model.scopes[inner[-1]]
            with graph.subgraph(name=f"cluster_s{inner[-1]}") as cluster:
                cluster.attr(
                    label=plain(_scope_title(model, row)), color=COLOURS["wire"],
                    fontcolor=COLOURS["dim"], style="rounded", fontsize="10",
                )  # fmt: skip
                _frame(cluster, model, inner, frames)


def _scope_title(model: Model, row: Row) -> str:
    if row["kind"] == "iteration":
        return f"iteration {row['name']}"
    if row["kind"] == "loop":
        count = model.loops[row["scope"]]["count"]
        return f"{row['text'].removesuffix(':') or 'a loop'}, {count} iteration{'s' * (count != 1)}"
    return f"{row['name']}: {row['text']}" if row["text"] else str(row["name"])


def _empty(direction: str) -> Any:
    try:
        from .digraph import Graph
    except ImportError as error:
        raise ImportError(
            "to_graphviz needs the Python package 'graphviz': pip install graphviz"
        ) from error

    graph = Graph("graphwidget")
    look = {"bgcolor": "white", "fontname": "Helvetica", "nodesep": "0.3", "ranksep": "0.4"}
    graph.attr(rankdir=direction, **look)
    graph.attr("node", fontname="Helvetica", fontsize="11", fontcolor=COLOURS["text"])
    graph.attr("edge", fontname="Helvetica", fontsize="9", color=COLOURS["wire"], arrowsize="0.7")
    return graph


def _unrecorded(graph: Any, model: Model, shown: set[int]) -> None:
    """Nodes made before recording began: drawn by their names and edges."""
    drawn: set[int] = set()
    for key in sorted(shown):
        value = model.values[key]
        if value["call"] is not None:
            continue
        for node in nodes_behind(model, value["node"]):
            if node["node"] not in drawn and node["variable"] is None:
                drawn.add(node["node"])
                _node(graph, model, node, shown)


def _node(graph: Any, model: Model, node: Row, shown: set[int]) -> None:
    name = f"n{node['node']}"
    graph.node(name, label=label([(node["name"], "dim")]), **PILL)
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


def _value(model: Model, value: Row, step: Row | None, used: Row) -> dict[str, str]:
    """A card: name, shape and dtype, the numbers that calls used and those written since, marks,
    gradient."""
    shape, dtype, values, stats, _histogram = used["summary"]
    kind = f"{size_in_words(shape)} {dtype.removesuffix('?')}".rstrip() if dtype else UNSEEN
    lines = [(title(model, value)[:MAX_NAME], "name"), (kind, "dim")]
    if values is not None or stats is not None:
        lines += [(row, "numbers") for row in in_rows(used["summary"])]
    if used is not value and value["summary"] != used["summary"]:
        lines.append((f"→ {in_a_line(value['summary'])}", "numbers"))
    marks = ["requires grad"] if value["requires_grad"] else []
    if value["version"]:
        was = f"v{used['version']} → " if used["version"] != value["version"] else ""
        marks.append(f"{was}v{value['version']}")
    if value["retains_grad"]:
        marks.append("retains grad")
    lines.append((", ".join(marks), "dim"))
    if value["grad"] is not None:
        lines.append((f"grad {in_a_line(value['grad'])}", "grad"))
    if step is not None:
        lines.append((f"← {step['name']} {step['text']}", "dim"))
    return {"label": label(lines), "shape": "box", **CARDS[_kind(value)]}


def _kind(value: Row) -> str:
    if value["parameter"]:
        return "parameter"
    if not value["leaf"]:
        return "value"
    return "leaf" if value["requires_grad"] else "constant"


def _pill(model: Model, pill: Pill, absorbed: int, failed: set[int | None]) -> dict[str, str]:
    """A call by its sign and node; a folded scope by its class, name and size. ``failed`` are the
    calls of nodes that failed."""
    nodes = [node for call in pill.calls if (node := model.nodes.get(call["node"])) is not None]
    lines: list[Line]
    if pill.scope is None:
        (call,) = pill.calls
        lines = [(sign(model, call), "name"), *((node["name"], "dim") for node in nodes)]
    else:
        scope = pill.scope
        named = scope["kind"] != "loop" and scope["text"]
        lines = [(named or _scope_title(model, scope), "name")]
        lines += [(scope["name"], "dim")] if named else []
        counts = [f"{len(pill.calls)} ops"] if len(pill.calls) > 2 else []
        counts += [f"{absorbed} parameter{'s' if absorbed > 1 else ''}"] if absorbed else []
        lines.append((", ".join(counts), "dim"))
    if any(call["call"] in failed for call in pill.calls):
        look = PILL | {"color": COLOURS["error"], "fillcolor": COLOURS["error-fill"]}
    else:
        look = PILL
        lines += [("✓", "tick")] if any(node["state"] == "done" for node in nodes) else []
    return {"label": label(lines), **look}


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


def _hazards(graph: Any, hazards: list[tuple[Row, Row, Row]], places: dict[int, str]) -> None:
    """Red lines from what wrote to the calls whose saved values went stale, one for each two."""
    slots: dict[tuple[str, str], list[str]] = {}
    versions: dict[tuple[str, str], tuple[int, int]] = {}
    for node, slot, write in hazards:
        if node["call"] in places:
            writer = places.get(write["call"]) or f"v{write['base'] or write['value']}"
            key = writer, places[node["call"]]
            slots.setdefault(key, []).append(slot["slot"])
            versions.setdefault(key, (slot["version"], write["version"]))
    for (writer, reader), names in slots.items():
        saved, wrote = versions[writer, reader]
        was = "was" if len(names) == 1 else "were"
        text = f"{' and '.join(names)} {was} saved at v{saved}, this wrote v{wrote}"
        graph.edge(
            writer, reader, label=plain(text), color=COLOURS["error"], fontcolor=COLOURS["error"],
            style="bold", constraint="false",
        )  # fmt: skip
