"""``show_passes`` and ``side_by_side``: what they tell the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import graphwidget
import graphwidget as torch
import graphwidget.static as tf
from graphwidget.recording import events as ev
from graphwidget.recording.fold import Model, fold
from graphwidget.recording.log import unpack


def twice(x: Any, w: Any) -> Any:
    a = x * 1
    left = a @ w
    right = a @ w
    return (left + right).exp().sum(1).log()


def passes(shown: Any) -> dict[str, Model]:
    """The model after each pass."""
    found, model = {}, Model()
    for event in shown.events:
        fold([event], model)
        if isinstance(event, ev.Pass):
            found[event.name] = fold(shown.events[: model.time])
    return found


def calls(model: Model) -> list[str]:
    """The ops of the program now, each with what it reads, by name."""

    def name(value: Any) -> str:
        if isinstance(value, str):
            return value
        row = model.values[value]
        maker = model.calls.get(row["call"])
        return row["names"][-1][1] if row["names"] else "?" if maker is None else maker["op"]

    return [
        f"{model.calls[call]['op']} {' '.join(map(name, inputs))}".strip()
        for call, inputs, _ in model.passes[-1]["steps"]
    ]


def test_each_pass_tells_what_it_left() -> None:
    shown = tf.show_passes(twice, torch.rand(3, 4), torch.rand(4, 4))
    final = fold(shown.events)  # names are reported after the first pass
    names = {key: row["names"] for key, row in final.values.items()}
    programs = {}
    for name, model in passes(shown).items():
        for key, row in model.values.items():
            row["names"] = names[key]
        programs[name] = calls(model)
    built = [
        "mul x 1",
        "mm a w",
        "mm a w",
        "add left right",
        "exp add",
        "sum.dim exp",
        "log sum.dim",
    ]
    assert programs["built"] == built
    assert programs["stabilise"] == [*built[:-1], "logsumexp add"]
    assert programs["constants"] == programs["stabilise"]
    assert programs["common"] == [
        "mul x 1", "mm a w", "add left left", "exp add", "sum.dim exp", "logsumexp add",
    ]  # fmt: skip
    assert programs["algebra"] == ["mm x w", *programs["common"][2:]]
    assert programs["dead"] == ["mm x w", "add left left", "logsumexp add"]
    nodes = {row["name"]: row["nodes"] for row in final.passes}
    assert [nodes[name] for name in ("built", "common", "algebra", "dead", "reuse")] == [
        7,
        6,
        5,
        3,
        3,
    ]
    sizes = [row["bytes"] for row in final.passes]
    assert sizes == sorted(sizes, reverse=True)
    assert all(row["microseconds"] > 0 for row in final.passes)
    assert repr(shown) == f"<Passes: 7 → 3 operations, {sizes[0]} → {sizes[-1]} bytes>"


def test_a_result_in_an_operands_memory_is_reported() -> None:
    model = tf.show_passes(lambda x: (x @ x) * 3 + 1, torch.rand(5, 5)).model
    assert [row["over"] for row in model.passes[:-1]] == [()] * (len(model.passes) - 1)
    over = [(model.calls[model.values[a]["call"]]["op"], model.calls[model.values[b]["call"]]["op"])
            for a, b in model.passes[-1]["over"]]  # fmt: skip
    assert over == [("mul", "mm"), ("add", "mul")]


def test_blocks_are_scopes() -> None:
    model = tf.show_passes(lambda x: ((x + 1) * 2 + 3).tanh().exp(), torch.rand(300, 300)).model
    names = [row["name"] for row in model.passes]
    fused = model.passes[names.index("fusion")]
    (scope,) = {scope for _, _, scope in fused["steps"]}
    assert model.scopes[scope]["kind"] == "fused"
    assert (model.passes[0]["nodes"], fused["nodes"]) == (5, 1)


def test_symbols_as_a_session_takes_them() -> None:
    with tf.Graph().as_default():
        w, x = tf.constant(1.0), tf.constant(2.0)
        y = tf.multiply(tf.add(w, x), tf.add(w, 1))
        z = tf.placeholder(tf.float32, [2], name="z")
        model = tf.show_passes([y, y * z], {z: [1.0, 2.0]}).model
        with tf.Session() as session:
            number = session.run(y)
    (value,) = [row for row in model.values.values() if ["", "y"] in row["names"]]
    assert value["summary"][2] == (number,) or value["summary"][2] == [number]
    assert value["call"] is None  # a constant by now
    assert [row["nodes"] for row in (model.passes[0], model.passes[-1])] == [4, 1]


def test_nobody_else_hears_of_it() -> None:
    inputs = torch.rand(3, 4, requires_grad=True), torch.rand(4, 4)
    with graphwidget.watch() as graph:
        tf.show_passes(twice, *inputs)
        tf.side_by_side(twice, *inputs)
    assert graph.events == []


def test_what_is_neither_function_nor_symbol() -> None:
    with pytest.raises(TypeError, match="a function, a module or symbols, not int"):
        tf.show_passes(3)
    with pytest.raises(tf.NotStatic):
        tf.show_passes(lambda x: x + float(x.numpy()[0]), torch.rand(2))


# Side by side ------------------------------------------------------------------------------------
def sides(shown: Any) -> tuple[list[ev.Event], list[ev.Event]]:
    return shown.events, unpack(shown.beside)[1]


def reported(events: list[ev.Event]) -> list[Any]:
    """The numbers of what each call made, call by call as they are reported; None for no
    numbers."""
    numbers: dict[int, Any] = {}
    found = []
    for event in events:
        if isinstance(event, ev.Value):
            numbers[event.value] = event.summary[2]
        elif isinstance(event, ev.Op):
            found.append((event.op, [numbers[each] for each in event.outputs]))
    return found


def loss(input: Any, w1: Any, w2: Any, w3: Any) -> Any:
    l1 = input * w1
    l2 = l1 + w2
    l3 = l1 * w3
    l4 = l2 * l3
    return l4.mean()


def test_first_the_whole_graph_without_a_number_then_the_same_values() -> None:
    inputs = [
        torch.ones(2, 2),
        *(torch.tensor(each, requires_grad=True) for each in (2.0, 3.0, 4.0)),
    ]
    left, right = map(reported, sides(tf.side_by_side(loss, *inputs)))
    assert [op for op, _ in left] == ["mul", "add", "mul", "mul", "mean"]
    assert right[:5] == [(op, [None]) for op, _ in left]
    assert right[5:] == left
    assert left[-1] == ("mean", [[40.0]])


def test_names_are_the_same_on_both_sides() -> None:
    net = torch.nn.Linear(2, 3)
    shown = tf.side_by_side(lambda x: net(x) * 2, torch.rand(1, 2))
    names = [
        {name for row in fold(side).values.values() for _, name in row["names"]}
        for side in sides(shown)
    ]
    assert names[0] == names[1] == {"x", "net.weight", "net.bias"}


def test_a_loop_beside_while_loop() -> None:
    def dynamic(first: Any, second: Any) -> Any:
        while (first < second)[0]:
            first += 2
            second += 1
        return first, second

    def static(first: Any, second: Any) -> Any:
        body = lambda a, b: (a + 2, b + 1)  # noqa: E731
        return tf.while_loop(lambda a, b: (a < b)[0], body, [first, second])

    shown = tf.side_by_side(dynamic, torch.Tensor([0]), torch.Tensor([10]), static=static)
    left, right = sides(shown)
    assert fold(left).values[max(fold(left).names.values())]["summary"][2] == [20.0]
    assert reported(right)[-1] == ("While", [[20.0], [20.0]])
    assert sum(op == "add" for op, _ in reported(right)) == 2 + 20  # built once, run ten times
    assert sum(op == "add_" for op, _ in reported(left)) == 20


def test_both_are_pages_of_their_own(tmp_path: Path) -> None:
    for shown in (tf.show_passes(loss, *[torch.tensor(2.0)] * 4),
                  tf.side_by_side(loss, *[torch.tensor(2.0)] * 4)):  # fmt: skip
        text = shown.to_html(tmp_path / "page.html").read_text("utf-8")
        assert len(re.findall(r'class="beside">[^<]', text)) == bool(shown.beside)
