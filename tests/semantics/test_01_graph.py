"""Graph basics: nodes, edges, leaves, what requires grad."""

from __future__ import annotations

from tests.semantics.compare import same, statements

PROGRAMS = {
    "name and type of a node agree": """
        x = torch.ones(2, requires_grad=True)
        y = (x * 2).sum()
        show(y.grad_fn.name(), type(y.grad_fn).__name__, y.grad_fn.next_functions[0][0].name())
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): return x * 2
            @staticmethod
            def backward(ctx, grad): return grad * 2
        f = F.apply(x)
        show(f.grad_fn.name(), type(f.grad_fn).__name__)
        """,
    "names of AccumulateGrad, CopySlices, CopyBackwards": """
        x = torch.ones(2, requires_grad=True)
        y = x * 1
        y[0] = 3
        z = torch.zeros(2)
        z.copy_(x)
        show(x.mul(2).grad_fn.next_functions[0][0].name(), y.grad_fn.name(), z.grad_fn.name())
        """,
    "next_functions: one entry per differentiable slot": """
        x = torch.ones(2, requires_grad=True)
        k = torch.ones(2)
        c = torch.tensor([True, False])
        for y in (x + 1, x - 2, x * 2, x / 2, torch.where(c, x, 0.), x ** 2, 2 ** x, 2 - x,
                  x.clamp(0, 1), x.masked_fill(c, 1.), x.scatter(0, torch.tensor([0]), 1.),
                  x[[0]], x * k, k * x, torch.where(c, k, x)):
            show(type(y.grad_fn).__name__, [(n and n.name(), nr) for n, nr in
                                            y.grad_fn.next_functions])
        """,
    "cat and stack: one entry per tensor": """
        x = torch.ones(2, requires_grad=True)
        k = torch.ones(2)
        for y in (torch.cat([x, k, x]), torch.stack([k, x])):
            show([(n and n.name(), nr) for n, nr in y.grad_fn.next_functions])
        """,
    "AccumulateGrad is one object per leaf": """
        x = torch.ones(2, requires_grad=True)
        a, b = x * 2, x.exp()
        first, second = a.grad_fn.next_functions[0][0], b.grad_fn.next_functions[0][0]
        show(first is second, first.variable is x, first.next_functions)
        show(x.grad_fn, a.grad_fn is a.grad_fn, len({a.grad_fn, a.grad_fn, b.grad_fn}))
        """,
    "requires_grad of results": """
        x = torch.ones(2, requires_grad=True)
        k = torch.ones(2)
        show(x * k, k * k)
        with torch.no_grad(): show(x * k)
        show((x > 0).requires_grad, x.argmax().requires_grad, x.argsort().requires_grad,
             x.count_nonzero().requires_grad, x.bool().requires_grad, x.long().requires_grad,
             torch.zeros_like(x), x.new_ones(2), x.detach(), x.data, x[0].item(),
             torch.bucketize(x, torch.tensor([0., 2.])).requires_grad)
        """,
    "zero-gradient nodes of sign, floor, ceil, round, trunc": """
        x = torch.tensor([1.5, -2.5], requires_grad=True)
        for y in (x.sign(), x.floor(), x.ceil(), x.round(), x.trunc()):
            show(y)
            show(torch.autograd.grad(y.sum(), x)[0])
        """,
    "NotImplemented nodes": """
        x = torch.tensor([5., -7.], requires_grad=True)
        for make in (lambda: x // 2, lambda: 3 // x, lambda: 5 % x,
                     lambda: torch.heaviside(x, torch.zeros(1)),
                     lambda: (x * 1).floor_divide_(2)):
            y = make()
            show(type(y.grad_fn).__name__)
            fails(lambda: y.sum().backward())
        y = x % 2
        show(y)
        y.sum().backward()
        show(x.grad)
        """,
    "what returns the tensor itself": """
        x = torch.ones(2, requires_grad=True)
        show(x.contiguous() is x, x.to(torch.float32) is x, x.type(torch.float32) is x,
             x.float() is x, x.cpu() is x, x.requires_grad_() is x, +x is x, x.flatten() is x)
        """,
    "what always returns a new tensor": """
        x = torch.ones(2, requires_grad=True)
        for y in (x.view(2), x.reshape(2), x.expand(2), x[:], x[...], x.detach(), x.squeeze(),
                  x.ravel(), x.t(), x.permute(0), x.view_as(x), torch.cat([x])):
            show(y is x, y)
        """,
    "is_leaf": """
        x = torch.ones(2, requires_grad=True)
        show(x.is_leaf, torch.ones(2).is_leaf, (x * 2).is_leaf, x.detach().is_leaf,
             x.double().is_leaf, x.double().grad_fn, x.to(torch.float16))
        """,
    "output_nr": """
        x = torch.rand(2, 3, requires_grad=True)
        a, b = x.unbind(0)
        values, indices = x.max(1)
        parts = x.split(1)
        show(a.output_nr, b.output_nr, values.output_nr, [p.output_nr for p in parts],
             a.grad_fn is b.grad_fn)
        """,
    "sequence numbers": """
        x = torch.ones(2, requires_grad=True)
        a = x * 2
        b = a + 1
        show(b.grad_fn._sequence_nr() - a.grad_fn._sequence_nr(),
             a.grad_fn.next_functions[0][0]._sequence_nr() == 2 ** 64 - 1)
        """,
    "metadata is a dict of the user's": """
        y = torch.ones(2, requires_grad=True) * 2
        y.grad_fn.metadata["mine"] = 1
        show(y.grad_fn.metadata)
        """,
    "calling a node": """
        x = torch.tensor([1., 2.], requires_grad=True)
        k = torch.tensor([3., 4.])
        show((x * k).grad_fn(torch.ones(2)), x.exp().grad_fn(torch.ones(2)))
        show((x * x).grad_fn(torch.ones(2)))
        """,
}


@statements(PROGRAMS)
def test_graph(program: str) -> None:
    same(program)
