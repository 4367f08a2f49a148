"""Derivatives as text: readable for people, and true."""

from __future__ import annotations

import math
import re

import pytest

from graphwidget.optable.declare import COMPOSITES, TABLE
from graphwidget.optable.derivative_text import DerivativeText, derivatives

TEXTS = [(key, text) for key, op in TABLE.items() for text in derivatives(op)]


def text_of(key: str, name: str) -> DerivativeText:
    return next(text for text in derivatives(TABLE[key]) if text.input == name)


def test_texts_speak_no_engine() -> None:
    assert len(TEXTS) > 500
    for key, (_name, vjp, local) in TEXTS:
        for text in (vjp, local):
            if text is None:
                continue
            assert text, key
            assert text.count("(") == text.count(")"), (key, text)
            called = re.findall(r"(?<![\w⁻])([A-Za-z_]\w*)\(", text)
            assert not [name for name in called if "_" in name or name in COMPOSITES], (key, text)
            assert not re.search(r"None|\{_|<function|object at|sum_to_size", text), (key, text)


@pytest.mark.parametrize(
    ("key", "name", "vjp"),
    [
        ("relu", "self", "{grad} where {result} > 0, else 0"),
        ("mm", "mat2", "{self}ᵀ @ {grad}"),
        ("mm", "self", "{grad} @ {mat2}ᵀ"),
        ("addmm", "self", "{grad} summed to the shape of {self}"),
        ("expand", "self", "{grad} summed to the shape of {self}"),
        ("view", "self", "{grad} reshaped to the shape of {self}"),
        ("sum", "self", "{grad} for every item"),
        ("mean", "self", "{grad} ÷ n for every item"),
        ("pow", "self", "{grad} × {exponent} × {self} ^ ({exponent} − 1)"),
        ("floor_divide", "self", "nothing: there is no derivative"),
        ("linalg_qr", "A", "{grad} led back through qr"),
    ],
)
def test_what_is_read(key: str, name: str, vjp: str) -> None:
    assert text_of(key, name).vjp == vjp


LOCALS = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos,
    "atan": math.atan, "sinh": math.sinh, "cosh": math.cosh, "asinh": math.asinh,
    "atanh": math.atanh, "exp": math.exp, "exp2": math.exp2, "expm1": math.expm1,
    "log": math.log, "log2": math.log2, "log10": math.log10, "log1p": math.log1p,
    "sqrt": math.sqrt, "tanh": math.tanh, "erf": math.erf, "erfc": math.erfc,
    "reciprocal": lambda x: 1 / x, "rsqrt": lambda x: x**-0.5, "neg": lambda x: -x,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)), "deg2rad": math.radians,
}  # fmt: skip
"""Functions of one number, by their ops."""


@pytest.mark.parametrize("key", LOCALS)
def test_the_local_derivative_is_true(key: str) -> None:
    function, x = LOCALS[key], 0.37
    local = text_of(key, "self").local
    assert local is not None
    python = local.translate(str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-"}))
    for sign, written in {"²": "**2", "³": "**3", "^": "**", "√π": "math.sqrt(math.pi)"}.items():
        python = python.replace(sign, written)
    python = python.replace("√(", "math.sqrt(").replace("π", "math.pi")
    python = python.replace("math.math.pi", "math.pi").replace("2math.pi", "2*math.pi")
    python = re.sub(r"ln (\d+)", r"math.log(\1)", python)
    python = python.format(self="x", result="result")
    names = {name: getattr(math, name) for name in ("sin", "cos", "sinh", "cosh", "exp")}
    found = eval(python, {"math": math, "x": x, "result": function(x), **names})
    step = 1e-6
    assert found == pytest.approx((function(x + step) - function(x - step)) / (2 * step), rel=1e-5)
