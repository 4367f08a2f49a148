"""Evaluates the formulas that the page shows."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np

REPLACED = [
    ("−", "-"), ("×", "*"), ("·", "*"), ("÷", "/"), ("²", "**2"), ("³", "**3"), (" ^ ", "**"),
    ("≤", "<="), ("≥", ">="), ("≠", "!="), (" = ", "=="), ("ln 2", "log(2)"),
    ("ln 10", "log(10)"), ("√π", "sqrt(π)"), ("√\0", "sqrt\0"), ("σ\0", "sigmoid\0"),
    ("⌊", "floor("), ("⌋", ")"), ("∞", "inf"),
]  # fmt: skip

LOGICAL = {"∧": "logical_and", "∨": "logical_or", "⊻": "logical_xor"}

WORDS: list[tuple[re.Pattern[str], Any]] = [
    (re.compile(r"√(\w+)"), r"sqrt(\1)"),
    (re.compile(r"σ(v\d+)"), r"sigmoid(\1)"),
    (re.compile("(\\w+|\0\\d+\1)ᵀ"), r"turned(\1)"),
    (re.compile(r"\|([^|&]+)\|"), r"abs(\1)"),
    (re.compile(r"^(.+) <= (.+) <= (.+)$"), r"(\1 <= \2) & (\2 <= \3)"),
    (re.compile(r"^(mean|sum) of (.+)$"), r"\1(\2)"),
    (re.compile(r"^Σ ([^-+]+)$"), r"sum(\1)"),
    (re.compile(r"^not (.+)$"), r"logical_not(\1)"),
    (
        re.compile(r"^(.+) ([∧∨⊻]) (.+)$"),
        lambda found: f"{LOGICAL[found[2]]}({found[1]}, {found[3]})",
    ),
    (re.compile(r"^(.+) xor (.+)$"), r"\1 ^ \2"),
]

NAMES: dict[str, Any] = {
    name: getattr(np, name)
    for name in ("log", "exp", "sqrt", "sin", "cos", "tan", "tanh", "sinh", "cosh", "abs", "sign",
                 "floor", "ceil", "trunc", "log2", "log10", "mean", "sum", "where", "isfinite",
                 "isnan", "logical_and", "logical_or", "logical_xor", "logical_not")
}  # fmt: skip
NAMES |= {"max": lambda *given: np.max(given[0]) if len(given) == 1 else np.maximum(*given)}
NAMES |= {"min": lambda *given: np.min(given[0]) if len(given) == 1 else np.minimum(*given)}
NAMES |= {"fmax": np.fmax, "fmin": np.fmin}
NAMES |= {"π": np.pi, "asin": np.arcsin, "acos": np.arccos}
NAMES |= {"atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh}
NAMES |= {"sigmoid": lambda x: 1 / (1 + np.exp(-x))}
NAMES |= {"turned": lambda x: x if np.ndim(x) < 2 else np.swapaxes(x, -1, -2)}
NAMES |= {"clamp": lambda x, low, high: np.minimum(np.maximum(x, low), high)}
NAMES |= {"inf": np.inf, "nan": np.nan, "True": True, "False": False, "atan2": np.arctan2}

GROUP = re.compile(r"\(([^()]*)\)")
ASIDE = re.compile("\0(\\d+)\1")
CHOICE = re.compile(r"^(.+?) where (.+?), else (.+)$")
KEPT = re.compile(r"^(.+) with (\S+) where (.+)$")


def as_python(text: str) -> str:
    """A formula of the page in Python; words that are no formula are left as they are."""
    inner: list[str] = []

    def put_aside(group: re.Match[str]) -> str:
        inner.append(_without_groups(group[1]))
        return f"\0{len(inner) - 1}\1"

    while GROUP.search(text):
        text = GROUP.sub(put_aside, text)
    text = _without_groups(text)
    while "\0" in text:
        text = ASIDE.sub(lambda group: f"({inner[int(group[1])]})", text)
    return text


def _precise(value: Any) -> Any:
    """The numbers of a value in the widest type: `log(exp(a) + exp(b))` must not overflow."""
    return value.astype(np.longdouble) if getattr(value, "dtype", "") == "float64" else value


def _without_groups(text: str) -> str:
    choice, kept = CHOICE.match(text), KEPT.match(text)
    if choice:
        value, condition, other = map(_plain, choice.groups())
        return f"where({condition}, {value}, {other})"
    if kept:
        other, value, condition = map(_plain, kept.groups())
        return f"where({condition}, {value}, {other})"
    return _plain(text)


def _plain(text: str) -> str:
    for sign, word in REPLACED:
        text = text.replace(sign, word)
    for pattern, word in WORDS:
        text = pattern.sub(word, text)
    return text


def evaluate(text: str, values: dict[str, Any]) -> Any:
    """Return what a formula gives; None where it is words and no formula, or a value is not
    known."""
    code = as_python(text)
    try:
        compiled = compile(code, "<formula>", "eval")
    except SyntaxError:
        return None
    known = NAMES | {name: _precise(value) for name, value in values.items()}
    if (
        ", floor" in text
        or ", trunc" in text
        or not set(compiled.co_names) <= set(known)
        or re.search(r"\w\[|\bv\d+\(|\d\(", code)
    ):
        return None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a mean of nothing
        try:
            return np.asarray(eval(compiled, {"__builtins__": {}}, known), float)
        except (TypeError, ValueError):  # it does not fit its numbers
            return np.asarray(np.inf)
