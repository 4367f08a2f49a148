"""Samples of reductions of segments."""

from __future__ import annotations

from .convolution import grads
from .sample import Sample, Shapes, each, floats

ROWS: list[Shapes] = [((6, 2),), ((6,),), ((6, 0),)]
LENGTHS = "torch.segment_reduce(x, {}, lengths=torch.tensor([2, 1, 3]){})"
OFFSETS = "torch.segment_reduce(x, {}, offsets=torch.tensor([0, 4, 5, 6]).clamp(max=x.shape[0]){})"
"""Beyond the rows, PyTorch reads what is not there."""
INNER = "torch.segment_reduce(x, 'mean', lengths=torch.tensor([[2, 1], [1, 2]]), axis=1)"

SAMPLES: dict[str, list[Sample]] = {
    "segment_reduce": [
        *each(ROWS, LENGTHS.format("'sum'", "")),
        *floats(
            LENGTHS.format("'prod'", ""), LENGTHS.format("'max'", ", initial=0.1"),
            OFFSETS.format("'mean'", ""), OFFSETS.format("'min'", ", unsafe=True"), shapes=ROWS,
        ),
        *floats(INNER, shapes=[((2, 3, 2),)]),
    ],
    "segment_reduce_backward": floats(
        grads(LENGTHS.format("'prod'", ", initial=2"), "x") + "[0].detach()",
        grads(OFFSETS.format("'max'", ""), "x") + "[0].detach()", shapes=ROWS[:1],
    ),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
