"""The rows in PyTorch's words: one text, run by PyTorch and by graphwidget.

``ROWS[name](torch)`` makes what the row needs and returns its *step*: the piece of work that is
timed. A step returns the tensors whose values must agree between engines, call by call; what an
optimizer did to the parameters shows in the next call's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import data

Step = Callable[[], Sequence[Any]]
Row = Callable[[Any], Step]

ROWS: dict[str, Row] = {}
SMALL = ("chain add", "chain mul", "chain mix", "scalar MLP", "deep chain")
"""Rows that consist of small ops."""


def row(name: str) -> Callable[[Row], Row]:
    """Register a row under its name in the table."""

    def add(make: Row) -> Row:
        ROWS[name] = make
        return make

    return add


# Small ops -----------------------------------------------------------------------------------
def chain(torch: Any, body: Callable[[Any, Any], Any], turns: int) -> Step:
    """The step of a chain: ``y = body(y, x)`` many times over, then backward."""
    x = torch.tensor(data.small(), requires_grad=True)
    seed = torch.ones(2, 2)

    def step() -> Sequence[Any]:
        x.grad = None
        y = x
        for _ in range(turns):
            y = body(y, x)
        y.backward(seed)
        return y.detach(), x.grad

    return step


@row("chain add")
def add(torch: Any) -> Step:
    return chain(torch, lambda y, x: y + x, data.CHAIN)


@row("chain mul")
def mul(torch: Any) -> Step:
    return chain(torch, lambda y, x: y * x, data.CHAIN)


@row("chain mix")
def mix(torch: Any) -> Step:
    tanh, exp = torch.tanh, torch.exp
    return chain(torch, lambda y, x: exp(tanh((y + x) * x)) - x, data.CHAIN // 5)


@row("deep chain")
def deep(torch: Any) -> Step:
    return chain(torch, lambda y, x: y * x, data.DEEP)


@row("scalar MLP")
def scalars(torch: Any) -> Step:
    """micrograd's network with a 0-d tensor for each number."""

    def leaf(number: Any) -> Any:
        return torch.tensor(float(number), requires_grad=True)

    layers = [
        [([leaf(w) for w in weights], leaf(b)) for weights, b in zip(weight, bias, strict=True)]
        for weight, bias in data.layers(data.SCALAR_LAYERS)
    ]
    leaves = [leaf for layer in layers for weights, bias in layer for leaf in (*weights, bias)]
    inputs = [torch.tensor(number) for number in (2.0, 3.0, -1.0)]

    def step() -> Sequence[Any]:
        for each in leaves:
            each.grad = None
        values = inputs
        for layer in layers:
            values = [
                sum((w * v for w, v in zip(weights, values, strict=True)), bias).tanh()
                for weights, bias in layer
            ]
        (out,) = values
        out.backward()
        return out.detach(), *(leaf.grad for leaf in leaves[:5])

    return step


# Training steps ------------------------------------------------------------------------------
def training(torch: Any, model: Any, loss: Callable[[], Any], optimizer: Any) -> Step:
    """The step of a usual training loop."""
    parameters = list(model.parameters())

    def step() -> Sequence[Any]:
        optimizer.zero_grad()
        found = loss()
        found.backward()
        grads = [parameter.grad for parameter in parameters]
        optimizer.step()
        return found.detach(), *grads

    return step


def mlp(torch: Any) -> tuple[Any, Callable[[], Any]]:
    """A classic three-layer perceptron and its loss."""
    nn, modules = torch.nn, []
    for weight, bias in data.layers():
        layer = nn.Linear(weight.shape[1], weight.shape[0])
        with torch.no_grad():
            layer.weight.copy_(torch.tensor(weight))
            layer.bias.copy_(torch.tensor(bias))
        modules += [layer, nn.ReLU()]
    model = nn.Sequential(*modules[:-1])
    inputs, targets = (torch.tensor(each) for each in data.batch())
    return model, lambda: nn.functional.mse_loss(model(inputs), targets)


@row("MLP, SGD")
def mlp_sgd(torch: Any) -> Step:
    model, loss = mlp(torch)
    return training(torch, model, loss, torch.optim.SGD(model.parameters(), lr=data.RATE))


