"""Passes: what makes a program shorter before it runs; each can be switched off."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from .program import Pass, Program, Step, items, itemwise, program_of
from .simplify import (
    fold_constants,
    remove_dead_code,
    share_common_parts,
    simplify,
    stabilise,
)
from .uniform import narrow

PASSES: dict[str, Pass] = {
    "stabilise": stabilise,
    "uniform": narrow,
    "constants": fold_constants,
    "common": share_common_parts,
    "algebra": simplify,
    "dead": remove_dead_code,
}
"""The passes by name, in the order in which they run."""

off: set[str] = set()
"""The names of passes that are switched off; ``fusion`` and ``reuse`` are the compiler's own."""


@contextlib.contextmanager
def without(*names: str) -> Iterator[None]:
    """Compile without some passes; what was compiled before stays as it is."""
    before = set(off)
    off.update(names)
    try:
        yield
    finally:
        off.clear()
        off.update(before)


def optimised(program: Program) -> Program:
    """A program after all passes that are on."""
    for name, each in PASSES.items():
        if name not in off:
            program = each(program)
    return program


__all__ = [
    "PASSES", "Pass", "Program", "Step", "items", "itemwise", "off", "optimised", "program_of",
    "without",
]  # fmt: skip
