"""Functions of TensorFlow 1 where their derivatives jump, at infinities and of empty tensors, and
what TensorFlow 2.21 (compat.v1) computed.

Left out is what the op table takes from PyTorch on purpose: what NaN gives, functions outside of
their domain, ``0 ** 0``, and second derivatives that TensorFlow computes wrongly (of products with
zeros) or without the mean's part (of variances).

``python -m tests.static.nonsmooth_points`` writes the numbers again, where tensorflow is installed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

ANSWERS = Path(__file__).with_suffix(".json")
INF = np.inf
EDGES = [-INF, -120.0, -6.0, -1.0, -0.0, 0.0, 0.5, 1.0, 6.0, 120.0, INF]
PAIRS = [
    [0.0, 0.0], [1.0, 1.0], [-1.0, -1.0], [1.0, 2.0], [2.0, 1.0], [0.0, 1.0], [1.0, 0.0],
    [0.0, -1.0], [-1.0, 2.0], [-2.0, 0.5], [INF, INF], [INF, 1.0], [1.0, INF], [-INF, 1.0],
    [0.0, INF], [INF, 0.0], [0.0, 2.0], [0.0, 0.5],
]  # fmt: skip
ROWS = [
    [1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [2.0, 2.0, 2.0], [3.0, -1.0, 3.0], [-INF, -INF, -INF],
    [-INF, 0.0, 0.0], [-INF, -INF, 1.0], [0.0, 2.0, 3.0], [1000.0, 0.0, -1000.0],
]  # fmt: skip
SHAPED = {"empty": (0, 3), "empty rows": (2, 0)}

OF_ONE = """
tf.abs(x) | tf.sign(x) | tf.square(x) | tf.sqrt(x) | tf.rsqrt(x) | tf.exp(x) | tf.expm1(x)
tf.log(x) | tf.log1p(x) | tf.floor(x) | tf.ceil(x) | tf.round(x) | tf.reciprocal(x) | 1.0 / x
tf.tanh(x) | tf.sigmoid(x) | tf.asin(x) | tf.acos(x) | tf.atan(x) | tf.atanh(x)
tf.erf(x) | x ** 2.0 | x ** 3.0 | x ** -1.0 | 2.0 ** x
tf.nn.relu(x) | tf.nn.relu6(x) | tf.nn.leaky_relu(x) | tf.nn.elu(x)
tf.nn.softplus(x) | tf.nn.l2_loss(x) | tf.maximum(x, 0.0) | tf.minimum(x, 6.0)
tf.maximum(0.0, x) | tf.clip_by_value(x, -1.0, 1.0) | tf.clip_by_value(x, 0.0, 0.0)
tf.where(x > 0.0, x, tf.zeros_like(x))
tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.zeros_like(x), logits=x)
tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.ones_like(x), logits=x)
tf.nn.sigmoid_cross_entropy_with_logits(labels=0.3 * tf.ones_like(x), logits=x)
tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=0.0 * tf.ones_like(x))
tf.losses.mean_squared_error(tf.zeros_like(x), x)
"""
OF_PAIRS = """
tf.maximum(x, y) | tf.minimum(x, y) | x / y
tf.squared_difference(x, y) | tf.where(x > y, x, y)
tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=x)
"""
OF_ROWS = """
tf.reduce_max(x, 1) | tf.reduce_min(x, 1) | tf.reduce_max(x) | tf.reduce_max(x, 1, keepdims=True)
tf.reduce_mean(x, 1) | tf.reduce_logsumexp(x, 1)
tf.reduce_logsumexp(x) | tf.nn.softmax(x) | tf.nn.log_softmax(x) | tf.nn.softmax(x)[:, 0]
tf.nn.log_softmax(x)[:, 0] | tf.cumsum(x, 1)
tf.sqrt(tf.reduce_sum(tf.square(x), 1))
tf.nn.softmax_cross_entropy_with_logits(labels=[[1.0, 0.0, 0.0]] * ROWS, logits=x)
tf.nn.softmax_cross_entropy_with_logits(labels=[[0.2, 0.3, 0.5]] * ROWS, logits=x)
tf.nn.softmax_cross_entropy_with_logits_v2(labels=x, logits=tf.zeros_like(x))
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0] * ROWS, logits=x)
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1] * ROWS, logits=x)
tf.nn.max_pool(IMAGE(x), [1, 1, 3, 1], [1, 1, 3, 1], "VALID")
tf.nn.max_pool(IMAGE(x), [1, 2, 2, 1], [1, 1, 1, 1], "SAME")
tf.argmax(x, 1) | tf.argmin(x, 1)
"""
OF_SHAPED = """
tf.reduce_sum(x) | tf.reduce_sum(x, 0) | tf.reduce_mean(x) | tf.reduce_mean(x, 0) | tf.reduce_max(x)
tf.reduce_max(x, 0) | tf.reduce_min(x, 1) | tf.reduce_prod(x, 0) | tf.reduce_logsumexp(x, 1)
tf.reduce_logsumexp(x) | tf.nn.softmax(x) | tf.nn.log_softmax(x)
tf.nn.relu(x) | tf.cumsum(x, 1) | tf.nn.l2_loss(x)
tf.nn.softmax_cross_entropy_with_logits(labels=x, logits=x)
tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=x) | tf.matmul(x, x, transpose_b=True)
tf.nn.dropout(x, keep_prob=0.5) | tf.concat([x, x], 0) | tf.clip_by_value(x, 0.0, 1.0)
"""
KINDS: dict[str, tuple[str, Any, Any]] = {
    "one": (OF_ONE, EDGES, None),
    "pairs": (OF_PAIRS, [x for x, _ in PAIRS], [y for _, y in PAIRS]),
    "rows": (OF_ROWS, ROWS, None),
    **{name: (OF_SHAPED, np.zeros(shape).tolist(), shape) for name, shape in SHAPED.items()},
}


def cases() -> list[tuple[str, str]]:
    """(kind, expression) of every case."""
    return [
        (kind, each.strip())
        for kind, (text, _, _) in KINDS.items()
        for each in text.replace("\n", "|").split("|")
        if each.strip()
    ]


def answers(tf: Any, kind: str, expression: str) -> list[Any]:
    """The value, the first and the second derivatives by ``x`` and by ``y``; None where there is
    none."""
    _, first, second = KINDS[kind]
    array = np.array(first, np.float32)
    if kind in SHAPED:
        array = array.reshape(SHAPED[kind])
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, array.shape)
        feed, operands = {x: array}, [x]
        space = {"tf": tf, "x": x, "ROWS": len(ROWS)}
        space["IMAGE"] = lambda x: tf.reshape(tf.maximum(x, -9.0), [1, len(ROWS), 3, 1])
        if kind == "pairs":
            y = space["y"] = tf.placeholder(tf.float32, array.shape)
            feed[y] = np.array(second, np.float32)
            operands.append(y)
        value = eval(expression, space)
        wanted = [value]
        for by in operands:
            [once] = tf.gradients(value, [by])
            [twice] = [None] if once is None else tf.gradients(once, [by])
            wanted += [once, twice]
        with tf.Session() as session:
            found = [None if each is None else session.run(each, feed) for each in wanted]
    return [None if each is None else np.asarray(each, np.float64).tolist() for each in found]


def main() -> None:
    """Ask TensorFlow."""
    import tensorflow.compat.v1 as tf  # type: ignore[import-not-found]

    tf.disable_v2_behavior()
    found = {f"{kind}: {each}": answers(tf, kind, each) for kind, each in cases()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in found.items())
    ANSWERS.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
