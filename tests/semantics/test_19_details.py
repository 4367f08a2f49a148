"""Finer statements, of several sections: each once more from another side."""

from __future__ import annotations

from tests.semantics.compare import same, statements

GRAPHS = {
    "a node that is called passes zeros for the outputs without a gradient": """
        x, k = torch.ones(2, requires_grad=True), torch.ones(2)
        show((x * k).grad_fn(k), (k * x).grad_fn(k), (x + 1).grad_fn(k))
        show(torch.where(torch.tensor([True, False]), x, k).grad_fn(k))
        a, b = torch.rand(2, 3, requires_grad=True).unbind(0)
        show(a.grad_fn(torch.ones(3), None))
        fails(lambda: a.grad_fn(torch.ones(3)))
        """,
    "deep graphs run and go without recursion": """
        x = torch.ones(1, requires_grad=True)
        y = x
        for _ in range(20000): y = y + 1
        y.backward()
        show(x.grad)
        del y
        z = x
        for _ in range(20000): z = z * 1.0
        del z
        """,
    "CopySlices has a slot for the base and for each other operand": """
        w, x = torch.ones(2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
        i, m = torch.tensor([0]), torch.tensor([True, False])
        for write in (lambda b: b[0].add_(w), lambda b: b[0].copy_(w),
                      lambda b: b.__setitem__(0, w), lambda b: b.__setitem__(0, 3.),
                      lambda b: b[0].zero_(), lambda b: b[0].addcmul_(w, w),
                      lambda b: b[:, 0].lerp_(w, 0.5), lambda b: b[0].masked_fill_(m, 1.),
                      lambda b: b[0].index_add_(0, i, w[:1])):
            b = x * 1
            write(b)
            show([(n and n.name(), nr) for n, nr in b.grad_fn.next_functions], b._version)
            b.sum().backward()
            show(w.grad, x.grad)
        """,
    "base or view may be first to require grad": """
        w = torch.ones(2, requires_grad=True)
        b = torch.zeros(2, 2); v = b[0]; v.mul_(w)
        show(b, v, b.grad_fn.next_functions[0], len(b.grad_fn.next_functions))
        b.sum().backward()
        b = torch.zeros(2, 2); v = b[0]; b.mul_(w)
        show(b, v)
        v.sum().backward()
        b = torch.zeros(2, 2); v = b[0]; u = v.view(2, 1); u.add_(w[:1])
        show(b, v, u)
        u.sum().backward()
        show(w.grad)
        """,
    "views written in messages: the last Backward goes, and the 0 behind it": """
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): return x
            @staticmethod
            def backward(ctx, grad): return grad
        class FBackward0(F): pass
        class G0(F):
            @staticmethod
            def forward(ctx, x): return x * 1
        x = torch.ones(2, requires_grad=True)
        fails(lambda: FBackward0.apply(x * 1).add_(1))
        h = G0.apply(x); y = h.sin()
        with torch.no_grad(): h.add_(1)
        fails(lambda: y.sum().backward())
        layer = nn.Linear(2, 2)
        layer.register_full_backward_hook(lambda *given: None)
        fails(lambda: layer(x[None]).add_(1))
        """,
    "the word for every kind of node, and of mask and index": """
        F = torch.nn.functional
        x = torch.rand(2, 2, requires_grad=True)
        for make in (lambda: x.sum(0), lambda: x.max(0)[0], lambda: x.log1p(), lambda: x.double(),
                     lambda: x ** torch.ones(2, 2), lambda: x.half(), lambda: x[0],
                     lambda: x[[0]], lambda: x.softmax(0), lambda: x.view(4),
                     lambda: x.unbind()[1], lambda: x.sort()[0], lambda: x.mean(),
                     lambda: torch.cat([x, x]), lambda: F.gelu(x), lambda: x @ x):
            h = make(); y = h.sin()
            with torch.no_grad(): h.add_(1)
            fails(lambda: y.sum().backward())
        d, = torch.autograd.grad(x.sigmoid().sum(), x, create_graph=True)
        y = d.sin()
        with torch.no_grad(): d.add_(1)
        fails(lambda: y.sum().backward())
        b = x * 1; v = b[0]; y = b.sin(); v.mul_(2)
        fails(lambda: y.sum().backward())
        rows, ints = torch.tensor([[True, False]] * 2), torch.tensor([0, 1], dtype=torch.int32)
        for given, use in ((rows.clone(), lambda m: x.masked_fill(m, 0.)),
                           (ints, lambda i: x.index_select(0, i)),
                           (torch.tensor([0, 1]), lambda i: x[i]),
                           (rows.clone(), lambda m: torch.where(m, x, x * 2))):
            y = use(given)
            given.zero_()
            fails(lambda: y.sum().backward())
        """,
}

