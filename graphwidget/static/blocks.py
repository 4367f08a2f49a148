"""Pointwise steps on large arrays, run together block by block.

Twenty steps over a million numbers read and write memory forty times if each runs over all of them;
over blocks that fit into the cache, it is read and written once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .passes import Program, Step, itemwise
from .symbol import Symbol

SMALLEST = 1 << 16
"""Items from which on blocks pay."""
ITEMS = 1 << 16
"""Items of a block: 256 kB of float32. Smaller ones cost more calls than the cache gives back."""
INNER = 4
"""Steps that must lie in a block for each result: what is read later is written to memory all
the same, and then blocks were measured to be slower than whole arrays."""


@dataclass(frozen=True)
class Block:
    """Pointwise steps in a row on arrays of one size; ``results`` are read after it."""

    steps: tuple[Step, ...]
    outer: tuple[Symbol, ...]
    results: tuple[Symbol, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The shape of its arrays."""
        return tuple(size or 0 for size in self.steps[0].outputs[0].sizes or ())

    @property
    def count(self) -> int:
        """Number of items of the array."""
        return math.prod(self.sizes)

    @property
    def whole(self) -> list[Symbol]:
        """Arrays that it reads block by block."""
        return [each for each in self.outer if each.sizes == self.sizes]

    def locals(self, mark: int) -> list[str]:
        """The variables that only its lines use, and that would hold memory on."""
        parts = [f"w{place}" for place in range(len(self.whole))]
        parts += [f"r{place}" for place in range(len(self.results))]
        return [*parts, *sorted(set(self.homes({}, mark).values()))]

    @property
    def scratch(self) -> int:
        """Bytes of the buffers for what is not read after it."""
        types: dict[str, Any] = {}
        homes = set(self.homes(types, 0).values())
        return sum(ITEMS * np.dtype(types[f"type_{home}"]).itemsize for home in homes)

    def lines(
        self, name: Callable[[Symbol], str], scope: dict[str, Any], mark: int
    ) -> Iterator[tuple[str, Step]]:
        """The lines that run it, each with the step that it belongs to."""
        first, sizes, count = self.steps[0], self.sizes, self.count
        scope[f"shape_{mark}"] = sizes
        local: dict[Symbol, str] = {}
        for place, each in enumerate(self.whole):
            yield f"w{place} = {name(each)}.reshape(-1)", first
            local[each] = f"w{place}[i:j]"
        for place, each in enumerate(self.results):
            scope[f"type_{mark}_{place}"] = each.dtype.numpy
            yield f"{name(each)} = empty(shape_{mark}, type_{mark}_{place})", first
            yield f"r{place} = {name(each)}.reshape(-1)", first
            local[each] = f"r{place}[i:j]"
        homes = self.homes(scope, mark)
        for home in sorted(set(homes.values())):
            yield f"{home} = empty({ITEMS}, type_{home})", first
        yield f"for i in range(0, {count}, {ITEMS}):", first
        yield f"    j = min(i + {ITEMS}, {count}); n = j - i", first
        for step in self.steps:
            assert step.op is not None
            kernel = f"k_{step.op.key.replace('.', '_')}"
            scope[kernel] = step.op.kernel
            out = step.outputs[0]
            args = [local.get(each) or name(each) for each in step.inputs if each is not None]
            local.setdefault(out, f"{homes[out]}[:n]" if out in homes else "")
            yield f"    {kernel}({', '.join(args)}, {local[out]})", step

    def homes(self, scope: dict[str, Any], mark: int) -> Mapping[Symbol, str]:
        """A buffer for each value that is not read after the block, used again when it is free."""
        last = {each: i for i, step in enumerate(self.steps) for each in step.inputs
                if each is not None}  # fmt: skip
        free: dict[Any, list[str]] = {}
        found: dict[Symbol, str] = {}
        made = 0
        for place, step in enumerate(self.steps):
            for each in {each for each in step.inputs if each in found and last[each] == place}:
                assert each is not None
                free.setdefault(each.dtype.numpy, []).append(found[each])
            out = step.outputs[0]
            if out in self.results:
                continue
            dtype = out.dtype.numpy
            if free.get(dtype):
                found[out] = free[dtype].pop()
            else:
                found[out] = f"b{mark}_{made}"
                scope[f"type_{found[out]}"] = dtype
                made += 1
        return found


def find_blocks(program: Program, last: Mapping[Symbol, int]) -> dict[int, Block]:
    """The blocks of a program by the place of their first step."""
    found: dict[int, Block] = {}
    start, steps = 0, program.steps
    while start < len(steps):
        end = start
        while end < len(steps) and fits(steps[end], steps[start].outputs):
            end += 1
        if end - start > 1:
            block = block_of(program, start, end, last)
            if len(block.steps) >= INNER * len(block.results):
                found[start] = block
        start = max(end, start + 1)
    return found


def fits(step: Step, like: tuple[Symbol, ...]) -> bool:
    """Return whether a step works item by item on large arrays like these, or with single
    numbers."""
    if not itemwise(step) or not like:
        return False
    sizes = like[0].sizes
    if sizes is None or None in sizes or step.outputs[0].sizes != sizes:
        return False
    if math.prod(size or 0 for size in sizes) < SMALLEST:
        return False
    return not step.params and all(
        each is not None and not each.dtype.is_ref and each.sizes in (sizes, ())
        for each in step.inputs
    )


def block_of(program: Program, start: int, end: int, last: Mapping[Symbol, int]) -> Block:
    """The block of some steps."""
    steps = program.steps[start:end]
    inside = {each for step in steps for each in step.outputs}
    outer = dict.fromkeys(
        each for step in steps for each in step.inputs if each is not None and each not in inside
    )
    results = [
        each for step in steps for each in step.outputs
        if each in program.wanted or last.get(each, -1) >= end
    ]  # fmt: skip
    return Block(steps, tuple(outer), tuple(results))
