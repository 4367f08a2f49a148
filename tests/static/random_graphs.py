"""Random graphs, and every way in which the static half computes them.

``python -m tests.static.random_graphs FROM TO`` tries a range; it prints the seeds that differ.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

import graphwidget
import graphwidget.static as tf
from graphwidget.static import passes
from graphwidget.static.compiler import Compiled
from graphwidget.static.runner import State, execute, plan

Steps = list[tuple[str, tuple[int, ...]]]

UNARY: dict[str, tuple[Any, Any]] = {
    "tanh": (lambda x: tf.tanh(x), lambda t, x: t.tanh(x)),
    "sigmoid": (lambda x: tf.sigmoid(x), lambda t, x: t.sigmoid(x)),
    "exp": (lambda x: tf.exp(x * 0.3), lambda t, x: t.exp(x * 0.3)),
    "square": (lambda x: tf.square(x) / 4.0, lambda t, x: x * x / 4.0),
    "abs": (lambda x: tf.abs(x), lambda t, x: t.abs(x)),
    "relu": (lambda x: tf.nn.relu(x), lambda t, x: t.relu(x)),
    "softplus": (lambda x: tf.nn.softplus(x), lambda t, x: t.nn.functional.softplus(x)),
    "log1p": (lambda x: tf.log1p(tf.abs(x)), lambda t, x: t.log1p(t.abs(x))),
    "softmax": (lambda x: tf.nn.softmax(x), lambda t, x: t.softmax(x, -1)),
    "log_softmax": (lambda x: tf.nn.log_softmax(x), lambda t, x: t.log_softmax(x, -1)),
    "transpose": (lambda x: tf.transpose(x), lambda t, x: x.t()),
    "mean": (lambda x: tf.reduce_mean(x, 0, keepdims=True) + x,
             lambda t, x: x.mean(0, keepdim=True) + x),
    "max": (lambda x: x - tf.reduce_max(x, 1, keepdims=True),
            lambda t, x: x - x.amax(1, keepdim=True)),
    "prod": (lambda x: x * tf.reduce_prod(x, 0), lambda t, x: x * x.prod(0)),
    "logsumexp": (lambda x: x - tf.reduce_logsumexp(x, 1, keepdims=True),
                  lambda t, x: x - t.logsumexp(x, 1, True)),
    "concat": (lambda x: tf.concat([x, x[:1]], 0)[1:], lambda t, x: t.cat([x, x[:1]])[1:]),
    "stack": (lambda x: tf.stack([x, x * 2.0], 1)[:, 1],
              lambda t, x: t.stack([x, x * 2], 1)[:, 1]),
    "reshape": (lambda x: tf.reshape(tf.reshape(x, [-1]), [3, 3]),
                lambda t, x: x.reshape(-1).view(3, 3)),
    "pow": (lambda x: tf.pow(tf.abs(x) + 0.5, 1.5), lambda t, x: (x.abs() + 0.5) ** 1.5),
    "gather": (lambda x: tf.gather(x, [2, 0, 0]), lambda t, x: x[[2, 0, 0]]),
}  # fmt: skip
BINARY: dict[str, tuple[Any, Any]] = {
    "add": (lambda x, y: x + y, lambda t, x, y: x + y),
    "sub": (lambda x, y: tf.subtract(x, y), lambda t, x, y: x - y),
    "mul": (lambda x, y: tf.multiply(x, y), lambda t, x, y: x * y),
    "div": (lambda x, y: x / (tf.abs(y) + 1.0), lambda t, x, y: x / (y.abs() + 1)),
    "row": (lambda x, y: x * y[0], lambda t, x, y: x * y[0]),
    "matmul": (lambda x, y: tf.matmul(x, y) / 3.0, lambda t, x, y: x @ y / 3),
    "where": (lambda x, y: tf.where(x > y, x * y, y), lambda t, x, y: t.where(x > y, x * y, y)),
    "squares": (lambda x, y: tf.squared_difference(x, y), lambda t, x, y: (x - y) ** 2),
}  # fmt: skip
NUMBERS: dict[str, tuple[Any, Any]] = {
    "scaled": (lambda x: x * tf.reduce_mean(x), lambda t, x: x * x.mean()),
    "filled": (lambda x: tf.ones([3, 3], x.dtype) * tf.reduce_sum(x) / 9.0,
               lambda t, x: t.ones(3, 3, dtype=x.dtype) * x.sum() / 9),
    "number": (lambda x: x + (1.5 - x[0, 1]) * x[2, 2] / (x[1, 1] * x[1, 1] + 1.0),
               lambda t, x: x + (1.5 - x[0, 1]) * x[2, 2] / (x[1, 1] * x[1, 1] + 1)),
    "neutral": (lambda x: tf.transpose(tf.transpose(x * 1.0 + 0.0)) / 1.0,
                lambda t, x: (x * 1.0 + 0.0).t().t() / 1.0),
    "stable": (lambda x: tf.log(tf.reduce_sum(tf.exp(x), 1, keepdims=True)) + x,
               lambda t, x: t.log(t.exp(x).sum(1, keepdim=True)) + x),
    "turned": (lambda x: tf.transpose(tf.matmul(tf.transpose(x), x) / 3.0),
               lambda t, x: (x.t() @ x / 3).t()),
    "total": (lambda x: tf.ones_like(x) * tf.reduce_sum(x[1:2] * 2.0),
              lambda t, x: t.ones_like(x) * (x[1:2] * 2).sum()),
}  # fmt: skip
"""Operations that passes turn into others."""
SQUARE = {"transpose", "reshape", "pow", "prod"}
"""Operations of another shape where the number of rows is not known."""
ALL = UNARY | BINARY | NUMBERS


def random_program(seed: int, more: bool = False) -> Steps:
    """Steps: which function of which earlier values.

    Args:
        more: longer, and with the steps that passes look for.
    """
    rng = np.random.default_rng(seed)
    steps: Steps = []
    unary = list(UNARY | NUMBERS if more else UNARY)
    for place in range(2, 2 + int(rng.integers(3, 13 if more else 9))):
        one = bool(rng.integers(2))
        name = str(rng.choice(unary if one else list(BINARY)))
        steps.append((name, tuple(int(rng.integers(place)) for _ in range(1 if one else 2))))
    return steps


def play(steps: Steps, values: list[Any], engine: Any = None) -> Any:
    """Return what the steps make of two values: in TensorFlow's words, or in PyTorch's with an
    engine."""
    for name, places in steps:
        static, dynamic = ALL[name]
        given = [values[i] for i in places]
        values.append(static(*given) if engine is None else dynamic(engine, *given))
    return values[-1]


# Every way ---------------------------------------------------------------------------------------
def inputs_of(seed: int) -> list[np.ndarray]:
    """The two operands."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(3, 3)) for _ in range(2)]


