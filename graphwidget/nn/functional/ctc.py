"""``ctc_loss``: a loss of sequences whose alignment with their target is not known."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...arrays.kernel_errors import not_implemented
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from .reduction import REDUCTIONS

_WHERE = "(while checking arguments for ctc_loss_allocate_outputs)"


def _lengths(name: str, given: Any) -> tuple[int, ...]:
    """Lengths as a tuple, from a tensor or a sequence."""
    if not isinstance(given, Tensor):
        return tuple(map(operator.index, given))
    if given._data.dtype.kind not in "iu":
        raise RuntimeError(f"{name} must be integral")
    return tuple(given._data.reshape(-1).tolist())


def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: str = "mean", zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """Connectionist temporal classification (Graves et al., 2006): minus the log probability of
    each target among all its alignments with the input.

    Args:
        log_probs: (T, N, C), or (T, C), logarithms of probabilities.
        targets: labels (N, S), or those of all sequences one after another.
        input_lengths, target_lengths: of each sequence.
        blank: the label that stands for none.
        reduction: "mean" (of each divided by its target's length), "sum" or "none".
        zero_infinity: a target that is longer than the input counts 0.

    Raises:
        RuntimeError: lengths that do not fit.
        ValueError: an unknown reduction.
    """
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if isinstance(input_lengths, Tensor) != isinstance(target_lengths, Tensor):
        raise TypeError("ctc_loss: lengths of two kinds")  # the parser finds the words
    ins, outs = _lengths("input_lengths", input_lengths), _lengths("target_lengths", target_lengths)
    alone = log_probs._data.ndim != 3
    if alone:
        log_probs = log_probs.unsqueeze(1)
    _check(log_probs, targets, ins, outs, blank)
    found = F.ctc_loss(log_probs, targets, ins, outs, blank, zero_infinity)
    if zero_infinity:
        found = F.where(found == float("inf"), found.new_zeros(()), found)
    if reduction == "mean":
        counts = Tensor._wrap(np.maximum(outs, 1).astype(found._data.dtype))
        return (found / counts).mean()
    if reduction == "sum":
        return found.sum()
    return found.squeeze(0) if alone else found


def _check(
    log_probs: Tensor, targets: Tensor, ins: tuple[int, ...], outs: tuple[int, ...], blank: int
) -> None:
    """PyTorch's checks."""
    ndim, shape = log_probs._data.ndim, log_probs._data.shape
    if ndim != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {ndim}-dimensional tensor for argument #1 "
            f"'log_probs' {_WHERE}"
        )
    sizes, longest = targets._data.shape, max(outs, default=0)
    if len(sizes) not in (1, 2):
        raise RuntimeError(
            f"Expected 1 to 2 dimensions, but got {len(sizes)}-dimensional tensor for argument #2 "
            f"'targets' {_WHERE}"
        )
    if not log_probs._meta.floating:
        raise not_implemented("ctc_loss_cpu", log_probs._data.dtype)
    count, batch, classes = shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    for name, lengths in (("input_lengths", ins), ("target_lengths", outs)):
        if len(lengths) != batch:
            raise RuntimeError(f"{name} must be of size batch_size")
    for length in outs:
        if length < 0:
            raise RuntimeError(
                f"Expected target_lengths to have value at least 0, but got value {length} {_WHERE}"
            )
    wanted = sum(outs) if len(sizes) == 1 else batch
    if sizes[0] != wanted:
        raise RuntimeError(
            f"Expected tensor to have size {wanted} at dimension 0, but got size {sizes[0]} for "
            f"argument #2 'targets' {_WHERE}"
        )
    if len(sizes) > 1 and sizes[1] < longest:
        raise RuntimeError(
            f"Expected tensor to have size at least {longest} at dimension 1, but got size "
            f"{sizes[1]} for argument #2 'targets' {_WHERE}"
        )
    for length in ins:
        if length < 0:
            raise RuntimeError(
                f"Expected input_lengths to have value at least 0, but got value {length} {_WHERE}"
            )
        if length > count:
            raise RuntimeError(
                f"Expected input_lengths to have value at most {count}, but got value {length} "
                f"{_WHERE}"
            )
