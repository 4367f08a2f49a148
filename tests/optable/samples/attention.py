"""Samples of attention."""

from __future__ import annotations

from .convolution import grads
from .sample import Sample, Shapes, each

F = "torch.nn.functional"
HEADS: list[Shapes] = [((2, 2, 3, 4), (2, 2, 5, 4))]
ATTEND = f"{F}.scaled_dot_product_attention"
MAY = "torch.tensor([[True, False, True, True, False]] * 3)"

SAMPLES: dict[str, list[Sample]] = {
    "flash_attention": each(
        HEADS, f"{ATTEND}(x, y, y * y)", f"{ATTEND}(x, x, x, is_causal=True)",
        f"{ATTEND}(x, y, y.sin(), attn_mask={MAY}, scale=0.3)",
        f"{ATTEND}(x, y, y.sin(), attn_mask={MAY}.to(x.dtype))",
        f"{ATTEND}(x, y, y, attn_mask={MAY} & False)",
        f"{ATTEND}(x, y[:, :1], y[:, :1], enable_gqa=True)",
        integers=False),
    "flash_attention_gradient": each(
        HEADS, grads(f"{ATTEND}(x, y, y)") + "[0].detach()", integers=False),
    "safe_softmax": each(
        HEADS, f"{ATTEND}(x[0], y[0], y[0])",
        f"{ATTEND}(x[0], y[1], y[0, ..., :2], is_causal=True)",
        f"{ATTEND}(x, y, y, attn_mask=(x @ y.mT))",
        f"{ATTEND}(x[0], y[0], y[0], attn_mask={MAY} & False)",
        f"{ATTEND}(x[0, 0], y[0, 0], y[0, 0], attn_mask={MAY})", integers=False),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