BACKWARD = {
    "a leaf's hook is given the gradient that nobody made dense": """
        x = torch.ones(3, requires_grad=True)
        def hook(grad):
            show(grad.stride())
            fails(lambda: grad.add_(1))
        x.register_hook(hook)
        x.sum().backward()
        show(x.grad.stride())
        """,
    "the order of checks": """
        x, k = torch.ones(2, requires_grad=True), torch.ones(2)
        grad, backward = torch.autograd.grad, torch.autograd.backward
        for attempt in (lambda: backward([k.sum(), x * 2]), lambda: grad([x * 2], [k]),
                        lambda: grad([k.sum()], [k]), lambda: grad([x.sum(), k.sum()], [k]),
                        lambda: grad([x.sum()], [x, k]), lambda: grad(x.sum(), x, torch.ones(2)),
                        lambda: backward([x.sum(), x.sum(), k.sum()]), lambda: grad(x, x, 2),
                        lambda: grad([x, x], [x], [torch.ones(2)])):
            fails(attempt)
        x.sum().view(1, 1).backward()
        show(x.grad)
        """,
    "leaves accumulate in the order in which the nodes that feed them run": """
        order = []
        p = [torch.ones(1, requires_grad=True) for _ in range(4)]
        for i, t in enumerate(p):
            t.register_hook(lambda g, i=i: order.append(i))
            t.register_post_accumulate_grad_hook(lambda t, i=i: order.append(-i))
        a = p[0] * p[1]; b = p[2] * p[3]; c = a * b; d = p[1] + p[2]
        (c + d).backward()
        show(order)
        """,
    "outputs that nobody used contribute zeros": """
        x = torch.rand(3, 2, requires_grad=True)
        a, b, c = x.unbind()
        b.sum().backward()
        show(x.grad)
        x.grad = None
        v, i = x.max(0)
        p = x.split(2)
        (p[1].sum() + v[0]).backward()
        show(x.grad)
        """,
    "modules' zero_grad": """
        m = nn.Linear(2, 2)
        m(torch.ones(1, 2)).sum().backward()
        g = m.weight.grad
        m.zero_grad(set_to_none=False)
        show(g, g is m.weight.grad)
        m.zero_grad()
        show(m.weight.grad)
        """,
}

