"""Every optimizer against PyTorch's, over many steps and with every option."""

import pytest

import graphwidget
from tests.compare_engines import both, programs, source

SETUP = """
O = torch.optim
def train(kind, steps=12, dtype=torch.float32, **options):
    w = torch.tensor([[1., -2.], [0.5, 3.]], dtype=dtype, requires_grad=True)
    b = torch.tensor([0.1, -0.2], dtype=dtype, requires_grad=True)
    idle = torch.tensor([1.], dtype=dtype, requires_grad=True)
    opt = getattr(O, kind)([w, b, idle], **options)
    x = torch.tensor([[1., 2.], [3., -1.], [0.5, 0.5]], dtype=dtype)
    for _ in range(steps):
        opt.zero_grad()
        ((x @ w + b) ** 2).mean().backward()
        opt.step()
    state = [{k: v.clone() for k, v in opt.state[p].items()} for p in (w, b) if p in opt.state]
    return [w, b, idle, state, idle in opt.state, repr(opt)]
p = torch.tensor([1., 2.], requires_grad=True)
"""

SHARED = (
    {},
    {"lr": 0.03},
    {"weight_decay": 0.1},
    {"maximize": True},
    {"maximize": True, "weight_decay": 0.2},
)
OPTIONS = {
    "SGD": ({"momentum": 0.9}, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
            {"momentum": 0.9, "dampening": 0.5, "maximize": True}),
    "Adam": ({"amsgrad": True}, {"betas": (0.5, 0.7), "eps": 1e-3},
             {"weight_decay": 0.1, "decoupled_weight_decay": True}),
    "AdamW": ({"amsgrad": True, "weight_decay": 0.3}, {"weight_decay": 0.0}),
    "RMSprop": ({"momentum": 0.9}, {"centered": True}, {"alpha": 0.5, "eps": 1e-3},
                {"momentum": 0.5, "centered": True, "weight_decay": 0.1}),
    "Adagrad": ({"lr_decay": 0.1}, {"initial_accumulator_value": 0.5, "eps": 1e-3}),
}  # fmt: skip


@pytest.mark.parametrize("kind", OPTIONS)
def test_steps(kind: str) -> None:
    runs = [*SHARED, *OPTIONS[kind]]
    text = f"result = [train({kind!r}, **o) for o in {runs!r}]"
    text += f" + [train({kind!r}, 60, torch.float64)]"
    both(source(SETUP + text))


@pytest.mark.parametrize("kind", OPTIONS)
def test_large_parameters(kind: str) -> None:
    both(
        source(f"""
torch.manual_seed(0)
w = torch.randn(300, 250, requires_grad=True)
v = torch.randn(250, 300).t().requires_grad_()
opt = torch.optim.{kind}([w, v], lr=0.01)
for n in range(3):
    opt.zero_grad()
    (w * v * (n + 1)).sum().backward()
    opt.step()
result = [w, v]
""")
    )


