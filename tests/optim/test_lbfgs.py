"""LBFGS against PyTorch's, with and without its line search."""

import pytest

from tests.compare_engines import both, programs, source

SETUP = """
LBFGS = torch.optim.LBFGS
def rosenbrock(p):
    return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2
def minimize(steps=3, start=(-1.2, 1.0), function=rosenbrock, **options):
    p = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    opt = LBFGS([p], **options)
    losses = []
    def closure():
        opt.zero_grad()
        loss = function(p)
        loss.backward()
        return loss
    for _ in range(steps):
        losses.append(opt.step(closure).item())
    state = opt.state[p]
    return [losses, p.detach().clone(), state["func_evals"], state["n_iter"], list(state)]
"""

PROGRAMS = """
# with the line search
result = [minimize(line_search_fn="strong_wolfe"), minimize(line_search_fn="strong_wolfe",
    history_size=3, max_iter=7), minimize(line_search_fn="strong_wolfe", lr=.1),
    minimize(line_search_fn="strong_wolfe", max_iter=4, max_eval=5)]

# without
def bowl(p):
    return (p * p * torch.tensor([1., 5.], dtype=torch.float64)).sum() + p[0].exp()
result = [minimize(function=bowl), minimize(function=bowl, lr=.3, max_iter=5),
    minimize(function=bowl, history_size=2, max_iter=6)]

# several parameters
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)).double()
x = torch.randn(20, 2, dtype=torch.float64)
y = (x[:, :1] * x[:, 1:]).sin()
opt = LBFGS(net.parameters(), line_search_fn="strong_wolfe", max_iter=8)
def closure():
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    return loss
result = [[round(opt.step(closure).item(), 5) for _ in range(2)], repr(opt)]

# what it refuses
p = torch.ones(1, requires_grad=True)
q = torch.ones(1, requires_grad=True)
def closure():
    loss = (p ** 2).sum()
    loss.backward()
    return loss
result = [attempt(lambda: LBFGS([p], lr=-1.)), attempt(lambda: LBFGS([{"params": [p]}, {"params":
    [q]}])), attempt(lambda: LBFGS([p], line_search_fn="x").step(closure))]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_lbfgs(title: str, text: str) -> None:
    both(source(SETUP + text))
