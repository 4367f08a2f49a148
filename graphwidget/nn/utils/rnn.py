"""Sequences of different lengths in one tensor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...core.factories import full
from ...core.tensor import Tensor


def pad_sequence(
    sequences: Sequence[Tensor] | Tensor,
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences (L, ...) of different lengths as one tensor (longest, N, ...), or (N, longest,
    ...) with `batch_first`; the rest has the padding value.

    Raises:
        RuntimeError: no sequences.
    """
    listed = list(sequences)
    if not listed:
        raise RuntimeError("received an empty list of sequences")
    longest = max(each.size(0) for each in listed)
    rest, dtype = tuple(listed[0].shape[1:]), listed[0].dtype
    lead = (len(listed), longest) if batch_first else (longest, len(listed))
    out = full(lead + rest, padding_value, dtype=dtype)
    rows = out if batch_first else out.transpose(0, 1)
    for place, each in enumerate(listed):
        start = longest - each.size(0) if padding_side == "left" else 0
        rows[place, start : start + each.size(0)] = each
    return out


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """The sequences of a padded tensor, by their lengths."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    place = Tensor._wrap(np.arange(rows.size(1)))
    return [row[place < length] for row, length in zip(rows, lengths.tolist(), strict=True)]
