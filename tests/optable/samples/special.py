"""Samples of special functions."""

from __future__ import annotations

from .sample import TWO, Sample, one, two

SAMPLES: dict[str, list[Sample]] = {
    "erf": one("x.erf()"),
    "erfc": one("x.erfc()"),
    "erfinv": one("(x / 3).erfinv()"),
    "special_erfcx": one("torch.special.erfcx(x)"),
    "special_ndtri": one("torch.special.ndtri(x / 5 + 0.45)"),
    "special_log_ndtr": [*one("torch.special.log_ndtr(x)"), *one("torch.special.ndtr(x) * 1")],
    "special_entr": one("torch.special.entr(x)", positive=True),
    "special_xlog1py": [*two("torch.special.xlog1py(x, y)", positive=True),
                        *two("torch.special.xlog1py(x * 0, y)")],
    "special_xlog1py.number": [*one("torch.special.xlog1py(x, 2)"),
                               *one("torch.special.xlog1py(x * 0, -1.)")],
    "special_xlog1py.base": one("torch.special.xlog1py(2, x)", positive=True),
    "lgamma": [*one("x.lgamma()", positive=True), *one("(x * 0.9 + 0.05).lgamma()")],
    "digamma": [*one("x.digamma()", positive=True), *one("(x * 0.9 + 0.05).digamma()")],
    "polygamma": [*one("torch.polygamma(1, x)", positive=True),
                  *one("x.polygamma(0)", positive=True),
                  *one("torch.special.polygamma(2, x)", positive=True)],
    "polygamma.written": one("(x * 1).polygamma_(1)", positive=True),
    "mvlgamma": [*one("torch.mvlgamma(x + 2, 3)", positive=True),
                 *one("(x + 1).mvlgamma(1)", positive=True)],
    "special_zeta": [Sample("torch.special.zeta(torch.full_like(y, 2.5), y)", TWO, True)],
    "igamma": [Sample("torch.igamma(torch.full_like(y, 2.5), y)", TWO, True),
               Sample("torch.special.gammainc(torch.full_like(y, 20.), y * 20)", TWO, True)],
    "igammac": [Sample("torch.full_like(y, 1.5).igammac(y)", TWO, True),
                Sample("torch.special.gammaincc(torch.full_like(y, 5.), y * 9)", TWO, True)],
    "i0": [*one("x.i0()"), *one("(x * 10).i0()")],
    "special_i0e": [*one("torch.special.i0e(x)"), *one("torch.special.i0e(x * 10)")],
    "special_i1": [*one("torch.special.i1(x)"), *one("torch.special.i1(x * 10)")],
    "special_i1e": [*one("torch.special.i1e(x)"), *one("torch.special.i1e(x * 10)")],
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = [
    ("(x / 3).erf()", "z.div_(3).erf_()"),
    ("(x / 3).erfc()", "z.div_(3).erfc_()"),
    ("(x / 3).erfinv()", "z.div_(3).erfinv_()"),
    ("(x / 3).lgamma()", "z.div_(3).lgamma_()"),
    ("(x / 3).digamma()", "z.div_(3).digamma_()"),
    ("(x / 3).i0()", "z.div_(3).i0_()"),
    ("(x + 2).detach().igamma(y)", "(z + 2).detach().igamma_(y)"),
    ("(x + 2).detach().igammac(y)", "(z + 2).detach().igammac_(y)"),
    ("x.polygamma(1)", "z.polygamma_(1)"),
    ("(x + 2).mvlgamma(2)", "z.add_(2).mvlgamma_(2)"),
]
