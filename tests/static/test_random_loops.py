"""Random loops and branches in each other, over variables: compiled as the runner runs them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import graphwidget.static as tf
from graphwidget.static import passes
from graphwidget.static.compiler import Compiled
from graphwidget.static.runner import State, execute, plan

DEEPEST = 3
EVERY = (*passes.PASSES, "fusion", "reuse")
REWRITES = ("uniform", "stabilise", "algebra")


class Values(NamedTuple):
    """Operands: numbers, matrices, and fed counts of iterations."""

    numbers: list[Any]
    matrices: list[Any]
    turns: Any

    def inside(self, number: Any = None, matrix: Any = None) -> Values:
        """The same inside a region, which may have values of its own."""
        more = [each for each in (number, matrix) if each is not None]
        return Values([*self.numbers, *more[:1]], [*self.matrices, *more[1:]], self.turns)


class Writer:
    """Builds random graphs; from the same seed, the same."""

    def __init__(self, seed: float) -> None:
        self.random = random.Random(seed)

    def steps(self, values: Values, count: int, depth: int) -> None:
        """Add so many steps."""
        kinds: list[Callable[[Values, int], None]] = [self.number, self.matrix]
        if depth < DEEPEST:
            kinds += [self.branch, self.loop]
        for _ in range(count):
            self.random.choices(kinds, [4, 8, 1, 2][: len(kinds)])[0](values, depth)

    def number(self, values: Values, depth: int) -> None:
        one, two = (self.random.choice(values.numbers) for _ in range(2))
        matrix = self.random.choice(values.matrices)
        values.numbers.append(self.random.choice([
            lambda: one * two, lambda: one + 0.5, lambda: tf.reduce_mean(matrix),
            lambda: tf.tanh(one - two), lambda: matrix[0, 1],
        ])())  # fmt: skip

    def matrix(self, values: Values, depth: int) -> None:
        one, two = (self.random.choice(values.matrices) for _ in range(2))
        number = self.random.choice(values.numbers)
        values.matrices.append(self.random.choice([
            lambda: tf.tanh(one * number), lambda: one * 0.5 + two,
            lambda: tf.matmul(one, two) * 0.2, lambda: tf.ones([3, 3]) * number,
            lambda: tf.transpose(one), lambda: tf.exp(one * 0.1),
        ])())  # fmt: skip

    def branch(self, values: Values, depth: int) -> None:
        def way(seed: float) -> Callable[[], Any]:
            def build() -> Any:
                inner, writer = values.inside(tf.constant(1.25)), Writer(seed)
                writer.steps(inner, writer.random.randint(1, 3), depth + 1)
                return inner.numbers[-1] * 1.0, inner.matrices[-1] * 1.0

            return build

        chosen = self.random.choice(values.numbers) > 0.1
        number, matrix = tf.cond(chosen, way(self.random.random()), way(self.random.random()))
        values.numbers.append(number)
        values.matrices.append(matrix)

    def loop(self, values: Values, depth: int) -> None:
        seed, count = self.random.random(), self.random.randint(0, 3)
        limit = values.turns if self.random.random() < 0.3 else count
        most = 2 if self.random.random() < 0.3 else None

        def turn(i: Any, number: Any, matrix: Any) -> Any:
            inner, writer = values.inside(number, matrix), Writer(seed)
            writer.steps(inner, writer.random.randint(1, 4), depth + 1)
            return i + 1, tf.tanh(inner.numbers[-1]), inner.matrices[-1] * 0.5

        first = [0, self.random.choice(values.numbers), self.random.choice(values.matrices)]
        _, number, matrix = tf.while_loop(
            lambda i, number, matrix: i < limit, turn, first, maximum_iterations=most
        )
        values.numbers.append(number)
        values.matrices.append(matrix)


@pytest.mark.parametrize("seed", range(40))
def test_compiled_loops_give_what_the_runner_gives(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, factor, turns = (tf.placeholder(kind, shape) for kind, shape in
                        ((tf.float32, (3, 3)), (tf.float32, ()), (tf.int32, ())))  # fmt: skip
    weights = [tf.Variable(rng.normal(size=shape).astype(np.float32)) for shape in ((), (3, 3))]
    values = Values([factor, weights[0].value()], [x, weights[1].value()], turns)
    Writer(seed).steps(values, 8, 0)
    loss = tf.reduce_sum(values.matrices[-1]) + values.numbers[-1]
    grads = tf.gradients(loss, [x, factor])
    pairs = zip(weights, tf.gradients(loss, weights), strict=True)
    changes = [weight.assign_sub(grad * 0.1).op for weight, grad in pairs if grad is not None]
    wanted = [loss, values.matrices[-1], values.numbers[-1], *(g for g in grads if g is not None)]
    feed = {
        x: rng.normal(size=(3, 3)).astype(np.float32), factor: np.array(0.4, np.float32),
        turns: np.array(2, np.int32),
    }  # fmt: skip
    begin = plan([tf.global_variables_initializer()], [], loss.graph.root)
    operations = plan([*(each.op for each in wanted), *changes], list(feed), loss.graph.root)

    def run(step: Callable[[State], list[Any]]) -> list[Any]:
        """Two steps from the variables' initial values, and what the variables are then."""
        state = State()
        execute(begin, {}, state)
        found = [*step(state), *step(state)]
        return [*found, *(state.variables[each.op] for each in weights)]

    def by_runner(state: State) -> list[Any]:
        env: dict[Any, Any] = dict(feed)
        execute(operations, env, state)
        return [env[each] for each in wanted]

    expected = run(by_runner)
    for off in ((), EVERY, REWRITES, ("reuse",)):
        with passes.without(*off):
            compiled = Compiled(operations, list(feed), wanted)
        assert "_run(" not in compiled.source  # nothing is left to the runner
        found = run(lambda state, made=compiled: list(made([*feed.values()], state)))  # type: ignore[misc]
        for one, two in zip(found, expected, strict=True):
            assert (np.shape(one), np.asarray(one).dtype) == (np.shape(two), np.asarray(two).dtype)
            if off == EVERY:  # nothing is computed, or lies in memory, in another order
                assert np.asarray(one).tobytes() == np.asarray(two).tobytes()
            else:
                np.testing.assert_allclose(one, two, 1e-3, 1e-4 * (1 + np.abs(two).max()))
