"""Samples of normalisation, embedding and dropout."""

from __future__ import annotations

from .convolution import grads
from .sample import Sample, Shapes, each

F = "torch.nn.functional"

ROWS: list[Shapes] = [((2, 4, 3), (4, 3))]
CHANNELS: list[Shapes] = [((3, 4, 3, 2), (2, 4)), ((5, 4), (2, 4))]
TABLES: list[Shapes] = [((5, 3),)]

LAYER = [
    f"{F}.layer_norm(x, (3,))",
    f"{F}.layer_norm(x, (4, 3), y, y * 2)",
    f"{F}.layer_norm(x, (3,), y[0])",
    "torch.layer_norm(x, (3,), y[1], None, 0.1)",
    f"{F}.layer_norm(x[:0], (3,), y[0])",
]
GROUP = [
    f"{F}.group_norm(x, 2)",
    f"{F}.group_norm(x, 1, y[0], y[1])",
    "torch.group_norm(x, 2, y[0], None, 0.1)",
]
STATS = "torch.tensor([0.1, 0.2, -0.3, 0.4], dtype=x.dtype), torch.ones(4, dtype=x.dtype) * 2"
BATCH = [
    f"{F}.batch_norm(x, None, None, training=True)",
    f"{F}.batch_norm(x, {STATS}, y[0], y[1], True, 0.3, 0.1)",
    f"{F}.batch_norm(x, {STATS}, y[0])",
    f"{F}.batch_norm(x, {STATS})",
]
ROW_NUMBERS = "torch.tensor([[0, 2, 2], [4, 0, 2]])"
EMBED = [
    f"{F}.embedding({ROW_NUMBERS}, x)",
    f"{F}.embedding(torch.tensor(1), x)",
    f"{F}.embedding({ROW_NUMBERS}, x, padding_idx=-1)",
    f"{F}.embedding({ROW_NUMBERS}[:0], x)",
    f"{F}.embedding({ROW_NUMBERS}.int(), x)",
]

SAMPLES: dict[str, list[Sample]] = {
    "native_layer_norm": each(ROWS, *LAYER, integers=False),
    "native_group_norm": each(CHANNELS, *GROUP, integers=False),
    "scaled_as_before": each(
        CHANNELS, grads(f"({F}.batch_norm(x, {STATS}, y[0]) ** 2)", "x") + "[0]", integers=False),
    "native_batch_norm": each(CHANNELS, *BATCH, integers=False),
    "native_layer_norm_backward": each(ROWS, f"{LAYER[0]} ** 2", f"{LAYER[1]} ** 3",
                                       integers=False),
    "native_batch_norm_backward": each(CHANNELS, f"{BATCH[0]} ** 2", f"{BATCH[1]} ** 3",
                                       integers=False),
    # PyTorch's third derivatives of these take the deviation for a constant: second ones only
    "normalized": each(ROWS, f"{LAYER[1]} ** 2", integers=False),
    "normalize_backward": [
        *each(ROWS, f"{LAYER[0]} ** 3", f"{LAYER[2]}.exp()", integers=False),
        *each(CHANNELS, f"{GROUP[1]} ** 3", f"{BATCH[1]} ** 3", integers=False),
    ],
    "rstd_of": each(ROWS, f"{LAYER[1]}.sin()", integers=False),
    # no slope of anything: rows at padding_idx get no gradient
    "embedding": each(TABLES, *(text for text in EMBED if "padding_idx" not in text)),
    "embedding_dense_backward": each(
        TABLES, grads(EMBED[0], "x") + "[0]", grads(EMBED[2], "x") + "[0]", integers=False),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
