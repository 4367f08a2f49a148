"""Parts of compiled functions: numbers, loops, branches, variables, against the runner."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest

import graphwidget as torch
import graphwidget.static as tf
from graphwidget.optable import TABLE
from graphwidget.static import passes
from graphwidget.static.add_operation import emit
from graphwidget.static.writer import OPERATORS
from tests.static.test_compiler import both_ways, keys

# Numbers -----------------------------------------------------------------------------------------
DTYPES = ["float16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool"]
KEYS = [key for key, op in TABLE.items()
        if op.kernel in OPERATORS and not op.params and not op.variadic]  # fmt: skip


def samples(dtype: str) -> list[Any]:
    """Numbers of a type: ordinary ones, and those at its edges."""
    kind = np.dtype(dtype)
    rng = np.random.default_rng(0)
    if kind.kind == "b":
        return [kind.type(each) for each in (False, True)]
    if kind.kind in "iu":
        info = np.iinfo(kind)
        return [kind.type(each) for each in (info.min, info.max, 0, 1, 3, 7)]
    edges = [0.0, -0.0, np.inf, -np.inf, np.nan, np.finfo(kind).max, np.finfo(kind).tiny]
    return [kind.type(each) for each in (*edges, *rng.normal(size=8) * 3)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("key", KEYS)
def test_numbers_have_the_bits_that_arrays_have(key: str, dtype: str) -> None:
    count = len(TABLE[key].inputs)
    xs = [tf.placeholder(dtype, ()) for _ in range(count)]
    try:
        out = emit(key, xs)[0]
    except TypeError:  # numpy refuses it
        return
    for one in samples(dtype):
        for two in samples(dtype) if count == 2 else [one]:
            feed = dict(zip(xs, (np.array(one), np.array(two)), strict=False))
            (expected,), (found,), compiled = both_ways([out], feed)
            assert "k_" not in compiled.source
            assert found.dtype == expected.dtype
            assert found.tobytes() == expected.tobytes()


def test_sums_have_the_bits_that_kernels_give() -> None:
    for shape in [(2, 2), (7,), (33, 5), (3, 4, 5), (1000,)]:
        x = tf.placeholder(tf.float32, shape)
        array = np.random.default_rng(1).normal(size=shape).astype(np.float32)
        expected, found, _ = both_ways([tf.reduce_sum(x), tf.reduce_mean(x)], {x: array})
        assert [each.tobytes() for each in found] == [each.tobytes() for each in expected]


# Loops and branches ------------------------------------------------------------------------------
def exactly(wanted: list[Any], feed: dict[Any, Any]) -> list[Any]:
    """Compiled values, which are the runner's to the bit."""
    expected, found, _ = both_ways(wanted, feed)
    for one, two in zip(found, expected, strict=True):
        assert np.asarray(one).dtype == np.asarray(two).dtype
        assert np.asarray(one).tobytes() == np.asarray(two).tobytes()
    return found


def test_a_loop_of_numbers() -> None:
    n = tf.placeholder(tf.int32, ())
    first, second = tf.while_loop(
        lambda a, b: a < b, lambda a, b: (a + 2, b + 1), [tf.constant(0), n]
    )
    for count in (0, 1, 10, 500):
        assert exactly([first, second], {n: np.array(count, np.int32)}) == [2 * count] * 2


def test_loop_variables_change_places() -> None:
    n = tf.placeholder(tf.int32, ())
    out = tf.while_loop(
        lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a + b),
        [0, tf.constant(0), tf.constant(1)],
    )  # fmt: skip
    found = [int(exactly(list(out), {n: np.array(k, np.int32)})[1]) for k in range(8)]
    assert found == [0, 1, 1, 2, 3, 5, 8, 13]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients_of_nested_loops_and_branches(dtype: str) -> None:
    rng = np.random.default_rng(3)
    p, w = tf.placeholder(dtype, [3]), tf.placeholder(dtype, [3])

    def turn(i: Any, acc: Any, scale: Any) -> Any:
        _, inner = tf.while_loop(
            lambda j, b: j < i, lambda j, b: (j + 1, b * w + tf.tanh(b)), [0, acc]
        )
        chosen = tf.cond(
            tf.reduce_sum(inner) > 0, lambda: (inner, scale * 0.5), lambda: (-inner * 2.0, scale)
        )
        return i + 1, *chosen

    _, acc, scale = tf.while_loop(
        lambda i, a, s: i < 4, turn, [0, p, tf.constant(1.5, dtype)], maximum_iterations=3
    )
    loss = tf.reduce_sum(acc * w) * scale
    wanted = [loss, acc, *tf.gradients(loss, [p, w])]
    for _ in range(5):
        exactly(wanted, {x: rng.normal(size=3).astype(dtype) for x in (p, w)})


def test_a_branch_that_does_not_run_may_read_what_nobody_needs() -> None:
    x, unfed = tf.placeholder(tf.float32, ()), tf.placeholder(tf.float32, ())

    def branch() -> Any:
        unfed * 2.0
        return x + 1.0

    y = tf.cond(x > 0, branch, lambda: -x)
    assert exactly([y], {x: np.float32(2)}) == [3.0]


