"""Hooks, retain_grad, grad modes and custom Functions."""

from __future__ import annotations

from tests.semantics.compare import same, statements

HOOKS = {
    "the order of everything at one tensor": """
        said = []
        x = torch.ones(2, requires_grad=True)
        h = x * 2
        h.register_hook(lambda g: said.append("first"))
        h.retain_grad()
        h.register_hook(lambda g: (said.append("second"), g * 10)[1])
        h.grad_fn.register_prehook(lambda o: said.append(("pre", o[0].tolist())))
        h.grad_fn.register_hook(lambda i, o: said.append(("post", i[0].tolist(), o[0].tolist())))
        h.sum().backward()
        show(said, h.grad, x.grad)
        """,
    "the order at a leaf": """
        said = []
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        node = y.grad_fn.next_functions[0][0]
        node.register_prehook(lambda o: said.append(("pre", o[0].tolist())))
        node.register_hook(lambda i, o: said.append(("post", i, o[0].tolist())))
        x.register_post_accumulate_grad_hook(lambda t: said.append(("after", t.grad.tolist())))
        x.register_hook(lambda g: (said.append("tensor"), g + 1)[1])
        y.sum().backward()
        show(said, x.grad)
        """,
    "a leaf's hook fires once with the sum": """
        said = []
        x = torch.ones(2, requires_grad=True)
        x.register_hook(lambda g: said.append(g.tolist()))
        (x * 2 + x * 3).sum().backward()
        show(said)
        """,
    "hooks that change gradients in place are seen": """
        x = torch.ones(2, requires_grad=True)
        h = x * 2
        h.register_hook(lambda g: (g.mul_(0), None)[1])
        (h * torch.ones(2)).sum().backward()
        show(x.grad)
        """,
    "hooks stay with the value from before an in-place op": """
        said = []
        x = torch.ones(2, requires_grad=True)
        h = x * 2
        h.register_hook(lambda g: said.append(("old", g.tolist())))
        h.mul_(3)
        h.register_hook(lambda g: said.append(("new", g.tolist())))
        h.retain_grad()
        h.mul_(5)
        h.sum().backward()
        show(said, h.grad, x.grad)
        """,
    "retain_grad": """
        x = torch.ones(2, requires_grad=True)
        x.retain_grad()
        show(x.retains_grad)
        h = x * 2
        h.retain_grad(); h.retain_grad()
        show(h.retains_grad)
        fails(lambda: torch.ones(2).retain_grad())
        h.sum().backward(retain_graph=True)
        first = h.grad
        h.sum().backward(retain_graph=True)
        show(h.grad is first, h.grad)
        torch.autograd.grad(h.sum(), x)
        show(h.grad)
        h = x * 2
        h.retain_grad()
        h.square().sum().backward(create_graph=True)
        show(h.grad)
        """,
    "autograd.grad and the hooks of what is asked for": """
        x = torch.ones(2, requires_grad=True)
        h = x * 2
        h.register_hook(lambda g: g * 10)
        y = h.sum()
        show(torch.autograd.grad(y, h, retain_graph=True))
        show(torch.autograd.grad(y, (h, x), retain_graph=True))
        said = []
        x.register_post_accumulate_grad_hook(lambda t: said.append(1))
        torch.autograd.grad(y, x)
        show(said)
        """,
    "handles": """
        x = torch.ones(2, requires_grad=True)
        said = []
        handle = x.register_hook(lambda g: said.append(1))
        handle.remove(); handle.remove()
        with x.register_hook(lambda g: said.append(2)): (x * 2).sum().backward()
        (x * 2).sum().backward()
        show(said)
        """,
    "messages": """
        x, k = torch.ones(2, requires_grad=True), torch.ones(2)
        fails(lambda: k.register_hook(lambda g: g))
        fails(lambda: (x * 2).register_post_accumulate_grad_hook(lambda t: None))
        for hook in (lambda g: 5, lambda g: g[:1], lambda g: g.double()):
            h = x * 2
            h.register_hook(hook)
            fails(lambda: h.sum().backward())
        for hook in (lambda i, o: 5, lambda i, o: (i[0], i[0])):
            h = x * 2
            h.grad_fn.register_hook(hook)
            fails(lambda: h.sum().backward())
        """,
    "multi-grad hooks": """
        a, b, c = (torch.ones(2, requires_grad=True) for _ in range(3))
        said = []
        register = torch.autograd.graph.register_multi_grad_hook
        handle = register((a, b, c), lambda grads: said.append([None if g is None else g.tolist()
                                                              for g in grads]))
        (a * 2 + b * 3).sum().backward()
        handle.remove()
        register((a, b), lambda grad: said.append(grad.tolist()), mode="any")
        (a * 2 + b * 3).sum().backward()
        show(said)
        """,
    "gradient edges": """
        x = torch.ones(2, requires_grad=True)
        h = x * 2
        edge = torch.autograd.graph.get_gradient_edge(h)
        show(edge.output_nr, type(edge.node).__name__)
        show(torch.autograd.grad((h * 3).sum(), edge))
        show(isinstance(h.grad_fn, torch.autograd.graph.Node))
        """,
}

