"""Derivatives as text for the picture, read off the op table's own formulas.

A formula is called with ``Text`` operands, which write down what is done to them. Nothing is
derived or written a second time here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from .declare import COMPOSITES, GRADIENTS, TABLE, Namespace, Op, bind

SUM, PRODUCT, PREFIX, POWER, ATOM = range(5)
"""Precedence of a text."""

MAX_LENGTH = 60
"""A shared function of formulas is written out up to this length, else called by its name."""


WORDS = {
    "sum_to_size": "{0} summed to {1}",
    "sums_to_sizes": "{0}",
    "reshape": "{0} reshaped to {1}",
    "unsqueezed": "{0} with its dimensions of size 1 again",
    "unreduce": "{0} for every item along dim {2}",
    "unstacked": "its part of {0}",
    "cat_backward": "its part of {0}",
    "block_diag_backward": "its block of {0}",
    "repeat_backward": "{0} summed over the repetitions",
    "cumsum_reversed": "sums of {0} from the end",
    "share": "0 where {1}, half of {0} where {2}, else {0}",
    "shared": "{0} at the items that are {2}, in equal parts, 0 elsewhere",
    "evenly": "{0} at the items that are {2}, in equal parts, 0 elsewhere",
    "pow_backward": "{0} × {2} × {1} ^ ({2} − 1)",
    "pow_backward_self": "{0} × {2} × {1} ^ ({2} − 1)",
    "pow_backward_exponent": "{0} × {3} × log({1})",
    "pow_backward_base": "{0} × {3} × log({1})",
    "prod_backward": "{0} × {2} ÷ {1}",
    "var_backward": "{0} × 2 × ({1} − mean({1})) ÷ (n − {3})",
    "std_backward": "{0} × ({1} − mean({1})) ÷ ((n − {4}) × {2})",
    "zeros": "0",
    "divide_if_mean": "{0}{{over_n}}",
    "multiply_weight": "{0}{{weighted}}",
    "mean_factor": "(1{{over_n}})",
    "scale_loss_gradient": "{0} × {1}{{weighted}}{{over_n}}",
    "logits_derivative": "{{logits_slope}}",
}  # fmt: skip
"""Words for shared functions of formulas, where these read better than their formula."""

CONSTANTS = {
    0.693147: "ln 2", 2.30259: "ln 10", 1.12838: "(2/√π)", 0.886227: "(√π/2)", 2.50663: "√(2π)",
    0.0174533: "(π/180)", 57.2958: "(180/π)",
}  # fmt: skip
"""Numbers of six digits by the names that people know."""

OF_A_CALL = ("reduced", "over_n", "weighted", "pos_weighted", "logits_slope")
"""Placeholders that depend on a call of a loss: "mean of ", " ÷ n", " · weight" or nothing, as its
reduction and its weights are. Whoever fills a formula writes them out."""

UNDERIVABLE = {"without_derivative", "no_derivative", "refuse"}
NO_DERIVATIVE = "nothing: there is no derivative"

CHOSEN = "{grad} at the chosen items, 0 elsewhere"

BY_HAND = {
    "max.dim": CHOSEN, "min.dim": CHOSEN, "median.dim": CHOSEN,
    "nanmedian.dim": CHOSEN, "mode": CHOSEN,
    **dict.fromkeys(("squeeze.dim", "squeeze_inplace.dim", "squeeze_copy.dim"),
                    "{grad} with its dimensions of size 1 again"),
    "logsumexp": "{grad} × exp({self} − {result}) along dim {dim}",
    "permute": "{grad} with its dimensions in their former order",
    "mean.dim": "{grad} ÷ n for every item along dim {dim}",
    "roll": "{grad} rolled back",
    "constant_pad_nd": "{grad} without the padding",
    "linalg_vector_norm": "{grad} × {self} ÷ {result}, for the norm of order 2",
}
"""Formulas that look at numbers or sizes and so cannot be written by being called."""

PLAIN = [
    (re.compile(r"\[None ≤ (\{\w+\}) ≤ (.+?)\]"), r"\1 ≤ \2"),
    (re.compile(r"\[(.+?) ≤ (\{\w+\}) ≤ None\]"), r"\2 ≥ \1"),
    (re.compile(r"\[0 ≤ (\{\w+\}) ≤ 0\]"), r"\1 = 0"),
    (re.compile(r"\[([^][]+ ≤ [^][]+)\]"), r"\1"),
    (re.compile(r"\(\(([^()]*)\)\)"), r"(\1)"),
    (re.compile(r"\((\{\w+\} [=≤≥<>≠] [^() ]+)\)(?=$| else|,)"), r"\1"),
    (re.compile(r"^\((\{\w+\} spread to \{\w+\}\.shape)\)"), r"\1"),
    (re.compile(r"(\S+) spread to \{\w+\}\.shape(.*)"), r"\1\2 for every item"),
    (re.compile(r"to (\{\w+\})\.shape"), r"to the shape of \1"),
    (re.compile(r"^1 with 0 where (\{\w+\})$"), r"0 where \1, else 1"),
    (re.compile(r"(?<![\w.])1 · "), ""),
    (re.compile(r" · 1(?![\w.])"), ""),
    (re.compile(r"(?<=[})]) \^ 2(?![\w.])"), "²"),
    (re.compile(r"(?<=[})]) \^ 3(?![\w.])"), "³"),
    (re.compile(r"\((\{\w+\}[²³])\)"), r"\1"),
    (re.compile(r"reshape\((.+), (\{\w+\})\.shape\)$"), r"\1 reshaped to the shape of \2"),
    (re.compile(r"^zeros$"), "0"),
]
"""Rewriting rules that make a formula plain, in order."""


class Text:
    """An operand that is a piece of text; operators make longer ones, with the brackets needed."""

    def __init__(self, text: str, tight: int = ATOM) -> None:
        self.text = text
        self.tight = tight

    def at(self, tight: int) -> str:
        """The text where something at least as tight must stand."""
        return self.text if self.tight >= tight else f"({self.text})"

    def __add__(self, other: Any) -> Text:
        right = _text(other)
        negative = self.tight in (PRODUCT, PREFIX) and self.text.startswith("−")
        if negative and not right.text.startswith("−"):
            return right - Text(self.text[1:], PRODUCT)  # 1 − x rather than −x + 1
        return Text(f"{self.at(SUM)} + {right.at(SUM)}", SUM)

    def __radd__(self, other: Any) -> Text:
        return _text(other) + self

    def __sub__(self, other: Any) -> Text:
        return Text(f"{self.at(SUM)} − {_text(other).at(PRODUCT)}", SUM)

    def __rsub__(self, other: Any) -> Text:
        return _text(other) - self

    def __mul__(self, other: Any) -> Text:
        left, right = self, _text(other)
        if "1" in (left.text, right.text):
            return right if left.text == "1" else left
        if left.text == "−1":
            return -right
        if right.tight == PRODUCT and re.fullmatch(r"1 ÷ (\{\w+\}|√?\([^()]*\))", right.text):
            return Text(f"{left.at(PRODUCT)} ÷ {right.text[4:]}", PRODUCT)
        if left.text == right.text and left.tight == ATOM:
            return Text(f"{left.text}²", POWER)
        if left.text == f"−{right.text}" and right.tight == ATOM:
            return Text(f"−{right.text}²", PREFIX)
        if right.tight == PREFIX and right.text.startswith("−"):
            return -(left * Text(right.text[1:], PREFIX))
        return Text(f"{left.at(PRODUCT)} × {right.at(PREFIX)}", PRODUCT)

    def __rmul__(self, other: Any) -> Text:
        return _text(other) * self

    def __truediv__(self, other: Any) -> Text:
        divisor = _text(other).at(POWER)
        if self.tight == PRODUCT and self.text.endswith(f" ÷ {divisor}"):
            return Text(f"{self.text}²", PRODUCT)
        return Text(f"{self.at(PRODUCT)} ÷ {divisor}", PRODUCT)

    def __rtruediv__(self, other: Any) -> Text:
        return _text(other) / self

    def __neg__(self) -> Text:
        return Text(f"−{self.at(PREFIX if self.tight != PRODUCT else PRODUCT)}", PREFIX)

    def __pow__(self, other: Any) -> Text:
        exponent = _text(other)
        if exponent.text in ("2", "3"):
            return Text(f"{self.at(ATOM)}{'²' if exponent.text == '2' else '³'}", POWER)
        return Text(f"{self.at(ATOM)} ^ {exponent.at(ATOM)}", POWER)

    def __repr__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        raise TypeError("what a formula is hangs on what it is given")

    def __getattr__(self, name: str) -> Text:
        if name.startswith("__"):
            raise AttributeError(name)
        return Shape(f"{self.at(ATOM)}.{name}")


class Shape(Text):
    """The shape of an operand: as one number, it is the number of items."""

    __iter__ = None  # a formula that looks at every size has no text

    def __getattr__(self, name: str) -> Text:
        # numpy asks what is given to it as a dtype for its own ``dtype``, and that for its own:
        # without end, which in a browser overflows the stack before Python notices.
        if name == "dtype":
            raise AttributeError(name)
        return super().__getattr__(name)

    def __len__(self) -> int:
        return 1

    def __getitem__(self, dim: Any) -> Text:
        return Text("n")


def _text(value: Any) -> Text:
    if isinstance(value, Text):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        size = f"{abs(value):g}" if isinstance(value, float) else str(abs(value))
        named = CONSTANTS.get(float(size), size) if isinstance(value, float) else size
        return -Text(named) if value < 0 else Text(named)
    return Text(str(value))


class _Writers(Namespace):
    """``F`` on texts: an op writes its own formula, a shared function what it does."""

    def __getattr__(self, name: str) -> Any:
        if name in WRITERS:
            return WRITERS[name]
        if name in WORDS:
            return _worded(WORDS[name])
        if name in COMPOSITES:
            return _shared_function(name, COMPOSITES[name])
        op = _ops().get(name)
        return _writer(op) if op is not None else _caller(name)


@cache
def _ops() -> dict[str, Op]:
    """The ops by the names that formulas call them."""
    return {key.replace(".", "_"): op for key, op in TABLE.items()}


def _elu_slope(
    grad: Any, x: Any, alpha: Any, scale: Any, input_scale: Any, is_result: bool
) -> Text:
    """The slope of elu by what it was given, or by its result."""
    g, r, a, s, i = (_text(each).at(PREFIX) for each in (grad, x, alpha, scale, input_scale))
    i = i if input_scale == 1 or "{" not in i or i.startswith("{") else f"({i.strip('()')})"
    low = [g, i, f"({r} + {a} · {s})"] if is_result else [g, s, a, i, f"exp({i} · {r})"]
    factors = [each for each in low if each != "1"]
    high = " · ".join(each for each in (g, s) if each != "1") or "1"
    return Text(f"{high} where {r} > 0, else {' · '.join(factors)}", SUM)


def _prelu_slopes(grad: Any, x: Any, weight: Any) -> tuple[Text, Text]:
    """The slopes of prelu by what it was given, and by its weight."""
    g = _text(grad).at(PREFIX)
    return (
        Text(f"{g} where {x} > 0, else {weight} · {g}", SUM),
        Text(f"0 where {x} > 0, else {x} · {g}", SUM),
    )


WRITERS: dict[str, Callable[..., Any]] = {
    "elu_backward": _elu_slope, "prelu_kernel_backward": _prelu_slopes,
}  # fmt: skip
"""Ops whose formula hangs on more than its operands."""


F = _Writers()


def _writer(op: Op) -> Callable[..., Text]:
    def write(*operands: Any, **named: Any) -> Text:
        names = [*op.inputs, *op.params]
        given = dict(zip(names, operands, strict=False)) | named
        infix = " " in op.text
        texts = {key: _text(value).at(ATOM if infix else SUM) for key, value in given.items()}
        for key, default in op.params.items():
            texts.setdefault(key, str(default))
        texts |= {name: f"{{{name}}}" for name in OF_A_CALL}
        return Text(op.text.format(**texts), SUM if infix else ATOM)

    return write


def _shared_function(name: str, function: Callable[..., Any]) -> Callable[..., Text]:
    def write(*operands: Any) -> Text:
        short = _caller(name)(*operands)
        try:
            whole = _text(bind(function, F)(*operands))
        except Exception:
            return short
        return whole if len(whole.text) <= MAX_LENGTH else short

    return write


def _worded(words: str) -> Callable[..., Text]:
    """Return a function that words what is done to the first operand; "1" drops out of products."""

    def write(*operands: Any) -> Text:
        texts = [
            _text(operand).at(PRODUCT if nr == 0 else PREFIX) for nr, operand in enumerate(operands)
        ]
        text = words.format(*texts)
        product = " × " in words or words.startswith("{0}{{")
        return Text(text.removeprefix("1 × "), PRODUCT if product else ATOM)

    return write


def _caller(name: str) -> Callable[..., Text]:
    def write(*operands: Any) -> Text:
        return Text(f"{name}({', '.join(_text(operand).text for operand in operands)})")

    return write


class DerivativeText(NamedTuple):
    """The derivative of an op by one input: times the incoming gradient, and alone (item by item
    ops; None for others)."""

    input: str
    vjp: str
    local: str | None


def derivatives(op: Op) -> tuple[DerivativeText, ...]:
    """The derivatives of an op as text, with ``{name}`` placeholders."""
    if TABLE.get(op.key) is not op:
        return ()  # a user's own Function: only its author knows
    return _derivatives(op.key)


def vjp_text(op: Op, target: str) -> str:
    """The derivative of an op by one input, times the incoming gradient: all a docstring needs."""
    return _readable(op, _written(op, target, Text("{grad}")), "{grad}")


@cache
def _derivatives(key: str) -> tuple[DerivativeText, ...]:
    op = TABLE[key]
    found = []
    for derivative in op.derivatives.values():
        local = _written(op, derivative.input, Text("1")) if op.pointwise else None
        if local is not None and _readable(op, local, "") != local:
            local = None  # given with the gradient only
        vjp = _readable(op, _written(op, derivative.input, Text("{grad}")), "{grad}")
        found.append(DerivativeText(derivative.input, vjp, local))
    return tuple(found)


def _written(op: Op, target: str, grad: Text) -> str | None:
    """The formula with a gradient written as ``grad``; None where it cannot be written."""
    derivative = op.derivatives[target]
    given: dict[str, Any] = dict.fromkeys(GRADIENTS, grad) | {"targets": (target,)}
    for need in derivative.needs:
        source, _, what = need.removeprefix("_").rpartition("_")
        if need not in given:
            shaped = what in ("shape", "strides", "dtype") and source in op.inputs
            given[need] = Shape(f"{{{source}}}.{what}") if shaped else Text(f"{{{need}}}")
    if op.name == "index_put" and target == "self":
        return f"{grad}, 0 where it was overwritten"  # which hangs on `accumulate`
    try:
        found = bind(derivative.formula, F)(*(given[n] for n in derivative.needs))
        if derivative.place is not None:
            if not isinstance(found, tuple):
                return None  # the formula of one of several gradients is not that of the others
            found = found[derivative.place]
        text = _text(found).text
    except Exception:  # a formula that looks at numbers has no text of its own
        return None
    for pattern, plain in PLAIN:
        text = pattern.sub(plain, text)
    return text


def _readable(op: Op, text: str | None, grad: str) -> str:
    """The text, or a general sentence where it would speak of the engine's own functions."""
    called = set(re.findall(r"(?<![\w⁻])([A-Za-z_]\w*)\(", text or ""))
    if called & UNDERIVABLE:
        return NO_DERIVATIVE
    internal = any("_" in name or name in COMPOSITES for name in called)
    if text and not internal and not re.search(r"\{_|None|spread to \(", text):
        return text
    if op.key in BY_HAND and grad:
        return BY_HAND[op.key]
    name = op.name.strip("_").removeprefix("linalg_").removeprefix("special_")
    return f"{grad} led back through {name}"
