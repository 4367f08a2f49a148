"""Gradients of static graphs against PyTorch's: random graphs, loops in loops, branches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import graphwidget.static as tf
from tests.static.random_graphs import play, random_program


@pytest.mark.parametrize("sizes", [(3, 3), (None, 3)], ids=["known", "unknown"])
@pytest.mark.parametrize("seed", range(60))
def test_random_graphs(seed: int, sizes: tuple[int | None, int]) -> None:
    steps = random_program(seed)
    if sizes[0] is None and any(
        name in ("transpose", "reshape", "pow", "prod") for name, _ in steps
    ):
        sizes = (3, 3)
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=(3, 3)) for _ in range(2)]
    leaves = [torch.tensor(each, requires_grad=True) for each in arrays]
    y = play(steps, [*leaves], torch)
    expected = torch.autograd.grad((y * y).sum(), leaves, allow_unused=True)

    xs = [tf.placeholder(tf.float64, sizes) for _ in arrays]
    out = play(steps, [*xs])
    found = tf.gradients(tf.reduce_sum(out * out), xs)
    # Everything was built of ops of the table; nothing is left to arrays.
    assert "Derivative" not in {each.type for each in tf.get_default_graph().get_operations()}
    with tf.Session() as sess:
        feed = dict(zip(xs, arrays, strict=True))
        np.testing.assert_allclose(sess.run(out, feed), y.detach(), rtol=1e-9, atol=1e-12)
        for grad, other in zip(found, expected, strict=True):
            assert (grad is None) == (other is None)
            if grad is not None:
                np.testing.assert_allclose(sess.run(grad, feed), other, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("seed", range(60, 80))
def test_second_derivatives(seed: int) -> None:
    steps = random_program(seed)
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=(3, 3)) for _ in range(2)]
    leaves = [torch.tensor(each, requires_grad=True) for each in arrays]
    y = play(steps, [*leaves], torch)
    first = torch.autograd.grad((y * y).sum(), leaves, allow_unused=True, create_graph=True)
    total = sum((g * g).sum() for g in first if g is not None)
    expected = torch.autograd.grad(total, leaves, allow_unused=True)

    xs = [tf.constant(each) for each in arrays]
    out = play(steps, [*xs])
    grads = [g for g in tf.gradients(tf.reduce_sum(out * out), xs) if g is not None]
    sums = tf.add_n([tf.reduce_sum(g * g) for g in grads])
    with tf.Session() as sess:
        for grad, other in zip(tf.gradients(sums, xs), expected, strict=True):
            value = np.zeros((3, 3)) if grad is None else sess.run(grad)
            wanted = np.zeros((3, 3)) if other is None else other
            np.testing.assert_allclose(value, wanted, rtol=1e-6, atol=1e-8)


def test_weights_and_several_ys() -> None:
    x = tf.constant([1.0, 2.0])
    ys = [x * x, 3.0 * x]
    with tf.Session() as sess:
        assert sess.run(tf.gradients(ys, x)[0]).tolist() == [5.0, 7.0]
        weights = [tf.constant([1.0, 0.0]), tf.constant([0.0, 2.0])]
        assert sess.run(tf.gradients(ys, x, weights)[0]).tolist() == [2.0, 6.0]
        assert sess.run(tf.gradients(x * tf.stop_gradient(x), x)[0]).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "text", ["tf.floor(x)", "tf.ceil(x)", "tf.round(x)", "tf.cast(tf.argmax(x), tf.float32)",
             "tf.constant(1.)", "tf.cast(tf.cast(x, tf.int32), tf.float32)",
             "tf.cast(x > 1., tf.float32)"],
)  # fmt: skip
def test_nothing_flows_there(text: str) -> None:
    x = tf.constant([1.0, 2.0])
    assert tf.gradients(eval(text, {"tf": tf, "x": x}), x) == [None]


# Ties as TensorFlow breaks them.
TIES = {
    "tf.reduce_max(p)": [0, 0.5, 0.5], "tf.maximum(p, 2.)": [0, 1, 1],
    "tf.minimum(p, 2.)": [1, 1, 1], "tf.nn.relu(p - 1)": [0, 1, 1], "tf.abs(p - 1)": [0, 1, 1],
    "tf.clip_by_value(p, 1., 2.)": [1, 1, 1], "tf.reduce_prod(p)": [4, 2, 2],
    "tf.sign(p)": [0, 0, 0],
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TIES.items())
def test_ties(text: str, expected: list[float]) -> None:
    p = tf.constant([1.0, 2.0, 2.0])
    with tf.Session() as sess:
        grad = tf.gradients(eval(text, {"tf": tf, "p": p}), p)[0]
        assert sess.run(grad).tolist() == expected


# Loops and branches --------------------------------------------------------------------------
def loss_in_torch(p: Any, w: Any) -> Any:
    acc = p
    for _ in range(3):
        inner = acc
        for _ in range(2):
            inner = inner * w + torch.tanh(inner)
        acc = inner if bool(inner.sum() > 0) else -inner * 2
    return (acc * w).sum()


def loss_in_a_graph(p: Any, w: Any) -> Any:
    def turn(i: Any, acc: Any) -> Any:
        _, inner = tf.while_loop(
            lambda j, b: j < 2, lambda j, b: (j + 1, b * w + tf.tanh(b)), [0, acc]
        )
        chosen = tf.cond(tf.reduce_sum(inner) > 0, lambda: inner, lambda: -inner * 2.0)
        return i + 1, chosen

    _, acc = tf.while_loop(lambda i, a: i < 3, turn, [0, p])
    return tf.reduce_sum(acc * w)


@pytest.mark.parametrize("seed", range(8))
def test_a_branch_in_a_loop_beside_a_loop_in_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=3) for _ in range(2)]
    leaves = [torch.tensor(each, requires_grad=True) for each in arrays]
    expected = torch.autograd.grad(loss_in_torch(*leaves), leaves)
    p, w = (tf.constant(each) for each in arrays)
    found = tf.gradients(loss_in_a_graph(p, w), [p, w])
    with tf.Session() as sess:
        for grad, other in zip(sess.run(found), expected, strict=True):
            np.testing.assert_allclose(grad, other, rtol=1e-9)


def test_the_number_of_turns_may_be_fed() -> None:
    n = tf.placeholder(tf.int32, [])
    x = tf.constant(2.0)
    _, y = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x), [0, tf.constant(1.0)])
    slope = tf.gradients(y, x)[0]
    with tf.Session() as sess:
        assert [sess.run([y, slope], {n: k}) for k in (0, 1, 5)] == [[1, 0], [2, 1], [32, 80]]


def test_a_loop_of_many_turns() -> None:
    x = tf.constant(1.0)
    _, y = tf.while_loop(lambda i, a: i < 3000, lambda i, a: (i + 1, a + x), [0, x])
    with tf.Session() as sess:
        assert sess.run([y, tf.gradients(y, x)[0]]) == [3001.0, 3001.0]


def test_a_deep_graph() -> None:
    x = y = tf.constant(1.0)
    for _ in range(3000):
        y = y + x
    with tf.Session() as sess:
        assert sess.run([y, tf.gradients(y, x)[0]]) == [3001.0, 3001.0]
