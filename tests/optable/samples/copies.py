"""Samples of ops that functions of other names are made of: fills, draws, gates, norms."""

from __future__ import annotations

from .sample import MATRIX, Sample, each, one

SAMPLES: dict[str, list[Sample]] = {
    "unsafe_split": each(
        [((2, 3),)], "torch.gru_cell(x, x, *[x.new_ones(9, 3).cumsum(0) / 9] * 2)",
        integers=False,
    ),
    "filled": [*one("torch.fill(x, 2)"), *one("torch.fill(x, 0.5)")],
    "filled.tensor": one("torch.fill(x, x.sum())"),
    "binomial": each(
        [((2, 3), (3,))], "torch.manual_seed(3) and torch.binomial(x.detach(), y.detach())",
        integers=False,
    ),
    "norm.all": each(MATRIX, "torch.norm_except_dim(x, 2, -1)", "torch.norm_except_dim(x, 1, -1)",
                     integers=False),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