MODES = {
    "as context, decorator, call, generator": """
        x = torch.ones(2, requires_grad=True)
        @torch.no_grad()
        def a(): return (x * 2).requires_grad
        @torch.no_grad
        def b(): return (x * 2).requires_grad
        @torch.no_grad()
        def c():
            yield torch.is_grad_enabled()
            yield torch.is_grad_enabled()
        g = c()
        show(a(), b(), next(g), torch.is_grad_enabled(), next(g))
        with torch.no_grad():
            with torch.enable_grad(): show((x * 2).requires_grad)
            with torch.set_grad_enabled(True): show(torch.is_grad_enabled())
            show(torch.ones(2, requires_grad=True).requires_grad,
                 torch.ones(2).requires_grad_().requires_grad, x.numpy().tolist())
        torch.set_grad_enabled(False)
        show(torch.is_grad_enabled())
        torch.set_grad_enabled(True)
        fails(lambda: x.numpy())
        """,
    "per thread": """
        import threading
        seen = []
        with torch.no_grad():
            t = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
            t.start(); t.join()
        show(seen)
        """,
    "requires_grad rules": """
        x = torch.ones(2, requires_grad=True)
        h = x * 2
        def put(t, value): t.requires_grad = value
        fails(lambda: put(h, False))
        fails(lambda: put(h, True))
        fails(lambda: put(x, 1))
        fails(lambda: torch.ones(2, dtype=torch.long, requires_grad=True))
        fails(lambda: torch.ones(2, dtype=torch.long).requires_grad_())
        fails(lambda: put(torch.ones(2, dtype=torch.bool), True))
        """,
    "inference mode": """
        w = torch.ones(2, requires_grad=True)
        with torch.inference_mode():
            a = torch.ones(2)
            show(a.is_inference(), torch.is_grad_enabled(), torch.is_inference_mode_enabled())
            v = w.view(2)
            show(v.is_inference())
            w.add_(1)
            with torch.inference_mode(False): show((w * 2).requires_grad)
        show(w._version)
        fails(lambda: a * w)
        show((a + w).requires_grad)
        fails(lambda: a.add_(1))
        fails(lambda: a.requires_grad_())
        show(a.clone().is_inference(), (a.clone() * w).requires_grad)
        """,
}

