"""Checks of everything that the page says of a program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from .formulas import evaluate
from .recorded import Look, Program

ROUGH = ("bfloat16", "float16", "float8", "complex")
"""Types whose numbers are too rough for formulas to be checked, or are no real ones."""


PACKING = re.compile("saved_tensors_hooks|checkpoint|save_on_cpu|allow_mutation|default_hooks")
"""Calls that keep saved tensors in another form."""


def array(summary: Any) -> Any:
    """The numbers of a summary; None where they are not all known."""
    if summary is None or summary["values"] is None or summary["dtype"].startswith(ROUGH):
        return None
    kind = bool if summary["dtype"] == "bool" else int if "int" in summary["dtype"] else float
    flat = np.array([float(each) for each in summary["values"]]).astype(kind)
    return flat.reshape(summary["shape"]) if flat.size == np.prod(summary["shape"]) else None


def close(one: Any, other: Any, rough: float = 1e-3) -> bool:
    """Return whether numbers are the same as far as single precision tells."""
    one, other = np.asarray(one, float), np.asarray(other, float)
    if one.shape != other.shape:
        return False
    finite = np.abs(np.concatenate([one.ravel(), other.ravel()]))
    finite = finite.astype(float)[np.isfinite(finite)]
    scale = float(finite.max()) if finite.size else 0.0
    return bool(np.allclose(one, other, rtol=rough, atol=1e-5 * scale + 1e-7, equal_nan=True))


def reduced(given: Any, shape: Any) -> Any:
    """Return what an input that was spread over an output gets: the sum over what it was spread
    over."""
    given = np.asarray(given, float)
    if given.shape == tuple(shape):
        return given
    try:
        extra = given.ndim - len(shape)
        if extra < 0:
            return np.broadcast_to(given, shape)
        given = given.sum(axis=tuple(range(extra)))
        lost = tuple(i for i, n in enumerate(shape) if n == 1 and given.shape[i] != 1)
        return np.broadcast_to(given.sum(axis=lost, keepdims=True), shape)
    except ValueError:
        return given


def wrong(program: Program, facts: dict[str, Any]) -> Iterator[str]:
    """Everything that is not true of what the page says of a program."""
    read: dict[tuple[int, int], Any] = {}
    for step in facts["steps"]:
        values = {name: array(each) for name, each in step["values"].items()}
        yield from _forward(step, values)
        yield from _backward(step, values)
    for look, shown in zip(program.looks, facts["looks"], strict=True):
        yield from _read(read, facts["steps"], look, shown)
        yield from _cards(look, shown)
        yield from _slots(look, shown, bool(PACKING.search(program.text)))


def _forward(step: dict[str, Any], values: dict[str, Any]) -> Iterator[str]:
    """(a) The formula of a call gives its result."""
    told = step["forward"]
    result = values.get(f"v{told['outputs'][0]}") if told and told["outputs"] else None
    if result is None or any(each is None for each in values.values()):
        return
    found = evaluate(told["text"], values)
    if found is None:
        return
    try:
        found = np.broadcast_to(np.asarray(found, float), result.shape)
    except (ValueError, TypeError):
        found = np.asarray(found)
    if not close(found, result):
        yield f"{told['op']}: {told['text']} = {found.tolist()}, shown is {result.tolist()}"


def _backward(step: dict[str, Any], values: dict[str, Any]) -> Iterator[str]:
    """(a) The formulas of a node give the gradients that it sent."""
    for told in step["backward"]:
        came, sent = array(told["came"]), array(told["sent"])
        if came is None or sent is None or any(each is None for each in values.values()):
            continue
        texts = [told["text"]]
        if told["local"] is not None:
            texts.append("0" if told["local"] == "0" else f"g · ({told['local']})")
        for text in texts:
            found = evaluate(text, values | {"g": came})
            if found is None:
                continue
            if np.shape(found) != sent.shape:  # spread over the output
                found = reduced(np.asarray(found, float) + np.zeros(came.shape), sent.shape)
            if not close(found, sent):
                shown = f"{np.asarray(found).tolist()}, sent was {sent.tolist()}"
                yield f"{told['op']}: {text} = {shown}"


def _read(
    known: dict[tuple[int, int], Any], steps: list[dict[str, Any]], look: Look, shown: Any
) -> Iterator[str]:
    """(b) The card at an input shows the value that the call read, as it was then."""
    for wire in shown["read"]:
        if wire["shown"] != wire["wanted"]:
            yield f"call {wire['call']} read v{wire['wanted']}, its card is v{wire['shown']}"
        now = array(wire["summary"])
        before = known.setdefault((wire["call"], wire["wanted"]), now)
        if now is not None and before is not None and not close(now, before):
            yield (
                f"call {wire['call']} read v{wire['wanted']} = {before.tolist()}; its card "
                f"says {now.tolist()} later"
            )


def _cards(look: Look, shown: Any) -> Iterator[str]:
    """(c) A name gives the value; (d) gradients on wires add up; (e) flags are the engine's."""
    for card in shown["cards"]:
        back = [array(each) for each in card["back"]]
        came = array(card["came"])
        if card["whole"] and back and came is not None and all(x is not None for x in back):
            shapes = {x.shape for x in back}
            total = sum(back) if shapes == {came.shape} else None
            if total is None:
                yield f"wires into {card['title']} of {came.shape} carry gradients of {shapes}"
            elif not close(total, came):
                yield f"gradients {total.tolist()} into {card['title']}, on it {came.tolist()}"
        called = [[scope, card["name"]] for scope in ("", "module")]
        bound = any(each in card["bound"] for each in called)
        if card["name"] is None or not card["alive"] or not bound:
            known = any(each in card["names"] for each in called)
            if card["alive"] and card["title"] == card["name"] and known:
                yield f"{card['title']} is the name of another value"
            continue
        tensor = look.tensors.get(card["name"])
        if tensor is None:
            known = re.split(r"[.[]", card["name"])[0] in look.tensors  # `x.mT`, `x[0]`
            if not known and card["name"] not in look.others:
                yield f"nothing is called {card['name']}"
            continue
        if not tensor:  # too large to be compared
            continue
        own = array(card["summary"])
        real = own is not None and np.isrealobj(tensor["numbers"])
        if real and not close(own, tensor["numbers"], 1e-6):
            yield f"{card['name']} is {tensor['numbers'].tolist()}, not {own.tolist()}"
            continue
        yield from _flags(card, tensor)


