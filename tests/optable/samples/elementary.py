"""Samples of elementary functions and rounding."""

from __future__ import annotations

from .sample import TWO, Sample, one, two

SAMPLES: dict[str, list[Sample]] = {
    "tan": one("x.tan()"),
    "asin": one("(x / 3).asin()"),
    "acos": one("(x / 3).acos()"),
    "atan": one("x.atan()"),
    "sinh": one("x.sinh()"),
    "cosh": one("x.cosh()"),
    "asinh": one("x.asinh()"),
    "acosh": one("(x + 1).acosh()", positive=True),
    "atanh": one("(x / 3).atanh()"),
    "exp2": one("x.exp2()"),
    "expm1": one("x.expm1()"),
    "log2": one("x.log2()", positive=True),
    "log10": one("x.log10()", positive=True),
    "log1p": one("x.log1p()", positive=True),
    "rsqrt": one("x.rsqrt()", positive=True),
    "hypot": [Sample("torch.hypot(x, y)", TWO, True, integers=False)],
    "atan2": two("torch.atan2(x, y)", positive=True),
    "floor": one("x.floor()"),
    "ceil": one("x.ceil()"),
    "round": one("x.round()"),
    "trunc": one("x.trunc()"),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
