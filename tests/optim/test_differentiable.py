"""Gradients through the steps of optimizers: of the result by where the training began, and by
options that are tensors."""

from __future__ import annotations

import pytest

import graphwidget
from tests.both import both, source

PROGRAM = """
import warnings
torch.manual_seed(0)
start = [torch.randn(s, dtype=torch.float64, requires_grad=True) for s in ((3, 2), (2,))]
x = torch.randn(5, 3, dtype=torch.float64)
options, given = {options}, []
def tensor(value):
    given.append(torch.tensor(value, dtype=torch.float64, requires_grad=True))
    return given[-1]
for name, value in options.items():
    if isinstance(value, str):
        options[name] = eval(value)
parameters = [each.clone() for each in start]
opt = getattr(torch.optim, {kind!r})(parameters, differentiable=True, **options)
def loss():
    return ((x @ parameters[0] + parameters[1]).tanh() ** 2).sum()
result = []
for _ in range({steps}):
    slopes = torch.autograd.grad(loss(), parameters, create_graph=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # gradients of what is no leaf
        for parameter, slope in zip(parameters, slopes):
            parameter.grad = slope
        opt.step()
    result += [(each.detach().clone(), each._version) for each in parameters]
result += [list(state.items()) for state in opt.state.values()]
result.append(graph(parameters[0].grad_fn) if {steps} == 1 else None)
result.append(attempt(lambda: plain(torch.autograd.grad(loss(), start + given))))
"""

OPTIONS = {
    "SGD": ({}, {"momentum": 0.9, "dampening": 0.2}, {"momentum": 0.9, "nesterov": True},
            {"weight_decay": 0.1, "maximize": True}, {"lr": "tensor(.1)"},
            {"weight_decay": "tensor(.1)"}),
    "Adam": ({}, {"amsgrad": True}, {"weight_decay": 0.1, "maximize": True},
             {"betas": "(tensor(.9), tensor(.99))"}, {"weight_decay": "tensor(.1)"}),
    "AdamW": ({}, {"amsgrad": True}),
}  # fmt: skip


@pytest.mark.parametrize("kind", OPTIONS)
@pytest.mark.parametrize("steps", [1, 7])
def test_gradients_flow_through_steps(kind: str, steps: int) -> None:
    for options in OPTIONS[kind]:
        both(source(PROGRAM.format(kind=kind, options=options, steps=steps)))


def test_leaves_are_refused() -> None:
    both(
        source("""
p, q = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
p.grad, q.grad = p.detach() * 2, q.detach() * 3
result = []
for kind in ("SGD", "Adam"):
    opt = getattr(torch.optim, kind)([p, q], differentiable=True, weight_decay=.1)
    result += [attempt(opt.step), [list(state.items()) for state in opt.state.values()]]
""")
    )


def test_others_say_that_they_have_no_such_steps() -> None:
    weight = graphwidget.ones(2, requires_grad=True).clone()
    weight.grad = graphwidget.ones(2)
    with pytest.raises(NotImplementedError, match="SGD, Adam and AdamW"):
        graphwidget.optim.Rprop([weight], differentiable=True).step()