@row("MLP, Adam")
def mlp_adam(torch: Any) -> Step:
    model, loss = mlp(torch)
    return training(torch, model, loss, torch.optim.Adam(model.parameters(), lr=data.RATE))


def draw(torch: Any, model: Any) -> None:
    """Give all parameters numbers that depend on their names only."""
    for name, parameter in model.named_parameters():
        with torch.no_grad():
            parameter.copy_(torch.tensor(data.parameter(name, *parameter.shape)))


@row("CNN, SGD")
def cnn(torch: Any) -> Step:
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(16 * 7 * 7, 10),
    )  # fmt: skip
    draw(torch, model)
    inputs, classes = (torch.tensor(each) for each in data.images())
    optimizer = torch.optim.SGD(model.parameters(), lr=data.RATE, momentum=0.9)
    return training(
        torch, model, lambda: nn.functional.cross_entropy(model(inputs), classes), optimizer
    )


def transformer_block(torch: Any, width: int, heads: int) -> Any:
    """A pre-norm transformer block as users write it."""
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            x = x + self.proj(self.attention(self.norm1(x)))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

        def attention(self, x: Any) -> Any:
            batch, length, _ = x.shape
            each = (batch, length, heads, width // heads)
            q, k, v = (part.view(each).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
            scores = q @ k.transpose(-2, -1) * (width // heads) ** -0.5
            mixed = F.softmax(scores, -1) @ v
            return mixed.transpose(1, 2).reshape(batch, length, width)

    return Block()


@row("transformer, AdamW")
def transformer(torch: Any) -> Step:
    model = transformer_block(torch, 64, 4)
    draw(torch, model)
    inputs = torch.tensor(data.normal("tokens", 8, 32, 64))
    optimizer = torch.optim.AdamW(model.parameters(), lr=data.RATE)
    return training(torch, model, lambda: (model(inputs) ** 2).mean(), optimizer)


# Large arrays --------------------------------------------------------------------------------
@row("1e6 elementwise")
def elementwise(torch: Any) -> Step:
    x = torch.tensor(data.large(), requires_grad=True)

    def step() -> Sequence[Any]:
        x.grad = None
        y = x
        for _ in range(3):
            y = (torch.tanh(y * x) + x) * 0.5
            y = torch.relu(y - 0.1) + torch.sigmoid(y)
        loss = y.mean()
        loss.backward()
        return loss.detach(), x.grad

    return step


@row("1024 matmul")
def matmul(torch: Any) -> Step:
    a, b = (torch.tensor(each, requires_grad=True) for each in data.matrices())

    def step() -> Sequence[Any]:
        a.grad = b.grad = None
        loss = (a @ b).sum()
        loss.backward()
        return loss.detach(), a.grad, b.grad

    return step


@row("Hessian of 64-d")
def hessian(torch: Any) -> Step:
    matrix, point = (torch.tensor(each) for each in data.hessian())
    second = torch.autograd.functional.hessian

    def function(x: Any) -> Any:
        return torch.tanh(matrix @ x).exp().sum()

    def step() -> Sequence[Any]:
        found = second(function, point)
        return (found,)

    return step


# What static graphs run, as the dynamic programs that they are -----------------------------------
@row("static: example C")
def example(torch: Any) -> Step:
    inputs = torch.ones(2, 2)
    weights = [torch.tensor(number, requires_grad=True) for number in data.EXAMPLE]

    def step() -> Sequence[Any]:
        for each in weights:
            each.grad = None
        first = inputs * weights[0]
        loss = ((first + weights[1]) * (first * weights[2])).mean()
        loss.backward()
        return loss.detach(), *(each.grad for each in weights)

    return step


ROWS["static: MLP, SGD"] = mlp_sgd


@row("static: 20 ops on 1e6")
def twenty(torch: Any) -> Step:
    x = torch.tensor(data.large(), requires_grad=True)

    def step() -> Sequence[Any]:
        x.grad = None
        y = x
        for _ in range(5):
            y = torch.tanh(y * x + 0.5) - x
        loss = y.mean()
        loss.backward()
        return loss.detach(), x.grad

    return step