PROGRAMS = """
# wrong options
wrong = [("SGD", dict(lr=-1.)), ("SGD", dict(momentum=-1)), ("SGD", dict(weight_decay=-1)),
    ("Adam", dict(lr=-1.)), ("Adam", dict(eps=-1.)), ("Adam", dict(betas=(1., 0.))),
    ("Adam", dict(betas=(0.5, -1.))), ("Adam", dict(weight_decay=-1)),
    ("Adam", dict(fused=True, foreach=True)),
    ("SGD", dict(fused=True, foreach=True)), ("Adam", dict(betas=(0, 0))),
    ("Adam", dict(lr=torch.tensor(.1), foreach=True)), ("AdamW", dict(lr=torch.ones(2))),
    ("RMSprop", dict(alpha=-1)), ("RMSprop", dict(momentum=-1)), ("Adagrad", dict(lr_decay=-1)),
    ("Adagrad", dict(initial_accumulator_value=-1))]
result = [attempt(lambda: getattr(O, kind)([p], **o)) for kind, o in wrong]

# choices of implementation
result = [train("Adam", 3, foreach=True)[0], train("SGD", 3, foreach=True, momentum=.9)[0],
    train("Adam", 3, foreach=False)[:3], train("Adam", 3, lr=torch.tensor(.1))[:3]]

# versions
kinds = [("SGD", {}), ("SGD", dict(momentum=.9, weight_decay=.1)), ("Adam", {}),
    ("Adam", dict(weight_decay=.1)), ("AdamW", {}), ("AdamW", dict(weight_decay=0)),
    ("RMSprop", {}), ("RMSprop", dict(momentum=.9)), ("Adagrad", {})]
result = [[t._version for t in train(k, 5, **o)[:3]] for k, o in kinds]

# a step after forward is found out
w = torch.tensor([2.], requires_grad=True)
opt = O.Adam([w])
y = (w * w).sum()
y.backward(retain_graph=True)
opt.step()
result = [attempt(lambda: y.backward()), w.grad]

# names of parameters
q = torch.ones(1, requires_grad=True)
opt = O.SGD([("a", p), ("b", q)], lr=.1)
result = [repr(opt), opt.state_dict(), attempt(lambda: O.SGD([("a", p), q], lr=.1)),
    attempt(lambda: opt.add_param_group({"params": [torch.ones(1, requires_grad=True)]})),
    list(opt.param_groups[0])]

# hooks
seen = []
opt = O.SGD([p], lr=.1)
opt.register_step_pre_hook(lambda o, args, kwargs: seen.append(("pre", len(args), kwargs)))
h = opt.register_step_post_hook(lambda o, args, kwargs: seen.append(("post", o is opt)))
p.sum().backward()
opt.step()
h.remove()
opt.step(closure=None)
opt.register_step_pre_hook(lambda o, args, kwargs: 3)
result = [seen, p, attempt(lambda: opt.step())[:2]]

# states go on where they were
def fresh():
    torch.manual_seed(3)
    w = torch.randn(3, 2, requires_grad=True)
    return w, O.Adam([w], lr=.1)
def run(w, opt, n):
    for _ in range(n):
        opt.zero_grad()
        (w ** 2).sum().backward()
        opt.step()
w, opt = fresh()
run(w, opt, 4)
sd = opt.state_dict()
v, other = fresh()
v.data.copy_(w.data)
other.load_state_dict(sd)
run(w, opt, 3)
run(v, other, 3)
keys = [sorted(sd["state"][0]), sorted(sd["param_groups"][0]), sd["param_groups"][0]["params"]]
shared = other.state[v]["exp_avg"].data_ptr() == opt.state[w]["exp_avg"].data_ptr()
result = [w, v, keys, shared, sd["state"][0]["step"].dtype, attempt(lambda: O.Adam([p,
    w]).load_state_dict(sd)), attempt(lambda: O.Adam([{"params": [p]}, {"params": [w]}]).
    load_state_dict(sd))]

# optimizers of one's own
class Mine(O.Optimizer):
    def __init__(self, params, lr=.1):
        super().__init__(params, dict(lr=lr))
    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for q in group["params"]:
                if q.grad is None:
                    continue
                self.state[q]["n"] = self.state[q].get("n", 0) + 1
                q.add_(q.grad, alpha=-group["lr"])
        return loss
opt = Mine([p])
seen = []
opt.register_step_post_hook(lambda *a: seen.append(1))
def closure():
    opt.zero_grad()
    loss = (p ** 2).sum()
    loss.backward()
    return loss
result = [opt.step(closure), p, opt.state[p], seen, repr(opt),
    attempt(lambda: O.Optimizer([p], {}).step())]

# zero_grad
p.sum().backward()
g = p.grad
opt = O.SGD([p])
opt.zero_grad(set_to_none=False)
kept = p.grad is g
opt.zero_grad()
result = [kept, g.clone(), p.grad]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_optimizers(title: str, text: str) -> None:
    if "from torch.optim import" in text:
        text = text.replace("from torch.optim import optimizer as module", "module = _module")
        text = text.replace("module = _module", "module = __import__('importlib').import_module("
                            "torch.__name__ + '.optim.optimizer')")  # fmt: skip
    both(source(SETUP + text))


def test_steps_with_a_graph_refuse() -> None:
    with pytest.raises(NotImplementedError, match=r"SGD\(differentiable=True\) is not part of"):
        graphwidget.optim.SGD([graphwidget.ones(1)], differentiable=True)
