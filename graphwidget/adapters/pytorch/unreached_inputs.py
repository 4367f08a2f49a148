"""``autograd.grad`` of something by a tensor that it was not computed from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence

from ...recording.findings import Finding
from ...recording.fold import Model, Row
from ...recording.sites import Site
from .fixes import Replaced
from .lines import name_of_value, place_in, place_of, place_of_call, statement
from .loss_fixes import fix_keeping_history
from .no_graph import DETACHES, cut
from .statements import assigned, loss_of, parsed, valid

UNREACHED = "appears to not have been used in the graph"
INDEX = re.compile(r"at index (\d+)")


def index_in(message: str) -> int | None:
    """Return the index of the input in the error; None for an older PyTorch, which omits it."""
    index = INDEX.search(message)
    return None if index is None else int(index[1])


def unreached(
    model: Model, nr: int | None, roots: Iterable[int], wanted: Sequence[int],
    position: Site | None, numbers: Mapping[int, Site], allowed: bool = False,
) -> Finding:  # fmt: skip
    """Explain why none of the ``roots`` leads to the value ``wanted[nr]``, to the first that none
    leads to if that is None; ``allowed`` says that it is no error that none does."""
    roots, reader = list(roots), place_of(position)
    given = computed_from(model, roots)
    if nr is None:
        nr = next((each for each, value in enumerate(wanted) if value not in given), 0)
    value = wanted[nr]
    of, name = _asked("" if reader is None else statement(model, reader), nr)
    row = model.values.get(value)
    if not name:
        shape = "" if row is None else f" (shape {list(row['summary'][0])})"
        name = name_of_value(model, value) or f"input {nr}{shape}"
    text = f"No gradient leads from {of} to {name}."
    finding = Finding("unused", reader, None, "", text)
    made = None if row is None else model.calls.get(row["call"])
    if value not in given and made is not None and not given.isdisjoint(made["inputs"]):
        before = next(each for each in made["inputs"] if each in given)
        return _made_beside(model, finding, made, name, of, name_of_value(model, before))
    followed, lost = _followed(model, value)
    # a tensor that was made of such a number is a leaf, and is newer
    newest = max((each for each in given if model.values[each]["call"] is None), default=0)
    for call, bare in lost:
        number = next((each for each in call["outputs"] if each in numbers), newest)
        number = number if number < newest else None
        if given.isdisjoint(call["outputs"]) and number is None:
            continue
        place = place_in(model, call["source"])
        if number is not None and place is not None:
            text += " What was computed from it is cut off here."
            fix = fix_keeping_history(model, place, None)
            return finding._replace(culprit=place, fix=fix, text=text)
        found = cut(model, call, bare, reader)
        return found._replace(kind="unused", text=f"{text} {found.text}")
    cuts = (site for each, site in numbers.items() if each in followed and each < newest)
    place = place_of(next(cuts, None))
    if place is not None:
        text += " What was computed from it became a number or an array here."
        return finding._replace(
            culprit=place, fix=fix_keeping_history(model, place, None), text=text
        )
    if value in given:
        return finding
    text += f" It was given to no call that {of} was computed by."
    more = " Leave it out, or, if it may go unused, say allow_unused=True and expect a None."
    return finding._replace(text=text if allowed else text + more)


def _made_beside(
    model: Model, finding: Finding, made: Row, name: str, of: str, before: str
) -> Finding:
    """The tensor is computed of one that was used, and was not used itself."""
    place = place_of_call(model, made["call"])
    source = before or "another tensor"
    text = f"{finding.text} {name} is made of {source} here, and {of} was computed from {source} "
    text += f"itself. Ask for the gradient of {source}, or compute {of} from {name}."
    fix = ""
    if place is not None and finding.reader is not None:
        fix = _of_the_whole(statement(model, finding.reader), name, statement(model, place))
        fix += f"  # line {finding.reader.line}" if fix and place != finding.reader else ""
    return finding._replace(culprit=place, fix=fix, text=text)


def _gradients(line: str) -> tuple[ast.stmt | None, list[ast.Call]]:
    tree = parsed(line)
    calls = [each for each in ast.walk(tree or ast.Pass()) if isinstance(each, ast.Call)]
    return tree, [each for each in calls if ast.unparse(each.func).rpartition(".")[2] == "grad"]


def _asked(line: str, nr: int) -> tuple[str, str]:
    """Return the output that the line differentiates, and its input ``nr``, if it names it."""
    for call in _gradients(line)[1]:
        words = {each.arg: each.value for each in call.keywords}
        given = dict(zip(("outputs", "inputs"), call.args, strict=False)) | words
        inputs = given.get("inputs")
        listed = inputs.elts if isinstance(inputs, ast.List | ast.Tuple) else [inputs]
        starred = any(isinstance(each, ast.Starred) for each in listed)
        one = listed[nr] if nr < len(listed) and not starred else None
        of = given.get("outputs")
        name = "" if one is None or isinstance(one, ast.Call) else ast.unparse(one)
        return "what is differentiated" if of is None else ast.unparse(of), name
    return loss_of(line) or "what is differentiated", ""


def _of_the_whole(line: str, name: str, made: str) -> str:
    """``grad(u, x[:, 0])[0]`` as ``grad(u, x)[0][:, 0]``; so too if the part has a ``name`` of its
    own, given by the line that ``made`` it."""
    tree, calls = _gradients(line)
    parts = {ast.unparse(one): value for one, value in assigned(parsed(made))}
    for node in ast.walk(tree) if tree is not None else ():
        call = node.value if isinstance(node, ast.Subscript) else None
        if not isinstance(call, ast.Call) or call not in calls or len(call.args) < 2:
            continue
        part = parts.get(name, call.args[1])
        if tree is not None and isinstance(part, ast.Subscript) and isinstance(node, ast.expr):
            call.args[1] = part.value
            whole = ast.Subscript(node, part.slice, ast.Load())
            return valid(ast.unparse(Replaced(node, whole).visit(tree)))
    return ""


def computed_from(model: Model, roots: Iterable[int | None]) -> set[int]:
    """All values that these were computed from, with a history or without, and they themselves."""
    found: set[int] = set()
    waiting = [each for each in roots if each is not None]
    while waiting:
        value = waiting.pop()
        row = model.values.get(value)
        if value in found or row is None:
            continue
        found.add(value)
        call = model.calls.get(row["call"])
        waiting += () if call is None else call["inputs"]
    return found


def _followed(model: Model, value: int) -> tuple[set[int], list[tuple[Row, Row]]]:
    """Return the values computed from a value with a history; and the calls that removed it, each
    with its result."""
    values, lost = {value}, []
    for call in model.calls.values():
        if values.isdisjoint(call["inputs"]):
            continue
        for each in call["outputs"]:
            row = model.values.get(each)
            if row is not None and (not row["requires_grad"] or call["op"] in DETACHES):
                lost.append((call, row))
            elif row is not None:
                values.add(each)
    return values, lost
