"""Recordings of static graphs: the empty graph first, then the values of each run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import graphwidget as torch
import graphwidget.static as tf
from graphwidget.adapters.names import named
from graphwidget.adapters.static_graphs import StaticAdapter
from graphwidget.recording import events as ev
from graphwidget.recording.fold import Model, fold
from graphwidget.recording.recorder import Recorder
from graphwidget.static.listener import current


class Told(StaticAdapter):
    """An adapter whose faults fail the test."""

    def fault(self, error: BaseException) -> None:
        raise error

    @property
    def events(self) -> list[ev.Event]:
        self.settle()
        self.recorder.drain()
        return self.recorder.log.since(0)[1]

    @property
    def model(self) -> Model:
        return fold(self.events)

    def value(self, name: str) -> Any:
        """The numbers of a variable's value at the end, flat; None where none are known."""
        return self.model.values[self.id(name)]["summary"][2]

    def id(self, name: str) -> int:
        """The value that a variable is bound to, in whatever function."""
        return next(value for key, value in self.model.names.items() if key.endswith(f"\0{name}"))


@pytest.fixture
def reported() -> Iterator[Told]:
    tf.reset_default_graph()
    adapter = Told(Recorder())
    adapter.start()
    yield adapter
    adapter.stop()
    assert current.listener is None


def test_the_graph_stands_before_any_number(reported: Told) -> None:
    w = tf.constant([1.0, 3.0])
    x = tf.placeholder(tf.float32, [None])
    a = tf.add(w, x)
    b = tf.add(w, 1)
    y = tf.multiply(a, b)
    ops = [call["op"] for call in reported.model.calls.values()]
    assert ops == ["add", "add", "mul"]
    assert [reported.value(name) for name in "wxaby"] == [None] * 5
    with tf.Session() as sess:
        found = sess.run(y, {x: [2.0, 4.0]})
    assert list(reported.value("y")) == found.tolist()
    assert list(reported.value("x")) == [2.0, 4.0]
    assert len(reported.model.calls) == 3  # a run makes no new ops


def test_a_loop_is_reported_turn_by_turn(reported: Told) -> None:
    first, second = tf.constant(0), tf.constant(10)
    c1, c2 = tf.while_loop(lambda a, b: a < b, lambda a, b: (a + 2, b + 1), [first, second])
    before = len(reported.events)
    with tf.Session() as sess:
        found = sess.run([c1, c2])
    assert [int(np.asarray(each)) for each in found] == [20, 20]
    assert [*reported.value("c1"), *reported.value("c2")] == [20, 20]
    model = reported.model
    plus_two = next(call["call"] for call in model.calls.values() if call["inputs"][1:] == ("2",))
    ran = [e for e in reported.events[before:] if isinstance(e, ev.Op) and e.call == plus_two]
    assert len(ran) == 10
    assert {scope["name"] for scope in model.scopes.values()} == {"while cond", "while body"}


def test_a_failed_run_leaves_no_numbers_behind_its_failure(reported: Told) -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    y = tf.reshape(x, [2, 2])
    z = tf.exp(y)
    with tf.Session() as sess:
        sess.run(z, {x: [1.0, 2.0, 3.0, 4.0]})
        assert reported.value("z") is not None
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(z, {x: [1.0, 2.0, 3.0]})
    assert reported.value("x") == (1, 2, 3)
    assert reported.value("y") is None
    assert reported.value("z") is None
    error = reported.model.errors[-1]
    assert (error["op"], error["inputs"]) == ("reshape", (reported.id("x"),))
    assert z.shape.as_list() == [2, 2]


def test_what_is_fed_to_a_graph_built_before_has_its_name_from_the_first_step_on() -> None:
    tf.reset_default_graph()
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.square(x)
    adapter = Told(Recorder())
    adapter.start()
    with tf.Session() as sess:
        sess.run(y, {x: 3.0})
    adapter.stop()
    events = adapter.events
    [fed] = [e for e in events if type(e) is ev.Name and e.name == "x:0"]
    values = [e for e in events if type(e) is ev.Value and e.value == fed.value]
    assert values[-1].summary.values == (3.0,)
    assert events.index(fed) < events.index(values[-1])