def test_what_prints_prints_where_the_caller_prints(capsys: pytest.CaptureFixture[str]) -> None:
    x = tf.constant(1.0)
    _, y = tf.while_loop(
        lambda i, a: i < 2, lambda i, a: (i + 1, tf.Print(a * 2.0, [i], "turn ")), [0, x]
    )
    with tf.Session() as sess:
        for _ in range(3):
            assert sess.run(y) == 4.0
    assert capsys.readouterr().out == "turn [0]\nturn [1]\n" * 3


# Passes ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("size", [2, 80])
def test_one_number_stands_for_many(size: int) -> None:
    w, x = tf.placeholder(tf.float32, ()), tf.placeholder(tf.float32, (size, size))
    same = tf.ones([size, size]) * w + 0.5
    rest = [tf.reduce_mean(same), tf.reduce_sum(same, 0), tf.transpose(same) - 1.0]
    wanted = [*rest, same * x, tf.matmul(same, x), tf.exp(same)]
    wanted += tf.gradients(tf.reduce_mean(x * same), [w, x])
    rng = np.random.default_rng(0)
    feed = {w: np.float32(0.3), x: rng.normal(size=(size, size)).astype(np.float32)}
    with passes.without("uniform"):
        _, expected, _ = both_ways(wanted, feed)
    _, found, _ = both_ways(wanted, feed)
    for one, two in zip(found, expected, strict=True):
        assert np.shape(one) == np.shape(two)
        np.testing.assert_allclose(one, two, rtol=1e-5)
    (_,), (mean,), compiled = both_ways([rest[0]], {w: np.float32(0.3)})
    assert mean == np.float32(0.3) + np.float32(0.5)
    assert keys(compiled) == ["add", "alias"]


@pytest.mark.parametrize("size", [3, 100])
def test_what_users_get_is_an_array_of_their_own(size: int) -> None:
    compiled = torch.compile(lambda x: (x * 2).sum())
    for _ in range(3):
        x = torch.ones(size, size, requires_grad=True)
        (grad,) = torch.autograd.grad(compiled(x), x)
        grad[0, 0] = 5
        assert grad.sum() == 2 * size * size + 3


# What comes back ---------------------------------------------------------------------------------
Pair = namedtuple("Pair", "one two")


def test_fetches_of_every_form_come_back_in_it() -> None:
    x = tf.placeholder(tf.float32, ())
    a, b = x + 1.0, x * 2.0
    forms = [
        a, [a], (a, b), [a, [b, a]], {"p": a, "q": [b]}, Pair(a, b), [Pair(a, b), b.op], "add:0",
        OrderedDict(z=a, y=b), [(a, b), (b,)], [],
    ]  # fmt: skip
    with tf.Session() as sess:
        for turn in range(4):  # by the runner, compiled, found again
            found = [sess.run(form, {x: turn}) for form in forms]
            one, two = np.float32(turn + 1), np.float32(turn * 2)
            assert found == [
                one, [one], (one, two), [one, [two, one]], {"p": one, "q": [two]},
                Pair(one, two), [Pair(one, two), None], one, OrderedDict(z=one, y=two),
                [(one, two), (two,)], [],
            ]  # fmt: skip
            assert [type(each) for each in found[1:]] == [
                list, tuple, list, dict, Pair, list, np.float32, OrderedDict, list, list,
            ]  # fmt: skip


def test_fed_values_become_the_placeholders_type() -> None:
    x, n, row = (tf.placeholder(*each) for each in
                 ((tf.float32, ()), (tf.int32, ()), (tf.float32, (2,))))  # fmt: skip
    wanted = [x * 2.0, n + 1, row + x]
    with tf.Session() as sess:
        for one, two in ((0.1, 2), (np.float64(0.1), 2.9), (np.array(0.1), np.int64(2))):
            for _ in range(3):
                found = sess.run(wanted, {x: one, n: two, row: [1, 2]})
                assert [each.dtype for each in found] == ["float32", "int32", "float32"]
                assert found[:2] == [np.float32(0.1) * 2, 3]
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            sess.run(wanted, {x: 1.0, n: 2, row: np.ones(3, np.float32)})
        with pytest.raises(TypeError, match=r"cannot be a tf\.Tensor object"):
            sess.run(wanted, {x: x, n: 2, row: [1, 2]})


def test_a_gradient_built_later_finds_the_turns() -> None:
    x = tf.placeholder(tf.float32, ())
    _, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, tf.constant(1.0)])
    with tf.Session() as sess:
        for _ in range(3):
            assert sess.run(y, {x: 2.0}) == 8.0
        slope = tf.gradients(y, x)[0]
        for _ in range(3):
            assert sess.run([y, slope], {x: 2.0}) == [8.0, 12.0]


def test_values_stay_what_they_were_when_variables_change() -> None:
    v = tf.Variable(np.ones((20, 20), np.float32))
    before = tf.identity(v)
    change = v.assign_sub(tf.tanh(v) * 0.5)
    with tf.control_dependencies([change]):
        after = v.read_value() + 0.0
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        held, expected = [], np.ones((20, 20), np.float32)
        for _ in range(5):
            held.append((sess.run([before, after]), expected))
            expected = expected - np.tanh(expected) * np.float32(0.5)
        for (one, two), wanted in held:
            np.testing.assert_array_equal(one, wanted)
            np.testing.assert_array_equal(two, wanted - np.tanh(wanted) * np.float32(0.5))
