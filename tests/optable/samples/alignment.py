"""Samples of connectionist temporal classification."""

from __future__ import annotations

from .sample import Sample, Shapes, each

F = "torch.nn.functional"
SCORES: list[Shapes] = [((6, 2, 4),)]
TARGETS = "torch.tensor([[1, 2, 2], [3, 1, 0]])"

SAMPLES: dict[str, list[Sample]] = {
    "ctc_loss": each(
        SCORES, f"{F}.ctc_loss(x.log_softmax(2), {TARGETS}, (6, 5), (3, 2)).reshape(1)",
        integers=False),
    "ctc_loss_backward": each(
        SCORES, f"{F}.ctc_loss(x.log_softmax(2), {TARGETS}, (6, 4), (3, 0), reduction='sum')",
        integers=False),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
