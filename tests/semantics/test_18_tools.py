"""Anomaly mode, the functional API, gradcheck, optimizers and modules."""

from __future__ import annotations

from tests.semantics.compare import same, statements

PROGRAMS = {
    "anomaly mode finds NaN": """
        x = torch.tensor([-1.], requires_grad=True)
        def run():
            with torch.autograd.detect_anomaly():
                y = (x * 0).sqrt() * 0
                (y / 0 * 0).sum().backward()
        try: run()
        except RuntimeError as e: show(str(e))
        """,
    "anomaly mode in the version error": """
        import warnings
        x = torch.ones(2, requires_grad=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with torch.autograd.set_detect_anomaly(True):
                show(torch.is_anomaly_enabled())
                h = x * 1
                y = h.sin()
                h.add_(1)
                fails(lambda: y.sum().backward())
        show(torch.is_anomaly_enabled())
        """,
    "jacobian and hessian": """
        from_functional = torch.autograd.functional
        x, w = torch.tensor([1., 2.]), torch.tensor([3., 4.], requires_grad=True)
        show(from_functional.jacobian(lambda x: x ** 3, x))
        show(from_functional.jacobian(lambda x, w: x * w, (x, w)))
        show(from_functional.hessian(lambda x: (x ** 3).sum(), x))
        show(from_functional.hessian(lambda x, w: (x ** 2 * w).sum(), (x, w)))
        show(w.grad, from_functional.jacobian(lambda w: w * 2, w, create_graph=True))
        fails(lambda: from_functional.hessian(lambda x: x * 2, x))
        fails(lambda: from_functional.jacobian(lambda x: torch.ones(2), x, strict=True))
        """,
    "vjp, jvp, vhp, hvp": """
        f = torch.autograd.functional
        x, v = torch.tensor([1., 2.]), torch.tensor([3., 4.])
        show(f.vjp(lambda x: x ** 3, x, v), f.jvp(lambda x: x ** 3, x, v))
        show(f.vhp(lambda x: (x ** 3).sum(), x, v), f.hvp(lambda x: (x ** 3).sum(), x, v))
        fails(lambda: f.vjp(lambda x: x ** 3, x))
        fails(lambda: f.vjp(lambda x: x ** 3, x, torch.ones(3)))
        fails(lambda: f.jvp(lambda x: x ** 3, x))
        show(f.vjp(lambda x: (x ** 3).sum(), x))
        """,
    "gradcheck": """
        x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
        show(torch.autograd.gradcheck(lambda x: x.sin() * x, (x,)))
        show(torch.autograd.gradgradcheck(lambda x: x.sin() * x, (x,)))
        fails(lambda: torch.autograd.gradcheck(lambda x: x, (x.detach(),)))
        class Wrong(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): return x * 2
            @staticmethod
            def backward(ctx, grad): return grad * 3
        try: torch.autograd.gradcheck(Wrong.apply, (x,))
        except RuntimeError as e: show(type(e).__name__, str(e)[:70])
        show(torch.autograd.gradcheck(Wrong.apply, (x,), raise_exception=False))
        """,
    "gradcheck warns of float32": """
        x = torch.ones(2, requires_grad=True)
        show(torch.autograd.gradcheck(lambda x: x * 2, (x,), eps=1e-2, atol=1e-1))
        """,
    "optimizer errors": """
        x = torch.ones(2, requires_grad=True)
        for make in (lambda: torch.optim.SGD([x * 2], 0.1), lambda: torch.optim.SGD([], 0.1),
                     lambda: torch.optim.SGD([x], -1.0), lambda: torch.optim.SGD(x, 0.1),
                     lambda: torch.optim.Adam([x], -1.0), lambda: torch.optim.SGD([{"a": 1}], 0.1)):
            fails(make)
        """,
    "parameters without a gradient are skipped": """
        a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        o = torch.optim.Adam([a, b], 0.1)
        a.sum().backward()
        o.step()
        show(a, b, len(o.state), a._version, b._version)
        """,
    "parameters": """
        x = torch.ones(2, requires_grad=True) * 2
        p = torch.nn.Parameter(x)
        show(p.is_leaf, p.data_ptr() == x.data_ptr(), type(p * 2) is torch.Tensor,
             type(p.detach()) is torch.Tensor, type(p.data) is torch.Tensor, repr(p))
        show(torch.nn.Linear(2, 2).weight._version)
        class M(torch.nn.Module):
            def __init__(self): self.w = torch.nn.Parameter(torch.ones(1))
        fails(M)
        show(torch.nn.functional.mse_loss(torch.ones(2, 1), torch.ones(2)))
        """,
}


@statements(PROGRAMS)
def test_tools(program: str) -> None:
    same(program)
