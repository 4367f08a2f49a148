"""``ctc_loss``: connectionist temporal classification (Graves et al., 2006)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.memory_order import as_array
from ..declare import Namespace, op
from ..pointwise.common_kernels import Array

F = Namespace()

Lengths = tuple[int, ...]


def _extended_targets(targets: Array, lengths: Lengths, blank: int) -> Array:
    """The labels of each sequence (N, 2 S + 1) with blanks around them."""
    longest = max(lengths, default=0)
    out = np.full((len(lengths), 2 * longest + 1), blank, np.int64)
    start = 0
    for row, count in enumerate(lengths):
        labels = targets[start : start + count] if targets.ndim == 1 else targets[row, :count]
        out[row, 1 : 2 * count : 2] = labels
        start += count
    return out


def _may_skip_blank(states: Array) -> Array:
    """Where a state may follow the one before the last: where that is another label."""
    found = np.zeros(states.shape, bool)
    found[:, 2:] = states[:, 2:] != states[:, :-2]
    return found


def _shift_right(a: Array, by: int) -> Array:
    """Logarithms moved along the last dim, nothing coming in."""
    out = np.full(a.shape, -np.inf, a.dtype)
    if by > 0:
        out[:, by:] = a[:, :-by]
    else:
        out[:, :by] = a[:, -by:]
    return out


def _state_log_probs(log_probs: Array, states: Array) -> Array:
    """The log probabilities (T, N, states) of each state at each time."""
    places = np.broadcast_to(states, (len(log_probs), *states.shape))
    return np.take_along_axis(log_probs, np.clip(places, 0, log_probs.shape[2] - 1), 2)


def _final_states(states: Array, lengths: Lengths) -> Array:
    """0 in the states in which a sequence may end, and minus infinity in all others."""
    out = np.full(states.shape, -np.inf)
    for row, count in enumerate(lengths):
        out[row, max(2 * count - 1, 0) : 2 * count + 1] = 0
    return out


def ctc_loss(
    log_probs: Array, targets: Array, input_lengths: Lengths, target_lengths: Lengths, blank: int,
    zero_infinity: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """Minus the log probability of each target among all alignments; and the log probabilities
    (N, T, states) of all beginnings."""
    states = _extended_targets(targets, target_lengths, blank)
    scores, skips = _state_log_probs(log_probs, states), _may_skip_blank(states)
    count = len(scores)
    alpha = np.full((count, *states.shape), -np.inf, log_probs.dtype)
    if count:
        alpha[0, :, :2] = scores[0, :, :2]
        alpha[0, np.equal(target_lengths, 0), 1:] = -np.inf
    for t in range(1, count):
        last = alpha[t - 1]
        found = np.logaddexp(last, _shift_right(last, 1))
        leap = np.where(skips, _shift_right(last, 2), -np.inf)
        alpha[t] = np.logaddexp(found, leap) + scores[t]
    ends = _final_states(states, target_lengths)
    rows = np.arange(len(states))
    lengths = np.asarray(input_lengths, np.int64)
    if count:
        final = alpha[np.maximum(lengths - 1, 0), rows] + ends
        loss = -np.logaddexp.reduce(final, 1)
    else:
        loss = np.zeros(len(states))
    empty = np.where(np.equal(target_lengths, 0), 0, np.inf)
    loss = np.where(lengths == 0, empty, loss)
    return loss.astype(log_probs.dtype), np.ascontiguousarray(alpha.swapaxes(0, 1))


def ctc_loss_backward(
    grad: Array, log_probs: Array, targets: Array, loss: Array, alpha: Array,
    input_lengths: Lengths, target_lengths: Lengths, blank: int, zero_infinity: bool,
) -> Array:  # fmt: skip
    """The gradient of what the log probabilities were the softmax of: PyTorch's choice, which a
    log softmax before it leaves as it is."""
    states = _extended_targets(targets, target_lengths, blank)
    scores, skips = _state_log_probs(log_probs, states), _may_skip_blank(states)
    ends, count = _final_states(states, target_lengths), len(scores)
    lengths = np.asarray(input_lengths, np.int64)[:, None]
    onward = np.zeros(skips.shape, bool)
    onward[:, :-2] = skips[:, 2:]
    beta = np.full(states.shape, -np.inf, log_probs.dtype)
    share = np.zeros(log_probs.shape, log_probs.dtype)
    rows = np.arange(len(states))[:, None]
    for t in range(count - 1, -1, -1):
        found = np.logaddexp(beta, _shift_right(beta, -1))
        leap = np.where(onward, _shift_right(beta, -2), -np.inf)
        after = np.where(lengths - 1 == t, ends, np.logaddexp(found, leap))
        beta = np.where(t < lengths, after + scores[t], -np.inf)
        np.add.at(share[t], (rows, np.clip(states, 0, log_probs.shape[2] - 1)),
                  np.exp(alpha[:, t] + beta + loss[:, None] - scores[t]))  # fmt: skip
    out: Any = np.exp(log_probs) - share
    never = np.isinf(loss)
    out[:, never] = 0 if zero_infinity else np.nan
    out[np.arange(count)[:, None] >= lengths[:, 0]] = 0
    return np.multiply(out, as_array(grad)[:, None], out)


op("ctc_loss(log_probs, targets, /, input_lengths, target_lengths, blank, zero_infinity) "
   "-> result0; result1", ctc_loss, refuses="ctc_loss_cpu: half", node="CtcLossBackward0",
   d_log_probs=lambda grad, log_probs, targets, result0, result1, input_lengths, target_lengths,
                      blank, zero_infinity:
       F.ctc_loss_backward(
           grad, log_probs, targets, result0, result1, input_lengths, target_lengths, blank,
           zero_infinity,
       ),
   public=False, sign="ctc", text="−log P({targets} | {log_probs})",
   tex=r"-\log P({targets} \mid {log_probs})", onnx=None)

op("ctc_loss_backward(grad_output, log_probs, targets, loss, alpha, /, input_lengths, "
   "target_lengths, blank, zero_infinity)", ctc_loss_backward, node="NotImplemented",
   d_grad_output=lambda grad: F.without_derivative("aten::_ctc_loss_backward"),
   d_log_probs=lambda grad: F.without_derivative("aten::_ctc_loss_backward"),
   public=False, sign="ctc′", text="slopes · {grad_output}", tex=r"{grad_output}", onnx=None)
