"""Effect of each pass on a program: before, after, and the memory and time that it saves.

Nothing here is estimated: each stage is compiled and run, its time is taken, and its memory is read
off its lines (``peak``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from .compiler import Compiled
from .graph import Operation
from .listener import current
from .passes import PASSES, off, without
from .passes.program import SOURCES
from .runner import State, execute
from .symbol import Symbol

# Memory use of a compiled program ----------------------------------------------------------------

Env = Mapping[Symbol, Any]


def peak(compiled: Compiled, env: Env) -> int:
    """The most bytes that results hold at a time while the program runs.

    The lines of the program are gone through once more, with the arrays of a real run: results
    that share the memory of others (views) need none of their own, and memory that was released
    while a view of it lives on is counted on.

    Args:
        env: the arrays of a run of the same operations. What is given, and constants, are not
            counted: they are there before.
    """
    memory = Held(compiled, env)
    steps, place = compiled.program.steps, 0
    while place < len(steps):
        block = compiled.blocks.get(place)
        if block is None:
            for each in steps[place].outputs:
                memory.take(each)
            count = 1
        else:
            for each in block.results:
                memory.take(each)
            memory.note(block.scratch)
            count = len(block.steps)
        for at in range(place, place + count):
            for each in compiled.dying.get(at, ()):
                memory.drop(each)
        place += count
    return memory.most


class Held:
    """The arrays that are alive, by the memory that they share."""

    def __init__(self, compiled: Compiled, env: Env) -> None:
        self.env, self.over = env, compiled.over
        self.homes: dict[Symbol, Any] = {}
        """For each symbol what owns its memory: the id of an array, or another symbol."""
        self.users: dict[Any, set[Symbol]] = {}
        self.sizes: dict[Any, int] = {}
        self.free = {owner(env[each])[0] for each in compiled.given if each in env}
        self.free |= {owner(array)[0] for array in compiled.program.constants.values()}
        self.now = self.most = 0

    def take(self, symbol: Symbol) -> None:
        """A result is there."""
        array = self.env.get(symbol)
        operand = self.over.get(symbol)
        if not isinstance(array, np.ndarray):
            return
        home, size = owner(array)
        if operand in self.homes:
            home = self.homes[operand]
        if home in self.free:
            return
        if home not in self.users:
            self.users[home], self.sizes[home] = set(), size
            self.now += size
        self.users[home].add(symbol)
        self.homes[symbol] = home
        self.note(0)

    def note(self, more: int) -> None:
        """Record the memory in use now, and the extra memory in use for a moment."""
        self.most = max(self.most, self.now + more)

    def drop(self, symbol: Symbol) -> None:
        """Release a result that is no longer read."""
        home = self.homes.pop(symbol, None)
        if home is None:
            return
        self.users[home].discard(symbol)
        if not self.users[home]:
            del self.users[home]
            self.now -= self.sizes.pop(home)


def owner(array: Any) -> tuple[int, int]:
    """The array whose memory this one looks into, as its id, and its bytes."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return id(array), array.nbytes


# -------------------------------------------------------------------------------------------------
NAMES = (*PASSES, "fusion", "reuse")
"""All passes in their order; the last two are the compiler's own."""

ROUNDS, ROUND = 16, 0.002
"""Number of rounds in which each stage runs, and the seconds of each."""
LONGEST, AT_LEAST = 2.0, 4
"""After this number of seconds there are no more rounds than these."""

LOUD = {"Print", "Random"}
"""Operations that have an effect if they run once more."""


class Stage(NamedTuple):
    """The program after a pass (the first: as it was built), compiled.

    ``seconds`` is the quickest of several rounds, ``spread`` how much the quickest of every other
    round differed from that of the rest; None, like ``bytes``, where it could not be run.
    """

    name: str
    compiled: Compiled
    bytes: int | None
    seconds: float | None
    spread: float | None

    @property
    def nodes(self) -> int:
        """Calls, of which those of a block count as one."""
        fused = sum(len(block.steps) - 1 for block in self.compiled.blocks.values())
        calls = [each for each in self.compiled.program.steps if each.operation.type not in SOURCES]
        return len(calls) - fused


def stages(
    operations: Sequence[Operation], given: Mapping[Symbol, Any], wanted: Sequence[Symbol],
    state: State,
) -> list[Stage]:  # fmt: skip
    """The program after each pass that is on, the first as it was built.

    Args:
        operations: what ``plan`` gives.
        given: arrays for what is fed.
        state: the variables' values; it stays as it is.
    """
    names = [each for each in NAMES if each not in off]
    made = []
    for count in range(len(names) + 1):
        with without(*names[count:]):
            made.append(Compiled(operations, tuple(given), wanted))
    env = values_of(operations, given, copied(state))
    sizes = [None if env is None else peak(each, env) for each in made]
    times = [None] * len(made) if env is None else measured(made, given, copied(state))
    return [
        Stage(name, compiled, size, *(time or (None, None)))
        for name, compiled, size, time in zip(["", *names], made, sizes, times, strict=True)
    ]


def copied(state: State) -> State:
    """A state of its own with the same values: arrays of variables are never written into."""
    found = State()
    found.variables.update(state.variables)
    return found


def values_of(
    operations: Sequence[Operation], given: Mapping[Symbol, Any], state: State
) -> dict[Symbol, Any] | None:
    """The arrays of a run; None where it fails, or should not be run only to look at it."""
    if any(each.type in LOUD for each in operations):
        return None
    env = {symbol: np.array(array) for symbol, array in given.items()}
    listener, current.listener = current.listener, None
    try:
        execute(operations, env, state)
    except Exception:
        return None
    finally:
        current.listener = listener
    return env


def measured(
    made: Sequence[Compiled], given: Mapping[Symbol, Any], state: State
) -> list[tuple[float, float] | None]:
    """(seconds, spread) of a run of each. They alternate, so that what else the machine does
    meanwhile troubles all alike."""
    values = [np.array(array) for array in given.values()]
    with np.errstate(all="ignore"):
        first = [timed(each, values, state, 1) for each in made]
        first = [
            min(one, timed(each, values, state, 1)) for each, one in zip(made, first, strict=True)
        ]
        often = [max(1, math.ceil(ROUND / max(one, 1e-7))) for one in first]
        found: list[list[float]] = [[] for _ in made]
        begin = perf_counter()
        for count in range(ROUNDS):
            if count >= AT_LEAST and perf_counter() - begin > LONGEST:
                break
            for each, times, own in zip(made, often, found, strict=True):
                own.append(timed(each, values, state, times) / times)
    return [(min(own), abs(min(own[::2]) - min(own[1::2]))) for own in found]


def timed(compiled: Compiled, values: Sequence[Any], state: State, times: int) -> float:
    """Seconds of a number of runs."""
    run = compiled.function
    begin = perf_counter()
    for _ in range(times):
        run(state, *values)
    return perf_counter() - begin
