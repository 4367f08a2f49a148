"""``MultiheadAttention``."""

from __future__ import annotations

from typing import Any

from ..functions.creation.factories import empty
from ..graph.tensor import Tensor
from . import functional, init
from .linear import Linear
from .module import Module
from .parameter import Parameter

__all__ = ["MultiheadAttention"]


class NonDynamicallyQuantizableLinear(Linear):
    """PyTorch's name for the linear layer at the end, which its repr shows."""


class MultiheadAttention(Module):
    """Attention of queries, keys and values that `num_heads` learnt projections see.

    Inputs are (L, N, E), or (N, L, E) with `batch_first`, or (L, E) alone. Returns the output and
    the weights, averaged over the heads (None unless `need_weights`).

    Raises:
        ValueError: sizes that are not positive.
        AssertionError: heads that do not divide the embedding.
    """

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, got "
                f"embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        factory = {"device": device, "dtype": dtype}
        self._make_projections(bias, factory)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **factory)
        for name in ("bias_k", "bias_v"):
            made = Parameter(empty((1, 1, embed_dim), **factory)) if add_bias_kv else None
            if made is None:
                self.__dict__[name] = None
            else:
                self.register_parameter(name, made)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _make_projections(self, bias: bool, factory: dict[str, Any]) -> None:
        size = self.embed_dim
        separate = ("q_proj_weight", size), ("k_proj_weight", self.kdim), ("v_proj_weight",
                                                                           self.vdim)  # fmt: skip
        if self._qkv_same_embed_dim:
            self.in_proj_weight = Parameter(empty((3 * size, size), **factory))
            for name, _ in separate:
                self.register_parameter(name, None)
        else:
            for name, inputs in separate:
                self.register_parameter(name, Parameter(empty((size, inputs), **factory)))
            self.register_parameter("in_proj_weight", None)
        made = Parameter(empty(3 * size, **factory)) if bias else None
        self.register_parameter("in_proj_bias", made)

    def _reset_parameters(self) -> None:
        if self._qkv_same_embed_dim:
            assert self.in_proj_weight is not None
            init.xavier_uniform_(self.in_proj_weight)
        else:
            for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
                init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            assert self.out_proj.bias is not None
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The output and the weights; see `functional.multi_head_attention_forward`."""
        batched = query.dim() == 3
        if self.batch_first and batched:
            same_key, same_value = key is query, value is key
            query = query.transpose(1, 0)
            key = query if same_key else key.transpose(1, 0)
            value = key if same_value else value.transpose(1, 0)
        found, weights = functional.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (found.transpose(1, 0) if self.batch_first and batched else found), weights
