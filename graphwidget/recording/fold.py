"""The fold: events in, state out. Everything shown anywhere is ``fold(log[:t])``.

``apply`` is the only function that changes a model, and ``js/src/log/fold.ts`` does the same in the
page; golden logs keep the two equal. Rows of the model are plain dictionaries, keyed by id and
in the order of first sight, and whatever an event nests (summaries, matrices, derivatives) stays
as it travels: as arrays.

An event may speak of an id that the model does not know, because a snapshot dropped it;
such an event changes what is known and passes over the rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from . import events as ev

Row = dict[str, Any]


class Model:
    """State that a log folds to.

    ``time`` counts the events applied, dropped ones included; ``dropped`` those that came as a
    snapshot. The rest are tables by id: ``ops`` (by name), ``sources``, ``values``, ``calls``,
    ``storages``, ``nodes``, ``runs``, ``scopes``, ``loops`` (by the loop's scope: the number of
    iterations begun, those whose details are in the log, and its curves); the lists ``cells`` and
    ``errors`` and ``passes`` (over a static graph; ``calls`` then has those of all) and ``rows``
    (of a program's listing); and ``names``, from ``"scope\\0name"`` to the value bound to it now.
    """

    def __init__(self) -> None:
        self.time = 0
        self.dropped = 0
        self.ops: dict[str, Row] = {}
        self.sources: dict[int, Row] = {}
        self.cells: list[Row] = []
        self.values: dict[int, Row] = {}
        self.calls: dict[int, Row] = {}
        self.storages: dict[int, Row] = {}
        self.nodes: dict[int, Row] = {}
        self.runs: dict[int, Row] = {}
        self.names: dict[str, int] = {}
        self.scopes: dict[int, Row] = {}
        self.loops: dict[int, Row] = {}
        self.errors: list[Row] = []
        self.passes: list[Row] = []
        self.rows: list[Row] = []
        self.holders: dict[int, dict[int, Row]] = {}
        """An index, no state: by storage, the nodes not freed that saved something of it."""

    def to_json(self) -> Row:
        """The model as JSON sees it: ids as strings, tuples as lists, and a copy."""
        state = {name: table for name, table in vars(self).items() if name != "holders"}
        copy: Row = json.loads(json.dumps(state, allow_nan=False))
        return copy

    def hazards(self) -> list[tuple[Row, Row]]:
        """(node, saved slot) wherever a write made a saved value stale before its node ran."""
        return [
            (node, slot)
            for node in self.nodes.values()
            if not node["freed"] and node["state"] != "done"
            for slot in node["saved"]
            if slot["stale"]
        ]


def fold(events: Iterable[ev.Event], model: Model | None = None) -> Model:
    """The model after ``events``, applied to ``model`` or to an empty one."""
    model = Model() if model is None else model
    for event in events:
        apply(model, event)
    return model


def apply(model: Model, event: ev.Event) -> None:
    """Change ``model`` to what it is after ``event``."""
    _RULES[type(event)](model, event)
    model.time += 1


def _row(event: Any, **more: Any) -> Row:
    """The fields of an event as a row, and more of them after."""
    row: Row = event._asdict()
    row.update(more)
    return row


def _define(model: Model, event: ev.Define) -> None:
    model.ops[event.op] = _row(event)


def _source(model: Model, event: ev.Source) -> None:
    model.sources[event.source] = _row(event)


def _cell(model: Model, event: ev.Cell) -> None:
    model.cells.append(_row(event))


def _value(model: Model, event: ev.Value) -> None:
    row = model.values.get(event.value)
    if row is None:
        model.values[event.value] = {
            "value": event.value, "storage": event.storage, "version": event.version,
            "requires_grad": event.requires_grad, "leaf": event.leaf,
            "parameter": event.parameter, "retains_grad": False, "view_of": event.view_of,
            "summary": event.summary, "names": [], "alive": True, "call": None, "node": None,
            "nr": 0, "grad": None, "how": None, "next": None, "time": model.time,
            "gradient_of": event.gradient_of, "made_in": None,
        }  # fmt: skip
    else:
        row.update(_row(event))
    storage = model.storages.setdefault(event.storage, {"version": event.version, "writes": []})
    storage["version"] = max(storage["version"], event.version)


def _op(model: Model, event: ev.Op) -> None:
    model.calls[event.call] = _row(event, node=None, time=model.time)
    for value in event.outputs:
        if value in model.values:
            model.values[value]["call"] = event.call


def _bind(model: Model, value: int, scope: str, name: str) -> None:
    model.names[f"{scope}\0{name}"] = value
    row = model.values.get(value)
    if row is not None and [scope, name] not in row["names"]:
        row["names"].append([scope, name])


def _name(model: Model, event: ev.Name) -> None:
    _bind(model, event.value, event.scope, event.name)
    if event.made_in is not None and event.value in model.values:
        model.values[event.value]["made_in"] = event.made_in


def _replace(model: Model, before: int | None, value: int | None) -> None:
    """The tensor that was ``before`` is now ``value``: the names bound to it go with it."""
    if before is None or value is None or before not in model.values:
        return
    row = model.values[before]
    row["next"] = value
    row["alive"] = False
    for scope, name in row["names"]:
        if model.names.get(f"{scope}\0{name}") == before:
            _bind(model, value, scope, name)
    if value in model.values:
        after = model.values[value]
        after["retains_grad"] = row["retains_grad"]
        after["grad"], after["how"] = row["grad"], row["how"]
        if after["node"] is None and not after["leaf"]:  # a write under no_grad ends no history
            after["node"], after["nr"] = row["node"], row["nr"]


def _write(model: Model, event: ev.Write) -> None:
    _replace(model, event.before, event.value)
    _replace(model, event.base_before, event.base)
    storage = model.storages.setdefault(event.storage, {"version": 0, "writes": []})
    writes = storage["writes"]
    if event.call is None and writes and writes[-1]["version"] >= event.version:
        return  # another tensor of this storage follows a write that is on record
    storage["version"] = max(storage["version"], event.version)
    write = {"time": model.time, **_row(event)}
    del write["storage"]
    writes.append(write)
    for node in model.holders.get(event.storage, {}).values():
        for slot in node["saved"]:
            if slot["storage"] == event.storage and slot["version"] < event.version:
                slot["stale"].append(model.time)


def _node(model: Model, event: ev.Node) -> None:
    fields = ("slot", "value", "storage", "version", "text")
    saved: list[Row] = [dict(zip(fields, slot, strict=True)) for slot in event.saved]
    for slot in saved:
        slot["stale"] = _since(model, slot["storage"], slot["version"])
    if event.node in model.nodes:
        _release(model, model.nodes[event.node])
    row = _row(event) | {
        "saved": saved, "state": "ready", "freed": False, "run": None,
        "grads_in": [], "grads_out": [], "local": None, "time": model.time,
    }  # fmt: skip
    model.nodes[event.node] = row
    _retain(model, row)
    for nr, value in enumerate(event.outputs):
        if value in model.values and model.values[value]["requires_grad"]:
            model.values[value]["node"] = event.node
            model.values[value]["nr"] = nr
    if event.call in model.calls:
        model.calls[event.call]["node"] = event.node


def _since(model: Model, storage: int | None, version: int | None) -> list[int]:
    """The times of the writes that a saved value has seen already: of a call that saves and writes
    at once."""
    if version is None or storage not in model.storages:
        return []
    writes = model.storages[storage]["writes"]
    return [each["time"] for each in writes if each["version"] > version]


def _retain(model: Model, node: Row) -> None:
    for slot in node["saved"]:
        if slot["storage"] is not None:
            model.holders.setdefault(slot["storage"], {})[node["node"]] = node


def _release(model: Model, node: Row) -> None:
    """The node keeps nothing any more: later writes are no matter to it."""
    for slot in node["saved"]:
        nodes = model.holders.get(slot["storage"])
        if nodes is not None:
            nodes.pop(node["node"], None)
            if not nodes:
                del model.holders[slot["storage"]]


def _flag(model: Model, event: ev.Flag) -> None:
    if event.value in model.values:
        model.values[event.value].update(
            requires_grad=event.requires_grad, retains_grad=event.retains_grad
        )
        if not event.requires_grad:  # `detach_`
            model.values[event.value].update(node=None, nr=0, leaf=True)
        elif event.grad_fn is not None:
            model.values[event.value].update(node=event.grad_fn[0], nr=event.grad_fn[1])


def _backward(model: Model, event: ev.Backward) -> None:
    model.runs[event.run] = _row(event, status="running", order=[], time=model.time)


def _start(model: Model, event: ev.Start) -> None:
    if event.run in model.runs:
        model.runs[event.run]["order"].append(event.node)
    if event.node in model.nodes:
        model.nodes[event.node].update(
            state="running", run=event.run, grads_in=event.grads, grads_out=[], local=None
        )


def _finish(model: Model, event: ev.Finish) -> None:
    if event.node in model.nodes:
        model.nodes[event.node].update(
            state="done", run=event.run, grads_out=event.grads, local=event.local
        )


def _done(model: Model, event: ev.Done) -> None:
    run = model.runs.get(event.run)
    if run is None:
        return
    run["status"] = event.status
    left = "failed" if event.status == "failed" else "ready"
    for node in run["order"][-1:]:  # nodes run one at a time: only the last can be running
        row = model.nodes.get(node)
        if row is not None and row["run"] == event.run and row["state"] == "running":
            row["state"] = left


def _grad(model: Model, event: ev.Grad) -> None:
    if event.value in model.values:
        model.values[event.value].update(grad=event.summary, how=event.how)


def _free(model: Model, event: ev.Free) -> None:
    node = model.nodes.get(event.node)
    if node is not None:
        _release(model, node)
        node["freed"] = True


def _dead(model: Model, event: ev.Dead) -> None:
    if event.value in model.values:
        model.values[event.value]["alive"] = False


def _scope(model: Model, event: ev.Scope) -> None:
    known = model.scopes.get(event.scope)
    if known is None:
        known = model.scopes[event.scope] = _row(event)
    else:
        known["open"] = event.open
    if known["kind"] == "iteration" and known["parent"] is not None:
        _iteration(model, _loop(model, known["parent"]), known)


def _loop(model: Model, loop: int) -> Row:
    """The row of a loop, made when it is first needed."""
    return model.loops.setdefault(loop, {"loop": loop, "count": 0, "iterations": [], "curves": {}})


def _iteration(model: Model, loop: Row, scope: Row) -> None:
    """An iteration begins or ends: ``from`` and ``to`` are the times of its first event and after
    its last."""
    number = int(scope["name"])
    if scope["open"]:
        row = {"number": number, "scope": scope["scope"], "from": model.time, "to": None}
        loop["iterations"].append(row)
        loop["count"] = max(loop["count"], number)
        return
    for row in reversed(loop["iterations"]):
        if row["scope"] == scope["scope"]:
            row["to"] = model.time + 1
            return


def _curve(model: Model, event: ev.Curve) -> None:
    loop = _loop(model, event.loop)
    for nr, name in enumerate(event.names):
        curve = loop["curves"].setdefault(name, [])
        curve.extend([None] * (event.first - 1 - len(curve)))
        curve[event.first - 1 :] = [row[nr] for row in event.rows]
    loop["count"] = max(loop["count"], event.first - 1 + len(event.rows))


def _pass(model: Model, event: ev.Pass) -> None:
    """The program is now what the pass made of it; what no call makes any more is a constant."""
    steps = [ev.Step(*step) for step in event.steps]
    rows = [[step.call, step.inputs, step.scope] for step in steps]
    row = _row(event, time=model.time) | {"steps": rows}
    for value in {value for step in steps for value in step.inputs} | set(event.wanted):
        if value in model.values:
            model.values[value]["call"] = None
    for step in steps:
        known = model.calls.get(step.call)
        model.calls[step.call] = step._asdict() | {
            "view_of": None, "inplace": False, "node": None,
            "time": model.time if known is None else known["time"],
        }  # fmt: skip
        for value in step.outputs:
            if value in model.values:
                model.values[value]["call"] = step.call
    model.passes.append(row)


def _listed(model: Model, event: ev.Row) -> None:
    model.rows.append(_row(event, time=model.time))


def _error(model: Model, event: ev.Error) -> None:
    model.errors.append(_row(event, time=model.time))
    if event.node in model.nodes:
        model.nodes[event.node]["state"] = "failed"


def _snapshot(model: Model, event: ev.Snapshot) -> None:
    """The state at hand gives way to the snapshot's."""
    state: Row = json.loads(json.dumps(event.state))
    for name in ("ops", "cells", "names", "errors"):
        setattr(model, name, state[name])
    model.passes, model.rows = state.get("passes", []), state.get("rows", [])
    for name in ("sources", "values", "calls", "storages", "nodes", "runs", "scopes", "loops"):
        setattr(model, name, {int(key): row for key, row in state[name].items()})
    model.dropped = event.dropped
    model.time = event.dropped - 1  # the snapshot stands where the last dropped event stood
    model.holders = {}
    for node in model.nodes.values():
        if not node["freed"]:
            _retain(model, node)


_RULES: dict[type[Any], Callable[[Model, Any], None]] = {
    ev.Define: _define, ev.Source: _source, ev.Cell: _cell, ev.Value: _value, ev.Op: _op,
    ev.Name: _name, ev.Write: _write, ev.Node: _node, ev.Flag: _flag, ev.Backward: _backward,
    ev.Start: _start, ev.Finish: _finish, ev.Done: _done, ev.Grad: _grad, ev.Free: _free,
    ev.Dead: _dead, ev.Scope: _scope, ev.Curve: _curve, ev.Pass: _pass, ev.Row: _listed,
    ev.Error: _error, ev.Snapshot: _snapshot,
}  # fmt: skip
