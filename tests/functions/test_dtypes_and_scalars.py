"""Grad modes, dtypes, scalars, indexing, construction, printing: PyTorch's rules and texts."""

import pytest

from tests.compare_engines import both, programs, source

MODES = """
# two numbers, where PyTorch takes them for tensors
result = [torch.mul(3, 1.5), torch.add(3, 2, alpha=2), torch.div(3, 2), torch.sub(2, 3.5),
    torch.floor_divide(7.5, 2), torch.mul(1.5, 3), torch.multiply(True, 2), torch.mul(True, False),
    torch.div(7, 2, rounding_mode="floor"),
    *map(attempt, (lambda: torch.exp(3), lambda: torch.maximum(3, 4), lambda: torch.pow(3, 2)))]

# numpy of a tensor that requires grad
x = torch.tensor([1., 2.], requires_grad=True)
with torch.no_grad():
    inside = attempt(lambda: x.numpy())
result = [inside, attempt(lambda: x.numpy()), x.detach().numpy()]
"""

DTYPES = """
# dtypes of new tensors
import numpy as np
result = [torch.tensor(v) for v in (1, 1., True, [1, 2.], [True, False], [], [[1], [2]],
    np.ones(2), np.float32(1.), np.arange(3))] + [
    torch.full((2,), 3), torch.full((2,), 3.), torch.full((2,), True), torch.zeros(2),
    torch.ones(2, 3), torch.arange(3), torch.arange(3.),
    torch.arange(1, 7, 2), torch.eye(2), torch.linspace(0, 1, 3), torch.zeros((2, 3)),
    torch.empty(0), torch.zeros(()),
    torch.ones_like(torch.tensor([1])), torch.zeros_like(torch.tensor([1.]), dtype=torch.float64)]

# promotion in arithmetic
f, d, i, b, h = (torch.ones(2, dtype=t) for t in (torch.float32, torch.float64, torch.int64,
    torch.bool, torch.float16))
d0, f0, i0 = torch.tensor(2., dtype=torch.float64), torch.tensor(2.), torch.tensor(2)
result = [f + d, f + d0, i + f0, i + 1.5, i * 2, i / i, i / 2, b + b, b + 1, b * 2.5, f + i,
    h + i, h + f0, d0 + f0, i0 + 1.5, f0 * d0,
          torch.ones(2, dtype=torch.uint8) + torch.ones(2, dtype=torch.int8), i // 2, -i // 2,
          i % 2, f // 2, -f % 3, i ** 2, 2 ** i, f ** i, i == f]

# reductions and functions of integers
i = torch.tensor([1, 2, 3])
b = torch.tensor([True, False])
result = [i.sum(), b.sum(), i.exp(), i.sqrt(), i.log(), b.exp(), i.max(), i.sum(0), i.tanh(),
    i.sigmoid(), attempt(lambda: i.mean()), i.abs(), i.relu(), attempt(lambda: b.mean())]

# what bools cannot do
b = torch.tensor([True, False])
result = [attempt(lambda: b - b), attempt(lambda: -b), attempt(lambda: 1 - b), ~b, b & b, b | b,
    b ^ b]

# products want one type
a, d = torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64)
result = [attempt(lambda: a @ d), attempt(lambda: a[0].dot(d[0])), attempt(lambda: a.mm(d)),
    attempt(lambda: a @ a.long()), attempt(lambda: a @ d[0])]

# conversions
x = torch.tensor([1.7, -1.7, 0.])
result = [x.long(), x.int(), x.bool(), x.double(), x.half(), x.to(torch.int32),
    x.type(torch.float64), x.type(), x.long().type(), x.type_as(x.double()), x.to("cpu"),
    x.to(x.double())]
"""

SCALARS = """
# one element and more
x = torch.tensor([1., 2.])
e = torch.tensor([])
o = torch.tensor([[3.]])
z = torch.tensor(3)
result = [attempt(lambda: x.item()), attempt(lambda: bool(x)), attempt(lambda: bool(e)),
    attempt(lambda: float(x)), attempt(lambda: int(x)), attempt(lambda: float(e)),
          attempt(lambda: [1, 2, 3, 4][torch.tensor(1.)]), [1, 2, 3, 4][z],
          attempt(lambda: len(z)), attempt(lambda: iter(z)), attempt(lambda: list(z)),
          o.item(), float(o), int(o), bool(o), len(o), x.tolist(), z.tolist(), o.tolist(),
          attempt(lambda: [0][x])]

# scalars that require grad
x = torch.tensor(2.5, requires_grad=True)
result = [x.item(), float(x), int(x), bool(x), f"{x}", f"{x:.1f}", str(x), "%s" % x, x.tolist()]

# comparison, hashing, containment
x = torch.tensor([1., 2.])
result = [x == x, x != 1, x < 2, x >= torch.tensor([2., 1.]), hash(x) == hash(x), 1. in x,
    3. in x, x is x, {x: 1}[x], (x == None), x.eq(2.), torch.equal(x, x), x.all(), (x > 1).any()]

# copying a tensor warns
x = torch.tensor([1., 2.], requires_grad=True)
result = [torch.tensor(x), torch.as_tensor(x) is x]

# the user's own attributes
x = torch.tensor([1.])
x.mine = 3
result = [x.mine, attempt(lambda: x.other)]

# legacy constructors
result = [torch.Tensor([1, 2]), torch.Tensor([[1., 2.]]), torch.FloatTensor([1, 2]),
    torch.LongTensor([1, 2]), torch.DoubleTensor([1.]), torch.Tensor(2, 3).shape,
    torch.Tensor([0]), torch.Tensor().shape,
          isinstance(torch.tensor([1.]), torch.Tensor), torch.is_tensor(3)]

# sizes
x = torch.zeros(2, 3, 4)
result = [tuple(x.shape), x.size(1), x.size(-1), tuple(x.size()), x.dim(), x.ndim, x.numel(),
    x.nelement(), x.is_contiguous(), x.transpose(0, 1).is_contiguous(), x.stride(), x.stride(0),
    repr(x.shape), repr(x.size()), x.element_size(), x.storage_offset(), x[1].storage_offset(),
    attempt(lambda: x.size(3)), x.is_floating_point(), repr(x.device), repr(x.dtype),
    x.device == torch.device("cpu")]
"""

