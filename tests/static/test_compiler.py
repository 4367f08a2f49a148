"""Compiled graphs against the runner, pass by pass, and what errors in them say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwidget.static as tf
from graphwidget.static import passes
from graphwidget.static.compiler import Compiled
from graphwidget.static.runner import State, execute, plan
from tests.static.random_graphs import play, random_program

CHOICES: list[tuple[str, ...]] = [
    (), ("stabilise",), ("constants",), ("common",), ("algebra",), ("dead",), ("fusion", "reuse"),
    (*passes.PASSES, "fusion", "reuse"),
]  # fmt: skip


def both_ways(wanted: list[Any], feed: dict[Any, Any]) -> tuple[list[Any], list[Any], Compiled]:
    """Values by the runner and by a compiled function."""
    graph = wanted[0].graph
    operations = plan([each.op for each in wanted], list(feed), graph.root)
    env = dict(feed)
    execute(operations, env, State())
    compiled = Compiled(operations, list(feed), wanted)
    found = compiled([each.copy() for each in feed.values()], State())
    return [env[each] for each in wanted], list(found), compiled


@pytest.mark.parametrize("off", CHOICES, ids=lambda names: "+".join(names) or "all passes")
@pytest.mark.parametrize("seed", range(12))
def test_random_graphs_compute_the_same(seed: int, off: tuple[str, ...]) -> None:
    steps = random_program(seed)
    rng = np.random.default_rng(seed)
    xs = [tf.placeholder(tf.float64, (3, 3)) for _ in range(2)]
    out = play(steps, [*xs])
    grads = [each for each in tf.gradients(tf.reduce_sum(out * out), xs) if each is not None]
    with passes.without(*off):
        feed = {x: rng.normal(size=(3, 3)) for x in xs}
        expected, found, _ = both_ways([out, *grads], feed)
    for one, two in zip(expected, found, strict=True):
        np.testing.assert_allclose(two, one, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("off", [(), ("fusion",), ("fusion", "reuse")])
def test_large_arrays_run_in_blocks(off: tuple[str, ...]) -> None:
    x = tf.placeholder(tf.float32, [300, 301])
    y = x
    for _ in range(4):
        y = tf.tanh(y * 1.1 + 0.5) * y
    slope = tf.gradients(tf.reduce_sum(y), x)[0]
    z = x
    for _ in range(6):
        z = tf.sin(z * 1.1 + 0.5)
    array = np.random.default_rng(0).normal(size=(300, 301)).astype(np.float32)
    with passes.without(*off):
        expected, found, compiled = both_ways([y, slope, z], {x: array})
    assert ("for i in range" in compiled.source) == (not off)
    for one, two in zip(expected, found, strict=True):
        np.testing.assert_allclose(two, one, rtol=1e-5, atol=1e-6)


def keys(compiled: Compiled) -> list[str]:
    return [step.op.key for step in compiled.program.steps if step.op is not None]


def test_each_pass_does_its_part() -> None:
    x = tf.placeholder(tf.float32, [4])
    two = tf.constant(2.0) * tf.constant(1.0)
    wanted = tf.exp(x) * two * 1.0 + tf.exp(x) * 2.0
    feed = {x: np.ones(4, np.float32)}
    assert keys(both_ways([wanted], feed)[2]) == ["exp", "mul", "add"]
    with passes.without("common"):
        assert keys(both_ways([wanted], feed)[2]).count("exp") == 2
    with passes.without("algebra", "common"):
        assert keys(both_ways([wanted], feed)[2]).count("mul") == 3
    with passes.without("constants", "algebra", "common"):
        assert keys(both_ways([wanted], feed)[2]).count("mul") == 4


def test_logarithms_do_not_overflow() -> None:
    x = tf.placeholder(tf.float32, [1, 3])
    logs = [
        tf.log(tf.reduce_sum(tf.exp(x), 1)), tf.log(tf.nn.softmax(x)),
    ]  # fmt: skip
    feed = {x: np.array([[0.0, 200.0, 400.0]], np.float32)}
    expected, found, _ = both_ways(logs, feed)
    assert np.isinf(expected[0]).all()
    assert np.isinf(expected[1]).any()
    assert found[0].tolist() == [400.0]
    assert found[1].tolist() == [[-400.0, -200.0, 0.0]]


def test_a_second_run_is_compiled_and_gives_the_same() -> None:
    x = tf.placeholder(tf.float32, [None])
    v = tf.Variable([1.0, 2.0])
    step = v.assign_add(x)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for turn in range(1, 5):
            found = sess.run([step, x * 2], {x: [1.0, 1.0]})
            assert found[0].tolist() == [1.0 + turn, 2.0 + turn]
            assert found[1].tolist() == [2.0, 2.0]
            found[1][:] = 0  # nobody else's


def test_errors_name_the_operation_when_compiled() -> None:
    x = tf.placeholder(tf.float32)
    total = tf.add(x, [1.0, 2.0], name="sum")
    with tf.Session() as sess:
        for _ in range(3):
            sess.run(total, {x: 1.0})
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            sess.run(total, {x: np.ones(3)})
    assert "Node: 'sum'\nIncompatible shapes: [3] vs. [2]\n" in str(caught.value)
    assert f'File "{__file__}"' in str(caught.value)


def test_an_uninitialised_variable_is_named_when_compiled() -> None:
    v = tf.Variable(1.0, name="v")
    twice = v * 2
    with tf.Session() as sess:
        for _ in range(3):
            with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v"):
                sess.run(twice)


def test_loops_and_branches_run_inside_compiled_graphs() -> None:
    n = tf.placeholder(tf.int32, [])
    x = tf.constant(2.0)
    _, y = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x), [0, x])
    z = tf.cond(n > 2, lambda: y + 1.0, lambda: -y)
    slope = tf.gradients(z, x)[0]
    with tf.Session() as sess:
        for turns, expected in ((1, [-4, -4]), (2, [-8, -12]), (3, [17, 32]), (1, [-4, -4])):
            assert sess.run([z, slope], {n: turns}) == expected
