"""What nodes save, hence which in-place changes break backward; freed graphs."""

from __future__ import annotations

import pytest

from tests.semantics.compare import same, statements

X = "x = torch.tensor([[0.3, 0.7], [0.6, 0.9]], requires_grad=True)\n"

SELF = [
    "abs",
    "log",
    "log2",
    "log1p",
    "sin",
    "cos",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "asinh",
    "acosh_",
    "atanh",
    "erf",
    "erfc",
    "lgamma",
    "digamma",
    "logit",
    "square",
    "clamp",
    "silu",
    "gelu",
    "elu",
    "selu",
    "celu",
    "softplus",
    "mish",
    "leaky_relu",
    "hardtanh",
    "hardswish",
    "logsigmoid",
    "var",
    "masked_select",
    "exp",
    "exp2",
    "expm1",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "tan",
    "tanh",
    "sigmoid",
    "relu",
    "softmax",
    "log_softmax",
    "prod",
    "max",
    "min",
    "amax",
    "amin",
    "norm",
    "std",
    "logsumexp",
    "cumprod",
    "pow_number",
    "pow_tensor",
    "add",
    "sub",
    "neg",
    "sum",
    "mean",
    "view",
    "cat",
    "stack",
    "clone",
    "expand",
    "cumsum",
    "tril",
    "flip",
    "roll",
    "repeat",
    "to",
    "sign",
    "floor",
    "lerp",
    "fmod",
    "remainder",
]

CALL = {
    "acosh_": "(h + 1).acosh()", "clamp": "h.clamp(0.1, 0.8)", "var": "h.var()",
    "masked_select": "h.masked_select(h > 0.5)", "softmax": "h.softmax(0)",
    "log_softmax": "h.log_softmax(0)", "logsumexp": "h.logsumexp(0)", "cumprod": "h.cumprod(0)",
    "pow_number": "h ** 3", "pow_tensor": "h ** torch.full((2, 2), 2.)", "add": "h + 1",
    "sub": "h - 1", "view": "h.view(4)", "cat": "torch.cat([h, h])", "stack": "torch.stack([h])",
    "expand": "h.expand(2, 2)", "cumsum": "h.cumsum(0)", "flip": "h.flip(0)",
    "roll": "h.roll(1, 0)", "repeat": "h.repeat(2, 1)", "to": "h.to(torch.float64)",
    "lerp": "h.lerp(torch.ones(2, 2), 0.5)", "fmod": "h.fmod(2)", "remainder": "h % 2",
    **{name: f"torch.nn.functional.{name}(h)" for name in
       ["silu", "gelu", "elu", "selu", "celu", "softplus", "mish", "leaky_relu", "hardtanh",
        "hardswish", "logsigmoid"]},
}  # fmt: skip


@pytest.mark.parametrize("name", SELF)
@pytest.mark.parametrize("changed", ["h", "y"])
def test_saved(name: str, changed: str) -> None:
    """Changing the operand, or the result, breaks backward exactly where PyTorch says so."""
    call = CALL.get(name, f"h.{name}()")
    same(
        X + f"h = x * 1\ny = {call}\nwith torch.no_grad(): {changed}.add_(0.01)\n"
        "fails(lambda: y.sum().backward())\nshow(x.grad)"
    )


@pytest.mark.parametrize("name", SELF)
def test_second_run(name: str) -> None:
    """A second backward fails exactly for nodes that saved a tensor."""
    call = CALL.get(name, f"h.{name}()")
    same(
        X
        + f"h = x\ny = {call}\ny.sum().backward()\nfails(lambda: y.sum().backward())\nshow(x.grad)"
    )


