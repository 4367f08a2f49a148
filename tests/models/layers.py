"""Models of linear layers, and of what can be done with any module."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from importlib import import_module
from typing import Any

from .register import Made, model

Both = namedtuple("Both", "loss, logits")


@model
def mlp(torch: Any) -> Made:
    nn = torch.nn
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)), (torch.randn(5, 4),)


@model
def named_mlp(torch: Any) -> Made:
    nn = torch.nn
    layers = [("one", nn.Linear(4, 8)), ("act", nn.GELU()), ("two", nn.Linear(8, 3)),
              ("out", nn.LogSoftmax(dim=-1))]  # fmt: skip
    return nn.Sequential(OrderedDict(layers)), (torch.randn(5, 4),)


@model
def deep_mlp(torch: Any) -> Made:
    nn = torch.nn

    class Wrapped(nn.Module):
        def __init__(self, depth: int) -> None:
            super().__init__()
            self.inner = Wrapped(depth - 1) if depth else nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            return self.inner(x).tanh() + x

    return Wrapped(12), (torch.randn(5, 4),)


@model
def vae(torch: Any) -> Made:
    nn, F = torch.nn, torch.nn.functional

    class VAE(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc1, self.mu, self.logvar = nn.Linear(6, 5), nn.Linear(5, 2), nn.Linear(5, 2)
            self.fc3, self.fc4 = nn.Linear(2, 5), nn.Linear(5, 6)

        def encode(self, x: Any) -> Any:
            h = F.relu(self.fc1(x))
            return self.mu(h), self.logvar(h)

        def decode(self, z: Any) -> Any:
            return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

        def forward(self, x: Any, noise: Any) -> Any:
            mu, logvar = self.encode(x.view(-1, 6))
            z = mu + noise * torch.exp(0.5 * logvar)
            return self.decode(z), mu, logvar

    return VAE(), (torch.randn(4, 2, 3), torch.randn(4, 2))


@model
def batch_norm(torch: Any) -> Made:
    nn = torch.nn
    return nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1d(5), nn.ReLU(), nn.Linear(5, 2)), (
        torch.randn(6, 4),
    )


@model
def norms(torch: Any) -> Made:
    nn = torch.nn
    return nn.Sequential(
        nn.LayerNorm(6), nn.Linear(6, 24), nn.Unflatten(1, (4, 6)), nn.GroupNorm(2, 4),
        nn.InstanceNorm1d(4), nn.Flatten(), nn.LayerNorm(24, elementwise_affine=False),
    ), (torch.randn(5, 6),)  # fmt: skip


@model
def custom_function(torch: Any) -> Made:
    nn = torch.nn

    class Step(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return (x > 0).to(x.dtype)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return grad * (x.abs() < 1).to(grad.dtype)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(4, 5), nn.Linear(5, 2)

        def forward(self, x: Any) -> Any:
            return self.fc2(Step.apply(self.fc1(x)))

    return Net(), (torch.randn(3, 4),)


@model
def checkpointed(torch: Any) -> Made:
    nn = torch.nn
    checkpoint = import_module(f"{torch.__name__}.utils.checkpoint").checkpoint

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one = nn.Sequential(nn.Linear(4, 6), nn.Tanh())
            self.two = nn.Linear(6, 2)

        def forward(self, x: Any) -> Any:
            return self.two(checkpoint(self.one, x, use_reentrant=False))

    return Net(), (torch.randn(3, 4),)


@model
def nested_outputs(torch: Any) -> Made:
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
            self.heads = nn.ModuleDict({"a": nn.Linear(4, 2), "b": nn.Linear(4, 1)})
            self.scales = nn.ParameterList([nn.Parameter(torch.ones(4)) for _ in range(3)])

        def forward(self, x: Any, *, scale: float = 2.0) -> Any:
            hidden = []
            for layer, by in zip(self.layers, self.scales):  # noqa: B905
                x = torch.relu(layer(x)) * by * scale
                hidden.append(x)
            heads = {name: head(x) for name, head in self.heads.items()}
            return {"heads": heads, "hidden": tuple(hidden), "both": Both(x.mean(), x)}

    return Net(), (torch.randn(3, 4),)


@model
def dropout(torch: Any) -> Made:
    nn = torch.nn
    return nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 2)), (
        torch.randn(5, 4),
    )


@model
def mixture(torch: Any) -> Made:
    nn, F = torch.nn, torch.nn.functional

    class Mixture(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gate = nn.Linear(4, 3)
            self.experts = nn.ModuleList([nn.Linear(4, 2) for _ in range(3)])

        def forward(self, x: Any) -> Any:
            weights, chosen = F.softmax(self.gate(x), dim=-1).topk(2, dim=-1)
            every = torch.stack([expert(x) for expert in self.experts], dim=1)
            picked = every.gather(1, chosen.unsqueeze(-1).expand(-1, -1, 2))
            return torch.einsum("nk,nkd->nd", weights / weights.sum(-1, keepdim=True), picked)

    return Mixture(), (torch.randn(5, 4),)


@model
def lora(torch: Any) -> Made:
    nn = torch.nn

    class LoRA(nn.Module):
        def __init__(self, base: Any, rank: int) -> None:
            super().__init__()
            self.base = base
            for each in base.parameters():
                each.requires_grad_(False)
            self.a = nn.Parameter(torch.randn(rank, base.in_features) * 0.1)
            self.b = nn.Parameter(torch.zeros(base.out_features, rank))

        def forward(self, x: Any) -> Any:
            return self.base(x) + x @ self.a.T @ self.b.T

    return LoRA(nn.Linear(4, 3), 2), (torch.randn(5, 4),)
