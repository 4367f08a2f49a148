"""Samples of comparisons, logic and bits."""

from __future__ import annotations

from .sample import FITTING, Sample, each, one, two

SAMPLES: dict[str, list[Sample]] = {
    "eq": [*two("x == y"), *one("x == 1")],
    "ne": [*two("torch.not_equal(x, y)"), *two("x != y"), *one("x != 1")],
    "lt": [*two("x < y"), *one("x < 1")],
    "le": [*two("x <= y"), *one("x <= 1.5")],
    "gt": [*one("x.greater(1)"), *two("x > y"), *one("x > 1")],
    "ge": [*two("x >= y"), *one("1 >= x")],
    "logical_and": two("torch.logical_and(x, y)", "(x + y).detach().logical_and_(y)"),
    "logical_or": two("torch.logical_or(x, y)"),
    "logical_xor": two("torch.logical_xor(x, y)"),
    "logical_not": [*one("torch.logical_not(x)"), *one("(x * 1).detach().logical_not_()")],
    "bitwise_and": two("(x > 0) & (y > 0)", "x.long() & y.long()"),
    "bitwise_or": two("(x > 0) | (y > 0)", "x.long() | y.long()"),
    "bitwise_xor": two("(x > 0) ^ (y > 0)", "x.long() ^ y.long()"),
    "bitwise_not": [*one("~(x > 0)"), *one("~x.long()")],
    "isnan": one("torch.isnan(x.log())"),
    "isinf": one("torch.isinf(x / 0.)"),
    "isfinite": one("torch.isfinite(x / 0.)"),
    "isposinf": one("torch.isposinf(x / 0.)"),
    "isneginf": one("torch.isneginf(x / 0.)"),
    "isreal": one("torch.isreal(x)"),
    "signbit": [*one("torch.signbit(x)"), *one("torch.signbit(x * 0.)")],
    "bitwise_left_shift": two("x.long() << y.long()", "x.int() << 2", "3 << y.long()"),
    "bitwise_right_shift": two("x.long() >> y.long()", "x.int() >> 1", "30 >> y.long()"),
    "gcd": two("torch.gcd(x.long(), y.long())", "torch.gcd(x.long() * 6, y.int() * 4)"),
    "lcm": two("torch.lcm(x.long(), y.long())", "torch.lcm(x.long() * 6, y.int() * 4)"),
    "eq.written": each(FITTING, "(x * 1).eq_(y)"),
    "eq.written_number": one("(x * 1).eq_(1)"),
    "ne.written": each(FITTING, "(x * 1).ne_(y)"),
    "ne.written_number": one("(x * 1).ne_(1)"),
    "lt.written": each(FITTING, "(x * 1).lt_(y)"),
    "lt.written_number": one("(x * 1).lt_(1)"),
    "le.written": each(FITTING, "(x * 1).le_(y)"),
    "le.written_number": one("(x * 1).le_(1)"),
    "gt.written": each(FITTING, "(x * 1).gt_(y)"),
    "gt.written_number": one("(x * 1).gt_(1)"),
    "ge.written": each(FITTING, "(x * 1).ge_(y)"),
    "ge.written_number": one("(x * 1).ge_(1)"),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
