"""Accumulation into leaves, and the rules of backward and grad."""

from __future__ import annotations

from tests.semantics.compare import same, statements

ACCUMULATION = {
    "the first gradient is a copy where somebody else holds the buffer": """
        x = torch.ones(2, requires_grad=True)
        g = torch.full((2,), 3.)
        x.backward(g)
        show(x.grad is g, x.grad.data_ptr() == g.data_ptr(), x.grad)
        a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        (a + b).backward(g)
        show(a.grad.data_ptr() == b.grad.data_ptr())
        """,
    "zero-stride gradients become dense, with the leaf's strides": """
        x = torch.rand(3, 2).t().requires_grad_()
        x.sum().backward()
        show(x.grad.stride(), x.grad)
        y = torch.ones(2, 3, requires_grad=True)
        y.mean().backward()
        show(y.grad.stride())
        """,
    "autograd.grad returns the buffer itself": """
        x = torch.ones(2, requires_grad=True)
        g = torch.full((2,), 3.)
        show(torch.autograd.grad(x + 0, x, g)[0] is g)
        d = torch.autograd.grad(x.sum(), x)[0]
        show(d.stride())
        fails(lambda: d.add_(1))
        """,
    "later gradients are added in place": """
        x = torch.ones(2, requires_grad=True)
        x.sum().backward()
        first = x.grad
        x.sum().backward()
        show(x.grad is first, x.grad)
        """,
    "with create_graph out of place": """
        x = torch.ones(2, requires_grad=True)
        (x ** 2).sum().backward(create_graph=True)
        first = x.grad
        show(first)
        (x ** 2).sum().backward(create_graph=True)
        show(x.grad is first, x.grad)
        """,
    "a buffer that the user assigned is reused": """
        x = torch.ones(2, requires_grad=True)
        mine = torch.zeros(2)
        x.grad = mine
        x.sum().backward()
        show(x.grad is mine, mine)
        x.grad = torch.ones(1).expand(2)
        fails(lambda: (x * 2).sum().backward())
        """,
    "dtypes are cast, broadcasts summed": """
        x = torch.ones(2, requires_grad=True)
        (x.double() * 2).sum().backward()
        show(x.grad)
        x.backward(torch.ones(2, dtype=torch.float64))
        show(x.grad)
        (torch.ones(3, 2) * x).sum().backward()
        show(x.grad)
        """,
    "assigning .grad": """
        x = torch.ones(2, requires_grad=True)
        def put(value): x.grad = value
        for value in (torch.ones(3), 1.0, x, torch.ones(2, dtype=torch.float64)):
            fails(lambda: put(value))
        x.grad = torch.ones(2)
        del x.grad
        show(x.grad)
        """,
    ".grad of a non-leaf": """
        y = torch.ones(2, requires_grad=True) * 2
        show(y.grad)
        """,
    "zero_grad": """
        x = torch.ones(2, requires_grad=True)
        o = torch.optim.SGD([x], 0.1)
        x.sum().backward()
        g = x.grad
        o.zero_grad(set_to_none=False)
        show(x.grad is g, g)
        o.zero_grad()
        show(x.grad)
        """,
}

