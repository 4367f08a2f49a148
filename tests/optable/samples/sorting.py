"""Samples of sorting, selecting and running reductions."""

from __future__ import annotations

from typing import Any

from .sample import FILLED, WITH_DIM, Sample, each, one

ROWS = [((3, 4),), ((2, 1, 3),), ((2, 20),)]
ZEROS = "(x * (x > 0))"
"""x with zeros where it is negative."""


def running(*texts: str) -> list[Sample]:
    return [*each(WITH_DIM, *texts), *one(texts[0])]


def real(shapes: Any, *texts: str) -> list[Sample]:
    return each(shapes, *texts, integers=False)


SAMPLES: dict[str, list[Sample]] = {
    # running
    "cumsum": running("x.cumsum(-1)", "x.cumsum(0)", "torch.cumsum(x, 1, dtype=torch.float64)",
                      "(x > 0).cumsum(0)", "x.to(torch.int32).cumsum(0)"),
    "cumprod": running("x.cumprod(-1)", "x.cumprod(0)", ZEROS + ".cumprod(1)",
                       ZEROS + ".cumprod(0)", "x.cumprod(0, dtype=torch.float64)"),
    "cummax": running("x.cummax(-1)", "x.cummax(0)", "x.round().cummax(-1)"),
    "cummin": running("x.cummin(-1)", "x.cummin(0)", "x.round().cummin(-1)"),
    "scatter_add_along_dim": each(FILLED, "x.cummax(0).values ** 2"),
    "gather_repeated": each(FILLED, "torch.autograd.grad((x.cummax(0).values ** 2).sum(), x, "
                             "create_graph=True)[0]", integers=False),
    # order
    "sort": running("x.sort()", "x.sort(0)", "x.sort(descending=True)", "x.round().sort(0, True)"),
    "sort.stable": running("x.sort(stable=True)", "x.round().sort(stable=True, dim=0)",
                           "x.round().sort(stable=False, descending=True)"),
    "argsort": running("x.argsort()", "x.argsort(0)", "x.round().argsort(descending=True)"),
    "topk": each(ROWS, "x.topk(2)", "x.topk(3, largest=False)", "x.round().topk(3)",
                 "x.round().topk(2, -1, False)", "x.round().topk(3, sorted=False)",
                 "x.topk(1, 0)", "x.topk(0)") + one("x[..., None].topk(1)"),
    "median": each(ROWS, "x.median()", "x.round().median()"),
    "median.dim": each(ROWS, "x.median(0)", "x.median(-1, True)", "x.round().median(-1)"),
    "nanmedian": each(ROWS, "x.nanmedian()", "x.log().nanmedian()"),
    "nanmedian.dim": each(ROWS, "x.nanmedian(0)", "x.log().nanmedian(-1, True)"),
    "mode": each(ROWS, "x.mode()", "x.round().mode(0)", "x.round().mode(-1, True)"),
    # search
    "searchsorted": each(ROWS, "torch.searchsorted(x.sort().values, x)",
                         "torch.searchsorted(x.flatten().sort().values, x, right=True)",
                         "torch.searchsorted(x.flatten().sort().values, 0.5, side='right')"),
    "isin": each(ROWS, "torch.isin(x, x[0])", "torch.isin(x.round(), 1)",
                 "torch.isin(x.round(), torch.arange(2), invert=True)"),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = [
    ("x.cumsum(0)", "z.cumsum_(0)"), ("x.cumprod(1)", "z.cumprod_(1)"),
]  # fmt: skip
