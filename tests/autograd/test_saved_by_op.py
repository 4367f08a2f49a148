"""Tensors that each op saves, hence what may be written and run again, on both engines."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compare_engines import attempt, both

UNARY = (
    "x.abs()", "x.log()", "x.log2()", "x.log1p()", "x.sin()", "x.cos()", "x.asin()", "x.acos()",
    "x.atan()", "x.sinh()", "x.cosh()", "x.asinh()", "(x + 2).acosh()", "x.atanh()", "x.erf()",
    "x.erfc()", "x.lgamma()", "x.digamma()", "x.logit()", "x.square()", "x ** 3", "x ** 0.5",
    "x.clamp(0, 1)", "x.clamp(min=0.2)", "x.exp()", "x.exp2()", "x.expm1()", "x.sqrt()",
    "x.rsqrt()", "x.reciprocal()", "x.tan()", "x.tanh()", "x.sigmoid()", "x.relu()",
    "x.softmax(0)", "x.log_softmax(0)", "x.prod()", "x.prod(0)", "x.max()", "x.min()",
    "x.max(0)[0]", "x.amax()", "x.amin(0)", "x.norm()", "x.std(0)", "x.var(0)", "x.logsumexp(0)",
    "x.cumprod(0)", "x.cumsum(0)", "-x", "x.sum()", "x.sum(0)", "x.mean()", "x.mean(0)",
    "x.view(4)", "x.reshape(4)", "x.t()", "x.permute(1, 0)", "x.unsqueeze(0)", "x.squeeze()",
    "x.expand(3, 2, 2)", "x[0]", "x[0:1]", "x[[0]]", "x[None]", "x[x > 0.3]", "x.clone()",
    "x.tril()", "x.flip(0)", "x.roll(1)", "x.repeat(2, 1)", "x.double()", "x.sign()", "x.floor()",
    "x.round()", "x + 1", "x - 2", "2 - x", "x * 2", "x / 2", "2 / x", "2 ** x", "x % 2",
    "x.fmod(2)", "x.unbind(0)[0]", "x.split(1)[0]", "x.diagonal()", "x.sort(0)[0]",
    "x.topk(1, 0)[0]",
    "x.median()", "x.masked_fill(x > 0.3, 1.)", "x.masked_select(x > 0.3)",
    "torch.where(x > 0.3, x, 0.)", "torch.cat([x, x])", "torch.stack([x, x])",
    "x.gather(0, i)", "x.index_select(0, i[0])", "x.scatter(0, i, 1.)", "x.scatter_add(0, i, x)",
    )  # fmt: skip
BINARY = (
    "x + y", "x - y", "x * y", "x / y", "x ** y", "x % y", "torch.atan2(x, y)",
    "torch.hypot(x, y)", "torch.maximum(x, y)", "torch.minimum(x, y)", "x @ y", "x.mm(y)",
    "x.mv(y[0])", "x[0].dot(y[0])", "torch.lerp(x, y, 0.3)",
    "torch.cat([x, y])", "torch.where(x > y, x, y)", "torch.outer(x[0], y[0])", "x.fmod(y)",
)  # fmt: skip
IN_PLACE = (
    "h.mul_(y)", "h.div_(y)", "h.add_(y)", "h.sub_(y)", "h.pow_(2)", "h.square_()", "h.log_()",
    "h.sin_()", "h.abs_()", "h.clamp_(0, 1)", "h.exp_()", "h.sqrt_()", "h.sigmoid_()",
    "h.tanh_()",
    "h.relu_()", "h.reciprocal_()", "h.zero_()", "h.fill_(1.)", "h.copy_(y)", "h.neg_()",
    "h.mul_(h)", "h.mul_(2)", "h.masked_fill_(h > 0.3, 1.)", "h.t_()", "h.unsqueeze_(0)",
    "h.atan2_(y)", "h.erf_()", "h.floor_()", "h.copy_(y[0])", "h.add_(y, alpha=2)",
)  # fmt: skip


def saved(node: Any) -> dict[str, Any]:
    """All that a node says it saved."""
    # PyTorch also tells what sizes and strides some formulas need; nobody asks for these.
    skipped = ("_sym_sizes", "_sym_strides")
    names = [name for name in dir(node) if name.startswith("_saved_")]
    names = sorted(name for name in names if not name.endswith(skipped))
    return {name: attempt(lambda name=name: getattr(node, name)) for name in names}


def leaves(torch: Any, both_need: bool = True) -> tuple[Any, Any, Any]:
    x = torch.tensor([[0.1, 0.6], [0.4, 0.3]], requires_grad=True)
    y = torch.tensor([[0.7, 0.2], [0.5, 0.9]], requires_grad=both_need)
    return x, y, torch.tensor([[0, 1], [1, 0]])


def reported(torch: Any, out: Any, written: list[Any]) -> Any:
    """Return what was saved, two runs, what was saved now, and a run after writing the operands."""
    before = saved(out.grad_fn)
    if out.dim():
        out = out.sum()
    runs = [attempt(lambda: out.backward(retain_graph=True)), attempt(lambda: out.backward())]
    again = attempt(lambda: out.backward())
    with torch.no_grad():
        for each in written:
            each.add_(1)
    return [before, runs, again]


@pytest.mark.parametrize("text", UNARY)
def test_of_one(text: str) -> None:
    def program(torch: Any) -> Any:
        x, _, i = leaves(torch)
        out = eval(text, {"torch": torch, "x": x, "i": i})
        first = reported(torch, out, [])
        h = x * 1
        made = eval(text, {"torch": torch, "x": h, "i": i})
        h.add_(1)
        return [first, attempt(lambda: made.sum().backward())]

    both(program)


@pytest.mark.parametrize("need", [True, False])
@pytest.mark.parametrize("text", BINARY)
def test_of_two(text: str, need: bool) -> None:
    def program(torch: Any) -> Any:
        x, y, _ = leaves(torch, need)
        out = eval(text, {"torch": torch, "x": x, "y": y})
        first = reported(torch, out, [])
        answers = []
        for which in (0, 1):
            h, k = x * 1, y * 1
            made = eval(text, {"torch": torch, "x": h, "y": k})
            (h, k)[which].add_(1)
            answers.append(attempt(lambda made=made: made.sum().backward()))
        return [first, answers]

    both(program)


@pytest.mark.parametrize("text", IN_PLACE)
def test_in_place(text: str) -> None:
    def program(torch: Any) -> Any:
        x, y, _ = leaves(torch)
        h = x * 1
        eval(text, {"torch": torch, "h": h, "y": y})
        first = reported(torch, h, [])
        k = x * 1
        eval(text, {"torch": torch, "h": k, "y": y})
        k.add_(1)
        v = x * 1
        answer = attempt(lambda: eval(text, {"torch": torch, "h": v[0:1], "y": y[0:1]}))
        views = attempt(lambda: v.sum().backward(retain_graph=True))
        return [first, attempt(lambda: k.sum().backward()), answer, views,
                attempt(lambda: v.sum().backward())]  # fmt: skip

    both(program)
