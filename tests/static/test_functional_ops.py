"""``map_fn`` and its kin against the same loops in PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch

import graphwidget.static as tf


def scanned(rows: Sequence[Any], function: Callable[..., Any], start: Any = None) -> list[Any]:
    """Every outcome of a scan by hand."""
    found: list[Any] = []
    for row in rows:
        start = row if start is None else function(start, row)
        found.append(start)
    return found


def step(acc: Any, row: Any) -> Any:
    return acc * 0.5 + row * row


CASES: dict[str, tuple[Any, Any]] = {
    "map": (lambda x, z: tf.map_fn(lambda row: tf.tanh(row) * z, x),
            lambda x, z: torch.stack([torch.tanh(row) * z for row in x])),
    "map of pairs": (
        lambda x, z: tf.map_fn(lambda p: p[0] * p[1], (x, x + z), dtype=tf.float64),
        lambda x, z: torch.stack([row * (row + z) for row in x])),
    "map to numbers": (lambda x, z: tf.map_fn(lambda row: tf.reduce_sum(row * z), x),
                       lambda x, z: torch.stack([(row * z).sum() for row in x])),
    "map to a pair": (
        lambda x, z: sum(tf.map_fn(lambda row: (row, row * z), x, (tf.float64, tf.float64))),
        lambda x, z: x + x * z),
    "map in map": (
        lambda x, z: tf.map_fn(lambda row: tf.map_fn(lambda item: item * item * z[0], row), x),
        lambda x, z: x * x * z[0]),
    "scan": (lambda x, z: tf.scan(step, x), lambda x, z: torch.stack(scanned(x, step))),
    "scan from": (lambda x, z: tf.scan(step, x, z),
                  lambda x, z: torch.stack(scanned(x, step, z))),
    "scan back": (lambda x, z: tf.scan(step, x, z, reverse=True),
                  lambda x, z: torch.stack(scanned(x.flip(0), step, z)).flip(0)),
    "scan all back": (lambda x, z: tf.scan(step, x, reverse=True),
                      lambda x, z: torch.stack(scanned(x.flip(0), step)).flip(0)),
    "foldl": (lambda x, z: tf.foldl(step, x), lambda x, z: scanned(x, step)[-1]),
    "foldr": (lambda x, z: tf.foldr(step, x, z), lambda x, z: scanned(x.flip(0), step, z)[-1]),
}  # fmt: skip


@pytest.mark.parametrize("rows", [4, None], ids=["known", "unknown"])
@pytest.mark.parametrize("name", CASES)
def test_results_and_gradients(name: str, rows: int | None) -> None:
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape) for shape in ((4, 3), (3,))]
    static, dynamic = CASES[name]
    leaves = [torch.tensor(each, requires_grad=True) for each in arrays]
    expected = dynamic(*leaves)
    grads = torch.autograd.grad((expected * expected).sum(), leaves, allow_unused=True)
    xs = [tf.placeholder(tf.float64, shape) for shape in ((rows, 3), (3,))]
    found = static(*xs)
    assert tuple(found.shape.as_list()[1:]) == tuple(expected.shape[1:])
    wanted = [found, *tf.gradients(tf.reduce_sum(found * found), xs)]
    places = [i for i, each in enumerate((expected, *grads)) if each is not None]
    assert places == [i for i, each in enumerate(wanted) if each is not None]
    with tf.Session() as sess:
        for _ in range(3):
            values = sess.run([wanted[i] for i in places], dict(zip(xs, arrays, strict=True)))
            for value, i in zip(values, places, strict=True):
                np.testing.assert_allclose(value, (expected, *grads)[i].detach(), rtol=1e-9)


def test_nothing_to_map_gives_nothing() -> None:
    x = tf.placeholder(tf.float32, (None, 2))
    y = tf.map_fn(lambda row: row * 2.0, x)
    with tf.Session() as sess:
        assert sess.run(y, {x: np.ones((0, 2))}).shape == (0, 2)


def test_structures_go_in_and_come_out() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    found = tf.scan(
        lambda acc, each: {"sum": acc["sum"] + each["x"], "n": acc["n"] + 1},
        {"x": x}, {"sum": tf.constant(0.0), "n": tf.constant(0)},
    )  # fmt: skip
    count = tf.map_fn(lambda each: tf.cast(each, tf.int32) * 2, x, dtype=tf.int32)
    with tf.Session() as sess:
        value = sess.run([found, count])
        assert value[0]["sum"].tolist() == [1, 3, 6]
        assert value[0]["n"].tolist() == [1, 2, 3]
        assert value[1].tolist() == [2, 4, 6]


def test_names_are_tensorflows() -> None:
    x = tf.constant([[1.0, 2.0]])
    stack = "TensorArrayStack/TensorArrayGatherV3:0"
    assert tf.map_fn(lambda row: row, x).name == f"map/{stack}"
    pair = tf.map_fn(lambda row: (row, row), x, (tf.float32, tf.float32))
    assert pair[1].name == "map_1/TensorArrayStack_1/TensorArrayGatherV3:0"
    assert tf.scan(step, x).name == f"scan/{stack}"
    assert [tf.foldl(step, x).name, tf.foldr(step, x).name] == [
        "foldl/while/Exit_2:0", "foldr/while/Exit_2:0",
    ]  # fmt: skip


def test_what_does_not_fit_is_refused() -> None:
    x = tf.constant([1.0, 2.0])
    with pytest.raises(TypeError, match=r"dtype=tf\.int32"):
        tf.map_fn(lambda each: tf.cast(each, tf.int32), x)
    with pytest.raises(TypeError, match="must be callable"):
        tf.map_fn(x, x)
    with pytest.raises(ValueError, match="1\\+ dimensional Tensors, not scalars"):
        tf.map_fn(lambda each: each, tf.constant(1.0))
    with pytest.raises(ValueError, match="same nested structure"):
        tf.scan(lambda acc, each: (acc, each), x)
    with pytest.raises(TypeError, match="enters the loop with type float32"):
        tf.scan(lambda acc, each: tf.cast(acc, tf.int32), x)
