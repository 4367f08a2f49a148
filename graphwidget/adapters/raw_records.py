"""The layout of records: their kinds, and the items of each.

An adapter records what it observes as tuples of a function and its arguments; the function makes
events of them later, if they are wanted. Tuples without names are the cheapest to make; this file
names their items for code that reads a record before that. The death of a value or of a node is a
record by itself: the ``Ref`` or ``NodeRef`` that has died.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..recording.recorder import Ref
from .scope_marks import Given, Records

FUNCTION = 0
POSITION, DID = 1, 2
"""Of records that say where the program stood: its ``Position``, and what it did there."""

MADE, NODE = 5, 6
"""Of a ``call``: its results, each with its ``Ref`` first; and its node's ``NodeRef`` or None. (Of
calls of PyTorch's, whose nodes have records of their own, always None.)"""

VALUE, PARAMETER = 1, 4
"""Of a ``value`` that is emitted: its ``Ref``, and whether it is a parameter."""

NODE_REF, NODE_EVENT = 1, 2
"""Of a ``node`` that is emitted by itself: its ``NodeRef`` and its event."""

RUN_EVENT = 3
"""Of a backward run that ``begin``s: its event."""

RAN, FREED = 2, 3
"""Of a node that may ``finish``: its ``NodeRef``, and True if that freed what it had saved."""

FREED_NODE = 1
"""Of what is ``free``d: the node's id."""

EVENT = 1
"""Of an event that is emitted unchanged: the event."""

MARK = 1
"""Of scopes that open and close: the ``Mark``."""

DEATH, NODE_DEATH = "death", "node death"
"""Kinds of the records of deaths of values and of nodes."""

Groups = dict[str, Records]
"""Records by their kinds."""

Named = Callable[[Any], Sequence[Given]]
"""Function that returns the values that a record names."""


def kind_of(record: Any, kinds: Mapping[Any, str]) -> str:
    """The kind of a record, as ``kinds`` has it by the record's function."""
    if record.__class__ is tuple:
        return kinds.get(record[FUNCTION], "other")
    return DEATH if record.__class__ is Ref else NODE_DEATH


def roots_of(record: Any) -> Iterable[int]:
    """The values that a run goes backward from, of the record that it begins with."""
    return [value for value, _edge in record[RUN_EVENT].roots if value is not None]


def ref_of(record: Any, value: int) -> Any:
    """The identity of a value in the record that made or emitted it."""
    if type(record[VALUE]) is Ref:
        return record[VALUE]
    return next(made[0] for made in record[MADE] if made[0].id == value)
