"""Custom autograd Functions, on both engines, and in a recording."""

from __future__ import annotations

import pytest

import graphwidget
from tests.both import both, programs, source

PROGRAMS = """
# saving, names, a second backward
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result
    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        return grad * result
x = torch.tensor([1., 2.], requires_grad=True)
y = Exp.apply(x)
y.sum().backward()
result = [y, x.grad, attempt(lambda: y.sum().backward())]

# several inputs and outputs, setup_context, numbers
class Two(torch.autograd.Function):
    @staticmethod
    def forward(a, b, k):
        return a * b * k, a + b
    @staticmethod
    def setup_context(ctx, inputs, output):
        a, b, ctx.k = inputs
        ctx.save_for_backward(a, b)
    @staticmethod
    def backward(ctx, g1, g2):
        a, b = ctx.saved_tensors
        return g1 * b * ctx.k + g2, g1 * a * ctx.k + g2, None
a = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([3., 4.], requires_grad=True)
p, q = Two.apply(a, b, 2.)
(p.sum() * 2).backward()
g, = torch.autograd.grad(Two.apply(a, b, 2.)[0].sum(), a, create_graph=True)
result = [p, q, a.grad, b.grad, p.grad_fn is q.grad_fn, g, torch.autograd.grad(g.sum(), b)]

# a wrong number, shape or kind of gradients
def bad(answer):
    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a * b
        @staticmethod
        def backward(ctx, g):
            return answer(g)
    a = torch.ones(2, requires_grad=True)
    return attempt(lambda: Bad.apply(a, a).sum().backward())
result = [bad(lambda g: g), bad(lambda g: (g, g, g)), bad(lambda g: (g, g, None)),
          bad(lambda g: (torch.ones(3), g)), bad(lambda g: ("a", g)), bad(lambda g: (None, g))]

# written in place
class Add(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        a.add_(1)
        ctx.mark_dirty(a)
        return a
    @staticmethod
    def backward(ctx, g):
        return g * 3
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 1
k = Add.apply(h)
h.sum().backward()
result = [k is h, h._version, h, x.grad]

# an input returned as it is
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a
    @staticmethod
    def backward(ctx, g):
        return g * 2
x = torch.tensor([1., 2.], requires_grad=True)
y = Same.apply(x)
y.sum().backward()
result = [y is x, x.grad, attempt(lambda: y.add_(1))]

# nothing to differentiate, and what is not written
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a / 2
x = torch.tensor([1.], requires_grad=True)
with torch.no_grad():
    quiet = Half.apply(x)
result = [Half.apply(torch.ones(1)), quiet, attempt(lambda: Half.apply(x).backward()),
          attempt(lambda: torch.autograd.Function.apply(x))]
"""


@pytest.mark.parametrize(("name", "text"), programs(PROGRAMS))
def test_functions(name: str, text: str) -> None:
    both(source(text))


class Cube(graphwidget.autograd.Function):
    """A user's own op."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x


def test_a_function_is_one_op_of_a_recording() -> None:
    with graphwidget.watch() as graph:
        x = graphwidget.tensor(2.0, requires_grad=True)
        y = Cube.apply(x) * 2
        y.backward()
    assert [call["op"] for call in graph.model.calls.values()] == ["Cube", "mul"]
    assert x.grad.item() == 24
    assert next(iter(graph.model.runs.values()))["status"] == "ok"
