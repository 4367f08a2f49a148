"""The order in which a backward run visits nodes, and which of them it needs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

from ..graph.node import AccumulateGrad, Output, output_of

_marks = itertools.count(1).__next__
SEQUENCE = attrgetter("seq")


def collect(roots: Sequence[Any]) -> list[Any]:
    """All targets reachable from the roots in the order in which they will run.

    One thread at a time: leaves shared between threads carry a run's order for a moment.
    """
    mark = _marks()
    order: list[Any] = []
    for root in roots:
        if root.mark != mark:
            root.mark = mark
            order.append(root)
            if root.__class__ is AccumulateGrad:
                root.seq = math.inf
    for target in order:  # which grows meanwhile
        target.collect(mark, order)
    order.sort(key=SEQUENCE, reverse=True)
    return order


def nodes_needed_for(
    captures: Iterable[Any], order: list[Any], roots: Sequence[Any], into_grad: bool
) -> tuple[list[Any], set[Any]]:
    """The part of an order on the way to wanted targets, and those in it that must really run.

    The inputs of ``inputs=`` (``into_grad``) run, too, and a single root's tensor hooks are called
    in any case, as PyTorch does.
    """
    wanted, through = set(captures), set()
    if into_grad:  # then the node of an output runs, too
        wanted |= {target.node for target in wanted if target.__class__ is Output}
    # PyTorch looks for a tensor's gradient at its node: the hooks of all its outputs run.
    nodes = {target.node for target in wanted if target.__class__ is Output}
    needed: set[Any] = set()
    for target in reversed(order):
        if not needed.isdisjoint(target.next):
            through.add(target)
            needed.add(target)
        elif target in wanted or (target.__class__ is Output and target.node in nodes):
            needed.add(target)
            if into_grad:
                through.add(target)
    if len(roots) == 1:
        needed.add(roots[0])
    alone = {node for node in nodes - needed if node.hooks is not None}
    if not alone:
        return [target for target in order if target in needed], through
    found: dict[int, Any] = {}  # by identity: one output may have several equal edges
    for target in order:
        if target.__class__ is Output and target.node in alone:
            found |= {id(each): each for each in hooked_outputs(target, needed)}
        if target in needed:
            found[id(target)] = target
    return list(found.values()), through


def hooked_outputs(output: Output, targets: set[Any]) -> list[Output]:
    """The outputs of this one's node that have hooks, in the order in which they got them: those
    among the targets, and new ones for those that nothing reaches."""
    node, there = output.node, {each: each for each in targets}
    found = []
    for nr, hooks in node._hooks().outputs.items():
        made = output_of(node, nr)
        made.hooks = hooks
        found.append(there.get(made, made))
    return found
