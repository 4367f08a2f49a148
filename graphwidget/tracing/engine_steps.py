"""Steps of a recorded graph that the engine takes: random numbers, and users' ``Function``s.

Random numbers are drawn from the engine's generator by the very function that drew them while the
program was recorded, so that a graph and the program it was made of draw alike from one seed. Of a
user's ``Function`` the forward is recorded like any code; its results go through an operation that
hands them on, and whose derivative calls the user's backward.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..autograd.backward import grad
from ..autograd.grad_mode import enable_grad
from ..graph.listeners import get_observer, set_observer
from ..graph.tensor import Tensor
from ..random import default_generator, fork_rng
from ..static.differentiate import SPECIAL, Given, Pairs
from ..static.graph import Graph, Operation
from ..static.runner import KINDS, Env, State
from ..static.symbol import Spec, Symbol


# Random numbers ----------------------------------------------------------------------------------
def run_draw(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """New random numbers."""
    return (np.asarray(operation.params["numbers"]()),)


def other_random_states() -> Any:
    """The states of Python's and numpy's own random numbers, to be compared."""
    kind, key, *rest = np.random.get_state()
    return random.getstate(), kind, np.asarray(key).tobytes(), tuple(rest)


@contextmanager
def drawing_from(state: Any) -> Iterator[None]:
    """Random numbers as they were drawn from a state on; None: as they come."""
    if state is None:
        yield
        return
    with fork_rng():
        default_generator.set_state(state)
        yield


# Users' Functions --------------------------------------------------------------------------------
def hand_through(
    graph: Graph, function: Any, args: Sequence[Any], given: Sequence[Symbol | None],
    outputs: Sequence[Any], results: Sequence[Symbol],
) -> list[Symbol]:  # fmt: skip
    """The results of a ``Function``, with its derivative.

    Args:
        given: the symbols of the arguments that are tensors, None for the others.
        outputs: all that it gave.
        results: the symbols of those outputs that have a gradient.
    """
    tensors = [each for each in given if each is not None]
    params = {
        "function": function,
        "args": [None if isinstance(each, Tensor) else each for each in args],
        "tensors": [isinstance(each, Tensor) for each in args],
        "outputs": [isinstance(each, Tensor) and each._requires_grad for each in outputs],
    }
    made = graph.create("Function", (*results, *tensors), [each.spec for each in results],
                        params=params, name=function.__name__)  # fmt: skip
    return list(made.outputs)


def run_function(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """The results, as they were computed."""
    return [env[each] for each in operation.operands[: len(operation.outputs)]]


def function_gradient(operation: Operation, grads: Given) -> Pairs:
    """The gradients of a ``Function``'s tensors, which its backward computes in each run."""
    tensors = operation.operands[len(operation.outputs) :]
    targets = [each for each in tensors if each.dtype.is_floating]
    made = operation.graph.create(
        "FunctionGrad", (*grads, *tensors), [Spec(each.dtype, each.sizes) for each in targets],
        params={**operation.params, "count": len(grads)},
    )  # fmt: skip
    return list(zip(targets, made.outputs, strict=True))


def run_function_gradient(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """Run the ``Function`` again, unseen, and its backward."""
    params, count = operation.params, operation.params["count"]
    given = [None if each is None else env[each] for each in operation.inputs]
    leaves = [Tensor._wrap(np.array(each)) for each in given[count:]]
    rest = iter(leaves)
    args = [
        next(rest) if is_tensor else each
        for each, is_tensor in zip(params["args"], params["tensors"], strict=True)
    ]
    floats = [each for each in leaves if each._meta.floating]
    observer = get_observer()
    set_observer(None)
    try:
        with enable_grad():
            for each in floats:
                each.requires_grad_()
            found = params["function"].apply(*args)
            found = found if isinstance(found, tuple) else (found,)
            wanted = [each for each, on in zip(found, params["outputs"], strict=True) if on]
            pairs = [(out, each) for out, each in zip(wanted, given[:count], strict=True)
                     if each is not None]  # fmt: skip
            ys, weights = [out for out, _ in pairs], [Tensor._wrap(each) for _, each in pairs]
            grads = grad(ys, floats, weights, allow_unused=True)
    finally:
        set_observer(observer)
    return [
        np.zeros_like(leaf._data) if each is None else each._data
        for leaf, each in zip(floats, grads, strict=True)
    ]


KINDS.update({"Draw": run_draw, "Function": run_function, "FunctionGrad": run_function_gradient})
SPECIAL["Function"] = function_gradient
