"""Terms of a loss that are made of gradients without a graph: constants, which teach nothing."""

from __future__ import annotations

from collections.abc import Iterable

from ...recording.findings import Finding
from ...recording.fold import Model, Row
from . import history_fixes
from .lines import place_of_call, statement

ADDING = frozenset({"add", "sub", "rsub", "sum", "mean", "stack", "neg"})
"""What a sum of terms is made by; ``mul`` and ``div`` as well, of a term and a factor."""
FACTORS = frozenset({"mul", "div"})
CUTS = frozenset({"detach", "data", "item"})
MOST = 10_000


def constant_term(model: Model, roots: Iterable[int]) -> Finding | None:
    """A gradient that was computed without a graph and is added to a loss, if there is one that
    was not cut off on purpose."""
    waiting, seen = list(roots), set(roots)
    while waiting and len(seen) < MOST:
        row = model.values.get(waiting.pop())
        call = model.calls.get(row["call"]) if row is not None else None
        op = "" if call is None else call["op"].strip("_")
        if call is None or op not in ADDING | FACTORS:
            continue
        for each in {*call["inputs"]} - seen:
            term = model.values.get(each)
            if term is not None and term["requires_grad"]:
                seen.add(each)
                waiting.append(each)
            elif term is not None and op in ADDING and set(term["summary"][0]) <= {1}:
                made = _gradient(model, each)
                place = None if made is None else place_of_call(model, made["call"])
                if place is not None:
                    text = "No graph was recorded of this gradient: what the loss gets of it is a"
                    text += " constant, from which nothing learns. Let the gradient be recorded."
                    fix = history_fixes.with_create_graph(statement(model, place))
                    reader = place_of_call(model, call["call"])
                    return Finding("unused", reader, place, fix, text)
    return None


def _gradient(model: Model, value: int) -> Row | None:
    """The call of ``autograd.grad`` that a value without history was computed from."""
    waiting, seen = [value], {value}
    while waiting and len(seen) < MOST:
        row = model.values.get(waiting.pop())
        call = model.calls.get(row["call"]) if row is not None else None
        if call is None or call["op"] in CUTS:
            continue
        if call["op"] == "grad":
            return call
        more = {*call["inputs"]} - seen
        waiting.extend(more)
        seen |= more
    return None
