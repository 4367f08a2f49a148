"""Memory that passes save: memory against Python's own account of it, calls, results."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwidget as torch
import graphwidget.static as tf
from graphwidget.static.runner import State, plan
from graphwidget.static.stages import NAMES, Stage, stages

OVERHEAD = 8_000 + 2 * 8_192 * 4
"""Bytes of Python's objects that a run makes besides its arrays (of 640,000 bytes), and of numpy's
buffers of 8,192 items for operands that do not lie in one piece."""


def of_function(function: Callable[..., Any], *inputs: Any) -> tuple[list[Stage], list[Any]]:
    """The stages of a recorded function, and the arrays that it is given."""
    static = tf.StaticFunction(function)
    static(*inputs)
    (recording,) = static.recordings
    arrays = [each._data for each in inputs]
    given = dict(zip(recording.inputs, arrays, strict=True))
    return stages(recording.plan, given, recording.results, State()), arrays


def chain(x: Any) -> Any:
    for _ in range(4):
        x = (x * 1.01 + 0.1).tanh()
    return x


def chain_used_again(x: Any) -> Any:
    y = (x * 1.01 + 0.1).tanh() * 0.5
    return (y @ y) + y


def views(x: Any) -> Any:
    rows = (x * 2).reshape(100, -1)
    turned = rows.t() + 1
    return turned[:50] * 3


def network(x: Any) -> Any:
    hidden = torch.relu(x @ x.t())
    return (hidden @ x).softmax(1)


@pytest.mark.parametrize("function", [chain, chain_used_again, views, network])
def test_bytes_are_what_python_sees_allocated(function: Callable[..., Any]) -> None:
    found, arrays = of_function(function, torch.rand(400, 400))
    assert [each.name for each in found] == ["", *NAMES]
    for stage in found:
        run, state = stage.compiled.function, State()
        run(state, *arrays)
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            run(state, *arrays)
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert stage.bytes is not None
        # A kernel may need more for itself while it runs: never less than what results hold.
        assert stage.bytes <= most - before
        if function is not network:  # softmax has arrays of its own
            assert most - before <= stage.bytes + OVERHEAD, stage.name
    assert found[-1].bytes < found[0].bytes  # type: ignore[operator]


def test_each_stage_gives_the_same() -> None:
    found, arrays = of_function(chain_used_again, torch.rand(300, 300))
    expected = chain_used_again(torch.tensor(arrays[0]))._data
    for stage in found:
        (result,) = stage.compiled(arrays, State())
        np.testing.assert_allclose(result, expected, rtol=1e-4)


def test_calls_of_a_block_count_as_one() -> None:
    found, _ = of_function(chain, torch.rand(400, 400))
    nodes = {each.name: each.nodes for each in found}
    assert (nodes[""], nodes["dead"], nodes["fusion"]) == (12, 12, 1)


def test_what_cannot_run_has_no_figures() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        y = x * 1 + x
        found = stages(plan([y.op], [], graph.root), {}, [y], State())
    assert {(each.bytes, each.seconds, each.spread) for each in found} == {(None, None, None)}
    assert (found[0].nodes, found[-1].nodes) == (2, 1)
