"""Backwards that fail by the program's own code in them: a hook, or the backward of a Function."""

from __future__ import annotations

import ast
import dis
import gc
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from inspect import unwrap
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

import torch
from torch.utils.hooks import BackwardHook

from ...recording.findings import Finding, Place
from ...recording.fold import Model, Row
from ...recording.looking import is_a, message_of
from ...recording.sites import Site, Sites
from ..raised_calls import entries_of
from .lines import name_of_value, place_of, place_of_call, statement
from .node_facts import sequence_of
from .positions import not_the_users
from .statements import parsed, valid

HOOK = re.compile(
    r"hook '(?P<name>.+)' has changed the (?:size|type) of value|but hook returned '.+'"
    r"|(?P<after>post accumulate grad hooks should return None)"
    r"|Backward (?:pre )?hook returned an invalid number of .+ but expected (?P<n>\d)"
    r"|Backward hook for Modules where no input requires gradient"
)
FUNCTION = re.compile(
    r"[Ff]unction (?P<name>\w+) returned an? (?:"
    r"incorrect number of gradients \(expected \d+, got (?P<got>\d+)\)"
    r"|gradient different than None at position (?P<at>\d+)"
    r"|invalid gradient at index (?P<index>\d+) - got \[(?P<had>.*)\] but expected shape "
    r"compatible with \[(?P<shape>.*)\])"
)
APPLY = {
    getattr(torch.autograd.function.BackwardCFunction, each).__code__
    for each in ("apply", "apply_boxed")
    if hasattr(torch.autograd.function.BackwardCFunction, each)
}
"""Code that calls the backward of a Function."""


class Hook(NamedTuple):
    """A hook that the program registered: what it is called, its code, and the line."""

    name: str
    code: CodeType
    site: Site | None


def hook_of(hook: Any, site: Site | None) -> Hook | None:
    """The code and name of a hook; None of one that is not written in Python."""
    inner: Any = hook.func if is_a(hook, partial) else hook
    name = "<unknown>"
    if type(inner) in (FunctionType, MethodType):
        code = getattr(unwrap(inner), "__code__", None)
        name = hook.__name__ if inner is hook else name
    else:
        code = getattr(type.__getattribute__(type(inner), "__call__"), "__code__", None)
    return Hook(name, code, site) if isinstance(code, CodeType) else None


def of_hook(
    error: BaseException, hooks: Iterable[Hook], backward: Site | None, sites: Sites
) -> Finding | None:
    """A hook returned what cannot be the gradient: that of ``hooks`` which may have done so, if it
    is only one piece of code."""
    said = HOOK.search(message_of(error))
    if said is None:
        return None
    name, module = said["name"], "Backward" in said[0]
    known = [] if module else [each for each in hooks if name in (None, each.name)]
    if module:
        called = entries_of(error)[-1].tb_frame.f_locals
        names = (each for each in ("user_pre_hook", "user_hook", "hook") if each in called)
        known = [hook for each in names if (hook := hook_of(called[each], None))][:1]
    elif name in (None, "hook"):  # so PyTorch calls what calls those of modules
        known += [hook for each in _of_modules() if (hook := hook_of(each, None))]
    codes = {id(each.code): each for each in known if _returns(each.code)}
    if not codes:
        return None
    text = "What a hook returned cannot be the gradient. "
    if said["after"]:
        text += "One that is called after a gradient was accumulated returns nothing."
    elif module:
        text += "That of a module returns a tuple with one for each input, or nothing."
    else:
        text += "It returns one of the same shape and type, or nothing, which leaves it as it is."
    places = [_result(each.code, sites) for each in codes.values()]
    if len(codes) > 1:
        text += f" It is one of lines {', '.join(str(each.line) for each in places if each)}."
        return Finding("custom", place_of(backward), None, "", text)
    (hook,), (place,) = codes.values(), places
    if hook.site is not None:
        text += f" It was registered on line {hook.site.line}."
    line = None if place is None or said["n"] != "1" else parsed(statement(None, place))
    fix = ""
    if isinstance(line, ast.Return) and line.value and not isinstance(line.value, ast.Tuple):
        fix = valid(f"return ({ast.unparse(line.value)},)")
    return Finding("custom", place_of(backward), place, fix, text)


def _of_modules() -> list[Any]:
    """The hooks of modules that ran and whose graph is still there."""
    gc.collect()
    found = [each for each in gc.get_objects() if type(each) is BackwardHook]
    return [hook for each in found for hook in (*each.user_hooks, *each.user_pre_hooks)]


def _returns(code: CodeType) -> list[int]:
    """Return where a function returns something."""
    rows = list(dis.get_instructions(code))
    return [
        row.offset
        for before, row in zip([None, *rows], rows, strict=False)
        if (row.opname == "RETURN_CONST" and row.argval is not None)  # Python 3.12 and 3.13
        or (
            row.opname == "RETURN_VALUE"
            and (before is None or before.opname != "LOAD_CONST" or before.argval is not None)
        )
    ]


