"""Terms of a loss that are constants: what they were computed from learns nothing by them.

A gradient without a graph of its own, a number that was a tensor, or a part that was cut off is
added to a loss like any other term. The other terms have gradients, so nothing fails.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from ...recording.findings import Finding, Place
from ...recording.fold import Model, Row
from ...recording.sites import Site
from . import history_fixes
from .lines import (
    name_of_value,
    place_of,
    place_of_call,
    shapes_in,
    source_of,
    statement,
    within,
)
from .loss_fixes import fix_keeping_history
from .no_graph import cut
from .statements import given_by, parsed

ADDING = frozenset({"add", "sub", "rsub", "sum", "mean", "stack", "neg"})
"""Ops that make a sum of terms; so do ``mul`` and ``div`` of a term and a factor."""
FACTORS = frozenset({"mul", "div"})
CUTS = frozenset({"detach", "data", "item"})
NUMBERS = ("item", "tolist", "numpy")
MOST = 10_000


def constant_term(model: Model, roots: Iterable[int]) -> Finding | None:
    """A gradient that was computed without a graph and is added to a loss, if there is one that
    was not cut off on purpose."""
    for call in _sums(model, roots):
        for each in call["inputs"]:
            term = model.values.get(each)
            if term is None or term["requires_grad"] or not set(term["summary"][0]) <= {1}:
                continue
            made = _gradient(model, each)
            place = None if made is None else place_of_call(model, made["call"])
            if place is not None:
                text = "No graph was recorded of this gradient: what the loss gets of it is a"
                text += " constant, from which nothing learns. Let the gradient be recorded."
                fix = history_fixes.with_create_graph(statement(model, place))
                reader = place_of_call(model, call["call"])
                return Finding("unused", reader, place, fix, text)
    return None


def _sums(model: Model, roots: Iterable[int], single: bool = False) -> Iterator[Row]:
    """The calls that add the terms of a loss; of those that are a ``single`` number."""
    waiting, seen = list(roots), set(roots)
    while waiting and len(seen) < MOST:
        row = model.values.get(waiting.pop())
        call = model.calls.get(row["call"]) if row is not None else None
        op = "" if call is None else call["op"].strip("_")
        if row is None or call is None or op not in ADDING | FACTORS:
            continue
        if single and row["summary"][0]:
            continue
        terms = [model.values[each] for each in call["inputs"] if each in model.values]
        learning = [term["value"] for term in terms if term["requires_grad"]]
        if op in ADDING:
            yield call
        elif single and len(learning) > 1:
            continue  # a product of two that learn is no sum
        waiting += [each for each in learning if each not in seen]
        seen.update(learning)


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


def lost_term(model: Model, roots: Iterable[int], numbers: Mapping[int, Site]) -> Finding | None:
    """A term of a loss that had a history and lost it, or tensors that became the numbers of
    another one on the way to it, as by ``torch.tensor([x, y])``. ``numbers`` says where tensors
    became numbers."""
    roots = [*roots]
    for call in _sums(model, roots, single=True):
        reader = place_of_call(model, call["call"])
        terms = [each for each in call["inputs"] if each in model.values]
        for each in terms:
            row = model.values[each]
            if not row["requires_grad"] and not row["summary"][0]:
                others = {other for other in terms if other != each}
                found = _cut_before(model, row, others)
                if found is not None:
                    return _lost(model, *found, reader)
        if reader is not None and len(terms) < len(call["inputs"]):
            found_number = _number(model, reader, numbers)
            if found_number is not None:
                return found_number
    return _copied(model, roots)


def _cut_before(model: Model, row: Row, others: set[int]) -> tuple[Row, Row] | None:
    """The call by which a term lost its history, with what it made; but where the same value is a
    term with its history too, as in ``x - x.detach()``."""
    waiting, seen = [row], {row["value"]}
    while waiting and len(seen) < MOST:
        made = waiting.pop()
        call = model.calls.get(made["call"])
        if call is None or made["summary"][0]:
            continue
        given = [model.values[each] for each in call["inputs"] if each in model.values]
        learning = {each["value"] for each in given if each["requires_grad"]}
        if learning:
            same = not learning.isdisjoint(others)
            return None if same or call["op"] == "grad" else (call, made)
        waiting += [each for each in given if each["value"] not in seen]
        seen.update(each["value"] for each in given)
    return None


def _lost(model: Model, call: Row, made: Row, reader: Place | None) -> Finding:
    found = cut(model, call, made, reader)
    given = [model.values[each] for each in call["inputs"] if each in model.values]
    names = [name_of_value(model, row["value"]) for row in given if row["requires_grad"]]
    name = next(filter(None, names), "") or name_of_value(model, made["value"])
    return found._replace(kind="unused", text=f"{_constant(name)} {found.text}")


def _constant(name: str) -> str:
    return (
        f"What the loss gets of {name or 'one of its terms'} is a constant: nothing learns by "
        "this term."
    )


def _number(model: Model, reader: Place, numbers: Mapping[int, Site]) -> Finding | None:
    """Of a line that adds a number to a loss: the tensor that this number was."""
    line = parsed(statement(model, reader))
    sides = [
        side
        for node in ast.walk(line or ast.Pass())
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)
        for side in (node.left, node.right)
    ]
    sides += [line.value] if isinstance(line, ast.AugAssign) else []
    tensors = shapes_in(model, reader)
    for value, site in reversed([*numbers.items()]):
        place = place_of(site)
        if place is None or (place.file, place.function) != (reader.file, reader.function):
            continue
        given = {*given_by(statement(model, place))} if place.line != reader.line else set()
        for side in sides:
            read = {ast.unparse(x) for x in ast.walk(side) if isinstance(x, ast.expr)}
            turned = any(each.endswith(tuple(f".{x}()" for x in NUMBERS)) for each in read)
            turned = turned or any(each.startswith("float(") for each in read)
            here = place.line == reader.line and turned
            if not here and (given.isdisjoint(read) or not read.isdisjoint(tensors)):
                continue
            name = name_of_value(model, value)
            text = f"{_constant(name)} It became a number here."
            fix = fix_keeping_history(model, place, None)
            return Finding("unused", reader, place, fix, text)
    return None


def _copied(model: Model, roots: Iterable[int]) -> Finding | None:
    """Tensors with a history whose numbers were copied into one that the loss is computed from."""
    waiting, seen = list(roots), set(roots)
    while waiting and len(seen) < MOST:
        row = model.values.get(waiting.pop())
        call = model.calls.get(row["call"]) if row is not None else None
        if row is None or call is None:
            continue
        given = [model.values[each] for each in call["inputs"] if each in model.values]
        learning = [each for each in given if each["requires_grad"]]
        if call["op"] in history_fixes.COPIES and learning and not row["requires_grad"]:
            place = place_of_call(model, call["call"])
            if place is None:
                continue
            names = [name_of_value(model, each["value"]) for each in learning]
            named = " and ".join(dict.fromkeys(filter(None, names))) or "them"
            text = "torch.tensor() copies numbers, and not their history: what the loss gets of "
            text += f"{named} is a constant."
            line, source = statement(model, place), source_of(model, place)
            lists, known = history_fixes.lists_in(within(source, place)), shapes_in(model, place)
            fix = history_fixes.lines_keeping_tensors(line, line, lists, call["op"], known)
            return Finding("unused", None, place, fix, text)
        waiting += [each["value"] for each in given if each["value"] not in seen]
        seen.update(each["value"] for each in given)
    return None
