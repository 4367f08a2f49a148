"""SGD against PyTorch's, step by step."""

import pytest

from tests.compare_engines import both, programs, source

SETUP = """
import itertools
SGD = torch.optim.SGD
def train(steps=4, **options):
    w = torch.tensor([[1., -2.], [0.5, 3.]], requires_grad=True)
    b = torch.tensor([0.1, -0.2], requires_grad=True)
    idle = torch.tensor([1.], requires_grad=True)
    opt = SGD([w, b, idle], **options)
    x = torch.tensor([[1., 2.], [3., -1.], [0.5, 0.5]])
    for _ in range(steps):
        opt.zero_grad()
        ((x @ w + b) ** 2).mean().backward()
        opt.step()
    return w, b, idle, opt
p = torch.tensor([1., 2.], requires_grad=True)
"""

PROGRAMS = """
# every option
result = [train(**o)[:3] for o in (dict(lr=.1), dict(), dict(lr=.1, momentum=.9), dict(lr=.1,
    momentum=.9, dampening=.5), dict(lr=.1, momentum=.9, nesterov=True), dict(lr=.1,
    weight_decay=.1),
    dict(lr=.1, momentum=.5, weight_decay=.1, nesterov=True), dict(lr=.01, maximize=True),
    dict(lr=.01, maximize=True, momentum=.9, weight_decay=.1), dict(lr=torch.tensor(.1)))]

# wrong parameters
result = [attempt(f) for f in (lambda: SGD([], lr=.1), lambda: SGD(p, lr=.1), lambda: SGD([3],
    lr=.1), lambda: SGD([p * 2], lr=.1), lambda: SGD([{"params": [p]}, {"params": p}], lr=.1),
    lambda: SGD([{"params": {p}}], lr=.1), lambda: SGD([{"x": [p]}], lr=.1), lambda: SGD(3,
    lr=.1))]

# the same parameter twice warns
SGD([p, p], lr=.1)
result = None

# groups
q = torch.tensor([3.], requires_grad=True)
opt = SGD([{"params": [p], "lr": 1.}, {"params": [q]}], lr=.1)
(p.sum() + q.sum()).backward()
opt.step()
r = torch.tensor([5.], requires_grad=True)
opt.add_param_group({"params": r, "lr": 2.})
r.sum().backward()
opt.step()
result = [p, q, r, [g["lr"] for g in opt.param_groups], attempt(lambda: opt.add_param_group(3)),
    attempt(lambda: opt.add_param_group({"params": [q]}))]

# the state out and in
w, b, idle, opt = train(momentum=.9, lr=.1)
sd = opt.state_dict()
other = SGD([torch.ones(2, 2, requires_grad=True), torch.ones(2, requires_grad=True),
    torch.ones(1, requires_grad=True)], lr=3.)
other.load_state_dict(sd)
result = [sd, other.state_dict(), attempt(lambda: other.load_state_dict({"state": {},
    "param_groups": []})), attempt(lambda: other.load_state_dict({"state": {},
    "param_groups": [{"params": [0]}]}))]

# closures
opt = SGD([p], lr=.1)
def closure():
    opt.zero_grad()
    loss = (p * p).sum()
    loss.backward()
    return loss
result = [opt.step(closure), p, opt.step()]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_sgd(title: str, text: str) -> None:
    both(source(SETUP + text))
