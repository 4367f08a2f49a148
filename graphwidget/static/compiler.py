"""Compiles a static graph's operations to one flat Python function of numpy calls.

``writer.py`` writes the lines. They belong to steps, so that an error in one names its operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import Context
from typing import Any

import numpy as np

from .errors import InvalidArgumentError, OpError, while_running
from .function_text import Text
from .passes import optimised, program_of
from .runner import Ref, State, words
from .symbol import Symbol
from .writer import Writer

NAME = "<static graph>"


class Compiled:
    """A program as a function of the values given and a session's state."""

    def __init__(self, operations: Sequence[Any], given: Sequence[Symbol],
                 wanted: Sequence[Symbol]) -> None:  # fmt: skip
        self.program = optimised(program_of(operations, given, wanted))
        self.given = tuple(given)
        self.text = Text(self.given)
        writer = Writer(self.program, self.text)
        writer.write_whole()
        self.blocks, self.over, self.dying = writer.blocks, writer.over, writer.forgotten
        self.source = "\n".join(self.text.lines) + "\n"
        scope = self.text.scope
        exec(compile(self.source, NAME, "exec"), scope)
        self.function: Callable[..., tuple[Any, ...]] = scope["run"]
        self.leaves = self.text.leaves
        self.numbers = all(each in self.text.numbers for each in wanted)
        """True if all fetches are numpy scalars, which own their memory."""

    def __call__(self, values: Sequence[Any], state: State) -> tuple[Any, ...]:
        """The wanted values.

        Raises:
            OpError: an operation failed.
        """
        try:
            if self.leaves:  # for where the caller is
                with np.errstate(all="ignore"):
                    return self.function(state, *values)
            try:
                silent = _silent.pop()
            except IndexError:  # the others are in use
                silent = silence()
            try:
                return silent.run(self.function, state, *values)
            finally:
                _silent.append(silent)
        except OpError:
            raise
        except Exception as error:
            raise self._named(error) from error

    def _named(self, error: Exception) -> Exception:
        """An error with the operation in whose line it arose."""
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != NAME:
            trace = trace.tb_next
        step = None if trace is None else self.text.steps.get(trace.tb_lineno)
        if step is None or trace is None:
            return error
        found, names = trace.tb_frame.f_locals, self.text.names
        env: dict[Symbol, Any] = dict(self.text.constants)
        env.update((each, found[names[each]]) for each in step.reads if names.get(each) in found)
        env = {each: value for each, value in env.items() if not isinstance(value, Ref)}
        return while_running(
            InvalidArgumentError, step.operation, words(step.operation, env, error)
        )


_silent: list[Context] = []
"""Contexts in which numpy says nothing of overflows. Entering one takes a tenth of the time of
``np.errstate``; each is used by one run at a time."""


def silence() -> Context:
    """A new context in which numpy says nothing of overflows."""
    made = Context()
    made.run(np.seterr, all="ignore")
    return made
