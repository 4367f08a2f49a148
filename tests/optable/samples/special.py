"""Samples of special functions."""

from __future__ import annotations

from .sample import Sample, one

SAMPLES: dict[str, list[Sample]] = {
    "erf": one("x.erf()"),
    "erfc": one("x.erfc()"),
    "erfinv": one("(x / 3).erfinv()"),
    "lgamma": [*one("x.lgamma()", positive=True), *one("(x * 0.9 + 0.05).lgamma()")],
    "digamma": [*one("x.digamma()", positive=True), *one("(x * 0.9 + 0.05).digamma()")],
    "polygamma": one("torch.autograd.grad(x.digamma().sum(), x)[0]", positive=True),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = [
    ("(x / 3).erf()", "z.div_(3).erf_()"),
    ("(x / 3).erfc()", "z.div_(3).erfc_()"),
    ("(x / 3).erfinv()", "z.div_(3).erfinv_()"),
    ("(x / 3).lgamma()", "z.div_(3).lgamma_()"),
    ("(x / 3).digamma()", "z.div_(3).digamma_()"),
]
