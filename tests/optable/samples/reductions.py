"""Samples of reductions."""

from __future__ import annotations

from typing import Any

from .sample import FILLED, MATRIX, ONE, WITH_DIM, Sample, each, one

ROWS = [((3, 4),), ((2, 1, 3),)]
ZEROS = "(x * (x > 0))"
"""x with zeros where it is negative."""


def real(shapes: Any, *texts: str) -> list[Sample]:
    return each(shapes, *texts, integers=False)


SAMPLES: dict[str, list[Sample]] = {
    "sum": [*one("x.sum()"), *one("x.sum(dtype=torch.float64)"), *one("(x > 0).sum()"),
            *one("x.sum(dim=None, keepdim=True)")],
    "sum.dim": each(WITH_DIM, "x.sum(0)", "x.sum(-1, keepdim=True)", "x.sum((0, 1))",
                    "x.sum(dim=[0, -1], keepdim=True)", "x.sum(1, dtype=torch.float64)"),
    "nansum": [*one("x.nansum()"), *each(WITH_DIM, "x.nansum(0)", "x.log().nansum(-1, True)",
                                         "x.nanmean(1)", "x.nansum(dtype=torch.float64)")],
    "prod": [*one("x.prod()"), *one(ZEROS + ".prod()"), *one("x.prod(dtype=torch.float64)")],
    "prod.dim": each(WITH_DIM, "x.prod(0)", "x.prod(-1, keepdim=True)", ZEROS + ".prod(1)",
                     ZEROS + ".prod(0, True)") + one("x.prod(-1)"),
    "mean": [Sample("x.mean()", ONE)],
    "mean.dim": each(WITH_DIM, "x.mean(0)", "x.mean(-1, keepdim=True)", "x.mean((0, 1))"),
    "max": each(FILLED, "x.max()", "torch.max(torch.cat([x, x]))"),
    "max.dim": each(FILLED, "x.max(0)", "x.max(-1, keepdim=True)"),
    "min": each(FILLED, "x.min()"),
    "min.dim": each(FILLED, "x.min(0)", "x.min(1, keepdim=True)"),
    "scatter_along_dim": each(FILLED, "x.max(0).values ** 2"),
    "gather_along_dim": each(
        FILLED, "torch.autograd.grad((x.max(0).values ** 2).sum(), x, create_graph=True)[0]"
    ),
    "amax": each(FILLED, "x.amax()", "x.amax(0)", "x.amax((0, 1), True)", "x.round().amax(-1)",
                 "x.amax(-1).sum()"),
    "amin": each(FILLED, "x.amin()", "x.amin(0)", "x.amin((0, 1), True)", "x.round().amin(-1)"),
    "var": real(ROWS[:1], "x.var()", "x.var(0)", "x.var((0, 1), keepdim=True)", "x.var(1, False)",
                "x.var(correction=0)", "x.var(unbiased=False)", "x.var(dim=-1, correction=2)"),
    "std": real(ROWS[:1], "x.std()", "x.std(1)", "x.std((0, 1), keepdim=True)", "x.std(False)",
                "(x * 0 + 1).std(0)", "x.std(correction=0)"),
    "var_mean": real(ROWS, "torch.var_mean(x)", "torch.var_mean(x, 0)",
                     "torch.var_mean(x, (0, 1), correction=0, keepdim=True)"),
    "std_mean": real(ROWS[:1], "torch.std_mean(x)", "torch.std_mean(x, 1, keepdim=True)"),
    "all": [*one("x.all()"), *each(WITH_DIM, "x.all(0)", "(x > 0).all((0, 1), True)",
                                   "x.to(torch.uint8).all()")],
    "any": [*one("x.any()"), *each(WITH_DIM, "x.any(-1)", "(x > 1).any(0, keepdim=True)")],
    "count_nonzero": [*one("(x > 0).count_nonzero()"),
                      *each(WITH_DIM, "x.count_nonzero(0)", "x.count_nonzero((0, 1))")],
    "nonzero": [*one("(x > 0).nonzero()"), *one("(x > 0).nonzero(as_tuple=True)"),
                *one("torch.argwhere(x > 0)")],
    "trace": each(MATRIX, "x.trace()", "x.t().trace()"),
    "argmax": each(FILLED, "x.argmax()", "x.argmax(0)", "x.argmax(-1, keepdim=True)"),
    "argmin": each(FILLED, "x.argmin()", "x.argmin(1)"),
    # norms
    "logsumexp": [*each(WITH_DIM, "x.logsumexp(0)", "x.logsumexp((0, 1))",
                        "(x * 500).logsumexp(-1, True)"), *one("x.logsumexp(-1)")],
    "linalg_vector_norm": [
        *real(ROWS, "x.norm()", "x.norm(1)", "x.norm(3, 0)", "x.norm(p=1.5, dim=(0, 1))",
              "x.norm(0.5, -1, True)", "x.norm(float('inf'))", "x.norm(-float('inf'), 0)",
              "x.norm('fro')", "torch.linalg.norm(x)", "torch.linalg.vector_norm(x, 4, -1)",
              "x.norm(dtype=torch.float64)", "torch.norm(x, 2, keepdim=True)",
              "torch.linalg.norm(x, 2, 0, keepdim=True)",
              "torch.autograd.grad((x * 0).norm(), x)[0]",
              "torch.autograd.grad((x * 0).norm(3), x)[0]",
              "torch.linalg.vector_norm(x, 0, 0).detach()"),
        *real(MATRIX, "torch.linalg.norm(x, 1)", "torch.linalg.norm(x, -1, keepdim=True)",
              "torch.linalg.matrix_norm(x, float('inf'))", "torch.linalg.matrix_norm(x)",
              "torch.linalg.norm(x, -float('inf'), dim=(1, 0))", "torch.linalg.norm(x, 'fro')"),
    ],
    "dist": real([((2, 3), (2, 3)), ((2, 3), (3,)), ((3,), (2, 3))], "torch.dist(x, y)",
                 "x.dist(y, 1)", "x.dist(y, 3.5)", "torch.dist(x, y, float('inf'))"),
    # PyTorch has no second derivative of cdist.
    "cdist": real([((2, 3), (4, 3)), ((2, 2, 3), (1, 4, 3))], "torch.cdist(x, y).detach()",
                  "torch.autograd.grad(torch.cdist(x, y).sum(), x)[0]",
                  "torch.autograd.grad((torch.cdist(x, y, p=1.0) ** 2).sum(), y)[0]",
                  "torch.autograd.grad((torch.cdist(x, y, 3.0) ** 2).sum(), x)[0]"),
    "_euclidean_dist": real(
        [((2, 3), (4, 3)), ((2, 2, 3), (1, 4, 3)), ((2, 3), (2, 4, 3))],
        "torch.cdist(x, y + 3, compute_mode='use_mm_for_euclid_dist')"),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
