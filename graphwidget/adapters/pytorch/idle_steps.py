"""Steps of optimizers that change nothing that a loss sees.

Gradients are dropped before them, or autocast keeps copies of the weights.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ...recording.findings import Finding, Place
from ...recording.fold import Model
from .lines import enclosing, name_of_value, place_in, source_of, statement
from .statements import loss_of, parts, valid

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
OPTIMIZER = re.compile(
    r"^\s*(\w+) = (?:torch\.)?(?:optim\.)?(?:SGD|Adam\w*|RMSprop|Adagrad)\(", re.M
)
REPEATED = 3
"""Backwards of one line that belong to a loop."""
DROPS = re.compile(r"\bzero_grad\(|\.grad = None\b|\.grad\.zero_\(")


def dropped_before(step: Place, backward: Place) -> Finding | None:
    """No step has met a gradient, though backward left some: what drops them stands between, or the
    step comes before the backward in each iteration."""
    source = source_of(None, step)
    around = enclosing(source, step)
    if step.file != backward.file or not around:
        return None
    line = parts(step.text)[1]
    if len(line) > 1 and step.line == backward.line:
        return _on_one_line(step, line)
    same = step.function == backward.function
    text = "No step meets a gradient: "
    after = same and step.line < backward.line
    rows = enumerate(source.splitlines(), 1)
    region = _region(source, step, backward, after)
    found = [(nr, row.strip()) for nr, row in rows if nr in region and DROPS.search(row)]
    if after:
        if not found:
            return None
        text += f"each comes before `{backward.text}` (line {backward.line}), and the gradients are"
        text += " dropped before the next one. Step after backward."
        fix = f"pass\n{backward.text}; {step.text}  # line {backward.line}"
        fix = fix if loss_of(backward.text) else ""
        return Finding("unused", backward, step, valid(fix), text)
    if len(found) != 1:
        return None
    nr, dropped = found[0]
    place = step._replace(line=nr, text=dropped)
    text += "this line drops those of backward before. Drop them after the step."
    whole = statement(None, place)
    fix = f"pass\n{step.text}; {dropped}  # line {step.line}" if whole == dropped else ""
    return Finding("unused", step, place, valid(fix), text)


def no_backward(step: Place, model: Model) -> Finding | None:
    """Steps without gradients, where a loss was computed and no backward ran from it."""
    losses = [
        name_of_value(model, row["value"])
        for row in model.values.values()
        if row["requires_grad"] and not row["leaf"] and not row["summary"][0]
    ]
    name = next((each for each in reversed(losses) if "loss" in each), "")
    if not name:
        return None
    text = f"This step has no gradients: no backward has run. Call {name}.backward() before it."
    fix = valid(f"{name}.backward()\n{step.text}") if name.isidentifier() else ""
    return Finding("unused", None, step, fix, text)


def no_step(backward: Place, model: Model) -> Finding | None:
    """Gradients that no step uses, where the program made an optimizer and resets them."""
    ran = [place_in(model, run["source"]) for run in model.runs.values()]
    source = source_of(model, backward)
    made = OPTIMIZER.search(source)
    if ran.count(backward) < REPEATED or made is None or re.search(r"\bstep\(", source):
        return None
    if f"{made[1]}.zero_grad(" not in source:
        return None
    text = f"{made[1]}.step() is never called: the gradients are computed, and no parameter moves."
    fix = f"{backward.text}\n{made[1]}.step()" if loss_of(backward.text) else ""
    return Finding("unused", None, backward, valid(fix), text)


def _region(source: str, step: Place, backward: Place, after: bool) -> range:
    """The lines on which gradients may be dropped between a backward and a step."""
    if after:
        loops = [x for x in enclosing(source, step) if isinstance(x, ast.For | ast.While)]
        return range(loops[-1].lineno, backward.line) if loops else range(0)
    if step.function == backward.function:
        return range(backward.line + 1, step.line)
    functions = [x for x in enclosing(source, step) if isinstance(x, FUNCTIONS)]
    return range(functions[-1].lineno, step.line) if functions else range(0)


def _on_one_line(step: Place, line: Sequence[ast.stmt]) -> Finding | None:
    """The same of statements between semicolons: what drops the gradients comes last."""
    texts = [ast.unparse(each) for each in line]
    began = next((nr for nr, text in enumerate(texts) if loss_of(text)), None)
    stepped = next((nr for nr, text in enumerate(texts) if text.endswith(".step()")), None)
    if began is None or stepped is None:
        return None
    drops = [nr for nr in range(began + 1, stepped) if DROPS.search(texts[nr])]
    if not drops:
        return None
    moved = [text for nr, text in enumerate(texts) if nr not in drops]
    moved += [texts[nr] for nr in drops]
    text = "No step meets a gradient: they are dropped before it. Drop them after the step."
    return Finding("unused", None, step, valid("; ".join(moved)), text)


def cast_once(way: Sequence[Place]) -> Finding | None:
    """An autocast region around a whole training loop: it keeps what weights were cast to, and so
    the loss never sees a step. ``way`` are the lines that lead to the step, the innermost first."""
    looped = False
    for place in way:
        source = source_of(None, place)
        for node in reversed(list(_inside(source, place))):
            if isinstance(node, ast.For | ast.While):
                looped = True
            elif isinstance(node, ast.With) and looped and "autocast" in ast.unparse(node.items[0]):
                return _uncached(place, node, source)
    return None


def _inside(source: str, place: Place) -> Iterator[ast.stmt]:
    """The statements around a line, within its function."""
    around = enclosing(source, place)
    functions = [nr for nr, node in enumerate(around) if isinstance(node, FUNCTIONS)]
    yield from around[functions[-1] + 1 if functions else 0 :]


def _uncached(place: Place, node: ast.With, source: str) -> Finding:
    call = node.items[0].context_expr
    line = source.splitlines()[node.lineno - 1].strip()
    where = place._replace(line=node.lineno, text=line)
    text = "This autocast region is around the whole loop, and until it ends it keeps what it cast "
    text += "the weights to: no loss sees what the steps change. Begin a region in each iteration, "
    text += "or keep no casts."
    fix = ""
    if isinstance(call, ast.Call) and len(node.items) == 1 and line.endswith(":"):
        call.keywords = [*call.keywords, ast.keyword("cache_enabled", ast.Constant(False))]
        fix = f"with {ast.unparse(call)}:"
        call.keywords = call.keywords[:-1]
    return Finding("unused", place, where, fix, text)