HOOKS = {
    "retain_grad before and after a write, and after replacing hooks": """
        x = torch.ones(2, requires_grad=True)
        h = x * 2; h.retain_grad(); h.mul_(3)
        show(h.retains_grad); h.sum().backward(); show(h.grad)
        h = x * 2; h.mul_(3); h.retain_grad(); h.sum().backward(); show(h.grad)
        h = x * 2; h.retain_grad(); h[0] = 5; (h * h).sum().backward(); show(h.grad)
        h = x * 2; h.register_hook(lambda g: show(g)); h[0] = 5
        h.register_hook(lambda g: show(g)); (h * h).sum().backward()
        h = x * 2; h.retain_grad(); h.register_hook(lambda g: g * 5)
        h.sum().backward(retain_graph=True)
        g = h.grad
        h.sum().backward()
        show(g, h.grad, h.grad is g, g._version, x.grad, x.grad._version)
        """,
    "prehooks and hooks of nodes replace gradients": """
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        y.grad_fn.register_prehook(lambda g: (g[0] * 3,))
        y.grad_fn.register_hook(lambda i, o: (i[0] + 1, None))
        y.sum().backward()
        show(x.grad)
        for hook in (lambda g: g[0], lambda g: (g[0], g[0]), lambda g: None, lambda g: (None,)):
            y = x * 2
            y.grad_fn.register_prehook(hook)
            fails(lambda: y.sum().backward())
            show(x.grad)
        """,
    "post-accumulate hooks see the leaf, and may clear it": """
        x = torch.ones(2, requires_grad=True)
        def clear(t):
            show(t is x, t.grad, torch.is_grad_enabled())
            t.grad = None
        x.register_post_accumulate_grad_hook(clear)
        (x * 2).sum().backward()
        show(x.grad)
        """,
    "multi-grad hooks: who takes part; what they refuse": """
        a, b, c = (torch.ones(2, requires_grad=True) for _ in range(3))
        register, said = torch.autograd.graph.register_multi_grad_hook, []
        register((a, b, c), lambda grads: said.append([g is not None for g in grads]))
        (a * 2).sum().backward()
        (c * a).sum().backward()
        show(said)
        fails(lambda: register((a, b), lambda grads: None, mode="some"))
        fails(lambda: register((a, torch.ones(1)), lambda grads: None))
        """,
    "arguments of Functions: lists are not searched; all outputs share the node": """
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, xs, k):
                kept.append(ctx)
                return xs[0] * 2, torch.tensor([1, 2])
            @staticmethod
            def backward(ctx, grad, other):
                show(other)
                return None, grad
        kept = []
        x, k = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        show(*F.apply([x], torch.ones(2)))
        one, two = F.apply([x], k)
        show(one, two, one.grad_fn is kept[-1], one.grad_fn is two.grad_fn)
        one.sum().backward()
        show(k.grad, x.grad)
        """,
    "mark_dirty: versions, views, plain tensors": """
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                x.add_(1); x.mul_(2); ctx.mark_dirty(x)
                return x
            @staticmethod
            def backward(ctx, grad): return grad * 2
        x = torch.ones(2, requires_grad=True)
        h = x * 1; v = h[:1]; y = F.apply(h)
        show(h._version, y is h, h, v)
        p = torch.ones(2); y = F.apply(p)
        show(y is p, p._version, p)
        h = x * 1; v = h[:1]
        fails(lambda: F.apply(v))
        show(h)
        """,
    "views and inference tensors, inside and outside": """
        w = torch.ones(2, requires_grad=True)
        with torch.inference_mode():
            w.add_(1)
            v, a, c, d = w[:1], torch.ones(2), w.clone(), w.detach()
            b = a[:1]
            show([t.is_inference() for t in (v, a, b, c, d)], w._version, v.requires_grad)
            fails(lambda: a._version)
            s = torch.ones(2, requires_grad=True)
            show(s.requires_grad, s.is_inference())
        show(v.requires_grad, v.is_leaf)
        for attempt in (lambda: v.grad_fn, lambda: v.add_(1), lambda: b.add_(1),
                        lambda: a[:1].mul_(2), lambda: w.mul_(a), lambda: (w * 1).add_(a),
                        lambda: torch.add(w.detach(), 1, out=a), lambda: (s * 2).sum().backward(),
                        lambda: setattr(a, "requires_grad", True), lambda: w @ a, lambda: a.t_(),
                        lambda: a.sum().backward(), lambda: a.clone().requires_grad_(),
                        lambda: a.requires_grad_(False), lambda: a.zero_(), lambda: nn.Parameter(a),
                        lambda: a.__setitem__(0, 1), lambda: v * 2, lambda: v[0]): fails(attempt)
        show((a * 2).is_inference())
        """,
}

