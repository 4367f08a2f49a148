"""Samples of packed sequences."""

from __future__ import annotations

from .convolution import grads
from .sample import Sample, Shapes, each

R = "torch.nn.utils.rnn"
PADDED: list[Shapes] = [((4, 3, 2),), ((4, 3),)]
PACKED = f"{R}.pack_padded_sequence(x, [4, 2, 1]).data"

SAMPLES: dict[str, list[Sample]] = {
    "pack_padded_sequence": [
        *each(PADDED, PACKED, f"{R}.pack_padded_sequence(x, [1, 3, 2, 1], True, False).data",
              f"{R}.pad_packed_sequence({R}.pack_padded_sequence(x, [4, 2, 2]))[0]"),
        *each(PADDED, grads(PACKED, "x") + "[0]",
              grads(f"{R}.pack_padded_sequence(x, [2, 2, 2, 1], True).data", "x") + "[0]",
              integers=False),
    ],
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