def dynamic(steps: Steps, arrays: list[np.ndarray], engine: Any, function: Any = None) -> list[Any]:
    """The result and the gradients of its squares, by an engine."""
    leaves = [engine.tensor(each, requires_grad=True) for each in arrays]
    function = function or (lambda *values: play(steps, [*values], engine))
    y = function(*leaves)
    found = engine.autograd.grad((y * y).sum(), leaves, allow_unused=True)
    return [each if each is None else each.detach().numpy() for each in (y, *found)]


def static(
    steps: Steps, arrays: list[np.ndarray], rows: int | None = 3
) -> Iterator[tuple[str, list[Any]]]:
    """The same by a static graph: run, and compiled with and without each pass.

    Args:
        rows: None, where the graph is not to know how many there are.
    """
    with tf.Graph().as_default() as graph:
        xs = [tf.placeholder(tf.float64, (rows, 3)) for _ in arrays]
        y = play(steps, [*xs])
        wanted = [y, *tf.gradients(tf.reduce_sum(y * y), xs)]
        feed = dict(zip(xs, arrays, strict=True))
        present = [each for each in wanted if each is not None]
        operations = plan([each.op for each in present], xs, graph.root)
        env: dict[Any, Any] = {each: value.copy() for each, value in feed.items()}
        execute(operations, env, State())
        yield "runner", [None if each is None else env[each] for each in wanted]
        choices: list[tuple[str, ...]] = [(), *((name,) for name in passes.PASSES)]
        choices += [("fusion",), ("reuse",), (*passes.PASSES, "fusion", "reuse")]
        for off in choices:
            with passes.without(*off):
                compiled = Compiled(operations, xs, present)
            values = iter(compiled([each.copy() for each in arrays], State()))
            found = [None if each is None else np.asarray(next(values)) for each in wanted]
            yield f"{rows or 'unknown'} rows, without {off}", found


def traced(steps: Steps, arrays: list[np.ndarray]) -> Iterator[tuple[str, list[Any]]]:
    """The same by the engine's function recorded, run for run."""
    function = tf.from_function(
        lambda *values: play(steps, [*values], graphwidget),
        *(graphwidget.tensor(each, requires_grad=True) for each in inputs_of(99)),
    )
    for turn in range(3):
        yield f"traced, run {turn}", dynamic(steps, arrays, graphwidget, function)


def exported(steps: Steps, arrays: list[np.ndarray]) -> tuple[list[Any], list[Any]]:
    """The result by onnxruntime, of the engine's function as a file, and the engine's own; in
    float32, for onnxruntime has not all operators in float64."""
    from tests.onnx.running import run

    given = tuple(graphwidget.tensor(each.astype(np.float32)) for each in arrays)
    function = lambda *values: play(steps, [*values], graphwidget)  # noqa: E731
    return run(graphwidget.onnx.export(function, given), *given), [function(*given).numpy()]


def check(seed: int, onnx: bool = True) -> None:
    """Assert that all ways give what PyTorch gives.

    Raises:
        AssertionError: one does not.
    """
    steps, arrays = random_program(seed, more=True), inputs_of(seed)
    wanted = dynamic(steps, arrays, torch)
    ways = [("eager", dynamic(steps, arrays, graphwidget)), *static(steps, arrays)]
    if not any(name in SQUARE for name, _ in steps):
        ways += static(steps, arrays, None)
    ways += traced(steps, arrays)
    for way, found in ways:
        alike(found, wanted, f"seed {seed}, {way}: {steps}")
    if onnx:
        way = f"seed {seed}, onnxruntime: {steps}"
        alike(*exported(steps, arrays), way, 1e-4, 1e-5)


def alike(
    found: list[Any], wanted: list[Any], way: str, rtol: float = 1e-7, atol: float = 1e-9
) -> None:
    """Assert that values are equal within rounding; no gradient is one of zeros."""
    assert len(found) == len(wanted), way
    for one, two in zip(found, wanted, strict=True):
        one, two = (np.zeros((3, 3)) if each is None else np.asarray(each) for each in (one, two))
        scale = float(np.max(np.abs(two), initial=0.0))
        np.testing.assert_allclose(one, two, rtol, atol * (1 + scale), err_msg=way)


def main(first: int, last: int) -> None:
    """Try seeds."""
    wrong = 0
    for seed in range(first, last):
        try:
            check(seed)
        except Exception as error:
            wrong += 1
            text = "".join(traceback.format_exception_only(error)).strip()
            print(f"seed {seed}: {text[:600]}", flush=True)
        if seed % 100 == 99:
            print(f"{seed + 1 - first} tried, {wrong} wrong", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