VALUES = {
    "NaN wins": """
        n = torch.tensor([1., float("nan"), 3.])
        show(n.max(), n.min(), n.amin(0), n.max(0), n.min(0), n.argmax(), n.argmin(),
             torch.maximum(n, torch.ones(3)), torch.fmax(n, torch.ones(3)), n.median(),
             n.nanmedian(), n.cummax(0), n.sort(), n.topk(2), n.clamp(0, 2), n.nansum(),
             n.nanmean(), n.relu(), n.sign(), n.aminmax(), n.unique(), n.mode(), n.kthvalue(2))
        """,
    "losses of shapes that differ": """
        F = torch.nn.functional
        one, other = torch.ones(2, 1), torch.ones(2)
        for f in (F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss): show(f(one, other))
        for f in (F.binary_cross_entropy, F.binary_cross_entropy_with_logits, F.kl_div,
                  F.poisson_nll_loss): fails(lambda: f(one, other))
        """,
    "deepcopy keeps what is shared, strides and gradients": """
        import copy
        x = torch.ones(2, requires_grad=True); x.grad = torch.ones(2); x.mine = "a"
        y = copy.deepcopy(x)
        show(y, y.grad, y.grad is x.grad, y.data_ptr() == x.data_ptr(), hasattr(y, "mine"))
        b = torch.arange(6.).view(2, 3); v = b[0]
        one, row, again = copy.deepcopy([b, v, b])
        one.add_(1)
        show(one is again, row)
        c = copy.copy(b)
        show(c is b, c.data_ptr() == b.data_ptr())
        t = torch.arange(6.).view(2, 3).t()
        show(copy.deepcopy(t).stride(), copy.deepcopy(t[1:]).storage_offset())
        """,
    "anomaly mode names the first output with a NaN": """
        import warnings
        x, b = torch.tensor([0., 1.], requires_grad=True), torch.ones(2, requires_grad=True)
        class Two(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a, b): return a * b
            @staticmethod
            def backward(ctx, grad): return grad, grad * float("nan")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            with torch.autograd.detect_anomaly():
                fails(lambda: Two.apply(x, b).sum().backward())
                fails(lambda: (x.sqrt() * 0).sum().backward())
            with torch.autograd.detect_anomaly(check_nan=False):
                fails(lambda: Two.apply(x, b).sum().backward())
        show([str(each.message).splitlines()[0] for each in told])
        """,
    "the functional API's options and refusals": """
        f = torch.autograd.functional
        x, y = torch.tensor([1., 2.], requires_grad=True), torch.tensor([3., 4.])
        v = torch.ones(2)
        show(f.jacobian(lambda a, b: (a * b, a + b), (x, y)), x.grad)
        show(f.hessian(lambda a, b: (a * b).sum() ** 2, (x, y), create_graph=True))
        show(f.jacobian(lambda a: a.exp(), x, vectorize=True),
             f.hessian(lambda a: a.exp().sum(), x, vectorize=True))
        show(f.vjp(lambda a, b: a * b, (x, y), v, create_graph=True),
             f.jvp(lambda a, b: a * b, (x, y), (v, v)))
        show(f.hvp(lambda a: (a ** 3).sum(), x, v, create_graph=True))
        for attempt in (
            lambda: f.vhp(lambda a: a ** 3, x, v), lambda: f.vhp(lambda a: (a ** 3).sum(), x),
            lambda: f.jacobian(lambda a: 3, x), lambda: f.jacobian(lambda a: a, [1, 2]),
            lambda: f.hessian(lambda a: (a.sum(), a), x),
            lambda: f.jvp(lambda a: a, x, torch.ones(3)),
            lambda: f.hessian(lambda a: a.sum(), x, strict=True),
            lambda: f.vjp(lambda a: torch.ones(2), x, v, strict=True),
            lambda: f.jvp(lambda a: a * 2, x, strict=True),
            lambda: f.hvp(lambda a: a.sum(), x, v, strict=True),
            lambda: f.hvp(lambda a: a.sum(), x, v),
        ): fails(attempt)
        """,
}


@statements({**GRAPHS, **BACKWARD})
def test_graphs_and_backward(program: str) -> None:
    same(program)


@statements(HOOKS)
def test_hooks_modes_and_functions(program: str) -> None:
    same(program)


@statements(VALUES)
def test_values_and_tools(program: str) -> None:
    same(program)
