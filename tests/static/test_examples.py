"""The texts' static examples, typed as they stand, and programs of TensorFlow 1."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import graphwidget.static as tf


def test_one_graph_run_in_a_session() -> None:
    w = tf.constant(1.0)
    x = tf.constant(2.0)
    a = tf.add(w, x)
    b = tf.add(w, 1)
    y = tf.multiply(a, b)
    with tf.Session() as sess:
        assert sess.run(y) == 6.0
        assert sess.run(tf.gradients(y, [w, x])) == [5.0, 2.0]


def test_a_while_loop_gives_20_and_20(capsys: pytest.CaptureFixture[str]) -> None:
    first = tf.constant(0)
    second = tf.constant(10)

    def cond(first, second):  # type: ignore[no-untyped-def]
        return first < second

    def body(first, second):  # type: ignore[no-untyped-def]
        first = first + 2
        second = second + 1
        return first, second

    c1, c2 = tf.while_loop(cond, body, [first, second])
    with tf.Session() as sess:
        c1, c2 = sess.run([c1, c2])
        print(c1, c2)
    assert capsys.readouterr().out == "20 20\n"


def test_what_is_printed_is_a_symbol() -> None:
    x = tf.constant(2.0)
    for _ in range(4):
        tf.multiply(x, x)
    y = tf.multiply(x, x)
    assert str(y) == 'Tensor("Mul_4:0", shape=(), dtype=float32)'
    assert repr(y) == "<tf.Tensor 'Mul_4:0' shape=() dtype=float32>"


# Texts as TensorFlow 2.21 prints them in its compat.v1 mode.
PRINTED = {
    "tf.placeholder(tf.float32, [None, 3])": 'Tensor("Placeholder:0", shape=(?, 3), dtype=float32)',
    "tf.placeholder(tf.int32)": 'Tensor("Placeholder:0", dtype=int32)',
    "tf.Variable(1., name='v')": "<tf.Variable 'v:0' shape=() dtype=float32_ref>",
    "tf.Variable(1., name='v').value()": 'Tensor("v/read:0", shape=(), dtype=float32)',
    "tf.Variable(1., name='v').assign(2.)": 'Tensor("Assign:0", shape=(), dtype=float32_ref)',
    "tf.constant([1, 2.5])": 'Tensor("Const:0", shape=(2,), dtype=float32)',
    "tf.argmax([[1., 2.]], 1)": 'Tensor("ArgMax:0", shape=(1,), dtype=int64)',
    "tf.reduce_mean(tf.ones([2, 3]), axis=1)": 'Tensor("Mean:0", shape=(2,), dtype=float32)',
    "tf.add(1., 2.) + 1": 'Tensor("add_1:0", shape=(), dtype=float32)',
    "3. / tf.constant(1.)": 'Tensor("truediv:0", shape=(), dtype=float32)',
    "tf.constant(4) / tf.constant(3)": 'Tensor("truediv:0", shape=(), dtype=float64)',
    "tf.ones([2, 3])[0, 1:]": 'Tensor("strided_slice:0", shape=(2,), dtype=float32)',
    "tf.concat([tf.ones([2, 2])] * 2, 0)": 'Tensor("concat:0", shape=(4, 2), dtype=float32)',
    "tf.one_hot([0, 2], 3)": 'Tensor("one_hot:0", shape=(2, 3), dtype=float32)',
    "tf.cond(tf.constant(1) < 2, lambda: 1., lambda: 2.)":
        'Tensor("cond/Merge:0", shape=(), dtype=float32)',
    "tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])":
        'Tensor("while/Exit:0", shape=(), dtype=int32)',
    "tf.placeholder(tf.float32, [None, 3])[:2]":
        'Tensor("strided_slice:0", shape=(?, 3), dtype=float32)',
    "tf.reshape(tf.placeholder(tf.float32, [None, 3]), [-1])":
        'Tensor("Reshape:0", shape=(?,), dtype=float32)',
}  # fmt: skip


@pytest.mark.parametrize(("text", "printed"), PRINTED.items())
def test_prints_as_tensorflow_does(text: str, printed: str) -> None:
    assert str(eval(text, {"tf": tf})) == printed


def test_names_are_unique_whatever_their_case() -> None:
    p = tf.constant(1.0)
    assert [tf.add(p, p).name, (p + p).name] == ["Add:0", "add_1:0"]
    with tf.name_scope("a") as scope:
        assert scope == "a/"
    with tf.name_scope("a"):
        assert tf.constant(1).name == "a_1/Const:0"
    with tf.name_scope("a/"):
        assert tf.constant(1).name == "a/Const:0"
    with tf.name_scope("b"), tf.name_scope(None):
        assert tf.constant(1, name="root").name == "root:0"
    with tf.variable_scope("v"), tf.name_scope("n"):
        assert tf.get_variable("w", [1]).name == "v/w:0"
        assert tf.Variable(1.0).name == "v/n/Variable:0"


def test_fetches_keep_their_structure() -> None:
    p = tf.constant([1.0, 2.0], name="p")
    pair = collections.namedtuple("pair", "a b")
    with tf.Session() as sess:
        found = sess.run(pair(p, {"q": [p[0], (p[1],)]}))
        assert isinstance(found, pair)
        assert isinstance(found.b["q"][1], tuple)
        assert found.b["q"] == [1.0, (2.0,)]
        assert type(found.b["q"][0]) is np.float32
        assert sess.run([]) == []
        assert sess.run("p") is None
        assert sess.run("p:0").tolist() == [1.0, 2.0]


def test_any_symbol_may_be_fed_and_what_lies_above_it_does_not_run() -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.add(x, 1.0)
    with tf.Session() as sess:
        assert sess.run(y * 2, {y: 5.0}) == 10.0
        assert sess.run(y * 2, {"x:0": 5.0}) == 12.0


def test_a_symbol_named_twice_is_computed_once() -> None:
    drawn = tf.random_normal([3])
    with tf.Session() as sess:
        one, two = sess.run([drawn, drawn + 0])
        assert one.tolist() == two.tolist()
        assert one.tolist() != sess.run(drawn).tolist()


def test_variables_live_in_their_session() -> None:
    v = tf.Variable(2.0, name="v")
    more = v.assign_add(3.0)
    with tf.Session() as one, tf.Session() as two:
        for sess in (one, two):
            sess.run(tf.global_variables_initializer())
        assert one.run([more, v]) == [5.0, 5.0]
        assert two.run(v) == 2.0
        with tf.control_dependencies([v.assign(7.0)]):
            after = tf.identity(v)
        assert one.run(after) == 7.0


def test_a_model_learns() -> None:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.Variable([1.0, 2.0], name="w")
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(w * x, 1) - 1))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    assert (step.name, step.type) == ("GradientDescent", "NoOp")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        # The numbers are TensorFlow's.
        for expected in ([-2.4, -2.8], [4.32, 6.76], [-9.064, -12.208]):
            sess.run(step, {x: [[1, 2], [3, 4]]})
            np.testing.assert_allclose(sess.run(w), expected, rtol=1e-5)


def test_adam_has_its_variables_and_steps() -> None:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.Variable([1.0, 2.0], name="w")
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(w * x, 1) - 1))
    step = tf.train.AdamOptimizer(0.01).minimize(loss)
    names = [each.op.name for each in tf.global_variables()]
    assert names == ["w", "beta1_power", "beta2_power", "w/Adam", "w/Adam_1"]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for expected in ([0.99, 1.99], [0.9800019, 1.9800019], [0.9700071, 1.9700071]):
            sess.run(step, {x: [[1, 2], [3, 4]]})
            np.testing.assert_allclose(sess.run(w), expected, rtol=1e-6)
        assert sess.run("beta1_power:0") == pytest.approx(0.6561)


# Values as TensorFlow computes them.
VALUES = {
    "tf.constant(-7) // tf.constant(2)": -4,
    "tf.constant(-7) % tf.constant(2)": 1,
    "tf.reduce_mean([-1, -2, -2])": -1,
    "tf.round([.5, 1.5])": [0.0, 2.0],
    "tf.one_hot([0, 2, -1], 3, on_value=5., off_value=1., axis=0)":
        [[5, 1, 1], [1, 1, 1], [1, 5, 1]],
    "tf.argmax([[1., 3., 2.]], 1)": [1],
    "tf.transpose([[1, 2], [3, 4]])": [[1, 3], [2, 4]],
    "tf.pad([[1, 2]], [[1, 0], [0, 1]])": [[0, 0, 0], [1, 2, 0]],
    "tf.clip_by_value([-1., .5, 2.], 0., 1.)": [0.0, 0.5, 1.0],
    "tf.where([True, False], [1, 2], [3, 4])": [1, 4],
    "tf.gather([[1., 2.], [3., 4.]], [1, 0])": [[3, 4], [1, 2]],
    "tf.tile([[1, 2]], [2, 2])": [[1, 2, 1, 2]] * 2,
    "tf.split([1, 2, 3, 4], 2)[1]": [3, 4],
    "tf.range(tf.constant(1), 8, 3)": [1, 4, 7],
    "tf.matmul(tf.ones([2, 2, 3]), tf.ones([3, 1]) * tf.ones([2, 3, 1]))": [[[3], [3]]] * 2,
    "tf.nn.softmax_cross_entropy_with_logits(labels=[[1., 0, 0]], logits=[[1., 2, 3]])": [2.407606],
    "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2], logits=[[1., 2, 3]])": [0.407606],
    "tf.nn.sigmoid_cross_entropy_with_logits(labels=1., logits=2.)": 0.126928,
    "tf.nn.l2_loss([3., 4.])": 12.5,
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), VALUES.items())
def test_computes_as_tensorflow_does(text: str, expected: object) -> None:
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(eval(text, {"tf": tf})), expected, rtol=1e-5)


def test_sizes_that_only_the_run_tells() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    rows = tf.shape(x)[0]
    y = tf.reshape(x * tf.ones([rows, 3]), [rows * 3])
    assert y.shape.as_list() == [None]
    gradient = tf.gradients(tf.reduce_mean(x * tf.constant([1.0, 2.0, 3.0])), x)[0]
    with tf.Session() as sess:
        assert sess.run(y, {x: np.ones((2, 3))}).tolist() == [1.0] * 6
        found = sess.run(gradient, {x: np.ones((2, 3))})
        np.testing.assert_allclose(found, [[1 / 6, 2 / 6, 3 / 6]] * 2, rtol=1e-6)
