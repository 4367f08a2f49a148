"""Recurrent layers over packed sequences, whose number of rows shrinks from step to step.

The sequences are sorted from long to short, so those that have ended are the last rows. A state is
a tensor (N, H), or the two of an LSTM.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..functions.shape.joins_splits import cat
from ..graph.tensor import Tensor

Step = Callable[[Tensor, Any], Any]
"""The next state, from the rows of one time and the last state."""


def permute_state(state: Tensor, order: Tensor | None) -> Tensor:
    """A state (layers, N, H) with its sequences in another order."""
    return state if order is None else state.index_select(1, order)


def _part(state: Any, start: int, end: int) -> Any:
    if isinstance(state, tuple):
        return tuple(_part(each, start, end) for each in state)
    return state[start:end]


def _joined(states: list[Any]) -> Any:
    if isinstance(states[0], tuple):
        return tuple(cat(list(each)) for each in zip(*states, strict=True))
    return cat(states)


def _hidden(state: Any) -> Tensor:
    found: Tensor = state[0] if isinstance(state, tuple) else state
    return found


def forward(step: Step, rows: Tensor, batch_sizes: list[int], state: Any) -> tuple[Tensor, Any]:
    """From the first time to the last: the hidden states of all rows, and each sequence's last
    state."""
    hidden, ends, start, last = [], [], 0, batch_sizes[0]
    for count in batch_sizes:
        part = rows[start : start + count]
        if count < last:  # the shortest have ended
            ends.append(_part(state, count, last))
            state = _part(state, 0, count)
        state = step(part, state)
        hidden.append(_hidden(state))
        start, last = start + count, count
    ends.append(state)
    return cat(hidden), _joined(ends[::-1])


def backward(step: Step, rows: Tensor, batch_sizes: list[int], state: Any) -> tuple[Tensor, Any]:
    """From the last time to the first: the hidden states of all rows, and the last state."""
    whole, hidden, end, last = state, [], rows.size(0), batch_sizes[-1]
    state = _part(whole, 0, last)
    for count in reversed(batch_sizes):
        if count > last:  # shorter sequences join
            state = _joined([state, _part(whole, last, count)])
        state = step(rows[end - count : end], state)
        hidden.append(_hidden(state))
        end, last = end - count, count
    return cat(hidden[::-1]), state
