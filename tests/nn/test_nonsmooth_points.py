"""Functions of layers and losses where their derivatives jump, at infinities and NaN, of rows that
are masked whole and of empty tensors: values, first and second derivatives as PyTorch's."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

import graphwidget

INF, NAN = float("inf"), float("nan")
EDGES = [
    -INF, -120.0, -20.0, -6.0, -3.0, -2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, 3.0, 6.0, 20.0,
    120.0, INF, NAN,
]  # fmt: skip
LOW = [-INF, -1.0, 0.0, 0.5, 1.0, INF, NAN]
ROWS = [
    [1.0, 1.0, 0.0, 0.5], [0.0, 0.0, 0.0, 0.0], [2.0, 2.0, 2.0, 2.0], [3.0, -1.0, 3.0, -1.0],
    [-INF, -INF, -INF, -INF], [-INF, 0.0, 0.0, -INF], [INF, 0.0, 1.0, 2.0], [INF, INF, 0.0, 0.0],
    [INF, -INF, 0.0, 0.0], [NAN, 0.0, 1.0, NAN], [0.0, 2.0, 3.0, 0.0], [1000.0, 0.0, -1000.0, 0.0],
]  # fmt: skip

OF_ONE = """
F.relu(x) | F.relu6(x) | F.hardtanh(x) | F.hardtanh(x, 0.0, 0.0) | F.hardsigmoid(x) | F.hardswish(x)
F.elu(x) | F.elu(x, 0.5) | F.selu(x) | F.leaky_relu(x) | F.mish(x)
F.leaky_relu(x, 0.0) | F.prelu(x, w) | F.threshold(x, 0.0, 0.0) | F.threshold(x, 1.0, 20.0)
F.softplus(x) | F.softplus(x, 2.0) | F.softplus(x, 1.0, 0.5) | F.softsign(x)
F.logsigmoid(x)
F.gelu(x) | F.gelu(x, approximate="tanh") | F.silu(x) | F.sigmoid(x) | F.tanh(x) | F.glu(x[:18])
torch.clamp(x, -1.0, 1.0) | torch.clamp(x, min=0.0) | torch.clamp(x, max=6.0)
torch.abs(x) | torch.sign(x) | torch.sqrt(x) | torch.rsqrt(x) | torch.log(x) | torch.log1p(x)
torch.reciprocal(x) | x ** 2 | x ** 0.5 | x ** 0 | x ** -1 | x ** 1 | x ** 3 | 2.0 ** x | 0.0 ** x
torch.expm1(x) | torch.exp(x) | torch.tan(x) | torch.asin(x) | torch.acos(x) | torch.atanh(x)
torch.acosh(x) | torch.asinh(x) | torch.erf(x) | torch.erfinv(x) | torch.sinc(x) | torch.logit(x)
torch.logit(x, 0.1) | torch.lgamma(x) | torch.nan_to_num(x) | torch.frac(x)
torch.round(x) | torch.floor(x) | torch.where(x > 0, x, 0.0) | torch.where(x > 0, x.sqrt(), 0.0)
F.softmax(x, 0) | F.dropout(x, 0.0) | F.dropout(x, 0.5, False) | F.dropout(x, 1.0) | x.norm()
x.max() | x.median() | x.logsumexp(0) | x.relu().square() | x.masked_fill(x > 0, 0.0)
torch.sigmoid(x).log()
"""
OF_PAIRS = """
F.binary_cross_entropy_with_logits(x, y, reduction="none") | F.mse_loss(x, y, reduction="none")
F.binary_cross_entropy_with_logits(x, y, pos_weight=w, reduction="none")
F.l1_loss(x, y, reduction="none") | F.smooth_l1_loss(x, y, reduction="none") | torch.fmax(x, y)
F.smooth_l1_loss(x, y, beta=0.0, reduction="none") | F.huber_loss(x, y, reduction="none")
F.huber_loss(x, y, delta=0.5, reduction="none") | F.kl_div(x, y, reduction="none") | x * y
F.kl_div(x, y, reduction="none", log_target=True)
torch.maximum(x, y) | torch.max(x, y)
F.hinge_embedding_loss(x, y.detach().sign(), reduction="none") | torch.minimum(x, y) | x / y
torch.fmin(x, y) | x ** y
torch.atan2(x, y) | torch.hypot(x, y) | torch.xlogy(x, y) | torch.logaddexp(x, y) | torch.fmod(x, y)
torch.remainder(x, y) | torch.clamp(x, y, y) | torch.clamp(x, min=y) | torch.where(x > y, x, y)
torch.lerp(x, y, 0.5) | torch.dist(x, y) | torch.copysign(x, y) | x // y
"""
OF_PROBABILITIES = """
F.binary_cross_entropy(x.clamp(0, 1), y.clamp(0, 1), reduction="none")
"""
OF_ROWS = """
F.softmax(x, 1) | F.log_softmax(x, 1) | F.normalize(x) | F.normalize(x, p=1.0)
F.normalize(x, p=INF) | x.max(1).values | x.min(1).values | x.amax(1) | x.amin(1) | x.amax()
x.max() | x.logsumexp(1) | x.norm(dim=1) | x.norm(1, dim=1) | x.norm(INF, dim=1)
x.norm(-INF, dim=1) | F.max_pool1d(x, 2, 1, 1)
F.max_pool2d(x[None, None], 3, 2, 1, ceil_mode=True)
F.max_pool2d((torch.full_like(x, -INF) + 0 * y)[None], 3, 1, 1) | y.prod(1) | y.cumprod(1)
x.norm(0, dim=1) | x.norm(3, dim=1) | x.norm(0.5, dim=1) | x.var(1) | x.std(1) | x.std(1, False)
x.median(1).values | x.topk(2, 1).values | x.sort(1).values | x.cumsum(1) | x.cummax(1).values
x.nanmean(1) | x.mean(1) | x.argmax(1)
torch.linalg.vector_norm(x, dim=1) | x.nansum(1)
F.cross_entropy(x, first, reduction="none") | F.cross_entropy(x, last, reduction="none")
F.cross_entropy(x, first, label_smoothing=0.1, reduction="none") | F.nll_loss(x, first)
F.cross_entropy(x, F.softmax(y, 1), reduction="none") | F.cross_entropy(x, ignored)
F.cross_entropy(x, ignored, reduction="sum") | F.cross_entropy(x, mixed) | F.nll_loss(x, ignored)
F.cross_entropy(x, mixed, weight=w4) | F.cross_entropy(x, ignored, label_smoothing=0.1)
F.cosine_similarity(x, y) | F.cosine_similarity(x, 0 * y) | F.pairwise_distance(x, y)
F.pairwise_distance(x, x) | F.pairwise_distance(x, y, p=1.0) | F.glu(x)
F.triplet_margin_loss(x, y, y, reduction="none") | F.triplet_margin_loss(y, y, y, reduction="none")
F.layer_norm(x, (4,))
F.rms_norm(x, (4,))
F.batch_norm(y, None, None, training=True) | F.group_norm(x[:, :, None], 2)
F.instance_norm(y[None], None) | F.layer_norm(x, (4,), eps=0.0) | F.max_pool1d(x, 2)
F.max_pool1d(x, 4) | F.avg_pool1d(x, 2) | F.max_pool1d(x, 3, 1, 1)
F.max_pool2d(x[None, None], 2, 1) | F.adaptive_avg_pool1d(x, 3)
F.pad(x, (1, 1)) | F.embedding(first, x) | F.embedding(first, x, padding_idx=0)
F.one_hot(first, 4)
F.scaled_dot_product_attention(y[None], y[None], y[None], masked)
F.scaled_dot_product_attention(y[None], y[None], y[None], half)
F.scaled_dot_product_attention(y[None], y[None], y[None], is_causal=True)
F.softmax(y[:3].masked_fill(half[:3, :4], -INF), 1) | F.softmax(x.masked_fill(x < INF, -INF), 1)
F.log_softmax(x.masked_fill(x < INF, -INF), 1) | F.gumbel_softmax(x * 0, hard=True).sum()
"""
OF_EMPTY = """
F.softmax(x, 1) | F.log_softmax(x, 1) | F.relu(x) | F.mse_loss(x, x)
F.mse_loss(x, x, reduction="sum") | F.l1_loss(x, x) | F.smooth_l1_loss(x, x) | F.huber_loss(x, x)
F.kl_div(x, x, reduction="batchmean") | F.binary_cross_entropy_with_logits(x, x)
F.binary_cross_entropy(x, x) | F.normalize(x) | x.mean() | F.cross_entropy(x, none)
F.cross_entropy(x, none, reduction="sum") | F.nll_loss(x, none) | x.max() | F.cross_entropy(x, x)
F.layer_norm(x, (4,)) | F.batch_norm(x, None, None, training=True) | x.sum()
F.cosine_similarity(x, x) | F.linear(x, torch.ones(2, 4)) | F.linear(x, torch.ones(0, 4)) | x.prod()
F.linear(x[:, :0], torch.ones(3, 0)) | F.dropout(x) | F.gelu(x) | x.logsumexp(0) | x.logsumexp(1)
x.amax(1) | x.amax(0) | x.max(1).values | x.max(0).values | x.argmax(1) | x.std() | x.var(0)
x.norm() | x.median() | x.topk(0, 1).values | x.sort(1).values | F.embedding(none, torch.ones(3, 2))
x @ x.T | F.one_hot(none, 3) | F.max_pool1d(x, 2) | F.avg_pool1d(x[None], 2)
F.conv1d(x[:, None], torch.ones(1, 1, 2)) | F.pad(x, (1, 1)) | F.pairwise_distance(x, x)
F.triplet_margin_loss(x, x, x) | x.cumsum(1)
"""
TABLES: dict[str, tuple[str, Any, Any]] = {
    "one": (OF_ONE, EDGES, None),
    "pairs": (OF_PAIRS, *zip(*product(LOW, LOW), strict=True)),
    "probabilities": (OF_PROBABILITIES, *zip(*product([0.0, 0.5, 1.0], repeat=2), strict=True)),
    "rows": (OF_ROWS, ROWS, [*ROWS[:4], *ROWS[:4], *ROWS[:4]]),
    "empty": (OF_EMPTY, np.zeros((0, 4)), None),
}
CASES = [
    (kind, each.strip())
    for kind, (text, _, _) in TABLES.items()
    for each in text.replace("\n", "|").split("|")
    if each.strip()
]


def answers(torch: Any, kind: str, expression: str) -> list[Any]:
    """The value, the first and the second derivatives; the text of the error where one is raised,
    and None where something has no derivative."""
    torch.manual_seed(0)
    _, first, second = TABLES[kind]
    x = torch.tensor(np.asarray(first).tolist(), dtype=torch.float64).reshape(np.shape(first))
    space = {"torch": torch, "F": torch.nn.functional, "x": x.requires_grad_(), "INF": INF}
    operands = [x]
    if second is not None:
        y = space["y"] = torch.tensor(np.asarray(second).tolist(), dtype=torch.float64)
        operands.append(y.requires_grad_())
    space["w"] = torch.tensor([0.25], dtype=torch.float64)
    space["w4"] = torch.tensor([1.0, 0.0, 0.0, 2.0], dtype=torch.float64)
    space["none"] = torch.zeros(0, dtype=torch.int64)
    rows = len(ROWS)
    space["first"], space["last"] = torch.zeros(rows, dtype=torch.int64), torch.full((rows,), 3)
    space["ignored"], space["mixed"] = torch.full((rows,), -100), torch.tensor([-100, 0, 1] * 4)
    space["half"] = torch.tensor([[j <= i and i > 0 for j in range(rows)] for i in range(rows)])
    space["masked"] = torch.zeros(rows, rows, dtype=torch.bool)
    try:
        value = eval(expression, space)
    except (RuntimeError, ValueError, IndexError) as error:
        return [f"{type(error).__name__}: {error}"]
    found = [value]
    for by in operands:
        once = derivative(torch, value, by)
        found += [once, derivative(torch, once, by)]
    tensors = [isinstance(each, torch.Tensor) for each in found]
    pairs = zip(found, tensors, strict=True)
    return [each.detach().clone().numpy() if tensor else each for each, tensor in pairs]


def derivative(torch: Any, value: Any, by: Any) -> Any:
    if not getattr(value, "requires_grad", False):
        return None
    weights = torch.ones_like(value)
    try:
        return torch.autograd.grad(value, by, weights, create_graph=True, allow_unused=True)[0]
    except (RuntimeError, NotImplementedError) as error:
        return type(error).__name__


@pytest.mark.parametrize(("kind", "expression"), CASES)
@pytest.mark.filterwarnings("ignore")
def test_as_pytorch(kind: str, expression: str) -> None:
    expected = answers(torch, kind, expression)
    found = answers(graphwidget, kind, expression)
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        if theirs is None or isinstance(theirs, str):
            assert ours == theirs
        else:
            np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-12)
