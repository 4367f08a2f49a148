"""Static graphs: the rows built once, as TensorFlow 1 does it, and run by a session."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import numpy as np

import graphwidget.static as tf
from graphwidget.static.compiler import Compiled
from graphwidget.static.runner import plan
from tests.benchmarks import data

Step = Callable[[], Sequence[Any]]

array = np.asarray
OPS = (250, 1_000, 4_000)
"""Sizes of the graphs whose compilation is timed."""


def running(fetches: Sequence[Any], feed: dict[Any, Any] | None = None) -> Step:
    """The step that runs these, compiled already, from the variables' initial values."""
    session, begin = tf.Session(), tf.global_variables_initializer()
    session.run(begin)
    for _ in range(2):
        session.run(fetches, feed)
    session.run(begin)
    return lambda: session.run(fetches, feed)


def example() -> Step:
    """The texts' example C."""
    with tf.Graph().as_default():
        inputs = tf.constant(np.ones((2, 2), np.float32))
        weights = [tf.Variable(number) for number in data.EXAMPLE]
        first = inputs * weights[0]
        loss = tf.reduce_mean((first + weights[1]) * (first * weights[2]))
        return running([loss, *tf.gradients(loss, weights)])


def mlp() -> Step:
    """A step of gradient descent; what it gives is fetched with it."""
    with tf.Graph().as_default():
        inputs, targets = (tf.placeholder(tf.float32, each.shape) for each in data.batch())
        feed = dict(zip((inputs, targets), data.batch(), strict=True))
        hidden, parameters = inputs, []
        pairs = data.layers()
        for place, (weight, bias) in enumerate(pairs):
            w, b = tf.Variable(weight), tf.Variable(bias)
            parameters += [w, b]
            hidden = tf.matmul(hidden, w, transpose_b=True) + b
            if place < len(pairs) - 1:
                hidden = tf.nn.relu(hidden)
        loss = tf.reduce_mean(tf.squared_difference(hidden, targets))
        optimizer = tf.train.GradientDescentOptimizer(data.RATE)
        grads = optimizer.compute_gradients(loss, parameters)
        train = optimizer.apply_gradients(grads)
        step = running([loss, *(grad for grad, _ in grads), train], feed)
        return lambda: step()[:-1]


def chain() -> Step:
    """Twenty ops on a million items, and the way back."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [data.LARGE])
        y = x
        for _ in range(5):
            y = tf.tanh(y * x + 0.5) - x
        loss = tf.reduce_mean(y)
        return running([loss, *tf.gradients(loss, x)], {x: data.large()})


ROWS: dict[str, Callable[[], Step]] = {
    "static: example C": example, "static: MLP, SGD": mlp, "static: 20 ops on 1e6": chain,
}  # fmt: skip


# Compilation -------------------------------------------------------------------------------------
def graph_of(count: int) -> tuple[list[Any], Any]:
    """The plan of a graph of about so many operations, gradients included, and what it gives."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [8, 8])
        y = x
        while len(graph.operations) < count * 0.38:
            y = tf.nn.relu(tf.matmul(y, x) + tf.tanh(y) * 0.5)
        wanted = [y, *tf.gradients(tf.reduce_sum(y), x)]
        return plan([each.op for each in wanted], [x], graph.root), (x, wanted)


def compile_table(rounds: int) -> list[list[str]]:
    """The table's lines: milliseconds of compilation for each thousand operations."""
    lines = [["compilation", "operations", "ms", "ms for each 1,000"]]
    for count in OPS:
        operations, (x, wanted) = graph_of(count)
        found = []
        for _ in range(rounds):
            start = time.process_time()
            Compiled(operations, [x], wanted)
            found.append((time.process_time() - start) * 1e3)
        each = median(found) / len(operations) * 1e3
        lines.append(["", f"{len(operations)}", f"{median(found):.1f}", f"{each:.1f}"])
    return lines
