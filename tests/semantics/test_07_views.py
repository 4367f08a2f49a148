"""Views: what they are, what writing through them does to base, view and siblings."""

from __future__ import annotations

from tests.semantics.compare import same, statements

PROGRAMS = {
    "view ops, bases and detach": """
        x = torch.rand(2, 3, requires_grad=True) * 1
        for v in (x.view(6), x.t(), x.transpose(0, 1), x.permute(1, 0), x.squeeze(), x.unsqueeze(0),
                  x.expand(2, 2, 3), x.select(0, 1), x[0:1], x.narrow(1, 0, 2), x[...],
                  torch.diagonal(x), x.unfold(1, 2, 1), x.as_strided((2, 2), (3, 1)),
                  x.unbind()[0], x.split(1)[0], x.chunk(2)[0], x.reshape(6), x.flatten(),
                  x.view(6)[0]):
            show(v._is_view(), v._base is x)
        show(x.detach()._is_view(), x.detach()._base, x.contiguous() is x, x.exp()._is_view())
        """,
    "results keep the operand's stride order": """
        x = torch.rand(2, 3).t()
        for y in (x.exp(), x.clone(), torch.zeros_like(x), x.clamp(0, 1),
                  torch.where(x > 0, x, x), x.flip(0), x.double()):
            show(y.stride())
        fails(lambda: x.exp().view(-1))
        show(x.reshape(-1).shape)
        for y in (x.softmax(0), x.cumsum(0), torch.cat([x, x]), torch.stack([x, x]),
                  x.masked_fill(x > 2, 0), x.sum(0, keepdim=True), x @ x.t(), x.tril(),
                  x.repeat(1, 1), x.contiguous()):
            show(y.is_contiguous())
        """,
    "in place through a view of a base with history": """
        x = torch.ones(3, requires_grad=True)
        b = x * 2
        v, other = b[0], b.view(3)
        old = b.grad_fn
        v.mul_(5)
        show(b, b.grad_fn.name(), b.grad_fn.next_functions[0][0] is old,
             len(b.grad_fn.next_functions))
        show(v, other, other.grad_fn.next_functions[0][0].name())
        b.sum().backward()
        show(x.grad)
        """,
    "CopySlices has the other operand's slots": """
        x, k = torch.ones(3, requires_grad=True), torch.tensor(4., requires_grad=True)
        b = x * 2
        b[1].mul_(k)
        show([n and n.name() for n, _ in b.grad_fn.next_functions])
        b.sum().backward()
        show(x.grad, k.grad)
        """,
    "in place on the base: views turn into as_strided": """
        x = torch.ones(3, requires_grad=True)
        b = x * 2
        v = b.view(3)
        show(v)
        b.mul_(2)
        show(b, v)
        with torch.no_grad(): b.add_(1)
        show(b, v)
        b.detach().add_(1)
        show(v)
        v.sum().backward()
        show(x.grad)
        """,
    "a plain base starts requiring grad, and so do its views": """
        x = torch.ones(2, requires_grad=True)
        b = torch.zeros(2, 2)
        v, other = b[0], b[1]
        v.copy_(x)
        show(b, v, other)
        (b * 3).sum().backward()
        show(x.grad)
        """,
    "the slice's gradient goes through the op, the rest passes": """
        x = torch.tensor([1., 2., 3.], requires_grad=True)
        b = x * 1
        b[1:].mul_(10)
        b[0] = 7
        (b * torch.tensor([1., 2., 3.])).sum().backward()
        show(x.grad)
        """,
    "y[0] = y[1] * y[2] fails in backward, clones do not": """
        x = torch.tensor([1., 2., 3.], requires_grad=True)
        y = x * 1
        y[0] = y[1] * y[2]
        fails(lambda: y.sum().backward())
        y = x * 1
        y[0] = y[1].clone() * y[2].clone()
        y.sum().backward()
        show(x.grad)
        """,
    "outputs of multi-output views may not be written": """
        x = torch.rand(3, 2, requires_grad=True) * 1
        for part in (x.unbind()[0], list(x)[1], x.split(1)[0], x.chunk(3)[0], x.split([1, 2])[0],
                     x.unbind()[0].view(2)):
            fails(lambda: part.add_(1))
        x.tensor_split(3)[0].add_(1)
        x.narrow(0, 0, 1).add_(1)
        show(x)
        """,
    "when the base is changed instead": """
        x = torch.rand(3, 2, requires_grad=True) * 1
        part, other = x.unbind()[:2]
        x.add_(1)
        for use in (lambda: part * 1, lambda: part.grad_fn, lambda: part.is_leaf):
            fails(use)
        show(part.detach(), len(part.tolist()), repr(part)[-19:])
        """,
    "a view made under no_grad": """
        x = torch.ones(3, requires_grad=True) * 1
        with torch.no_grad(): v = x[:2]
        show(v.grad_fn, v.requires_grad, v.is_leaf)
        fails(lambda: v.add_(1))
        def put(): v[0] = 1
        fails(put)
        x.add_(1)
        for use in (lambda: v.grad_fn, lambda: v.is_leaf, lambda: v * 2): fails(use)
        """,
    "no gradient reaches the base through it": """
        x = torch.ones(3, requires_grad=True)
        h = x * 1
        with torch.no_grad(): v = h[:2]
        y = v.sum() + h.sum()
        y.backward()
        show(x.grad)
        """,
    "a no_grad view of a view": """
        x = torch.ones(2, 3, requires_grad=True) * 1
        v = x[0]
        with torch.no_grad(): w = v[0]
        fails(lambda: w.add_(1))
        """,
    "all harmless without gradients": """
        x = torch.ones(3)
        with torch.no_grad(): v = x[:2]
        v.add_(1)
        x.add_(1)
        show(v, x)
        """,
    "a custom Function's output that is its input or a view of it": """
        class Same(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): return x
            @staticmethod
            def backward(ctx, grad): return grad
        class View(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): return x.view(-1)
            @staticmethod
            def backward(ctx, grad): return grad
        x = torch.ones(2, requires_grad=True) * 1
        fails(lambda: Same.apply(x).add_(1))
        fails(lambda: View.apply(x).add_(1))
        """,
    "sizes and strides that a view cannot have": """
        x = torch.rand(2, 3)
        fails(lambda: x.t().view(6))
        fails(lambda: x.view(4))
        fails(lambda: x.view(-1, 4))
        fails(lambda: x.view(-1, -1))
        """,
}


@statements(PROGRAMS)
def test_views(program: str) -> None:
    same(program)
