"""What a program may ask of autograd beside gradients: the type of a leaf's gradient, where it lies
in memory, which versions count, and what is to be called at the end. Each against PyTorch."""

from __future__ import annotations

import pytest

from tests.both import both, programs, source

SETUP = """
A = torch.autograd
class Wide(A.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g.to(torch.float64) * 2
def leaf(*numbers):
    return torch.tensor(numbers, requires_grad=True)
"""

PROGRAMS = """
# grad_dtype is told and asked
x = leaf(1., 2.)
result = [str(x.grad_dtype)]
for kind in (torch.float16, None, torch.float32):
    x.grad_dtype = kind
    result.append(str(x.grad_dtype))
y = x * 2
result += [attempt(lambda: y.grad_dtype), attempt(lambda: setattr(y, "grad_dtype", None)),
           attempt(lambda: setattr(x, "grad_dtype", "float")), str(x.detach().grad_dtype)]

# grad_dtype and a gradient that is there
x = leaf(1., 2.)
x.grad = torch.ones(2)
x.grad_dtype = torch.float32
result = [attempt(lambda: setattr(x, "grad_dtype", torch.float16))]
x.grad_dtype = None
x.grad = torch.ones(2, dtype=torch.float64)
result += [x, attempt(lambda: setattr(x, "grad", torch.ones(3)))]
x.grad = None
x.grad_dtype = torch.float16
result += [attempt(lambda: setattr(x, "grad", torch.ones(2))), x]

# gradients come in the type that their leaf wants
result = []
for kind in ("own", None, torch.float16, torch.float64):
    x = leaf(1., 2.)
    if kind != "own":
        x.grad_dtype = kind
    x.register_hook(lambda g: result.append(str(g.dtype)))
    result.append(A.grad(Wide.apply(x).sum(), x))
    Wide.apply(x).sum().backward()
    result.append(x.grad.clone())
    (x * 3).sum().backward()
    result.append(x.grad)
    x.grad = None
    x.backward(torch.ones(2, dtype=torch.float64))
    result.append(x.grad)
    x.grad = None
    x.sum().backward(create_graph=True)
    result += [x.grad, x.grad.grad_fn]
s = leaf(2.).sum().detach().requires_grad_()
s.grad_dtype = torch.float64
s.sin().backward()
result.append(s.grad)

# increment_version
inc = A.graph.increment_version
a = torch.zeros(2, dtype=torch.int32)
inc(a)
inc([a, a])
inc(())
result = [a, attempt(lambda: inc(3)), attempt(lambda: inc([3]))]
with torch.inference_mode():
    i = torch.ones(2)
    inc(i)
inc(i)
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(SETUP + text))
