"""The fold: what events do to the model, one rule at a time, and its invariants."""

from __future__ import annotations

import json

from graphwidget.recording import events as ev
from graphwidget.recording.fold import fold
from graphwidget.recording.log import read, thin, wire

ONE = ev.Summary((1,), "float32", (1.0,), None, None)


def value(number: int, storage: int = 0, version: int = 0, **more: object) -> ev.Value:
    fields = {"requires_grad": True, "leaf": True, "parameter": False, "view_of": None, **more}
    return ev.Value(number, storage or number, version, summary=ONE, **fields)  # type: ignore[arg-type]


def write(storage: int, version: int, before: int, after: int, call: int | None = 1) -> ev.Write:
    return ev.Write(storage, version, before, after, None, None, call, None)


SQUARE: list[ev.Event] = [
    ev.Define("mul", "×", "{self} × {other}", ("self", "other"), ()),
    value(1),
    ev.Name(1, "a", ""),
    value(2, leaf=False),
    ev.Op(1, "mul", (1, 1), {}, (2,), None, False, None, None),
    ev.Node(1, "AccumulateGrad", None, (), (), (), 1),
    ev.Node(2, "MulBackward0", 1, (2,), ((1, 0), (1, 0)), (ev.Saved("self", 1, 1, 0, None),), None),
]
"""``a * a``, with the node that saved ``a``."""

RUN: list[ev.Event] = [
    ev.Backward(1, ((2, 2),), False, False, False, None, None),
    ev.Start(1, 2, (ONE,)),
    ev.Finish(1, 2, (ONE, ONE), None),
    ev.Free(2),
    ev.Start(1, 1, (ONE,)),
    ev.Grad(1, "accumulated", ONE, ONE, 1, None),
    ev.Finish(1, 1, (), None),
    ev.Done(1, "ok"),
]


def test_a_run_passes_through_its_nodes() -> None:
    model = fold(SQUARE + RUN)
    assert model.runs[1]["order"] == [2, 1]
    assert model.runs[1]["status"] == "ok"
    assert [node["state"] for node in model.nodes.values()] == ["done", "done"]
    assert model.nodes[2]["freed"]
    assert model.values[1]["grad"] == ONE
    assert model.values[1]["how"] == "accumulated"


def test_the_node_that_ran_when_a_run_failed_has_failed() -> None:
    model = fold([*SQUARE, *RUN[:2], ev.Done(1, "failed")])
    assert model.nodes[2]["state"] == "failed"


def test_a_write_makes_saved_values_stale_at_once() -> None:
    model = fold([*SQUARE, value(3, 1, 1), write(1, 1, 1, 3)])
    [(node, slot)] = model.hazards()
    assert node["node"] == 2
    assert slot["stale"] == [len(SQUARE) + 1]
    assert model.storages[1]["writes"][0]["time"] == len(SQUARE) + 1


def test_a_write_after_the_node_was_freed_is_no_hazard() -> None:
    model = fold([*SQUARE, *RUN, value(3, 1, 1), write(1, 1, 1, 3)])
    assert model.hazards() == []
    assert model.nodes[2]["saved"][0]["stale"] == []


def test_the_name_goes_with_the_written_tensor() -> None:
    model = fold([*SQUARE, value(3, 1, 1), write(1, 1, 1, 3)])
    assert model.names["\0a"] == 3
    assert model.values[3]["names"] == [["", "a"]]
    assert model.values[1]["next"] == 3
    assert not model.values[1]["alive"]


def test_a_tensor_that_follows_a_known_write_is_no_second_write() -> None:
    events: list[ev.Event] = [
        *SQUARE,
        value(3, 1, 1),
        write(1, 1, 1, 3),
        value(4, 1, 1),
        write(1, 1, 2, 4, None),
    ]
    model = fold(events)
    assert len(model.storages[1]["writes"]) == 1
    assert len(model.nodes[2]["saved"][0]["stale"]) == 1


