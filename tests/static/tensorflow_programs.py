"""Random programs of TensorFlow 1, and what TensorFlow 2.21 (compat.v1) printed and computed.

``python -m tests.static.tensorflow_programs`` writes ``tensorflow_programs.json`` again, where
tensorflow is installed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

ANSWERS = Path(__file__).with_suffix(".json")
COUNT = 90
UNARY = """
tf.tanh(x)
tf.sigmoid(x)
tf.exp(x * 0.3)
tf.square(x) / 4.0
tf.abs(x)
tf.nn.relu(x)
tf.nn.softplus(x)
tf.nn.softmax(x)
tf.nn.log_softmax(x)
tf.transpose(x)
tf.reduce_mean(x, 0, keepdims=True) + x
x - tf.reduce_max(x, 1, keepdims=True)
x * tf.reduce_prod(x, 0)
tf.concat([x, x[:1]], 0)[1:]
tf.stack([x, x * 2.0], 1)[:, 1]
tf.reshape(tf.reshape(x, [-1]), [3, 3])
tf.pow(tf.abs(x) + 0.5, 1.5)
tf.clip_by_value(x, -1., 1.)
tf.tile(x, [1, 2])[:, :3]
tf.pad(x, [[1, 0], [0, 1]])[:3, :3]
tf.squeeze(tf.expand_dims(x, 1), [1])
-x
tf.nn.elu(x)
tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2.0, lambda: x + 1.0)
tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a * 0.5 + x), [0, x])[1]
tf.split(x, 3, 1)[1] + x
tf.cumsum(x, 1)
tf.one_hot(tf.argmax(x, 1), 3) * x
tf.where(x > 0., x, x * 0.1)
tf.ones_like(x) * x - tf.zeros_like(x)
tf.nn.leaky_relu(x)
tf.squared_difference(x, 1.0)
tf.reverse(x, [1])
tf.slice(x, [0, 0], [3, 3])
x % 2.0 + x // 2.0
""".strip().splitlines()
LEFT_OUT = """
tf.map_fn(lambda row: tf.tanh(row) * 2.0, x)
tf.map_fn(lambda rows: rows[0] * rows[1], (x, x + 1.0), dtype=tf.float32)
tf.scan(lambda a, row: a * 0.5 + row, x)
tf.scan(lambda a, row: a * 0.5 + row, x, tf.zeros([3]), reverse=True)
tf.foldl(lambda a, row: a * 0.5 + row, x) + x
tf.foldr(lambda a, row: a * 0.5 + row, x, tf.ones([3])) + x
""".strip().splitlines()
"""Functions that are left to TensorFlow: programs with one are null among the answers."""
BINARY = """
x + y
tf.add(x, y)
tf.subtract(x, y)
tf.multiply(x, y)
x / (tf.abs(y) + 1.0)
x * y[0]
tf.matmul(x, y) / 3.0
tf.maximum(x, y)
""".strip().splitlines()


def answers(tf: Any, seed: int) -> list[Any]:
    """Return what a program prints and computes: each symbol, the last value, its gradients."""
    rng = np.random.default_rng(seed)
    with tf.Graph().as_default():
        arrays = [rng.normal(size=(3, 3)).astype(np.float32) for _ in range(2)]
        xs = [tf.placeholder(tf.float32, [3, 3] if seed % 2 else [None, 3]) for _ in arrays]
        values = list(xs)
        for _ in range(int(rng.integers(3, 8))):
            text = str(rng.choice([*UNARY, *LEFT_OUT] if rng.integers(2) else BINARY))
            x, y = (values[int(rng.integers(len(values)))] for _ in range(2))
            values.append(eval(text, {"tf": tf, "x": x, "y": y}))
        grads = tf.gradients(tf.reduce_sum(values[-1] * values[-1]), xs)
        with tf.Session() as sess:
            feed = dict(zip(xs, arrays, strict=True))
            found = [None if each is None else sess.run(each, feed)
                     for each in [values[-1], *grads]]  # fmt: skip
    numbers = [None if each is None else short(each) for each in found]
    return [*map(str, values[2:]), *numbers]


def short(array: Any) -> Any:
    """Numbers to four digits."""
    flat = np.asarray(array, np.float64)
    return np.array([float(f"{each:.4g}") for each in flat.ravel()]).reshape(flat.shape).tolist()


if __name__ == "__main__":
    import tensorflow.compat.v1 as tensorflow  # type: ignore[import-not-found]

    tensorflow.disable_v2_behavior()
    lines = [json.dumps(answers(tensorflow, seed)) for seed in range(COUNT)]
    ANSWERS.write_text("[\n" + ",\n".join(lines) + "\n]\n")