PROGRAMS = {
    "binary ops save an operand only for the other's gradient": """
        a, k = torch.ones(2, requires_grad=True), torch.full((2,), 3.)
        for y in (a * k, k * a, a / k, k / a, torch.maximum(a, k), a.atan2(k), a.hypot(k), a ** k):
            show(type(y.grad_fn).__name__)
            for name in ("_saved_self", "_saved_other", "_saved_exponent", "_saved_result"):
                if name in dir(y.grad_fn): show(name, getattr(y.grad_fn, name))
        m = torch.ones(2, 2, requires_grad=True)
        show((m @ torch.ones(2, 2)).grad_fn._saved_self, (m.mv(k)).grad_fn._saved_vec,
             a.dot(k).grad_fn._saved_tensor, a.dot(k).grad_fn._saved_self)
        """,
    "numbers count as saved tensors of mul and div": """
        x = torch.ones(2, requires_grad=True)
        for y in ((x * 2).sum(), (x / 2).sum(), (x + 2).sum(), (x - 2).sum(), (2 - x).sum(),
                  (-x).sum(), (x ** 2).sum()):
            y.backward()
            fails(y.backward)
        show((x * 2).grad_fn._saved_other, (x / 4).grad_fn._saved_other)
        """,
    "masks, indices and conditions are kept": """
        x = torch.rand(3, requires_grad=True)
        i, m = torch.tensor([0, 1]), torch.tensor([True, False, True])
        for y in (torch.where(m, x, 0.), x.masked_fill(m, 1.), x.clamp(0, 1), x[i],
                  x.gather(0, i), x.index_select(0, i), x.scatter(0, i, 1.), x.index_fill(0, i, 0.),
                  x.max(0)[0], x.sort()[0], torch.nn.functional.dropout(x)):
            total = y.sum()
            total.backward()
            fails(total.backward)
        """,
    "CopySlices always refuses a second run": """
        x = torch.ones(2, requires_grad=True)
        y = x * 1
        y = y + 0
        y[0] = 3
        total = y.sum()
        total.backward()
        fails(total.backward)
        for change in (lambda z: z.add_(1), lambda z: z.zero_(), lambda z: z.fill_(2),
                       lambda z: z.copy_(torch.ones(2)), lambda z: z.neg_()):
            z = x + 0
            change(z)
            total = z.sum()
            total.backward()
            fails(total.backward)
        """,
    "in-place ops whose formula needs the old self keep a copy": """
        x = torch.tensor([0.3, 0.6], requires_grad=True)
        for change in (lambda z: z.mul_(x), lambda z: z.div_(x), lambda z: z.pow_(2),
                       lambda z: z.square_(), lambda z: z.log_(), lambda z: z.sin_(),
                       lambda z: z.cos_(), lambda z: z.abs_(), lambda z: z.clamp_(0, 1),
                       lambda z: z.atan2_(x), lambda z: z.exp_(), lambda z: z.sqrt_(),
                       lambda z: z.sigmoid_(), lambda z: z.tanh_(), lambda z: z.relu_(),
                       lambda z: z.reciprocal_()):
            z = x + 0
            change(z)
            fails(lambda: z.sum().backward())
            show(x.grad)
        """,
    "y.mul_(y), exp_ twice, relu_ after add": """
        x = torch.tensor([0.3, 0.6], requires_grad=True)
        y = x + 0
        y.mul_(y)
        fails(lambda: y.sum().backward())
        y = x + 0
        y.exp_().exp_()
        fails(lambda: y.sum().backward())
        y = (x + 0).relu_()
        fails(lambda: y.sum().backward())
        """,
    "the message names type, sizes and the current grad_fn": """
        x = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
        for change in (lambda z: z.exp_(), lambda z: z.mul_(2), lambda z: z.pow_(x),
                       lambda z: z.log1p_(), lambda z: z[0].zero_(), lambda z: z.copy_(x)):
            z = x * 1
            y = z.sin()
            change(z)
            fails(lambda: y.sum().backward())
            fails(lambda: y.grad_fn._saved_self)
        k = torch.ones(2, 3)
        y = x * k
        k.add_(1)
        fails(lambda: y.sum().backward())
        s = torch.ones((), requires_grad=True) * 1
        y = s.sin()
        s.add_(1)
        fails(y.backward)
        """,
    "the version is shared with views and detach": """
        x = torch.ones(4, requires_grad=True)
        for alias in (lambda h: h.detach(), lambda h: h.view(2, 2)):
            h = x * 1
            y = h.sin()
            with torch.no_grad(): alias(h).add_(1)
            fails(lambda: y.sum().backward())
        h = x * 1
        y = h.sin()
        h.data.add_(1)
        fails(lambda: y.sum().backward())
        """,
    "saved leaves and index tensors are checked too": """
        x = torch.ones(3, requires_grad=True)
        y = x.sin()
        with torch.no_grad(): x.add_(1)
        fails(lambda: y.sum().backward())
        i = torch.tensor([0, 1])
        y = x.gather(0, i)
        i.add_(1)
        fails(lambda: y.sum().backward())
        """,
    "reading saved values": """
        x = torch.ones(2, requires_grad=True)
        x.note = "mine"
        show(x.sin().grad_fn._saved_self is x, x.sin().grad_fn._saved_self.note)
        y = x.exp()
        show(y.grad_fn._saved_result is y, y.grad_fn._saved_result.grad_fn is y.grad_fn)
        show(y.grad_fn._saved_result.data_ptr() == y.data_ptr())
        """,
    "a saved output makes no reference cycle": """
        import gc, weakref
        x = torch.ones(2, requires_grad=True)
        gc.disable()
        y = x.exp()
        gone = weakref.ref(y)
        del y
        show(gone() is None)
        gc.enable()
        """,
    "names of saved metadata": """
        x = torch.rand(2, 3, requires_grad=True)
        show(x.sum(1).grad_fn._saved_dim, x.sum(1).grad_fn._saved_keepdim)
        show(x.sum().grad_fn._saved_self_sym_sizes, x.mean().grad_fn._saved_self_sym_numel)
        show(x.transpose(0, 1).grad_fn._saved_dim0, x.transpose(0, 1).grad_fn._saved_dim1)
        n = x[:, 1:3].grad_fn
        show(n._saved_dim, n._saved_start, n._saved_end, n._saved_step)
        show(x.select(1, 2).grad_fn._saved_index, x[torch.tensor([1])].grad_fn._saved_indices)
        show(x.clamp(0, 1).grad_fn._saved_min, x.clamp(0, 1).grad_fn._saved_max)
        show((x ** 3).grad_fn._saved_exponent, torch.add(x, x, alpha=2).grad_fn._saved_alpha)
        m = x > 0.5
        show(x.masked_fill(m, 0).grad_fn._saved_mask,
             torch.where(m, x, x).grad_fn._saved_condition)
        show((x @ torch.rand(3, 1)).grad_fn._saved_mat2.shape)
        """,
    "freed: second run, and reading": """
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        y.sum().backward()
        fails(lambda: y.sum().backward())
        fails(lambda: y.grad_fn._saved_result)
        show(y.grad_fn.next_functions[0][0].variable is x)
        """,
    "only executed nodes are freed": """
        x = torch.ones(2, requires_grad=True)
        h = x.exp()
        a, b = h.sin(), h.cos()
        a.sum().backward()
        show(b.grad_fn._saved_self)
        fails(lambda: b.sum().backward())
        """,
    "what ran before the freed node has accumulated": """
        x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        h = x.exp()
        h.sum().backward()
        y = (h.detach() * w).sum() + h.sum()
        y = (h * w).sum() + (w * 3).sum()
        fails(y.backward)
        show(w.grad, x.grad)
        """,
    "create_graph implies retain_graph": """
        x = torch.ones(2, requires_grad=True)
        y = x.exp().sum()
        torch.autograd.grad(y, x, create_graph=True)
        show(torch.autograd.grad(y, x, create_graph=True, retain_graph=False))
        fails(lambda: torch.autograd.grad(y, x))
        x.sum().backward()
        leaf = torch.ones((), requires_grad=True)
        leaf.backward(); leaf.backward()
        show(leaf.grad)
        """,
    "saved tensor hooks: once per slot, once per use, the innermost": """
        x = torch.tensor([2., 3.], requires_grad=True)
        said = []
        def pack(t): said.append("pack"); return t.detach() * 10
        def unpack(t): said.append("unpack"); return t
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            y = x * x
            z = x.exp()
        show(said)
        y.sum().backward()
        show(said, x.grad)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t * 2):
            with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t * 3):
                y = x.sin()
        x.grad = None
        y.sum().backward()
        show(x.grad)
        """,
    "saved tensor hooks refused; hooks of one slot": """
        with torch.autograd.graph.disable_saved_tensors_hooks("not now"):
            def enter():
                with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t): pass
            fails(enter)
        x = torch.tensor([2., 3.], requires_grad=True)
        y = x.sin()
        y.grad_fn._raw_saved_self.register_hooks(lambda t: t.detach() * 0, lambda t: t)
        y.sum().backward()
        show(x.grad)
        """,
}


@statements(PROGRAMS)
def test_saved_values(program: str) -> None:
    same(program)
