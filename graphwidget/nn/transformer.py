"""The transformer (Vaswani et al., 2017): the encoder and its layers."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..absent import not_here
from ..arrays import devices, dtypes
from ..arrays.warnings import warn
from ..autograd.grad_mode import is_grad_enabled
from ..graph.tensor import Tensor
from . import functional
from .activation import GELU, Dropout, ReLU
from .attention import MultiheadAttention
from .container import ModuleList
from .functional.attention import hidden_as_numbers
from .linear import Linear
from .module import Module
from .module_base import OwnMethods
from .normalization import LayerNorm

__all__ = ["Transformer", "TransformerEncoder", "TransformerEncoderLayer"]

Activation = str | Callable[[Tensor], Tensor]
_NESTED = "enable_nested_tensor is True, but self.use_nested_tensor is False because encoder_layer"


class TransformerEncoderLayer(OwnMethods, Module):
    """Attention to oneself, then a feed-forward network, each with a residual and a norm."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = functional.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        made: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        attention = {"dropout": dropout, "batch_first": batch_first, **made}
        self.self_attn = MultiheadAttention(d_model, nhead, **attention)
        self.linear1 = Linear(d_model, dim_feedforward, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **made)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)
        self.activation = _get_activation_fn(activation)

    def _sa_block(
        self, x: Tensor, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False
    ) -> Tensor:
        found, _ = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False,
            is_causal=is_causal,
        )  # fmt: skip
        return self.dropout1(found)  # type: ignore[no-any-return]

    def _ff(self, x: Tensor) -> Tensor:
        hidden = self.dropout(self.activation(self.linear1(x)))
        return self.linear2(hidden)  # type: ignore[no-any-return]

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """The sequence through the layer, (L, N, E) or (N, L, E) with `batch_first`."""
        padding, mask = _canonical_masks(src_key_padding_mask, src_mask, src, "src_")
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), mask, padding, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, mask, padding, is_causal))
        return self.norm2(x + self._ff_block(x))  # type: ignore[no-any-return]

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self._ff(x))  # type: ignore[no-any-return]


class TransformerEncoder(Module):
    """Copies of a layer, one after another, and a norm if given."""

    def __init__(
        self,
        encoder_layer: Any,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        if enable_nested_tensor and (reason := _why_not_nested(encoder_layer)):
            warn(_NESTED + reason)
            self.use_nested_tensor = False

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """The sequence through all layers."""
        padding, mask = _canonical_masks(src_key_padding_mask, mask, src, "")
        causal = _detect_is_causal_mask(mask, is_causal, src, self.layers[0].self_attn.batch_first)
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if padding is not None and mask is None and self._zeroes_padding(src, padding):
            output = output.masked_fill(padding.unsqueeze(-1) != 0, 0.0)
        return output if self.norm is None else self.norm(output)

    def _zeroes_padding(self, src: Tensor, padding: Tensor) -> bool:
        """Return whether PyTorch computes nothing where padding is, and gives 0 there: in
        evaluation, without gradients and where all padding is at the ends."""
        layer = self.layers[0]
        if not self.use_nested_tensor or layer.training or src.dim() != 3:
            return False
        if is_grad_enabled() and any(p.requires_grad for p in (src, *layer.parameters())):
            return False
        kept = padding._data == 0
        return not self.mask_check or bool((kept[:, :-1] >= kept[:, 1:]).all())


class Transformer(Module):
    """Home of the causal mask. Encoder and decoder as one module are not part of the package."""

    def __init__(self, *_: Any, **options: Any) -> None:
        raise NotImplementedError(not_here("torch.nn.Transformer"))

    @staticmethod
    def generate_square_subsequent_mask(
        sz: int, device: Any = None, dtype: dtypes.dtype | None = None
    ) -> Tensor:
        """(sz, sz): -inf above the diagonal, 0 elsewhere."""
        devices.require_cpu(device)
        return _generate_square_subsequent_mask(
            sz, dtypes.default_numpy() if dtype is None else dtype.numpy
        )


def _generate_square_subsequent_mask(size: int, dtype: Any) -> Tensor:
    return Tensor._wrap(np.triu(np.full((size, size), -math.inf, dtype), 1))


def _get_activation_fn(activation: Activation) -> Callable[[Tensor], Tensor]:
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    found: Callable[[Tensor], Tensor] = getattr(functional, activation)
    return found


def _get_clones(module: Module, N: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(N)])


def _canonical_masks(
    padding: Tensor | None, mask: Tensor | None, like: Tensor, prefix: str
) -> tuple[Tensor | None, Tensor | None]:
    """Both masks as numbers to be added.

    Raises:
        RuntimeError: the mask is no tensor.
    """
    if mask is not None and not isinstance(mask, Tensor):
        raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")
    if padding is not None and mask is not None and padding.dtype != mask.dtype:
        warn(
            f"Support for mismatched src_key_padding_mask and {prefix}mask is deprecated. Use same "
            "type for both instead.",
        )
    return _to_additive_mask(padding, like), _to_additive_mask(mask, like)


def _to_additive_mask(mask: Tensor | None, like: Tensor) -> Tensor | None:
    """A mask as numbers to be added: -inf where a mask of booleans says True."""
    if mask is None or mask._data.dtype != bool:
        return mask
    return hidden_as_numbers(mask, like._data.dtype)


def _detect_is_causal_mask(
    mask: Tensor | None, is_causal: bool | None, sequence: Tensor, batch_first: bool
) -> bool:
    """Return whether a mask hides just what lies ahead, if that was not given."""
    sizes = sequence.shape
    size = sizes[1 if batch_first and len(sizes) != 2 else 0]
    if is_causal is not None or mask is None:
        return is_causal is True
    expected = _generate_square_subsequent_mask(size, np.float32)
    return mask.shape == expected.shape and bool((mask._data == expected._data).all())


def _why_not_nested(layer: Any) -> str:
    """PyTorch's reason not to take its fast path, in its words; empty if it would."""
    if not isinstance(layer, TransformerEncoderLayer):
        return " was not TransformerEncoderLayer"
    attention = layer.self_attn
    known = layer.activation in (functional.relu, functional.gelu)
    reasons = (
        (layer.norm_first, ".norm_first was True"),
        (
            not attention.batch_first,
            ".self_attn.batch_first was not True(use batch_first for better inference performance)",
        ),
        (attention.in_proj_bias is None, ".self_attn was passed bias=False"),
        (
            not known and not isinstance(layer.activation, ReLU | GELU),
            ".activation_relu_or_gelu was not True",
        ),
        (attention.num_heads % 2 == 1, ".self_attn.num_heads is odd"),
    )
    return next((reason for holds, reason in reasons if holds), "")