def test_events_about_unknown_ids_are_passed_over() -> None:
    strangers: list[ev.Event] = [
        ev.Name(9, "x", ""), ev.Dead(9), ev.Free(9), ev.Start(9, 9, (ONE,)), ev.Done(9, "ok"),
        ev.Finish(9, 9, (), None), ev.Flag(9, True, True),
        ev.Grad(9, "cleared", None, None, None, None),
        ev.Op(9, "mul", (8,), {}, (9,), None, False, None, None), write(9, 1, 8, 9),
        ev.Error(
            "freed", "RuntimeError", "", (), 9, 9, None, None, None, None, (), None, None, (), None
        ),
    ]  # fmt: skip
    assert fold(strangers).time == len(strangers)


def test_the_fold_of_events_that_travelled_is_the_same() -> None:
    events: list[ev.Event] = [*SQUARE, value(3, 1, 1), write(1, 1, 1, 3), *RUN]
    travelled = read(json.loads(json.dumps(wire(events))))
    assert fold(travelled).to_json() == fold(events).to_json()


def test_a_snapshot_folds_to_the_state_it_stands_for() -> None:
    events: list[ev.Event] = [*SQUARE, value(3, 1, 1), write(1, 1, 1, 3), *RUN]
    for cut in range(1, len(events)):
        head = fold(events[:cut])
        snapshot = ev.Snapshot(head.time, head.to_json())
        whole = fold([snapshot, *events[cut:]]).to_json()
        assert whole.pop("dropped") == cut
        plain = fold(events).to_json()
        plain.pop("dropped")
        assert whole == plain


def test_thinning_keeps_parameters_and_names() -> None:
    events: list[ev.Event] = [value(1, parameter=True), value(2), ev.Name(2, "x", "")]
    events += [value(number) for number in range(3, 5000)]
    events += [value(5000, parameter=True), value(5001), ev.Name(5001, "y", "")]
    events += [ev.Dead(number) for number in range(3, 5002)]
    state = thin(fold(events))
    assert set(state["values"]) == {"1", "2"}
    assert state["names"] == {"\0x": 2}


def _turn(number: int, scope: int, opens: bool) -> ev.Scope:
    return ev.Scope(scope, 1, "iteration", str(number), "", None, opens)


LOOP: list[ev.Event] = [
    ev.Scope(1, None, "loop", "", "for x in data:", None, True),
    _turn(1, 2, True),
    _turn(1, 2, False),
    ev.Curve(1, 1, ("loss",), ((4.0,), (2.0,), (1.0,))),
    _turn(4, 3, True),
]


def test_turns_know_when_they_were_and_let_go_ones_leave_a_curve() -> None:
    loop = fold(LOOP).loops[1]
    assert loop["count"] == 4
    assert loop["curves"] == {"loss": [4.0, 2.0, 1.0]}
    assert [(row["number"], row["from"], row["to"]) for row in loop["iterations"]] == [
        (1, 1, 3),
        (4, 4, None),
    ]


def test_a_scalar_that_some_turns_did_not_compute_is_none_there() -> None:
    model = fold([*LOOP, ev.Curve(1, 6, ("norm", "loss"), ((3.0, None), (2.0, 0.5)))])
    assert model.loops[1]["curves"] == {
        "loss": [4.0, 2.0, 1.0, None, None, None, 0.5],
        "norm": [None, None, None, None, None, 3.0, 2.0],
    }


def test_what_a_call_saved_and_wrote_at_once_is_stale() -> None:
    numbers = ev.Summary((2,), "float32", (1, 2), None, None)
    model = fold(
        [
            ev.Value(1, 1, 0, True, True, False, None, numbers),
            ev.Value(2, 1, 1, True, False, False, None, numbers),
            ev.Write(1, 1, 1, 2, None, None, None, None),
            ev.Node(
                1, "MulBackward0", None, (2,), ((None, 0),), (ev.Saved("other", 1, 1, 0, None),),
                None,
            ),
        ]
    )  # fmt: skip
    assert [slot["stale"] for _node, slot in model.hazards()] == [[2]]