FUNCTIONS = {
    "ctx is the node": """
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, k):
                ctx.k = k
                show(torch.is_grad_enabled(), x.requires_grad, ctx.needs_input_grad)
                return x * k
            @staticmethod
            def backward(ctx, grad):
                show(ctx.needs_input_grad)
                return grad * ctx.k, None
        x = torch.ones(2, requires_grad=True)
        y = F.apply(x, 3)
        show(y, y.grad_fn.k)
        y.sum().backward()
        show(x.grad, F.apply(torch.ones(2), 3))
        with torch.no_grad(): show(F.apply(x, 3))
        """,
    "what backward may return": """
        def make(returned):
            class F(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, y): return x * y
                @staticmethod
                def backward(ctx, grad): return returned(grad)
            return F
        x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        for returned in (lambda g: g, lambda g: (g, g, None), lambda g: (g, g, g),
                         lambda g: (torch.ones(3), g), lambda g: (torch.ones(4, 2), g),
                         lambda g: ("a", g), lambda g: (g.double(), None)):
            x.grad = y.grad = None
            fails(lambda: make(returned).apply(x, y).sum().backward())
            show(x.grad, y.grad)
        """,
    "unused outputs, non-differentiable ones, other outputs": """
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, materialize):
                ctx.set_materialize_grads(materialize)
                n = x > 0
                ctx.mark_non_differentiable(n)
                return x * 2, x * 3, n, "text", None
            @staticmethod
            def backward(ctx, a, b, c, *rest):
                show(a, b, c is None)
                return a, None
        x = torch.ones(2, requires_grad=True)
        for materialize in (True, False):
            out = F.apply(x, materialize)
            show(out[0], out[1], out[2], out[3], out[4])
            out[0].sum().backward()
        """,
    "mark_dirty": """
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, back):
                x.mul_(2)
                ctx.mark_dirty(x)
                return x if back else x * 1
            @staticmethod
            def backward(ctx, grad): return grad * 2, None
        leaf = torch.ones(2, requires_grad=True)
        h = leaf * 1
        y = F.apply(h, True)
        show(y is h, y, y._version)
        y.sum().backward()
        show(leaf.grad)
        fails(lambda: F.apply(leaf * 1, False))
        """,
    "an input returned as it is": """
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): return x
            @staticmethod
            def backward(ctx, grad): return grad * 5
        x = torch.ones(2, requires_grad=True)
        y = F.apply(x)
        show(y is x, y, y.data_ptr() == x.data_ptr())
        y.sum().backward()
        show(x.grad)
        """,
    "saving": """
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, bad):
                ctx.save_for_backward(x, None) if not bad else ctx.save_for_backward(x, 1)
                return x * 1
            @staticmethod
            def backward(ctx, grad): return grad * ctx.saved_tensors[0], None
        x = torch.ones(2, requires_grad=True)
        fails(lambda: F.apply(x, True))
        h = x * 1
        y = F.apply(h, False)
        show(y.grad_fn.saved_tensors)
        h.add_(1)
        fails(lambda: y.sum().backward())
        y = F.apply(x, False).sum()
        y.backward()
        fails(y.backward)
        """,
    "once_differentiable": """
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): ctx.save_for_backward(x); return x * x
            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx, grad): return grad * 2 * ctx.saved_tensors[0]
        x = torch.ones(2, requires_grad=True)
        d = torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)[0]
        show(d.requires_grad)
        d = torch.autograd.grad((F.apply(x) ** 2).sum(), x, create_graph=True)[0]
        show(d.requires_grad, type(d.grad_fn).__name__)
        fails(lambda: d.sum().backward())
        """,
    "what is missing": """
        class A(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): return x * 1
        class B(torch.autograd.Function): pass
        x = torch.ones(2, requires_grad=True)
        fails(lambda: A.apply(x).sum().backward())
        fails(lambda: B.apply(x))
        fails(lambda: A()(x))
        """,
    "setup_context": """
        class F(torch.autograd.Function):
            @staticmethod
            def forward(x, k): return x * k
            @staticmethod
            def setup_context(ctx, inputs, output):
                x, ctx.k = inputs
                ctx.save_for_backward(x)
            @staticmethod
            def backward(ctx, grad): return grad * ctx.k, None
        x = torch.ones(2, requires_grad=True)
        F.apply(x, 4).sum().backward()
        show(x.grad)
        """,
    "double backward through a Function": """
        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): ctx.save_for_backward(x); return x ** 3
            @staticmethod
            def backward(ctx, grad):
                x, = ctx.saved_tensors
                return grad * 3 * x ** 2
        x = torch.tensor([2.], requires_grad=True)
        d = torch.autograd.grad(Cube.apply(x), x, create_graph=True)[0]
        show(d, torch.autograd.grad(d, x)[0])
        """,
}


@statements(HOOKS)
def test_hooks(program: str) -> None:
    same(program)


@statements(MODES)
def test_modes(program: str) -> None:
    same(program)


@statements(FUNCTIONS)
def test_functions(program: str) -> None:
    same(program)
