"""The sign of an op (``×``, ``^ 2``) and the title of a value without a name, as on the page."""

from __future__ import annotations

import re

from ..recording.fold import Model, Row

LONGEST_SIGN = 16
LONGEST_TITLE = 24


def sign(model: Model, call: Row) -> str:
    """The op's sign with the plain numbers of the call: ``+ 1``, ``× 3``, ``[0] = 0``."""
    op = model.ops.get(call["op"])
    own = (op["sign"] if op else "") or call["op"]
    numbers = [_plain(each) for each in call["inputs"] if isinstance(each, str)]
    if call["inplace"]:
        index = call["params"].get("index")
        verb = "=" if index is not None else f"{own}_" if own[0].isalnum() else f"{own}="
        place = [] if index is None else [f"[{index}]"]
        return " ".join([*place, verb, *numbers])[:LONGEST_SIGN]
    tensors = [nr for nr, each in enumerate(call["inputs"]) if not isinstance(each, str)]
    if op and len(tensors) == 1 and tensors[0] < len(op["inputs"]):
        # One tensor among numbers: the formula without it says all ("{self} + {other}" -> "+ 1"),
        # if it stands there once.
        texts = [_plain(str(each)) for each in call["inputs"]]
        tensor = "{" + op["inputs"][tensors[0]] + "}"
        formula = op["text"].replace(tensor, "")
        text = _filled(formula, op, call, texts).strip()
        whole = op["text"].count(tensor) == 1 and not op["text"].startswith(f"{own}(")
        if whole and 0 < len(text) <= 12 and not re.search(r"[A-Za-z]\(", text):
            return text
    return own[:LONGEST_SIGN]


def title(model: Model, value: Row, longest: int = LONGEST_TITLE) -> str:
    """A value's name, or the expression that made it, if that is short; else nothing."""
    if value["names"]:
        return str(value["names"][-1][1])
    call = model.calls.get(value["call"])
    op = None if call is None else model.ops.get(call["op"])
    if call is None or op is None or not op["text"] or call["inplace"] or longest < 4:
        return ""
    texts = []
    for each in call["inputs"]:
        known = each if isinstance(each, str) else model.values.get(each)
        text = title(model, known, longest - 4) if isinstance(known, dict) else _plain(str(known))
        if not text:
            return ""
        texts.append(f"({text})" if " " in text else text)
    made = _filled(op["text"], op, call, texts)
    return made if len(made) <= longest else ""


def _filled(formula: str, op: Row, call: Row, texts: list[str]) -> str:
    """A formula with what stands for its inputs and parameters."""
    own: dict[str, str] = dict(call["params"])
    for nr, name in enumerate(op["inputs"]):
        own[name.strip("*")] = ", ".join(texts[nr:]) if name[0] == "*" else "".join(texts[nr:][:1])
    text = re.sub(r"\{\*?(\w+)\}", lambda found: own.get(found[1], found[1]), formula)
    return re.sub(r" with dims \(?1, 0\)?$", "ᵀ", text.removesuffix(" + None"))


def _plain(text: str) -> str:
    """A number as a person would write it: 0.1, not 0.10000000149."""
    return f"{float(text):.4g}" if re.match(r"-?\d+\.\d{4,}$", text) else text
