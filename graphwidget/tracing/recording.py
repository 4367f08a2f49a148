"""A recorded function: its graph, and its runs on tensors, forward and back.

Random numbers are drawn from the engine's generator by the very function that drew them while the
program was recorded, so both draw alike from one seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..autograd.backward import grad
from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad
from ..graph import runtime
from ..graph.tensor import Tensor
from ..graph.version import bump
from ..random import default_generator, fork_rng
from ..static.compiler import Compiled
from ..static.differentiate import backprop
from ..static.errors import OpError
from ..static.graph import Graph, Operation
from ..static.runner import KINDS, Env, State, execute, plan
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


KINDS["Draw"] = run_draw


# -------------------------------------------------------------------------------------------------
class GuardFailed(OpError):
    """Python would see something else this time."""

    def __init__(self, operation: Operation) -> None:
        super().__init__(None, operation, operation.params["guard"].where)


def run_guard(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """Do nothing if Python would see the same.

    Raises:
        GuardFailed: it would not.
    """
    if not operation.params["guard"].holds(*(env[each] for each in operation.operands)):
        raise GuardFailed(operation)
    return ()


KINDS["Guard"] = run_guard


class Recording:
    """One way through a function, for arguments of certain types and shapes.

    ``inputs`` and ``captured`` are the symbols of arguments and of tensors from the surroundings;
    ``outputs`` those of the results; ``effects`` say what is written into which tensor afterwards.
    """

    def __init__(
        self, graph: Graph, inputs: list[Symbol], captured: dict[Symbol, Tensor],
        changed: set[Symbol], outputs: list[Symbol], wanted: list[bool],
        effects: list[tuple[Symbol, Symbol]],
    ) -> None:  # fmt: skip
        self.graph, self.inputs, self.captured, self.changed = graph, inputs, captured, changed
        self.outputs, self.wanted, self.effects = outputs, wanted, effects
        self.written = {source for source, _ in effects} | changed
        """Symbols of what has another value afterwards; the graph goes on with the old one."""
        self.state = State()
        self._backward: dict[Any, Backward] = {}
        self._compiled: Compiled | None = None
        self._kept: list[Symbol] = []
        """Values of the compiled function: the results, and those that backward reads."""
        self._runs = 0
        roots = [each.op for each in self.results]
        roots += [each for each in graph.operations if runs_anyway(each)]
        self.plan = plan(roots, [*inputs, *captured], graph.root)
        self.draws = [each.outputs[0] for each in self.plan if each.type == "Draw"]
        """Random numbers, which a run must not draw twice."""

    @property
    def results(self) -> list[Symbol]:
        """Results of a call and values that it writes into tensors; each once."""
        found = [*self.outputs, *(value for _, value in self.effects)]
        given = {*self.inputs, *self.captured}
        return [each for each in dict.fromkeys(found) if each not in given]

    def execute(self, arrays: Sequence[np.ndarray], captured: Sequence[np.ndarray]) -> Env:
        """The values of everything, for these arrays.

        Raises:
            GuardFailed: this is not the way that the function would take.
        """
        symbols = (*self.inputs, *self.captured)
        env: Env = {
            symbol: array.copy() if symbol in self.written else array
            for symbol, array in zip(symbols, (*arrays, *captured), strict=True)
        }
        self._runs += 1
        if self._runs == 1:  # only to see whether it gives what it should
            execute(self.plan, env, self.state)
            return env
        if self._compiled is None:
            self._kept = self.kept()
            self._compiled = Compiled(self.plan, symbols, self._kept)
        found = self._compiled(list(env.values()), self.state)
        env.update(zip(self._kept, map(np.asarray, found), strict=True))
        return env

    def kept(self) -> list[Symbol]:
        """Values that a run must compute, each once."""
        more = [each for backward in self._backward.values() for each in backward.needs]
        given = {*self.inputs, *self.captured, *self.results}
        others = [each for each in dict.fromkeys([*more, *self.draws]) if each not in given]
        return [*self.results, *others]

    def run(self, tensors: Sequence[Tensor], function: Callable[..., Any]) -> list[Any]:
        """The results for tensors, with a history if they want one.

        Args:
            function: the recorded one, of the same tensors: what derivatives of derivatives are
                taken of.
        """
        captured = list(self.captured.values())
        arrays, kept = [each._data for each in tensors], [each._data for each in captured]
        random = default_generator.get_state() if self.draws else None
        try:
            env = self.execute(arrays, kept)
        except GuardFailed:
            if random is not None:  # nothing has been drawn
                default_generator.set_state(random)
            raise
        needs = runtime.grad_enabled() and any(self.wanted)
        if needs:
            call = Call(self, env, function, [*tensors, *captured], len(tensors), random)
            found = CompiledFunction.apply(call, *tensors, *captured)
            found = found if isinstance(found, tuple) else (found,)
        else:
            found = tuple(Tensor._wrap(own(env[each])) for each in self.outputs)
        self.take_effect(env, tensors)
        return list(found)

    def result(self, symbol: Symbol, env: Env) -> np.ndarray:
        """An output as the user gets it: a copy, if backward may read it, for he may write it."""
        known = self._backward.values()
        if known and not any(symbol in backward.needs for backward in known):
            return own(env[symbol])
        return np.array(env[symbol])

    def take_effect(self, env: Env, tensors: Sequence[Tensor]) -> None:
        """Write into the tensors what the function does."""
        targets = dict(zip(self.inputs, tensors, strict=True)) | self.captured
        for symbol, value in self.effects:
            target = targets[symbol]
            np.copyto(target._data, env[value])
            bump(target, "copy_")
        for symbol in self.changed:
            np.copyto(targets[symbol]._data, env[symbol])

    def gradients(self, env: Env, grads: Sequence[Any], which: tuple[int, ...]) -> list[Any]:
        """The gradients of these of all inputs, by those of the outputs."""
        key = which, tuple(each is not None for each in grads)
        backward = self._backward.get(key)
        if backward is None:
            backward = self._backward[key] = self._build(grads, which)
            self._compiled = None  # from now on it gives what this needs
        if any(each not in env for each in backward.needs):
            env = {each: env[each] for each in (*self.inputs, *self.captured, *self.draws)}
            again = [each for each in self.plan if each.type not in ("Draw", "Guard")]
            execute(again, env, self.state)
        given = [each for each in grads if each is not None]
        found = iter(backward.compiled([*given, *(env[each] for each in backward.needs)],
                                       self.state))  # fmt: skip
        return [None if each is None else next(found) for each in backward.wanted]

    def _build(self, grads: Sequence[Any], which: tuple[int, ...]) -> Backward:
        graph = self.graph
        xs = [[*self.inputs, *self.captured][place] for place in which]
        with graph.as_default(), graph.name_scope("gradients"):
            pairs = []
            for out, grad in zip(self.outputs, grads, strict=True):
                if grad is not None:
                    spec = Spec(out.dtype, out.sizes)
                    made = graph.create("Placeholder", (), [spec], name="grad_ys")
                    pairs.append((out, made.outputs[0]))
            found = backprop(graph, pairs, xs)
        given = [symbol for _, symbol in pairs]
        ran = {each for operation in self.plan for each in operation.outputs}
        ran |= {*self.inputs, *self.captured}
        wanted = [each for each in found if each is not None]
        operations = plan([each.op for each in wanted], [*given, *ran], graph.root)
        read = {each for operation in operations for each in operation.operands}
        read |= {each for operation in operations for region in operation.regions
                 for each in region.captures()}  # fmt: skip
        needs = [each for each in ran if each in read or each in wanted]
        return Backward(found, needs, Compiled(operations, [*given, *needs], wanted))


class Backward(NamedTuple):
    """Computation of gradients: those there are, the values they need of a run, and a function."""

    wanted: list[Symbol | None]
    needs: list[Symbol]
    compiled: Compiled


def runs_anyway(operation: Operation) -> bool:
    """Return whether an operation has effects besides its results."""
    if operation.op is None:
        return operation.type in ("Guard", "Draw")
    return bool(operation.op.mutates)


def own(array: np.ndarray) -> np.ndarray:
    """An array of its own."""
    return np.array(array) if array.base is not None or not array.flags.writeable else array


class Call:
    """Values of one call of a recording that backward needs."""

    def __init__(
        self, recording: Recording, env: Env, function: Callable[..., Any],
        tensors: list[Tensor], count: int, random: Any,
    ) -> None:  # fmt: skip
        self.recording, self.env, self.function = recording, env, function
        self.tensors, self.count, self.random = tensors, count, random


class CompiledFunction(Function):
    """A recorded function as one node of the dynamic graph."""

    @staticmethod
    def forward(ctx: Any, call: Call, *tensors: Tensor) -> Any:
        """Hand out what was computed."""
        recording = call.recording
        ctx.call = call
        symbols = (*recording.inputs, *recording.captured)
        # What is written meanwhile has been copied; a write into anything else is found out.
        ctx.save_for_backward(*(
            each for each, symbol in zip(tensors, symbols, strict=True)
            if symbol not in recording.written
        ))  # fmt: skip
        ctx.set_materialize_grads(False)
        found = [Tensor._wrap(recording.result(each, call.env)) for each in recording.outputs]
        ctx.mark_non_differentiable(
            *(each for each, wanted in zip(found, recording.wanted, strict=True) if not wanted)
        )
        return tuple(found)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradients of the tensors: of the recorded function's graph, or (where they get a
        history of their own) of the function itself."""
        ctx.saved_tensors  # noqa: B018  (unwritten since, and not released)
        call: Call = ctx.call
        tensors = call.tensors
        wanted = [i for i in range(len(tensors)) if ctx.needs_input_grad[i + 1]]
        if runtime.grad_enabled():
            return (None, *eager_gradients(call, tensors, grads, wanted))
        arrays = [None if each is None else each._data for each in grads]
        found = call.recording.gradients(call.env, arrays, tuple(wanted))
        results: list[Any] = [None] * len(tensors)
        for place, array in zip(wanted, found, strict=True):
            results[place] = None if array is None else Tensor._wrap(np.asarray(array))
        return (None, *results)


def eager_gradients(
    call: Call, tensors: Sequence[Tensor], grads: Sequence[Any], wanted: Sequence[int]
) -> list[Any]:
    """The same by running the function once more on the dynamic engine, with a history."""

    with enable_grad(), drawing_from(call.random):
        outputs = call.function(*tensors[: call.count])
        pairs = [(out, each) for out, each in zip(outputs, grads, strict=True)
                 if each is not None and out.requires_grad]  # fmt: skip
        found = grad(
            [out for out, _ in pairs], [tensors[i] for i in wanted], [each for _, each in pairs],
            create_graph=True, allow_unused=True,
        )  # fmt: skip
    results: list[Any] = [None] * len(tensors)
    for place, each in zip(wanted, found, strict=True):
        results[place] = each
    return results