CALLS = {
    "errors about roots": """
        x = torch.ones(2, requires_grad=True)
        k = torch.ones(2)
        fails(lambda: (x * 2).backward())
        fails(lambda: k.backward())
        fails(lambda: k.sum().backward())
        fails(lambda: (x * 2).backward(torch.ones(3)))
        fails(lambda: torch.autograd.backward([x.sum(), k.sum()]))
        fails(lambda: x.sum().backward(1.0))
        fails(lambda: torch.autograd.backward([x.sum(), x.sum()], [torch.ones(())]))
        torch.autograd.backward([x.sum()], [torch.ones(()), torch.ones(())])
        torch.autograd.backward([])
        (x[:1] * 2).backward()
        show(x.grad)
        """,
    "errors about inputs": """
        x, k = torch.ones(2, requires_grad=True), torch.ones(2)
        y = (x * 2).sum()
        fails(lambda: y.backward(inputs=[]))
        fails(lambda: torch.autograd.grad(y, []))
        fails(lambda: torch.autograd.grad(y, "x"))
        fails(lambda: y.backward(inputs=[k]))
        fails(lambda: torch.autograd.grad(y, k))
        fails(lambda: torch.autograd.grad(y, k, allow_unused=True))
        fails(lambda: torch.autograd.grad(k.sum(), x))
        """,
    "grad's options": """
        x, w = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
        y = (x * 2).sum()
        show(type(torch.autograd.grad(y, x, retain_graph=True)))
        twice = torch.autograd.grad(y, (x, x), retain_graph=True)
        show(twice[0] is twice[1])
        fails(lambda: torch.autograd.grad(y, (x, w), retain_graph=True))
        show(torch.autograd.grad(y, (x, w), allow_unused=True, retain_graph=True))
        show(torch.autograd.grad(y, (x, w), materialize_grads=True, retain_graph=True))
        fails(lambda: torch.autograd.grad(y, (x, w), materialize_grads=True, allow_unused=False))
        show(x.grad)
        """,
    "inputs are known by their current edge": """
        x = torch.ones(2, requires_grad=True)
        h = x * 2
        y = h.sum()
        h.add_(1)
        fails(lambda: torch.autograd.grad(y, h))
        fails(lambda: torch.autograd.grad((x * 2).sum(), x[:1]))
        """,
    "backward(inputs=) accumulates only there": """
        x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        h = x * w
        h.sum().backward(inputs=[x, h])
        show(x.grad, w.grad, h.grad, h.retains_grad)
        """,
    "create_graph warns": """
        x = torch.ones(2, requires_grad=True)
        (x ** 2).sum().backward(create_graph=True)
        show(x.grad)
        """,
    "grad mode inside backward": """
        seen = []
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): return x * 1
            @staticmethod
            def backward(ctx, grad):
                seen.append(torch.is_grad_enabled()); return grad
        x = torch.ones(2, requires_grad=True)
        x.register_hook(lambda g: seen.append(torch.is_grad_enabled()))
        F.apply(x).sum().backward()
        torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)
        y = F.apply(x).sum()
        with torch.no_grad(): y.backward()
        show(seen)
        """,
    "constant gradients do not require grad": """
        x = torch.ones(2, requires_grad=True)
        d = torch.autograd.grad((x * 3).sum(), x, create_graph=True)[0]
        show(d)
        fails(lambda: torch.autograd.grad(d.sum(), x))
        """,
    "nodes run in order of decreasing sequence number": """
        order = []
        a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
        a.register_hook(lambda g: order.append("a"))
        b.register_hook(lambda g: order.append("b"))
        left, right = a * 2, b * 3
        for name, t in (("left", left), ("right", right)):
            t.register_hook(lambda g, name=name: order.append(name))
        (left + right).sum().backward()
        show(order)
        """,
    "shared nodes run once for several roots": """
        x = torch.ones(2, requires_grad=True)
        h = x * 2
        count = []
        h.register_hook(lambda g: count.append(g.tolist()))
        torch.autograd.backward([h.sum(), (h * 3).sum()])
        show(count, x.grad)
        """,
    "an undefined gradient goes on": """
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): return x * 1
            @staticmethod
            def backward(ctx, grad): return None
        x = torch.ones(2, requires_grad=True)
        h = x * 2
        h.register_hook(lambda g: show(g))
        h.grad_fn.register_hook(lambda i, o: show(i, o))
        F.apply(h).sum().backward()
        show(x.grad)
        """,
    "exceptions in hooks go through; what ran stays": """
        class Odd(Exception): pass
        a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
        def stop(g): raise Odd("mine")
        h = a * 2
        h.register_hook(stop)
        y = h + b * 3
        fails(lambda: y.sum().backward())
        show(a.grad, b.grad)
        """,
    "backward within backward": """
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x); return x * x
            @staticmethod
            def backward(ctx, grad):
                x, = ctx.saved_tensors
                with torch.enable_grad():
                    inner = x.detach().requires_grad_()
                    (inner * inner).sum().backward()
                return grad * inner.grad
        x = torch.tensor([3.], requires_grad=True)
        F.apply(x).backward()
        show(x.grad)
        """,
}


SCATTERS = {
    f"{op}, {wanted} wanted": f"""
        x, w = torch.ones(3, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
        src, at = w * 2, torch.zeros(1, 3, dtype=torch.int64)
        y = x.clone()
        y = {call}
        z = y.sum() * y.sum()
        show([place is src.grad_fn for place, _ in y.grad_fn.next_functions])
        if "w" in "{wanted}":
            fails(lambda: torch.autograd.grad(z, [{wanted}], retain_graph=True))
            fails(lambda: torch.autograd.grad(z, [{wanted}], create_graph=True))
            fails(lambda: z.backward())
        else:
            show(*torch.autograd.grad(z, [{wanted}], retain_graph=True))
            show(*torch.autograd.grad(z, [{wanted}], create_graph=True))
        """
    for wanted in ("x", "w", "x, w")
    for op, call in {
        "scatter": "y.scatter(0, at, src)",
        "scatter_add": "y.scatter_add(0, at, src)",
        "scatter_add_": "y.scatter_add_(0, at, src)",
        "mean": "y.scatter_reduce(0, at, src, 'mean')",
        "part": "y.scatter_add(0, at[:, :2], src)",
        "prod": "y.scatter_reduce(0, at, src, 'prod')",
        "amax": "y.scatter_reduce(0, at, src, 'amax')",
        "amin of all": "y.scatter_reduce(0, at.expand(2, 3), src, 'amin', include_self=False)",
        "view": "y[:2].scatter_(0, at, src)",
    }.items()
} | {
    f"{reduce} of items that do not broadcast": f"""
        x, w = torch.ones(3, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
        z = x.scatter_reduce(0, torch.zeros(1, 2, dtype=torch.int64), w, "{reduce}").sum()
        fails(lambda: torch.autograd.grad(z, [x], retain_graph=True))
        fails(lambda: torch.autograd.grad(z, [w], retain_graph=True))
        """
    for reduce in ("prod", "amax", "amin")
}


@statements(ACCUMULATION)
def test_accumulation(program: str) -> None:
    same(program)


@statements(CALLS)
def test_calls(program: str) -> None:
    same(program)


@statements(SCATTERS)
def test_scatters_with_a_smaller_index(program: str) -> None:
    same(program)