def _flags(card: dict[str, Any], tensor: dict[str, Any]) -> Iterator[str]:
    own = card["name"]
    if card["version"] != tensor["version"]:
        yield f"{own} has version {tensor['version']}, not {card['version']}"
    if card["requires_grad"] != tensor["requires_grad"]:
        yield f"{own} requires grad: {tensor['requires_grad']}"
    if card["retains"] != tensor["retains"] and not tensor["leaf"]:
        yield f"{own} retains its gradient: {tensor['retains']}"
    grad = array(card["grad"])
    if (card["grad"] is None) != (tensor["grad"] is None):
        yield f"{own}.grad is {tensor['grad']}, not {card['grad']}"
    elif grad is not None and not close(grad, tensor["grad"], 1e-6):
        yield f"{own}.grad is {tensor['grad'].tolist()}, not {grad.tolist()}"
    # The node of a view is made when it is looked at.
    if card["view"]:
        return
    name = re.sub(r"\d+$", "", card["nodeName"] or "")
    if name != re.sub(r"\d+$", "", tensor["node"] or ""):
        yield f"{own} has the node {tensor['node']}, not {card['nodeName']}"


def _slots(look: Look, shown: Any, packs: bool) -> Iterator[str]:
    """(e) What is said to be saved, or freed, is so; a program that ``packs`` may say how."""
    by_node = {
        card["node"]: look.tensors[card["name"]]
        for card in shown["cards"]
        if card["alive"] and card["node"] is not None and card["name"] in look.tensors
        and any([scope, card["name"]] in card["bound"] for scope in ("", "module"))
        and look.tensors[card["name"]]
    }  # fmt: skip
    for slot in shown["slots"]:
        if slot["state"] == "packed" and not packs:
            yield f"slot {slot['slot']} of node {slot['node']} was packed by nothing"
        tensor = by_node.get(slot["node"])
        held = None if tensor is None else tensor["saved"].get(slot["slot"])
        if held is None or slot["count"] > 1 or slot["state"] == "packed":
            continue  # (packed: the slot says how it was kept, before and after it is freed)
        if slot["state"] not in {"freed": ("empty", "gone")}.get(held, (held,)):
            yield f"slot {slot['slot']} of node {slot['node']} is {slot['state']}, and {held}"