def _result(code: CodeType, sites: Sites) -> Place | None:
    """The line where a function returns something; where it begins, if there are several."""
    found = _returns(code)
    return place_of(sites.at(code, found[0] if len(found) == 1 else 0))


def of_function(
    error: BaseException, model: Model, nodes: Iterable[Any], number: Callable[[Any], int | None],
    sites: Sites,
) -> Finding | None:  # fmt: skip
    """The backward of a custom Function failed, or returned what cannot be the gradients; ``nodes``
    are those that the run can reach, and ``number`` says what one is called in the log."""
    said, entries = FUNCTION.search(message_of(error)), entries_of(error)
    began = max((nr for nr, x in enumerate(entries) if x.tb_frame.f_code in APPLY), default=None)
    inside = [] if began is None else entries[began + 1 :]
    inside = [x for x in inside if not not_the_users(x.tb_frame.f_code.co_filename)]
    node: Any = None
    place: Place | None = None
    if began is not None and inside:
        node = entries[began].tb_frame.f_locals["self"]
        place = place_of(sites.at(inside[0].tb_frame.f_code, inside[0].tb_lasti))
    elif said is not None:
        alike = [x for x in nodes if type(x).__name__ == said["name"] and _fits(x, said)]
        node = max(alike, key=sequence_of, default=None)
    own = getattr(node, "_forward_cls", None)
    if own is None or own.__module__.startswith("torch."):
        return None
    known = hook_of(own.backward if own.vjp is torch.autograd.Function.vjp else own.vjp, None)
    if not inside and known is not None:
        place = _result(known.code, sites)
    row = model.nodes.get(number(node) or -1)
    call = None if row is None else model.calls.get(row["call"])
    reader = None if call is None else place_of_call(model, call["call"])
    if inside or said is None:
        made = [] if call is None else [model.values[each] for each in call["outputs"]]
        shapes = ", ".join(str(list(each["summary"][0])) for each in made)
        text = f"{own.__name__}.backward fails here. It is given a gradient of shape {shapes}."
        return Finding("custom", reader, place, "", text if made else text.partition(" It")[0])
    text, fix = _returned(model, said.groupdict(), node, own, call, place)
    return Finding("custom", reader, place, fix, text)


def _fits(node: Any, said: re.Match[str]) -> bool:
    """Return whether the error can be of this node: it names the shape of one of its inputs."""
    if said["index"] is None:
        return True
    before, nr = node.next_functions[int(said["index"])]
    known = getattr(before, "_input_metadata", None)
    return not known or ", ".join(map(str, known[nr].shape)) == said["shape"]


def _returned(
    model: Model, said: Mapping[str, str | None], node: Any, own: Any, call: Row | None,
    place: Place | None,
) -> tuple[str, str]:  # fmt: skip
    """Return the fault of the gradients that a Function returned; and the line that returns the
    right ones, if it is known."""
    needed, forward = list(node.needs_input_grad), hook_of(own.forward, None)
    takes_ctx = own.setup_context is torch.autograd.Function.setup_context
    names = [f"input {nr}" for nr in range(len(needed))]
    if forward is not None:
        args = forward.code.co_varnames[takes_ctx : forward.code.co_argcount]
        names = [*args[: len(needed)], *names[len(args) :]]
    line = parsed(statement(None, place)) if place is not None else None
    value = line.value if isinstance(line, ast.Return) else None
    given = value.elts if isinstance(value, ast.Tuple) else [] if value is None else [value]
    text = f"{own.__name__}.backward returns "
    if said["index"] is not None:
        inputs = [] if call is None else [x for x in call["inputs"] if isinstance(x, int)]
        nr = int(said["index"])
        name = (name_of_value(model, inputs[nr]) if nr < len(inputs) else "") or f"input {nr}"
        text += f"a gradient of shape [{said['had']}] for {name}, which is of shape "
        return f"{text}[{said['shape']}].", ""
    if said["at"] is not None:
        at = int(said["at"]) - 1
        text += f"a gradient for {names[at]}, which is no tensor: return None there."
        fixed = [ast.Constant(None) if nr == at else each for nr, each in enumerate(given)]
    else:
        got = int(said["got"] or 0)
        text += f"{got} for {len(needed)} inputs ({', '.join(names)}): return one for each, in "
        text += "their order, and None where none is due."
        due = [name for name, needs in list(zip(names, needed, strict=True))[got:] if needs]
        text += f" {' and '.join(due)} needs one." if due else ""
        missing = len(needed) - len(given)
        known = len(given) == got and missing > 0 and not due
        fixed = [*given, *[ast.Constant(None)] * missing] if known else []
    values = ", ".join(map(ast.unparse, fixed))
    return text, valid(f"return {values}") if fixed and len(fixed) == len(needed) else ""
