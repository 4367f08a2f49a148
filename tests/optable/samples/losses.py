"""Samples of losses."""

from __future__ import annotations

from .convolution import grads
from .sample import Sample, Shapes, each

F = "torch.nn.functional"

LOGITS: list[Shapes] = [((3, 4),)]
PIXELS: list[Shapes] = [((2, 3, 2, 4),)]
CLASSES = "torch.tensor([1, 0, 3])"
WEIGHT = "torch.tensor([0.5, 1.0, 2.0, 0.0], dtype=x.dtype)"
SHARES = "torch.tensor([[0.1, 0.2, 0.3, 0.4]] * 3, dtype=x.dtype)"
MAP = "torch.tensor([[[0, 1, 2, 2], [2, 2, 1, 0]], [[0, 0, 1, 2], [1, 0, 2, 1]]])"
PAIRS: list[Shapes] = [((3, 4), (3, 4))]
ONES = "torch.ones(3, 4, dtype=x.dtype)"
SHARE = "torch.tensor([[0.1, 0.2, 0.7, 0.4]] * 3, dtype=x.dtype)"
LIKELY = "(x / 5 + 0.5)"
LISTED = "torch.tensor([[1, 3, -1, 0], [2, -1, 1, 1], [0, 1, 2, 3]])"
ENTROPY = [
    f"{F}.cross_entropy(x, {CLASSES})",
    f"{F}.cross_entropy(x, {CLASSES}, reduction='sum')",
    f"{F}.cross_entropy(x, {CLASSES}, reduction='none', ignore_index=3)",
    f"{F}.cross_entropy(x, {CLASSES}, {WEIGHT}, ignore_index=0)",
    f"{F}.cross_entropy(x[0], torch.tensor(2))",
    f"{F}.cross_entropy(x, {CLASSES}, label_smoothing=0.1)",
    f"{F}.cross_entropy(x, {CLASSES}, {WEIGHT}, reduction='none', label_smoothing=0.2)",
    f"{F}.cross_entropy(x, {SHARES})",
    f"{F}.cross_entropy(x, x.softmax(1), {WEIGHT}, label_smoothing=0.1)",
    f"{F}.cross_entropy(x, {SHARES}, reduction='sum')",
    f"{F}.cross_entropy(x, {SHARES}, reduction='none')",
]

SAMPLES: dict[str, list[Sample]] = {
    "mse_loss": each([((2, 3), (2, 3)), ((), ())], "torch.nn.functional.mse_loss(x, y)",
                     "torch.nn.functional.mse_loss(x, y, reduction='sum')",
                     "torch.nn.functional.mse_loss(x, y, reduction='none')", integers=False),
    "mse_loss_backward": each(
        [((2, 3), (2, 3))],
        "torch.autograd.grad(torch.nn.functional.mse_loss(x, y), x, create_graph=True)[0]",
        integers=False,
    ),
    "nll_loss": each(
        LOGITS, *ENTROPY,
        f"{F}.nll_loss(x[:0], {CLASSES}[:0], reduction='sum')",
        f"{F}.nll_loss(x, torch.full((3,), -100), reduction='sum')", integers=False),
    "nll_loss2d": each(
        PIXELS, f"{F}.cross_entropy(x, {MAP})",
        f"{F}.cross_entropy(x, {MAP}, {WEIGHT}[:3], ignore_index=1)",
        f"{F}.cross_entropy(x[:, :, 0], {MAP}[:, 0])",
        f"{F}.nll_loss(x[:, :, 0], {MAP}[:, 0], reduction='none')",
        f"{F}.nll_loss(x.log_softmax(1), {MAP}, {WEIGHT}[:3], reduction='none')", integers=False),
    "nll_loss_backward": each(LOGITS, grads(ENTROPY[0], "x") + "[0]", integers=False),
    "nll_loss_double_backward": each(
        LOGITS, grads(f"{F}.nll_loss(x, {CLASSES}, {WEIGHT}, reduction='none')", "x") + "[0]",
        integers=False),
    "mul.number": each(LOGITS, ENTROPY[5], integers=False),
    "div.number": each(LOGITS, ENTROPY[7], integers=False),
    "add.number": each(
        LOGITS, f"{F}.cross_entropy(x, x.softmax(1), label_smoothing=0.1)", integers=False),
    "sub.number": each(PAIRS, "x - 1.5", integers=False),
    "norm.dim": [
        *each(PAIRS, f"{F}.pairwise_distance(x, y)", f"{F}.pairwise_distance(x, y, 1.0)",
              f"{F}.pairwise_distance(x, y, 3, keepdim=True)", integers=False),
    ],
    "smooth_l1_loss": each(
        PAIRS, f"{F}.smooth_l1_loss(x, y)", f"{F}.smooth_l1_loss(x, y, beta=0.5, reduction='sum')",
        f"{F}.smooth_l1_loss(x, y, reduction='none')", f"{F}.smooth_l1_loss(x, y, beta=0)",
        f"{F}.smooth_l1_loss(x[0, 0], y[0, 0])"),
    "smooth_l1_loss_backward": each(
        PAIRS, grads(f"{F}.smooth_l1_loss(x, y, beta=0.5)", "x") + "[0]", integers=False),
    "huber_loss_backward": each(
        PAIRS, grads(f"{F}.huber_loss(x, y, 'sum', 0.7)", "x") + "[0]", integers=False),
    "binary_cross_entropy_backward": each(
        PAIRS, grads(f"{F}.binary_cross_entropy({LIKELY}, {SHARE})", "x") + "[0]",
        integers=False),
    "huber_loss": each(
        PAIRS, f"{F}.huber_loss(x, y)", f"{F}.huber_loss(x, y, 'none', 0.7)",
        f"{F}.huber_loss(x, y, weight={ONES})"),
    "binary_cross_entropy": each(
        PAIRS, f"{F}.binary_cross_entropy({LIKELY}, {SHARE})",
        f"{F}.binary_cross_entropy({LIKELY}, y.sigmoid(), {SHARE}[0], reduction='sum')",
        f"{F}.binary_cross_entropy({LIKELY}, {SHARE}.round(), reduction='none')", integers=False),
    "binary_cross_entropy_with_logits": each(
        PAIRS, f"{F}.binary_cross_entropy_with_logits(x, {SHARE})",
        f"{F}.binary_cross_entropy_with_logits(x * 50, y, {SHARE}[0], reduction='sum')",
        f"{F}.binary_cross_entropy_with_logits(x, y, pos_weight={SHARE}[0] * 3, reduction='none')",
        integers=False),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
