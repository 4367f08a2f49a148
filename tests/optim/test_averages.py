"""Averages of weights against PyTorch's."""

import pytest

from tests.both import both, programs, source

SETUP = """
nn, S = torch.nn, torch.optim.swa_utils
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
optimizer = torch.optim.SGD(model.parameters(), lr=.1)
def train(*averages, steps=3):
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.randn(4, 2)).square().sum().backward()
        optimizer.step()
        for each in averages:
            each.update_parameters(model)
def shown(a):
    return [repr(a), list(a.state_dict()), [p.detach().clone() for p in a.parameters()],
        [b.clone() for b in a.buffers()]]
"""

PROGRAMS = """
# the plain average
a, b = S.AveragedModel(model), S.AveragedModel(model, use_buffers=True)
train(a, b)
result = [shown(a), shown(b), a(torch.ones(2, 2)).detach()]

# exponential averages
a = S.AveragedModel(model, multi_avg_fn=S.get_ema_multi_avg_fn(.9))
b = S.AveragedModel(model, avg_fn=S.get_ema_avg_fn(.9), use_buffers=True)
c = S.AveragedModel(model, avg_fn=S.get_swa_avg_fn())
d = S.AveragedModel(model, avg_fn=lambda old, new, count: old + new / (count + 1))
train(a, b, c, d)
result = [shown(each) for each in (a, b, c, d)]

# running statistics anew
data = [torch.randn(4, 2) for _ in range(3)]
model.eval()
S.update_bn(data, model)
first = [b.clone() for b in model.buffers()]
S.update_bn([(x, 0) for x in data[:2]], model)
result = [first, list(model.buffers()), model.training, model[1].momentum,
    S.update_bn(data, nn.Linear(2, 2))]

# its rates
seen = []
for options in ({"anneal_epochs": 3}, {"anneal_epochs": 4, "anneal_strategy": "linear"},
        {"anneal_epochs": 0}):
    o = torch.optim.SGD(model.parameters(), lr=.1)
    s = S.SWALR(o, swa_lr=.05, **options)
    o.step()
    rates = [(s.step(), o.param_groups[0]["lr"], s.get_last_lr())[1:] for _ in range(5)]
    seen.append([rates, s.state_dict(), list(o.param_groups[0])])
result = seen

# what does not fit
o = optimizer
result = [attempt(f) for f in (lambda: S.SWALR(o, .05, anneal_strategy="x"), lambda: S.SWALR(o, .05,
    anneal_epochs=-1), lambda: S.SWALR(o, [.05, .1]), lambda: S.AveragedModel(model, avg_fn=1,
    multi_avg_fn=2), lambda: S.get_ema_avg_fn(2.), lambda: S.get_ema_multi_avg_fn(-1.),
    lambda: S.SWALR(3, .05))]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_averages(title: str, text: str) -> None:
    both(source(SETUP + text))
