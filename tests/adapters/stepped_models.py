"""Models and features of PyTorch to step through: each function gives a loss and its leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

Program = Callable[[], tuple[torch.Tensor, list[torch.Tensor]]]


class Scaled(torch.autograd.Function):
    """A custom Function of two outputs, one of which nobody uses."""

    @staticmethod
    def forward(ctx: Any, x: Any, scale: float) -> Any:
        ctx.save_for_backward(x)
        ctx.scale = scale
        return x * x * scale, x.sum()

    @staticmethod
    def backward(ctx: Any, grad: Any, _unused: Any) -> Any:
        return grad * 2 * ctx.saved_tensors[0] * ctx.scale, None


def _halved(leaf: torch.Tensor) -> None:
    leaf.grad = leaf.grad * 0.5


def _of(net: nn.Module, *shape: int) -> tuple[torch.Tensor, list[torch.Tensor]]:
    out = net(torch.randn(shape))
    return (out[0] if isinstance(out, tuple) else out).pow(2).mean(), list(net.parameters())


def mlp() -> Any:
    return _of(nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Dropout(0.3), nn.Linear(5, 2)), 4, 3)


def cnn() -> Any:
    net = nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64, 3),
    )  # fmt: skip
    return _of(net, 2, 2, 8, 8)


def lstm() -> Any:
    return _of(nn.LSTM(3, 4, num_layers=2, bidirectional=True, dropout=0.2), 5, 2, 3)


def transformer() -> Any:
    return _of(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, 5, 8)


def attention() -> Any:
    q = torch.randn(2, 3, 4, 8, requires_grad=True)
    return F.scaled_dot_product_attention(q, q, q, is_causal=True).sum(), [q]


def autocast() -> Any:
    net = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = net(torch.randn(4, 8)).float().pow(2).mean()
    return loss, list(net.parameters())


def checkpointed() -> Any:
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3))
    x = torch.randn(2, 3, requires_grad=True)
    return checkpoint(net, x, use_reentrant=False).pow(2).sum(), [x, *net.parameters()]


def custom() -> Any:
    x = torch.randn(3, requires_grad=True)
    return Scaled.apply(x, 2.0)[0].sin().sum(), [x]


def hooks() -> Any:
    x = torch.randn(3, requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: grad * 3)
    y.grad_fn.register_prehook(lambda grads: (grads[0] + 1,))
    x.register_post_accumulate_grad_hook(_halved)
    return y.exp().sum(), [x]


def second_order() -> Any:
    x = torch.randn(3, requires_grad=True)
    (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    return (first * x).sum(), [x]


def gradient_penalty() -> Any:
    net = nn.Sequential(nn.Linear(3, 4), nn.Softplus(), nn.Linear(4, 1))
    x = torch.randn(2, 3, requires_grad=True)
    (grad,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
    return (grad.norm(dim=1) - 1).pow(2).mean() + net(x).mean(), list(net.parameters())


def in_place() -> Any:
    x = torch.randn(4, 3, requires_grad=True)
    y = x * 2
    y[0] = y[1] * 3
    y[2:].mul_(0.5)
    a, b = y.unbind(0)[:2]
    return (a * b).sum() + y.sum(), [x]


def saved_hooks() -> Any:
    x = torch.randn(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.double(), lambda t: t.float()):
        y = (x * x).exp()
    return y.sum(), [x]


def tied() -> Any:
    embed, out = nn.Embedding(6, 4), nn.Linear(4, 6, bias=False)
    out.weight = embed.weight
    scores = out(embed(torch.tensor([1, 2, 3])))
    return F.cross_entropy(scores, torch.tensor([2, 3, 4])), [embed.weight]


def complex_numbers() -> Any:
    x = torch.randn(8, requires_grad=True)
    return torch.fft.rfft(x).abs().sum(), [x]


def functional() -> Any:
    net = nn.Linear(3, 2)
    weights = {name: p.detach().clone().requires_grad_() for name, p in net.named_parameters()}
    out = torch.func.functional_call(net, weights, (torch.randn(4, 3),))
    return out.pow(2).sum(), list(weights.values())


def per_sample() -> Any:
    w = torch.randn(3, requires_grad=True)
    one = torch.func.vmap(lambda x: (torch.tanh(x * w)).sum())
    return one(torch.randn(5, 3)).pow(2).sum(), [w]


PROGRAMS: list[Program] = [
    mlp, cnn, lstm, transformer, attention,
    autocast, checkpointed, custom,
    hooks, second_order, gradient_penalty, in_place, saved_hooks, tied,
    complex_numbers, functional, per_sample,
]  # fmt: skip