SPECIAL = """
# subgradients
def g(f, values):
    x = torch.tensor(values, requires_grad=True)
    f(x).sum().backward()
    return x.grad
inf, nan = float("inf"), float("nan")
result = [g(torch.relu, [0., -1., 2.]), g(torch.abs, [0., -1.]), g(torch.sqrt, [0., 4.]),
    g(lambda x: x ** 0, [0., 2.]), g(lambda x: x ** 0.5, [0.]), g(lambda x: x ** 2, [0.]),
          g(lambda x: x.max(), [1., 3., 3.]), g(lambda x: x.min(), [1., 1., 3.]),
          g(lambda x: x.max(0).values, [3., 3., 1.]), g(lambda x: torch.maximum(x,
          torch.tensor([1., 2.])), [1., 5.]),
          g(lambda x: torch.where(x > 0, x, x / 0.), [1., 0.]),
          g(lambda x: torch.tensor(0.) ** x, [0., 2., -1.]), g(lambda x: torch.sign(x), [1.]),
          g(lambda x: (x ** 2).sum().sqrt(), [0., 0.]),
          g(lambda x: x.max(), [nan, 1.]), g(torch.sigmoid, [1000., -1000.]), g(torch.tanh,
          [100., -100.]), g(lambda x: 0. ** x, [0., 1.]), g(lambda x: (-1.) ** x, [2.]),
          g(lambda x: x ** -1, [2., 0.])]

# values at the edges
x = torch.tensor([float("inf"), float("-inf"), float("nan"), 0., -0.])
result = [x.max(), x.min(), x.sum(), x.relu(), x.sigmoid(), x.tanh(), x.exp(), x.abs(), x.sqrt(),
    x.log(), x / 0, x.argmax(), x == x, torch.maximum(x, torch.zeros(5)), x.mean(), x ** 2]

# empty tensors
x = torch.zeros(0, 3, requires_grad=True)
y = (x * 2).sum()
y.backward()
result = [x, y, x.sum(0), x.mean(), attempt(lambda: x.max()), x @ torch.ones(3, 2), torch.cat([x,
    x]), x.t(), attempt(lambda: x.max(0)), x.max(1).values]

# second derivatives
def second(f, values):
    x = torch.tensor(values, requires_grad=True)
    (g,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
    again = attempt(lambda: plain(torch.autograd.grad(g.sum(), x)))
    return [g.detach() * 1, g.requires_grad, again]
result = [second(f, [0.5, 2.]) for f in (torch.exp, torch.log, torch.sqrt, torch.tanh,
    torch.sigmoid, torch.relu, torch.abs, lambda x: x ** 3, lambda x: x * x, lambda x: 1 / x,
          lambda x: x / (x + 1), lambda x: x.mean() ** 2, lambda x: x.max() ** 2,
          lambda x: (x @ x) ** 2, lambda x: x ** x, lambda x: torch.where(x > 1, x ** 2, x ** 3),
          lambda x: x[0] * x[1], lambda x: 2 ** x)]

# in-place under create_graph
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 1
y[0] = y[1].clone() ** 2
y.mul_(x)
(g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
result = [g.detach(), plain(torch.autograd.grad(g.sum(), x))]
"""


@pytest.mark.parametrize(("title", "text"), programs(MODES), ids=lambda part: part[:60])
def test_modes(title: str, text: str) -> None:
    both(source(text))


@pytest.mark.parametrize(("title", "text"), programs(DTYPES), ids=lambda part: part[:60])
def test_dtypes(title: str, text: str) -> None:
    both(source(text))


@pytest.mark.parametrize(("title", "text"), programs(SCALARS), ids=lambda part: part[:60])
def test_scalars_indices_and_shapes(title: str, text: str) -> None:
    both(source(text))


@pytest.mark.parametrize(("title", "text"), programs(SPECIAL), ids=lambda part: part[:60])
def test_special_values(title: str, text: str) -> None:
    both(source(text))
