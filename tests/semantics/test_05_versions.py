"""Version counters, and the rules of writing in place."""

from __future__ import annotations

from tests.semantics.compare import same, statements

VERSIONS = {
    "what counts": """
        x = torch.zeros(3, 2)
        show(x._version); x.add_(1); show(x._version); x[0] = 1; show(x._version)
        x[0][1] = 2; show(x._version); x[0] += 1; show(x._version); x += 1; show(x._version)
        torch.add(x, x, out=x); show(x._version); x.t_(); show(x._version)
        x.squeeze_(); x.unsqueeze_(0); x.transpose_(0, 1); show(x._version)
        p = torch.ones(2, requires_grad=True)
        o = torch.optim.SGD([p], 0.1)
        p.sum().backward(); o.step(); show(p._version)
        """,
    "what does not": """
        x = torch.zeros(3, requires_grad=True) * 1
        y = x.view(3)
        x.data.add_(1)
        x.detach().numpy()[0] = 5
        x.retain_grad()
        show(x._version, x.data._version, x)
        z = torch.zeros(2)
        z.requires_grad_(); z.requires_grad_(False); z.detach_()
        z.data = torch.ones(2)
        show(z._version, z)
        fails(lambda: z.add_(torch.ones(3)))
        show(z._version)
        """,
    "x.data = y keeps the counter": """
        z = torch.zeros(2); z.add_(1); z.data = torch.ones(3)
        show(z._version, z)
        """,
    "fresh ones, shared ones": """
        x = torch.zeros(3)
        x.add_(1)
        show(x.view(3)._version, x.detach()._version, x.clone()._version, x.data._version,
             x.detach().clone()._version, x[0]._version)
        with torch.no_grad(): x.add_(1)
        show(x._version)
        v, d = x[:1], x.detach()
        d.add_(1); show(x._version, v._version); v.add_(1); show(x._version, d._version)
        """,
    "not writable": """
        x = torch.zeros(2)
        def put(name): setattr(x, name, 1)
        for name in ("_version", "grad_fn", "is_leaf"): fails(lambda: put(name))
        """,
    "inference tensors have none": """
        with torch.inference_mode(): x = torch.ones(2)
        fails(lambda: x._version)
        """,
    "changing what nobody saved is harmless": """
        x = torch.ones(3, requires_grad=True)
        for make in (lambda h: h + 1, lambda h: h.sum(), lambda h: h.view(3)):
            h = x * 1
            y = make(h)
            with torch.no_grad(): h.add_(1)
            y.sum().backward()
        show(x.grad)
        """,
}

IN_PLACE = {
    "a leaf that requires grad": """
        x = torch.ones(2, requires_grad=True)
        m = torch.tensor([True, False])
        def a(): x[:] = 1
        def b(): x[m] = 1
        def c():
            global y
            y = x
            y += 1
        for attempt in (lambda: x.add_(1), a, b, c, lambda: x.zero_(), lambda: x.copy_(x * 1)):
            fails(attempt)
        show(x, x._version)
        """,
    "a view of such a leaf": """
        x = torch.ones(2, requires_grad=True)
        def a(): x[0] = 1
        def b(): x[1:] += 1
        for attempt in (a, b, lambda: x.view(2).add_(1)): fails(attempt)
        y = torch.ones(2)
        v = y[0]
        y.requires_grad_()
        fails(lambda: v.add_(1))
        show(x, y, x._version, y._version)
        """,
    "mark_dirty on a leaf": """
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                x.add_(1); ctx.mark_dirty(x); return x
            @staticmethod
            def backward(ctx, grad): return grad
        x = torch.ones(2, requires_grad=True)
        fails(lambda: F.apply(x))
        show(x)
        """,
    "under no_grad": """
        x = torch.ones(2, requires_grad=True)
        with torch.no_grad():
            x.add_(1); x[0] = 5
        show(x, x._version, x.is_leaf)
        """,
    "the object stays, the history is replaced": """
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        old, same_object = y.grad_fn, y
        y.add_(1)
        show(y, y is same_object, y.grad_fn.next_functions[0][0] is old)
        plain = torch.ones(2)
        plain.mul_(x)
        show(plain, plain.is_leaf)
        plain.sum().backward()
        show(x.grad)
        """,
    "shapes and dtypes that do not fit": """
        fails(lambda: torch.ones(3).add_(torch.ones(2, 3)))
        fails(lambda: torch.ones(3, dtype=torch.long).add_(1.5))
        fails(lambda: torch.ones(3, dtype=torch.bool).add_(1))
        fails(lambda: torch.ones(2).add_(torch.ones(3)))
        """,
    "overlap within what is written": """
        x = torch.ones(1).expand(3)
        def a(): x[:] = torch.ones(3)
        def b(): x[0] = 7
        for attempt in (lambda: x.add_(1), lambda: x.copy_(torch.ones(3)), a, b,
                        lambda: x.zero_(), lambda: x.fill_(2)):
            fails(attempt)
        show(x)
        """,
    "partial overlap of operands": """
        x = torch.arange(4.)
        fails(lambda: x[1:].add_(x[:-1]))
        fails(lambda: x.mul_(x[0]))
        show(x.add_(x))
        """,
    "detach_ of a view": """
        x = torch.ones(2, requires_grad=True)
        fails(lambda: (x * 1)[0].detach_())
        y = (x * 1).detach_()
        show(y, y.is_leaf)
        """,
    "out= and resize_": """
        x, o = torch.ones(2, requires_grad=True), torch.zeros(2)
        fails(lambda: torch.add(x, x, out=o))
        fails(lambda: torch.add(o, o, out=x))
        fails(lambda: x.resize_(3))
        show(torch.add(o, 1, out=o), o._version)
        with torch.no_grad(): show(torch.add(x, x, out=o))
        fails(lambda: torch.add(o, 1.5, out=torch.zeros(2, dtype=torch.long)))
        show(torch.add(o, 1, out=torch.zeros(3)))
        show(torch.add(o, 1, out=torch.zeros(0)))
        """,
}


@statements(VERSIONS)
def test_versions(program: str) -> None:
    same(program)


@statements(IN_PLACE)
def test_in_place(program: str) -> None:
    same(program)
