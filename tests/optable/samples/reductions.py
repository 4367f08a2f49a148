"""Samples of reductions."""

from __future__ import annotations

from .sample import FILLED, ONE, WITH_DIM, Sample, each, one

SAMPLES: dict[str, list[Sample]] = {
    "sum": one("x.sum()"),
    "sum.dim": each(WITH_DIM, "x.sum(0)", "x.sum(-1, keepdim=True)", "x.sum((0, 1))",
                    "x.sum(dim=[0, -1], keepdim=True)"),
    "mean": [Sample("x.mean()", ONE)],
    "mean.dim": each(WITH_DIM, "x.mean(0)", "x.mean(-1, keepdim=True)", "x.mean((0, 1))"),
    "max": each(FILLED, "x.max()", "torch.max(torch.cat([x, x]))"),
    "max.dim": each(FILLED, "x.max(0)", "x.max(-1, keepdim=True)"),
    "min": each(FILLED, "x.min()"),
    "min.dim": each(FILLED, "x.min(0)", "x.min(1, keepdim=True)"),
    "scatter_chosen": each(FILLED, "x.max(0).values ** 2"),
    "gather_chosen": each(
        FILLED, "torch.autograd.grad((x.max(0).values ** 2).sum(), x, create_graph=True)[0]"
    ),
    "argmax": each(FILLED, "x.argmax()", "x.argmax(0)", "x.argmax(-1, keepdim=True)"),
    "argmin": each(FILLED, "x.argmin()", "x.argmin(1)"),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
