"""``Embedding``: vectors looked up by number."""

from __future__ import annotations

from typing import Any

from ..autograd.grad_mode import no_grad
from ..functions.creation.factories import empty
from ..graph.tensor import Tensor
from . import functional, init
from .functional_layer import repr_changed
from .module import Module
from .parameter import Parameter

__all__ = ["Embedding"]


class Embedding(Module):
    """The rows of a learnt weight (num_embeddings, embedding_dim) at given indices.

    The row at `padding_idx` starts at zero and gets no gradient.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        shape = (num_embeddings, embedding_dim)
        if _weight is None:
            made = empty(shape, device=device, dtype=dtype)
            self.weight = Parameter(made, requires_grad=not _freeze)
            self.reset_parameters()
            return
        if tuple(_weight.shape) != shape:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        self.weight = Parameter(_weight, requires_grad=not _freeze)

    def reset_parameters(self) -> None:
        """Draw normal starting values."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        """The rows at the indices."""
        return functional.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
            self.scale_grad_by_freq, self.sparse,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}" + repr_changed(
            self, padding_idx=None, max_norm=None, norm_type=2, scale_grad_by_freq=False,
            sparse=False,
        )  # fmt: skip

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """An embedding with these rows, which are not learnt further if `freeze`."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        return cls(
            embeddings.shape[0], embeddings.shape[1], padding_idx, max_norm, norm_type,
            scale_grad_by_freq, sparse,
            _weight=embeddings, _freeze=freeze,
        )  # fmt: skip
