"""``PackedSequence``, ``pad_sequence`` and kin: sequences of different lengths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arrays import dtypes
from ...eager.op_functions import TENSORS as F
from ...eager.overridable import overridable
from ...functions.creation.factories import as_tensor, full
from ...graph.tensor import Tensor
from ...graph.version import bump, counter_at_version

_UNSORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
    "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
    "requirement if you do not need ONNX exportability."
)


# Padding ------------------------------------------------------------------------------------------
@overridable
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
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    listed = list(sequences)
    if not listed:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    longest = max(each.size(0) for each in listed)
    rest, dtype = tuple(listed[0].shape[1:]), listed[0].dtype
    lead = (len(listed), longest) if batch_first else (longest, len(listed))
    out = full(lead + rest, padding_value, dtype=dtype)
    out._counter = counter_at_version()
    rows = out if batch_first else out.transpose(0, 1)
    for place, each in enumerate(listed):
        start = longest - each.size(0) if padding_side == "left" else 0
        rows[place, start : start + each.size(0)] = each
    return out


# Packing ------------------------------------------------------------------------------------------
class _Packed(NamedTuple):
    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


_Packed.__name__ = "PackedSequence_"


class PackedSequence(_Packed):
    """Sequences without padding: `data` holds all first items, then all second ones, and so on;
    `batch_sizes` says how many there are of each. Recurrent layers take and give it.

    `sorted_indices` are the numbers of the sequences from the longest to the shortest, and
    `unsorted_indices` brings them back into their order; both None where they came so.
    """

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None,
        unsorted_indices: Any = None,
    ) -> PackedSequence:  # fmt: skip
        if batch_sizes is None:
            if not (isinstance(data, list | tuple) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """`data` of another dtype or device; the same object if that changes nothing."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._replace(data=data)

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same: it is on the CPU."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild_packed, tuple(self)


def rebuild_packed(*parts: Any) -> PackedSequence:
    """A packed sequence out of a pickle, or a copy."""
    return PackedSequence(*parts)


PackedSequence.__module__ = "torch.nn.utils.rnn"


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes another."""
    return None if permutation is None else Tensor._wrap(np.argsort(permutation._data))


def _batch_sizes(lengths: Tensor, count: int) -> tuple[int, ...]:
    """Count the sequences that have a first item, a second one, and so on.

    Raises:
        RuntimeError: the lengths do not fit.
    """
    shape = lengths._data.shape
    if len(shape) != 1:
        kind = dtypes.scalar_type(lengths._data.dtype)
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {len(shape)}D cpu {kind} "
            "tensor"
        )
    if shape[0] != count:
        raise RuntimeError(
            "Expected `len(lengths)` to be equal to batch_size, but got "
            f"{shape[0]} (batch_size={count})"
        )
    numbers = lengths._data.astype(np.int64)
    if numbers.size and numbers[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0"
        )
    if (np.diff(numbers) > 0).any():
        raise RuntimeError(_UNSORTED)
    return tuple((numbers > np.arange(numbers.max(initial=0))[:, None]).sum(1).tolist())


def pack_padded_sequence(
    input: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:  # fmt: skip
    """Padded sequences (T, N, *), or (N, T, *) with `batch_first`, without their padding.

    Args:
        lengths: of the sequences; decreasing if `enforce_sorted`.

    Raises:
        RuntimeError: lengths that are not positive, do not decrease or do not fit the input.
    """
    given = lengths if isinstance(lengths, Tensor) else as_tensor(lengths, dtype=dtypes.int64)
    order = None
    if not enforce_sorted:
        given, order = given.sort(descending=True)
        input = input.index_select(0 if batch_first else 1, order)
    if not isinstance(input, Tensor):
        raise TypeError(
            "_pack_padded_sequence(): argument 'input' (position 1) must be Tensor, not "
            f"{type(input).__name__}"
        )
    if input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    counts = _batch_sizes(given, input.size(0 if batch_first else 1))
    data = F.pack_padded_sequence(input, counts, batch_first)
    return PackedSequence(data, Tensor._wrap(np.array(counts)), order, None)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Packed sequences padded to the longest, or to `total_length`: (T, N, *), or (N, T, *) with
    `batch_first`; and their lengths.

    Raises:
        ValueError: `total_length` is less than a sequence has.
    """
    counts = sequence.batch_sizes.tolist()
    longest = len(counts)
    if total_length is not None and total_length < longest:
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, "
            f"but got total_length={total_length} and max sequence length being {longest}"
        )
    data: Tensor = sequence.data
    rest = tuple(data.shape[1:])
    out = full((total_length or longest, counts[0], *rest), padding_value, dtype=data.dtype)
    bump(out, "fill_")  # PyTorch's is filled after it was made
    lengths: list[int] = []
    start = row = 0
    for time, (count, after) in enumerate(zip(counts, [*counts[1:], 0], strict=True), 1):
        if after != count:  # all times since the last change at once
            rows = count * (time - start)
            block = data[row : row + rows].view((time - start, count, *rest))
            out[start:time, :count].copy_(block)
            start, row = time, row + rows
            lengths[:0] = [time] * (count - after)
    if batch_first:
        out = out.transpose(0, 1)
    sizes = Tensor._wrap(np.array(lengths))
    order = sequence.unsorted_indices
    if order is None:
        return out, sizes
    return out.index_select(0 if batch_first else 1, order), sizes[order]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Sequences (L, *) packed.

    Raises:
        RuntimeError: they are not sorted from long to short and `enforce_sorted`.
    """
    lengths = [each.size(0) for each in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)
