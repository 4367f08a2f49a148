"""Samples of views that are copied and of parts that are no views."""

from __future__ import annotations

from .sample import WITH_DIM, Sample, each, one

SAMPLES: dict[str, list[Sample]] = {
    "unsafe_split": each(WITH_DIM, "torch.unsafe_split(x, 2)", "x.unsafe_split(2, 0)"),
    "filled": [*one("torch.fill(x, 2)"), *one("torch.fill(x, 0.5)")],
    "filled.tensor": one("torch.fill(x, x.sum())"),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
