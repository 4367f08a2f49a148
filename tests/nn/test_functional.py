"""nn.functional on both engines: what is composed of ops, random numbers, errors, warnings."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, programs, source

START = """
import warnings
F = torch.nn.functional
torch.manual_seed(7)
x = torch.linspace(-2, 2, 24).reshape(2, 3, 4).requires_grad_()
y = (torch.arange(24.).reshape(2, 3, 4) % 5 - 1.7).requires_grad_()
rows = torch.linspace(-1, 3, 15).reshape(3, 5).requires_grad_()
other = (torch.arange(15.).reshape(3, 5) % 4 - 1.2).requires_grad_()
image = torch.linspace(-2, 2, 96).sin().reshape(1, 4, 4, 6).requires_grad_()
"""

VALUES = """
# cosine similarity
result = [F.cosine_similarity(x, y), torch.cosine_similarity(x, y, dim=-1, eps=0.1)]

# normalize
result = [F.normalize(x), F.normalize(rows, p=1.0, dim=0), F.normalize(rows * 0)]

# pairwise distance
result = [F.pairwise_distance(rows, other), torch.pairwise_distance(rows, other, p=1.0)]

# hinge embedding loss
target = torch.ones(3, 5) - 2 * (rows.detach() > 1).float()
result = [F.hinge_embedding_loss(rows, target),
    F.hinge_embedding_loss(rows, target, 0.5, reduction="sum")]

# triplet margin loss
result = [F.triplet_margin_loss(rows, other, rows * 0.5),
    F.triplet_margin_loss(rows, other, rows * 0.5, swap=True, p=1, reduction="none")]

# kl_div
logs, shares = rows.log_softmax(1), other.softmax(1)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    result = [F.kl_div(logs, shares),
        F.kl_div(logs, shares, reduction="batchmean"),
        F.kl_div(logs, shares.log(), log_target=True, reduction="sum")]

# kl_div of integers, and cross_entropy where there is nothing
result = [attempt(lambda: F.kl_div(rows.log_softmax(1), torch.ones(1, dtype=torch.int64))),
    [F.cross_entropy(torch.ones(size), torch.ones(size), label_smoothing=smoothing, reduction=how)
     for size in ((0,), (2, 0), (0, 2)) for smoothing in (0., 0.1) for how in ("mean", "sum")]]

# l1 losses with weights
result = [F.l1_loss(rows, other),
    F.l1_loss(rows, other, weight=other ** 2),
    F.mse_loss(rows, other, weight=other ** 2, reduction="sum"),
    F.huber_loss(rows, other, delta=0.4, weight=other ** 2)]

# instance norm moves running statistics
mean, var = torch.zeros(4), torch.ones(4)
weight = torch.arange(4.).requires_grad_()
result = [F.instance_norm(image, mean, var, weight, weight * 2), mean, var]

# batch norm moves running statistics
mean, var = torch.zeros(4), torch.ones(4)
out = F.batch_norm(image, mean, var, training=True, momentum=0.3)
result = [out, mean, var, mean._version]
out.sum().backward()

# batch norm saves running statistics
mean, var = torch.zeros(4), torch.ones(4)
out = F.batch_norm(image, mean, var)
mean.add_(1)
out.sum().backward()

# rms norm
weight = torch.arange(4.).requires_grad_()
result = [F.rms_norm(x, (4,)),
    torch.rms_norm(x, (3, 4), x[0] * 1, 0.1),
    F.rms_norm(x, (4,), weight)]

# dropout
result = [F.dropout(x),
    F.dropout(x, 0.2),
    F.dropout(x, 1.0),
    F.dropout(x, 0.0) is x, F.dropout(x, training=False) is x]

# dropout in place
z = x * 1
F.dropout(z, 0.4, inplace=True)
result = z

# dropout of channels
result = [F.dropout1d(x, 0.5),
    F.dropout1d(x[0], 0.5),
    F.dropout2d(image, 0.5)]

# embedding that limits norms
table = torch.linspace(-2, 2, 12).reshape(4, 3).requires_grad_()
out = F.embedding(torch.tensor([1, 3, 1]), table, max_norm=1.0)
result = [out, table, table._version]

# embedding counted by frequency
table = torch.linspace(-2, 2, 12).reshape(4, 3).requires_grad_()
F.embedding(torch.tensor([1, 3, 1]), table, padding_idx=3, scale_grad_by_freq=True).sum().backward()
result = table.grad

# the max_pool of nan
z = torch.tensor([[[1., float("nan"), 2.], [3., 0., float("nan")]]])
result = [F.max_pool2d(z, 2, 1), F.max_pool1d(z, 2)]

# convolution saves its input even for the weight's sake
weight = torch.ones(2, 4, 2, 2).requires_grad_()
source = image.detach() * 1
out = F.conv2d(source, weight)
source.add_(1)
out.sum().backward()

# backward twice through a convolution
weight = torch.ones(2, 4, 2, 2).requires_grad_()
out = F.conv2d(image, weight).sum()
out.backward()
out.backward()

# attention that drops weights
q = torch.linspace(-1, 1, 48).reshape(1, 2, 4, 6).requires_grad_()
result = F.scaled_dot_product_attention(q, q, q, dropout_p=0.3, is_causal=True)
"""


CASES = programs(VALUES)


@pytest.mark.parametrize("text", [text for _, text in CASES], ids=[title for title, _ in CASES])
def test_as_pytorch(text: str) -> None:
    both(source(START + text))
