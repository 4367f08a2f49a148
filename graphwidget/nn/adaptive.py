"""``AdaptiveLogSoftmaxWithLoss``: an output layer for very many classes (Grave et al., 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ..functions.shape.joins import cat
from ..graph.tensor import Tensor
from .container import ModuleList, Sequential
from .functional import log_softmax
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    """The log probability of each target, and minus their mean."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """The log softmax over classes sorted from frequent to rare: the head knows the first ones and
    one more for each cluster of others; a cluster's layers are the smaller, the rarer it is.

    Args:
        cutoffs: where the clusters begin.
        div_value: by how much each cluster's inner layer is smaller than the last one's.
        head_bias: the head has a bias.

    Raises:
        ValueError: cutoffs that do not rise between 1 and `n_classes` - 1.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        listed = list(cutoffs)
        if not listed:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            listed != sorted(set(listed))
            or min(listed) <= 0
            or max(listed) > n_classes - 1
            or any(int(each) != each for each in listed)
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
                "order, where each value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*listed, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, **factory)
        self.tail = ModuleList()
        for place in range(self.n_clusters):
            inner = int(in_features // (div_value ** (place + 1)))
            size = self.cutoffs[place + 1] - self.cutoffs[place]
            self.tail.append(
                Sequential(
                    Linear(in_features, inner, bias=False, **factory),
                    Linear(inner, size, bias=False, **factory),
                )
            )

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        self.head.reset_parameters()
        for inner, outer in self.tail:
            inner.reset_parameters()
            outer.reset_parameters()

    def _check(self, input: Tensor, target: Tensor) -> None:
        if target.dim() == 1:
            if input.shape[0] != target.shape[0]:
                raise RuntimeError("Input and target should have the same size in the batch "
                                   "dimension.")  # fmt: skip
            if input.dim() != 2:
                raise RuntimeError(
                    "1D target tensor expects 2D input tensors, but found inputs with size "
                    f"{input.size()}"
                )
        elif target.dim() == 0:
            if input.dim() != 1:
                raise RuntimeError(
                    "0D target tensor expects 1D input tensors, but found inputs with size "
                    f"{input.size()}"
                )
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")

    def forward(self, input: Tensor, target: Tensor) -> _ASMoutput:
        """The log probability of each target (N) from inputs (N, in_features), and the loss.

        Raises:
            RuntimeError: sizes that do not fit, or there is no such class.
        """
        self._check(input, target)
        alone = target.dim() == 0
        if alone:
            input, target = input.unsqueeze(0), target.unsqueeze(0)
        used, count = 0, target.size(0)
        output = input.new_zeros(count)
        places = target.new_empty(count)
        edges = [0, *self.cutoffs]
        for place, (low, high) in enumerate(pairwise(edges)):
            rows = ((target >= low) & (target < high)).nonzero().squeeze()
            if rows.numel() == 0:
                continue
            if place == 0:
                places.index_copy_(0, rows, target[(target >= low) & (target < high)])
            else:
                inside = target[(target >= low) & (target < high)] - low
                scores = log_softmax(self.tail[place - 1](input.index_select(0, rows)), dim=1)
                found = scores.gather(1, inside.unsqueeze(1))
                places.index_fill_(0, rows, self.shortlist_size + place - 1)
                output.index_copy_(0, rows, found.squeeze(1))
            used += rows.numel()
        if used != count:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        head = log_softmax(self.head(input), dim=1)
        output += head.gather(1, places.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output.squeeze(0) if alone else output, loss)

    def _get_full_log_prob(self, input: Tensor, head: Tensor) -> Tensor:
        scores = log_softmax(head, dim=1)
        parts = [scores[:, : self.shortlist_size]]
        for place, cluster in enumerate(self.tail):
            inside = log_softmax(cluster(input), dim=1)
            parts.append(inside + scores[:, self.shortlist_size + place].unsqueeze(1))
        return cat(parts, 1)

    def log_prob(self, input: Tensor) -> Tensor:
        """The log probabilities (N, n_classes) of all classes."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The most probable class of each input."""
        return self.log_prob(input).argmax(1)
