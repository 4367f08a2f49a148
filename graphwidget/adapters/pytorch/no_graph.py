"""Losses without a graph: nothing that they were computed from needs a gradient, or it was cut."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Callable, Mapping
from difflib import get_close_matches

from ...recording.findings import Finding, Place
from ...recording.fold import Model, Row
from ...recording.sites import Site
from . import fixes, history_fixes, statements
from .grad_switches import left_off, switched_off
from .lines import (
    header,
    name_of_value,
    place_in,
    place_of,
    seen_from,
    shapes_in,
    siblings,
    source_of,
    statement,
    within,
)
from .loss_fixes import as_loss, fix_keeping_history, soft_choice
from .parameter_fixes import makes_a_leaf, without_new_leaf

DETACHES = ("detach", "data")


def no_graph(
    model: Model, value: int | None, backward: Site | None, origins: Mapping[int, Site],
    numbers: Mapping[int, Site], frozen: Mapping[int, Site], held: Callable[[], set[int]],
    off: Site | None = None,
) -> Finding:  # fmt: skip
    """Nothing that the loss was computed from needs a gradient, or the graph was cut. ``held`` are
    the storages that optimizers hold; ``off`` switched gradients off, where they still are."""
    reader = place_of(backward)
    leaves, cut_at = _back_to_leaves(model, value)
    still = [number for number in leaves if number in frozen] if cut_at is not None else []
    trained = held() if still else set()
    for number in still:
        if model.values[number]["storage"] in trained:
            return _still_frozen(model, number, frozen, reader)
    if cut_at is not None:
        return cut(model, *cut_at, reader, place_of(off))
    for number in leaves:
        place = place_of(frozen.get(number))
        if place is not None:
            found = _frozen_too(model, [nr for nr in leaves if nr in frozen], held(), place, reader)
            if found is not None:
                return found
            if "False" not in place.text:
                return _still_frozen(model, number, frozen, reader)
            fix = statements.valid(place.text.replace("False", "True"))
            return Finding("no_grad", reader, place, fix, "The parameters were frozen here.")
    lost = _became_numbers(model, leaves, reader, origins, numbers)
    if lost is not None:
        return lost
    made = [number for number in leaves if number in origins]
    place = place_of(origins[made[0]]) if made else None
    name = (name_of_value(model, made[0]) if made else "") or name_of_value(model, value)
    wrong = None if place is None else _misspelled(model, place)
    if wrong is not None:
        return wrong._replace(reader=reader)
    fix = f"{name}.requires_grad_()" if name else ""
    if place is not None and fix:
        fix = statements.valid(f"{statement(model, place)}\n{fix}")
    return Finding("no_grad", reader, place, fix, "Nothing that it was computed from needs grad.")


def _misspelled(model: Model, made: Place) -> Finding | None:
    """A line after that which made a leaf sets an attribute that is nearly ``requires_grad``."""
    for line in siblings(source_of(model, made), made):
        for each in line.targets if isinstance(line, ast.Assign) else ():
            close = isinstance(each, ast.Attribute) and get_close_matches(
                each.attr, ["requires_grad"], cutoff=0.85
            )
            if close and isinstance(each, ast.Attribute) and each.attr not in close:
                text = f"{each.attr} is a new attribute of no meaning: the word is requires_grad."
                code = ast.unparse(line)
                fix = statements.valid(code.replace(f".{each.attr}", ".requires_grad"))
                place = made._replace(line=line.lineno, text=code)
                return Finding("no_grad", None, place, fix, text)
    return None


def _frozen_too(
    model: Model, leaves: list[int], held: set[int], place: Place, reader: Place | None
) -> Finding | None:
    """A line froze a model, and with it the part that is to be trained, which optimizers hold."""
    mine = [number for number in leaves if model.values[number]["storage"] in held]
    parts = {name_of_value(model, number).rpartition(".")[0] for number in mine}
    part = next(iter(parts), "")
    if len(mine) == len(leaves) or len(parts) != 1 or not part:
        return None
    text = f"The parameters were frozen here, those of {part} too, which an optimizer holds. Let "
    text += f"{part} learn again after it, or make {part} only then."
    known = reader is not None and reader.function == place.function
    fix = f"{part}.requires_grad_(True)  # after line {place.line}" if known else ""
    return Finding("no_grad", reader, place, fix, text)


def _still_frozen(
    model: Model, value: int, frozen: Mapping[int, Site], reader: Place | None
) -> Finding:
    """A parameter was frozen for something else and not unfrozen before this."""
    name, place = name_of_value(model, value), place_of(frozen[value])
    text = f"{name or 'What it was computed from'} was frozen here, and still is."
    uses = [call["call"] for call in model.calls.values() if value in call["inputs"]]
    line = None if reader is None or not uses else seen_from(model, uses[-1], reader.function)
    if line is None or not name:
        return Finding("no_grad", reader, place, "", text)
    whole = re.split(r"[\[.]", name.removeprefix("self."))[0]
    whole = f"self.{whole}" if name.startswith("self.") else whole
    text += f" Let {whole} learn again before it is used for this loss."
    fix = statements.valid(f"{whole}.requires_grad_(True)")
    return Finding("no_grad", reader, place, f"{fix}  # before line {line.line}", text)


def lost_history(
    model: Model, value: int | None, backward: Site | None, origins: Mapping[int, Site],
    numbers: Mapping[int, Site], frozen: Mapping[int, Site],
) -> Finding | None:  # fmt: skip
    """Return where the program took the history off what a loss was computed from, if that is why
    it has none: it was detached, or became a number."""
    reader = place_of(backward)
    leaves, cut_at = _back_to_leaves(model, value)
    if cut_at is not None:
        return cut(model, *cut_at, reader) if cut_at[0]["op"] in DETACHES else None
    if any(number in frozen for number in leaves):
        return None
    return _became_numbers(model, leaves, reader, origins, numbers)


def lost_before(
    model: Model, leaves: list[int], made: set[int], reader: Place | None,
    origins: Mapping[int, Site], numbers: Mapping[int, Site],
) -> Finding | None:  # fmt: skip
    """Return where what came to be the numbers of these leaves lost its history: a value that was
    ``made`` with one was detached, or became a number."""
    waiting, seen = deque(leaves), set(leaves)
    while waiting:
        row = model.values.get(waiting.popleft())
        call = None if row is None else model.calls.get(row["call"])
        if row is None or call is None:
            continue
        if call["op"] in DETACHES and not made.isdisjoint(call["inputs"]):
            return cut(model, call, row, reader)
        before = {*call["inputs"]} - made - seen
        waiting.extend(before)
        seen |= before
    return _became_numbers(model, leaves, reader, origins, numbers)


def _became_numbers(
    model: Model, leaves: list[int], reader: Place | None, origins: Mapping[int, Site],
    numbers: Mapping[int, Site],
) -> Finding | None:  # fmt: skip
    made = [number for number in leaves if number in origins]
    cuts = [number for number in numbers if any(number < leaf for leaf in leaves)]
    strange = any(not model.values[leaf]["leaf"] or leaf not in origins for leaf in leaves)
    if not cuts or not (made or strange or not leaves):
        return None
    place = place_of(numbers[cuts[-1]])
    places = [origin for each in made if (origin := place_of(origins[each])) is not None]
    copied = (each for each in places if history_fixes.copies(statement(model, each)))
    origin = next(copied, None)
    fix = "" if place is None else fix_keeping_history(model, place, origin)
    text = "A tensor became a number or an array here, and its history was lost."
    return Finding("no_grad", reader, place, fix, text)


def _back_to_leaves(model: Model, value: int | None) -> tuple[list[int], tuple[Row, Row] | None]:
    """Return the leaves that a value was computed from; and the nearest call on the way that lost
    a history, if there is one, with its result."""
    seen: set[int] = set()
    waiting = deque([] if value is None else [value])
    leaves: list[int] = []
    lost: tuple[Row, Row] | None = None
    while waiting:
        number = waiting.popleft()
        row = model.values.get(number)
        if row is None or number in seen:
            continue
        seen.add(number)
        call = model.calls.get(row["call"]) if row["call"] is not None else None
        if call is None:
            leaves.append(number)
            continue
        given = [each for each in call["inputs"] if isinstance(each, int)]
        if any(model.values[each]["requires_grad"] for each in given if each in model.values):
            lost = lost or (call, row)
            continue
        waiting.extend(given)
    return leaves, lost


def cut(
    model: Model, call: Row, result: Row, reader: Place | None, left: Place | None = None
) -> Finding:
    """A call that was given something with a history and made something without. The line ``left``
    has left gradients switched off."""
    place = place_in(model, call["source"])
    line = "" if place is None else statement(model, place)
    op, dtype = str(call["op"]), str(result["summary"][1])
    off = switched_off(model, call["call"])
    if op in DETACHES:
        text, fix = f"The graph was cut here, by {op}.", history_fixes.without_cut(line)
        if place is not None and makes_a_leaf(fix):
            fix = without_new_leaf(source_of(model, place), place, line)
    elif "float" not in dtype and "complex" not in dtype:
        text = f"The graph ends here: {op} gives {dtype}, which has no derivative. Compute the loss"
        text += " from what goes into it, as cross_entropy does from scores."
        more, fix = ("", "") if place is None else soft_choice(model, result, place)
        if not more and place is not None:
            fix = as_loss(model, place) or fixes.without(line, op)
        text += more
    elif history_fixes.copies(line):
        text = "torch.tensor() copies numbers, and not their history."
        around = [] if place is None else within(source_of(model, place), place)
        known = {} if place is None else shapes_in(model, place)
        lists = history_fixes.lists_in(around)
        fix = history_fixes.lines_keeping_tensors(line, line, lists, op, known)
    elif "create_graph" not in line and history_fixes.with_create_graph(line):
        text = "A gradient has no history of its own, unless it is asked for."
        fix = history_fixes.with_create_graph(line)
    elif "use_reentrant=True" in line:
        text = "A reentrant checkpoint records nothing where none of its inputs needs a gradient."
        fix = statements.valid(line.replace("use_reentrant=True", "use_reentrant=False"))
    elif left is not None and (off is None or isinstance(off.node, ast.Expr)):
        text, fix = left_off(model, left, place)
        place = left
    elif off is None:
        text, fix = "Nothing was recorded here: gradients are switched off.", fixes.under_grad(line)
    elif isinstance(off.node, ast.Expr):
        place = off.place
        text = "Nothing is recorded from here on: gradients are switched off."
        fix = statements.valid(place.text.replace("False", "True"))
    elif isinstance(off.node, ast.With):
        place = off.within  # the program's line, and not that of a library which it calls
        line = statement(model, place)
        name, update = fixes.update_of_leaf(statements.parsed(line))
        text = f"Nothing was recorded here, because of `{off.place.text}` (line {off.place.line})."
        within_it = ast.unparse(ast.Module(off.node.body, []))
        alone = off.place.line == place.line  # the whole block on one line
        fix = within_it if alone else update or fixes.under_grad(line)
        if update:
            text += f" It made {name} a new tensor: write the leaf itself, and drop its gradient."
        elif not alone:
            text += " Take the line out of it, or have it recorded in there."
    else:
        place = off.place
        text = f"Nothing is recorded in {getattr(off.node, 'name', '')}: take {place.text} off it."
        fix = header(off.node, "")
    return Finding("no_grad", reader, place, fix, text)
