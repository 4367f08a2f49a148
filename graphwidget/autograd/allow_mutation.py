"""``allow_mutation_on_saved_tensors``: nodes keep copies, so saved tensors may be written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..graph import input_buffers, runtime, saved_hooks

OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
    "in which the graph was originally recorded."
)
NESTED = "allow_mutation_on_saved_tensors contexts cannot be nested"


class _AllowMutationOnSavedContext:
    """True if the context in which copies were made is still open."""

    open = True


_current: _AllowMutationOnSavedContext | None = None


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[Any]:
    """Inside, tensors that nodes saved may be written: backward uses the values from before.
    Forward and backward must both be inside. Each saved value is copied when it is saved.

    Raises:
        RuntimeError: such a context is open already.
        AssertionError: in backward, outside of the context.
    """
    global _current
    if _current is not None:
        raise RuntimeError(NESTED)
    copies = _AllowMutationOnSavedContext()

    def unpack(kept: Any) -> Any:
        assert copies.open, OUTSIDE
        return kept

    saved_hooks.push(lambda tensor: runtime.Tensor._wrap(tensor._data.copy()), unpack)
    _current, input_buffers.out_of_place = copies, True
    try:
        yield copies
    finally:
        _current, copies.open, input_buffers.out_of_place = None, False, False
        saved_hooks.pop()
