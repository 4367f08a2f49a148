"""Samples of statistics: quantiles, differences, integrals, covariances, counts."""

from __future__ import annotations

from .sample import Sample, Shapes, each

ROWS: list[Shapes] = [((3, 4),), ((5,),)]

SAMPLES: dict[str, list[Sample]] = {
    "unique2": each(ROWS, "x.round().unique().detach()", "torch.unique(x, return_inverse=True)[1]",
                    "torch.unique(x.long(), return_inverse=True, return_counts=True)"),
    "unique_dim": each([((3, 4),)], "torch.unique(x.sign().long(), dim=1, return_counts=True)",
                       "torch.unique(x.sign().long(), dim=0, return_inverse=True)"),
    "bincount": each(ROWS, "x.abs().long().flatten().bincount()",
                     "torch.bincount(x.abs().long().flatten(), minlength=7)"),
    "bincount.weights": each(
        ROWS, "torch.bincount(x.abs().long().flatten(), x.detach().flatten())", integers=False),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
