"""Models that attend: transformers and their parts."""

from __future__ import annotations

import math
from typing import Any

from .register import Made, model


@model
def transformer_layer(torch: Any) -> Made:
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    return layer, (torch.randn(2, 5, 8),)


@model
def transformer_six_layers(torch: Any) -> Made:
    nn = torch.nn

    class PositionalEncoding(nn.Module):
        def __init__(self, width: int, longest: int = 20) -> None:
            super().__init__()
            self.dropout = nn.Dropout(p=0.0)
            position = torch.arange(longest).unsqueeze(1)
            rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
            pe = torch.zeros(longest, 1, width)
            pe[:, 0, 0::2] = torch.sin(position * rates)
            pe[:, 0, 1::2] = torch.cos(position * rates)
            self.register_buffer("pe", pe)

        def forward(self, x: Any) -> Any:
            return self.dropout(x + self.pe[: x.size(0)])

    class Language(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(13, 8)
            self.positions = PositionalEncoding(8)
            layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
            self.encoder = nn.TransformerEncoder(layer, 6)
            self.decoder = nn.Linear(8, 13)

        def forward(self, tokens: Any) -> Any:
            x = self.positions(self.embedding(tokens) * math.sqrt(8))
            mask = nn.Transformer.generate_square_subsequent_mask(len(tokens))
            return self.decoder(self.encoder(x, mask))

    return Language(), (torch.randint(0, 13, (5, 2)),)


@model
def masked_attention(torch: Any) -> Made:
    nn, F = torch.nn, torch.nn.functional

    class Attention(nn.Module):
        def __init__(self, width: int, heads: int, block: int) -> None:
            super().__init__()
            self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.heads = heads
            mask = torch.tril(torch.ones(block, block)).view(1, 1, block, block)
            self.register_buffer("bias", mask)

        def forward(self, x: Any) -> Any:
            B, T, C = x.size()
            q, k, v = self.c_attn(x).split(C, dim=2)
            k = k.view(B, T, self.heads, C // self.heads).transpose(1, 2)
            q = q.view(B, T, self.heads, C // self.heads).transpose(1, 2)
            v = v.view(B, T, self.heads, C // self.heads).transpose(1, 2)
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
            y = F.softmax(att, dim=-1) @ v
            return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))

    return Attention(8, 2, 6), (torch.randn(2, 5, 8),)


@model
def multihead_attention(torch: Any) -> Made:
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

        def forward(self, x: Any, memory: Any) -> Any:
            padding = torch.zeros(2, 4, dtype=torch.bool)
            padding[0, 3] = True
            return self.attention(x, memory, memory, key_padding_mask=padding)

    return Net(), (torch.randn(2, 5, 8), torch.randn(2, 4, 8))


@model
def scaled_dot_product(torch: Any) -> Made:
    nn, F = torch.nn, torch.nn.functional

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.qkv = nn.Linear(8, 24)

        def forward(self, x: Any) -> Any:
            q, k, v = self.qkv(x).chunk(3, dim=-1)
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    return Net(), (torch.randn(2, 5, 8),)


@model
def positional_encoding(torch: Any) -> Made:
    nn = torch.nn

    class Sinusoids(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.width = width

        def forward(self, t: Any) -> Any:
            half = self.width // 2
            rates = torch.exp(torch.arange(half) * -(math.log(10000) / (half - 1)))
            angles = t[:, None] * rates[None, :]
            return torch.cat((angles.sin(), angles.cos()), dim=-1)

    return nn.Sequential(Sinusoids(8), nn.Linear(8, 8), nn.SiLU()), (torch.rand(4),)


@model
def masks_as_inputs(torch: Any) -> Made:
    nn, F = torch.nn, torch.nn.functional

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
            self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

        def forward(self, x: Any, padding: Any, seen: Any) -> Any:
            x = self.encoder(x, src_key_padding_mask=padding)
            return F.scaled_dot_product_attention(x, x, x, attn_mask=seen)

    padding = torch.tensor([[False, False, True], [False, False, False]])
    seen = torch.tensor([[True, False, True]] * 3)
    return Net(), (torch.randn(2, 3, 8), padding, seen)
