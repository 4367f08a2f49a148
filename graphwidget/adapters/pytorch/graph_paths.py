"""Finds the nodes of a recorded graph between others, and the statements that made them."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from ...recording.findings import Place
from ...recording.fold import Model, Row
from .lines import seen_from, statement

MOST = 5
"""Lines that a reader will copy to run them once more."""


def reached(model: Model, roots: Iterable[int]) -> set[int]:
    """The nodes that ways from the ``roots`` back lead to, those included."""
    found: set[int] = set()
    waiting = [*roots]
    while waiting:
        number = waiting.pop()
        if number not in found and number in model.nodes:
            found.add(number)
            waiting += [before for before, _nr in model.nodes[number]["next"] if before is not None]
    return found


def between(model: Model, roots: Iterable[int], ends: Iterable[int]) -> list[Row]:
    """The nodes on the ways from the ``roots`` back to the ``ends``, those included; the order is
    that in which they were made."""
    found = reached(model, roots)
    leading = set(ends)
    for number in sorted(found):  # what a node leads to was emitted before it
        if any(before in leading for before, _nr in model.nodes[number]["next"]):
            leading.add(number)
    return [model.nodes[number] for number in sorted(found & leading)]


def anew(
    model: Model, roots: Iterable[int], ends: Iterable[int], function: str, until: float = inf
) -> dict[str, Place]:
    """The statements of ``function`` that made what lies between the roots and the ends, as far as
    they ran before that time, with their lines; none if one is not known, or if they are too many
    to be copied."""
    found: dict[str, Place] = {}
    for node in between(model, roots, ends):
        if node["call"] is None or node["time"] >= until:
            continue
        place = seen_from(model, node["call"], function)
        if place is None:
            return {}
        found.setdefault(statement(model, place), place)
    return found if len(found) <= MOST else {}