def test_of_a_graph_built_before_only_what_runs_is_reported(reported: Told) -> None:
    reported.stop()
    x = tf.placeholder(tf.float32, [])
    y = tf.exp(x)
    tf.sin(x)  # an earlier cell's
    reported.start()
    with tf.Session() as sess:
        sess.run(y, {x: 0.0})
    assert [call["op"] for call in reported.model.calls.values()] == ["exp"]


def test_what_a_loop_keeps_for_its_gradient_is_no_value(reported: Told) -> None:
    x = tf.constant(2.0)
    _, p = tf.while_loop(lambda i, p: i < 3, lambda i, p: (i + 1, p * x), [0, 1.0])
    (gradient,) = tf.gradients(p, x)
    with tf.Session() as sess:
        assert sess.run(gradient) == 12.0  # of x ** 3
    model = reported.model
    (back,) = (call for call in model.calls.values() if call["op"] == "WhileGrad")
    known = [model.values[each]["summary"] for each in back["inputs"]]
    assert all(summary[2] is not None for summary in known)


def matrices() -> tuple[Any, Any]:
    return tf.constant([[1.0, 2.0]]), tf.placeholder(tf.float32, [3, 4])


CALLS: list[tuple[str, Callable[[Any, Any], Any]]] = [
    ("add", lambda v, w: tf.add(v, w)),
    ("mul", lambda v, w: v * w),
    ("matmul", lambda v, w: tf.matmul(v, w)),
    ("concat", lambda v, w: tf.concat([v, w], 0)),
]


@pytest.mark.parametrize(("op", "call"), CALLS)
@pytest.mark.parametrize("watched", [True, False], ids=["watched", "built before"])
def test_a_call_that_fails_while_the_graph_is_built_is_reported(
    reported: Told, op: str, call: Callable[[Any, Any], Any], watched: bool
) -> None:
    if not watched:
        reported.stop()
    v, w = matrices()
    reported.start()
    with pytest.raises(ValueError) as caught:
        call(v, w)
    reported.raised(caught.value)
    [error] = reported.model.errors
    assert (error["kind"], error["type"], error["op"]) == ("call", "ValueError", op)
    assert error["message"] == str(caught.value)
    assert error["inputs"] == (reported.id("v"), reported.id("w"))
    line = reported.model.sources[error["source"]]
    assert line["line"] == call.__code__.co_firstlineno


def test_arguments_of_a_recorded_function_have_names_of_their_own(reported: Told) -> None:
    static = tf.from_function(lambda w, x: w * x, torch.tensor([1.0]), torch.tensor([2.0]))
    y = static(torch.tensor([1.0], requires_grad=True), torch.tensor([2.0]))
    names = {name for row in reported.model.values.values() for _scope, name in row["names"]}
    assert {"Placeholder:0", "Placeholder_1:0"} <= names
    assert not {"static", "y"} & names
    assert y.item() == 2


def test_variables_name_what_was_built_before(reported: Told) -> None:
    reported.stop()
    x = tf.placeholder(tf.float32, [])
    gradients = tf.gradients(tf.exp(x), x)
    reported.start()
    with tf.Session() as sess:
        sess.run(gradients, {x: 0.0})
    space = {"x": x, "gradients": gradients, "other": tf.sin(x), "text": "x"}
    reported.bind(named(space))
    reported.bind(named(space | {"again": x}))  # the next cell's
    names = [list(row["names"]) for row in reported.model.values.values()]
    assert sum(["", "x"] in map(list, each) for each in names) == 1
    assert sum(["", "gradients[0]"] in map(list, each) for each in names) == 1
    assert reported.value("x") == (0.0,)
    assert not any(["", "again"] in map(list, each) for each in names)
