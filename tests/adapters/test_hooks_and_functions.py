"""Backwards that fail in a hook or in the backward of a Function: its line is named, and the call
that made its node."""

from __future__ import annotations

import pytest

from tests.adapters.apply_fix import mended
from tests.adapters.test_diagnosis import run

NET = "net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))\n"
STEP = "net(torch.randn(6, 4)).sum().backward()\n"
HOOKS = {
    "another shape": """
def hook(grad):
    return grad.mean(0)
net[0].weight.register_hook(hook)
""",
    "made by a function": """
def save(name):
    def hook(grad):
        kept = grad.view(-1, 4)
        return grad.mean(0)
    return hook
h = net[0](torch.randn(6, 4))
h.register_hook(save("h"))
net = net[1:]
net.forward = lambda x, go=net.forward: go(h)
""",
    "another type": "hook = lambda grad: grad.double()\nnet[0].bias.register_hook(hook)\n",
    "a number": "hook = lambda grad: 1.0\nnet[0].bias.register_hook(hook)\n",
    "one of two, the other only looks": """
def hook(grad):
    return grad[:1]
net[0].weight.register_hook(hook)
def look(grad):
    print(grad.shape)
look.__name__ = "hook"
net[2].weight.register_hook(look)
""",
    "after the accumulation": """
hook = lambda weight: weight.grad
net[0].weight.register_post_accumulate_grad_hook(hook)
""",
    "a module's, another shape": """
def hook(module, grads, outputs):
    return (grads[0].mean(0),)
net[1].register_full_backward_hook(hook)
""",
    "a module's, before it": """
def hook(module, outputs):
    return outputs[0] * 2
net[1].register_full_backward_pre_hook(hook)
""",
}


@pytest.mark.parametrize("name", HOOKS)
def test_the_hook_is_named(name: str) -> None:
    (finding,), error, _ = run(NET + HOOKS[name] + STEP, name)
    assert error is not None
    assert finding.kind == "custom"
    assert finding.culprit is not None
    (line,) = [
        each for each in HOOKS[name].splitlines() if ("hook = lambda" in each or "return " in each)
        and "return hook" not in each
    ]  # fmt: skip
    assert finding.culprit.text == line.strip()
    assert finding.reader is not None
    assert finding.reader.text == STEP.strip()


def test_of_several_hooks_that_may_have_done_it_none_is_blamed() -> None:
    source = NET + "net[0].bias.register_hook(lambda grad: grad * 2)\n"
    source += "net[2].bias.register_hook(lambda grad: grad[0])\n" + STEP
    (finding,), _, _ = run(source, "two hooks")
    assert finding.culprit is None
    assert "one of lines 2, 3" in finding.text


def test_the_gradient_of_a_module_s_only_input_is_put_into_a_tuple() -> None:
    source = NET + "def hook(module, grads, outputs):\n    return grads[0] * 2\n"
    source += "net[1].register_full_backward_hook(hook)\n" + STEP
    (finding,), error, _ = run(source, "no tuple")
    assert error is not None
    findings, error, names = run(mended(source, finding), "a tuple")
    assert (findings, error) == ([], None)
    doubled = names["net"][0].bias.grad
    _, _, names = run(NET + STEP, "no hook")
    assert (doubled == 2 * names["net"][0].bias.grad).all()


SCALED = """
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, shift):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return x.clamp(min=0) * scale + shift
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        {}
a, b = torch.ones(5, 4, requires_grad=True), torch.zeros(4{})
y = Scaled.apply(a, 2.0, b)
y.mean().backward()
"""
RETURNED = {
    "too few": ("return g * (x > 0) * ctx.scale, None", "", True),
    "one alone": ("return g * (x > 0) * ctx.scale", "", True),
    "too few, and one is due": ("return g, None", ", requires_grad=True", False),
    "too many": ("return g, None, None, g", "", False),
    "one for a number": ("return g * (x > 0) * ctx.scale, g.sum(), None", "", True),
    "another shape": ("return g.t(), None, None", "", False),
    "no tensor": ("return 1.0, None, None", "", None),
    "nothing": ("return g @ x", "", False),
}


@pytest.mark.parametrize("name", RETURNED)
def test_the_function_is_named_and_the_call_that_made_its_node(name: str) -> None:
    line, learns, mends = RETURNED[name]
    source = SCALED.format(line, learns)
    findings, error, _ = run(source, name)
    assert error is not None
    if mends is None:  # PyTorch does not say which
        assert findings == []
        return
    (finding,) = findings
    assert finding.kind == "custom"
    assert finding.culprit is not None
    assert (finding.culprit.text, finding.culprit.function) == (line, "Scaled.backward")
    assert finding.reader is not None
    assert finding.reader.text == "y = Scaled.apply(a, 2.0, b)"
    assert bool(finding.fix) is mends
    if "due" in name:
        assert finding.text.endswith("shift needs one.")
    if mends:
        findings, error, names = run(mended(source, finding), f"{name}, mended")
        assert (findings, error) == ([], None)
        assert (names["a"].grad == 2 / 20).all()


def test_of_several_calls_the_one_of_that_shape_is_named() -> None:
    source = SCALED.format("return g if len(g) == 5 else g[:3], None, None", "")
    more = "z = Scaled.apply(torch.ones(4, 1, requires_grad=True), 1, 1)\n"
    more += "y = Scaled.apply(y, 2.0, b)\n(y.mean() + z.mean())"
    (finding,), _, _ = run(source.replace("y.mean()", more), "two calls")
    assert finding.reader is not None
    assert finding.reader.text.startswith("z = ")


def test_an_exception_of_the_program_s_own_that_ends_a_backward_is_no_fault() -> None:
    source = (
        NET
        + """
class Enough(Exception): pass
def hook(grad):
    raise Enough
net[0].weight.register_hook(hook)
try:
    net(torch.randn(6, 4)).sum().backward()
except Enough:
    pass
"""
    )
    assert run(source, "enough")[:2] == ([], None)
