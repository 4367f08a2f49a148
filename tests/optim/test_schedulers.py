"""Schedulers against PyTorch's: rates, states, warnings and errors."""

import pytest

from tests.compare_engines import both, programs, source

SETUP = """
S = torch.optim.lr_scheduler
def optimizer(kind="SGD", **options):
    p = torch.ones(2, requires_grad=True)
    q = torch.ones(2, requires_grad=True)
    options = options or dict(lr=.1)
    return getattr(torch.optim, kind)([{"params": [p]}, {"params": [q], "lr": .5}], **options)
def follow(kind, *args, steps=14, opt=None, **options):
    opt = opt or optimizer()
    s = getattr(S, kind)(opt, *args, **options)
    seen = [s.get_last_lr()]
    for _ in range(steps):
        opt.step()
        s.step()
        g = opt.param_groups[0]
        seen.append([*s.get_last_lr(), g["lr"], g.get("momentum"), g.get("betas")])
    state = {k: v for k, v in s.state_dict().items() if not callable(v) and "phases" not in k}
    return [seen, state, sorted(g)]
"""

RATES = """
follow("LambdaLR", lambda e: .9 ** e)
follow("LambdaLR", [lambda e: .9 ** e, lambda e: 1 / (e + 1)])
follow("StepLR", 3)
follow("StepLR", step_size=2, gamma=.5)
follow("MultiStepLR", [2, 2, 5], gamma=.5)
follow("LinearLR")
follow("LinearLR", start_factor=.1, end_factor=.5, total_iters=4)
follow("ExponentialLR", .9)
follow("CosineAnnealingLR", 5)
follow("CosineAnnealingLR", T_max=4, eta_min=.01, steps=20)
follow("OneCycleLR", .1, total_steps=15, cycle_momentum=False)
follow("OneCycleLR", [.1, .2], epochs=3, steps_per_epoch=5, opt=optimizer("Adam", lr=.1))
follow("OneCycleLR", .1, total_steps=15, three_phase=True, anneal_strategy="linear",
    opt=optimizer(lr=.1, momentum=.9))
"""


def expressions(text: str) -> list[str]:
    """One expression from each line; indented lines go on."""
    return text.strip().replace("\n    ", " ").split("\n")


@pytest.mark.parametrize("call", expressions(RATES))
def test_rates(call: str) -> None:
    both(source(f"{SETUP}result = {call}"))


PROGRAMS = """
# a plateau
opt = optimizer()
s = S.ReduceLROnPlateau(opt, patience=1, cooldown=1, min_lr=[.02, .001])
seen = []
for m in (1., .9, .9, .9, .9, .9, .9, torch.tensor(.5), .6, .6, .6, .6):
    s.step(m)
    seen.append([*s.get_last_lr(), s.num_bad_epochs, s.in_cooldown])
t = S.ReduceLROnPlateau(optimizer(), mode="max", threshold_mode="abs", threshold=.1, patience=0)
for m in (1., 1.05, 2., 2.):
    t.step(m)
    seen.append(t.get_last_lr())
state = s.state_dict()
t.load_state_dict(state)
result = [seen, state, t.mode, t.best]

# one after another
opt = optimizer()
s = S.SequentialLR(opt, [S.LinearLR(opt, total_iters=3), S.ExponentialLR(opt, .9),
    S.CosineAnnealingLR(opt, 4)], [3, 6])
seen = [s.get_last_lr()]
for _ in range(10):
    opt.step()
    s.step()
    seen.append(s.get_last_lr())
state = s.state_dict()
s.load_state_dict(state)
result = [seen, sorted(state), [sorted(x) for x in state["_schedulers"]], s.last_epoch]

# the wrong order warns, once
opt = optimizer()
s = S.StepLR(opt, 1)
s.step()
s.step()
result = s.get_last_lr()

# wrong arguments
opt, other = optimizer(), optimizer()
result = [attempt(f) for f in (lambda: S.StepLR(3, 1), lambda: S.LambdaLR(opt, [len]),
    lambda: S.LinearLR(opt, 0), lambda: S.LinearLR(opt, 1., 2.),
    lambda: S.OneCycleLR(opt, .1),
    lambda: S.OneCycleLR(opt, .1, total_steps=0), lambda: S.OneCycleLR(opt, .1, epochs=1.,
    steps_per_epoch=1), lambda: S.OneCycleLR(opt, .1, total_steps=4, pct_start=2.),
    lambda: S.OneCycleLR(opt, .1, total_steps=4, anneal_strategy="x"),
    lambda: S.OneCycleLR(opt, [.1], total_steps=4),
    lambda: S.OneCycleLR(torch.optim.Adagrad([torch.ones(1)]), .1, 4),
    lambda: S.SequentialLR(opt, [S.ReduceLROnPlateau(opt)], []),
    lambda: S.ReduceLROnPlateau(opt, factor=1.), lambda: S.ReduceLROnPlateau(opt, "x"),
    lambda: S.ReduceLROnPlateau(opt, min_lr=[1]), lambda: S.SequentialLR(opt, [], []),
    lambda: S.SequentialLR(opt, [S.StepLR(opt, 1)], [1]),
    lambda: S.SequentialLR(opt, [S.StepLR(other, 1)], [])[:20],
    lambda: S.SequentialLR(opt, [3], []), lambda: follow("OneCycleLR", .1, total_steps=3,
    cycle_momentum=False))]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_schedulers(title: str, text: str) -> None:
    both(source(SETUP + text))
