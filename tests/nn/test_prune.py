"""`nn.utils.prune` against PyTorch's."""

import pytest
import torch.nn.utils.prune  # noqa: F401  (PyTorch loads it only when asked)

from tests.both import both, programs, source
from tests.semantics.compare import same

SETUP = """
import copy
nn = torch.nn
P = nn.utils.prune
torch.manual_seed(3)
def fresh():
    torch.manual_seed(1)
    return nn.Sequential(nn.Conv2d(2, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(36, 3))
def shown(m):
    return [dict(m.state_dict()), [n for n, _ in m.named_parameters()],
        [n for n, _ in m.named_buffers()],
        [type(h).__name__ for h in m._forward_pre_hooks.values()], repr(m)]
def linear(*shape):
    torch.manual_seed(1)
    return nn.Linear(*(shape or (5, 4)))
"""

PROGRAMS = """
# each way once, and calls afterwards
def case(prune):
    m = linear()
    made = prune(m) is m
    out = m(torch.ones(2, 5))
    out.sum().backward()
    return [made, shown(m), m.weight, m.weight.grad_fn.name(), out.detach(), m.weight_orig.grad,
        isinstance(m.weight, nn.Parameter), P.is_pruned(m), P.is_pruned(nn.Sequential(m))]
result = [case(each) for each in (
    lambda m: P.identity(m, "weight"),
    lambda m: P.random_unstructured(m, "weight", 0.3),
    lambda m: P.random_unstructured(m, name="weight", amount=7),
    lambda m: P.l1_unstructured(m, "weight", 0.25),
    lambda m: P.l1_unstructured(m, "weight", 0),
    lambda m: P.l1_unstructured(m, "weight", 20, torch.randn(4, 5)),
    lambda m: P.l1_unstructured(m, "weight", 3, importance_scores=torch.arange(20.).view(4, 5)),
    lambda m: P.random_structured(m, "weight", 2, 0),
    lambda m: P.random_structured(m, "weight", 0.5, dim=-1),
    lambda m: P.random_structured(m, "weight", 0., dim=1),
    lambda m: P.ln_structured(m, "weight", 0.5, n=2, dim=0),
    lambda m: P.ln_structured(m, "weight", 1, float("inf"), -1),
    lambda m: P.ln_structured(m, "weight", 5, 1, 1),
    lambda m: P.ln_structured(m, "weight", 2, 1, 0, torch.arange(20.).view(4, 5)),
    lambda m: P.custom_from_mask(m, "weight", torch.ones(4, 5).tril()),
    lambda m: P.custom_from_mask(m, "weight", mask=torch.ones(4, 5).triu() > 0))]

# the tutorial: two tensors of one layer, then again, and for good
m = fresh()
module = m[0]
P.random_unstructured(module, name="weight", amount=0.3)
P.l1_unstructured(module, name="bias", amount=3)
first = shown(module)
P.ln_structured(module, name="weight", amount=0.5, n=2, dim=0)
hooks = [h for h in module._forward_pre_hooks.values() if h._tensor_name == "weight"]
history = [type(h).__name__ for h in hooks[0]]
second = shown(m)
m(torch.ones(1, 2, 5, 5)).sum().backward()
grads = [p.grad for p in m.parameters()]
P.remove(module, "weight")
result = [first, history, len(hooks), len(hooks[0]), type(hooks[0][1]).__name__, second, grads,
    shown(module), module.weight.grad, isinstance(module.weight, nn.Parameter),
    P.is_pruned(m), P.remove(module, "bias") is module, P.is_pruned(m),
    [n for n, _ in m.named_parameters()]]

# many tensors as one
m = fresh()
pairs = ((m[0], "weight"), (m[3], "weight"), (m[3], "bias"))
r1 = P.global_unstructured(pairs, pruning_method=P.L1Unstructured, amount=0.2)
one = shown(m)
P.global_unstructured(list(pairs), P.RandomUnstructured, amount=10)
two = shown(m)
P.global_unstructured(pairs[1:], P.L1Unstructured, {(m[3], "weight"): torch.randn(3, 36)}, amount=4)
result = [r1, one, two, shown(m), m(torch.ones(1, 2, 5, 5)),
    attempt(lambda: P.global_unstructured(3, P.L1Unstructured, amount=1)),
    attempt(lambda: P.global_unstructured(pairs, P.L1Unstructured, [1], amount=1)),
    attempt(lambda: P.global_unstructured(pairs, P.L1Unstructured, amount=1000)),
    attempt(lambda: P.global_unstructured(pairs, P.L1Unstructured)) [1],
    "unstructured" in attempt(
        lambda: P.global_unstructured(pairs, P.LnStructured, amount=1, n=2))[2],
    attempt(lambda: P.global_unstructured([], P.L1Unstructured, amount=1))]

# several methods for one tensor, in any order
def case(*ways):
    m = linear()
    for way, args in ways:
        getattr(P, way)(m, "weight", *args)
    return shown(m)
a, b, c = ("l1_unstructured", (4,)), ("ln_structured", (1, 2, 0)), ("random_structured", (1, 1))
d, e, f = ("custom_from_mask", (torch.eye(4, 5),)), ("identity", ()), ("random_unstructured", (.5,))
result = [case(*each) for each in ((a, a, a), (a, b), (b, a), (b, b), (b, c), (c, b, a), (d, d),
    (d, f), (f, d), (e, a, e), (a, d, b), (f, b, c, a))]

# errors, and the module after them
def case(prune):
    m = linear()
    found = attempt(lambda: prune(m) and None)
    return [found, shown(m)]
result = [case(each) for each in (
    lambda m: P.l1_unstructured(m, "weight", -1), lambda m: P.l1_unstructured(m, "weight", 1.5),
    lambda m: P.l1_unstructured(m, "weight", -.1), lambda m: P.l1_unstructured(m, "weight", "3"),
    lambda m: P.l1_unstructured(m, "weight", float("nan")),
    lambda m: P.l1_unstructured(m, "weight", 21), lambda m: P.random_unstructured(m, "bias", 5),
    lambda m: P.l1_unstructured(m, "weight", True),
    lambda m: P.random_structured(m, "bias", 1, 0), lambda m: P.ln_structured(m, "bias", 1, 2, 0),
    lambda m: P.ln_structured(m, "weight", 1, 2, 2),
    lambda m: P.random_structured(m, "weight", 9, 1),
    lambda m: P.ln_structured(m, "weight", 1, 2, -3), lambda m: P.remove(m, "weight"),
    lambda m: P.l1_unstructured(m, "nothing", 1), lambda m: P.l1_unstructured(m, "training", 1),
    lambda m: P.custom_from_mask(m, "weight", torch.ones(3)),
    lambda m: P.l1_unstructured(m, "weight", 1, torch.ones(3)),
    lambda m: P.l1_unstructured(P.l1_unstructured(m, "weight", 1), "weight", 99),
    lambda m: P.l1_unstructured(P.l1_unstructured(m, "weight", 1), "weight", -1),
    lambda m: P.ln_structured(P.identity(m, "weight"), "weight", 1, 2, -4),
    lambda m: P.BasePruningMethod())]

# methods of one's own
class Every(P.BasePruningMethod):
    PRUNING_TYPE = "unstructured"
    def __init__(self, step=2):
        self.step = step
    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::self.step] = 0
        return mask
class Odd(Every):
    PRUNING_TYPE = "odd"
class Dimless(Every):
    PRUNING_TYPE = "structured"
m = linear()
hook = Every.apply(m, "bias")
Every.apply(m, "bias", step=3)
n = P.l1_unstructured(linear(), "weight", 3)
result = [type(hook).__name__, hook._tensor_name, shown(m),
    attempt(lambda: Odd.apply(n, "weight")), attempt(lambda: Dimless.apply(n, "weight")),
    shown(n), Every().prune(torch.arange(6.)), Every(3).prune(torch.arange(1., 7),
    default_mask=torch.tensor([1., 1, 1, 1, 0, 0])), P.L1Unstructured(2).prune(torch.arange(4.),
    importance_scores=-torch.arange(4.) + 2.), P.LnStructured(1, 2).prune(torch.eye(3) + 1),
    attempt(lambda: P.L1Unstructured(2).prune(torch.ones(3), importance_scores=torch.ones(2)))]

# containers
a, b = P.L1Unstructured(1), P.RandomUnstructured(1)
a._tensor_name, b._tensor_name = "weight", "bias"
box = P.PruningContainer(a)
result = [len(box), box[0] is a, [each is a for each in box],
    attempt(lambda: P.PruningContainer(3)),
    attempt(lambda: box.add_pruning_method(3)), attempt(lambda: box.add_pruning_method(b))[1],
    box.add_pruning_method(None), len(box), attempt(lambda: P.PruningContainer(a, a)),
    box[-2:][0] is a, len(P.PruningContainer())]

# states go into other models that are pruned alike
m, n = P.l1_unstructured(linear(), "weight", 5), P.random_unstructured(nn.Linear(5, 4), "weight", 9)
result = [n.load_state_dict(m.state_dict()), n(torch.ones(1, 5)), shown(n),
    attempt(lambda: linear().load_state_dict(m.state_dict())),
    attempt(lambda: n.load_state_dict(linear().state_dict()))]

# copies
m = P.l1_unstructured(linear(), "weight", 5)
found = attempt(lambda: copy.deepcopy(m) and None)
with torch.no_grad():
    m(torch.ones(1, 5))
n = copy.deepcopy(m)
with torch.no_grad():
    n.weight_orig.mul_(2)
result = [found, shown(n), n(torch.ones(1, 5)), m(torch.ones(1, 5)), P.remove(n, "weight").weight,
    shown(m)]

# training keeps what is pruned
m = P.ln_structured(linear(), "weight", 0.5, 2, 0)
opt = torch.optim.SGD(m.parameters(), lr=.03, momentum=.9)
for _ in range(3):
    opt.zero_grad()
    m(torch.ones(2, 5)).pow(2).sum().backward()
    opt.step()
result = [shown(m), m.weight, P.remove(m, "weight").weight, m.double()(torch.ones(1, 5).double())]

# recurrent layers
m = nn.LSTM(3, 4)
P.l1_unstructured(m, "weight_ih_l0", 0.5)
result = [sorted(m.state_dict()), m.weight_ih_l0]

# hooks lie in the module's dicts as they are
m = linear()
def before(module, args): return None
def after(module, args, output): return None
a = m.register_forward_pre_hook(before)
b = m.register_forward_hook(after, always_call=True)
c = m.register_forward_hook(lambda m, a, k, o: None, with_kwargs=True)
d = m.register_forward_pre_hook(lambda m, a, k: None, with_kwargs=True, prepend=True)
def counts():
    return [len(getattr(m, n)) for n in ("_forward_pre_hooks", "_forward_hooks",
        "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
        "_forward_pre_hooks_with_kwargs")]
found = [list(m._forward_pre_hooks.values())[1] is before, m._forward_hooks[b.id] is after,
    counts()]
m(torch.ones(1, 5))
d.remove(), b.remove()
found.append(counts())
c.remove(), a.remove()
result = [found, counts()]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_prune(title: str, text: str) -> None:
    both(source(SETUP + text))


START = """
prune = __import__(torch.__name__ + ".nn.utils.prune", fromlist=["prune"])
torch.manual_seed(0)
"""


def test_a_module_is_pruned() -> None:
    same(
        START
        + """
m = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Conv2d(1, 3, 2))
prune.random_unstructured(m[0], "weight", 0.3)
prune.l1_unstructured(m[0], "bias", 2)
prune.ln_structured(m[2], "weight", 0.34, n=2, dim=0)
prune.random_structured(m[0], "weight", 1, dim=1)
show(m[0].weight_mask, m[0].bias, m[2].weight_mask, m[0].weight, list(m.state_dict()))
m[0](torch.ones(2, 4)).sum().backward()
show(m[0].weight_orig.grad)
with torch.no_grad(): m[0].weight_orig.add_(1)
m[0](torch.ones(1, 4))
show(m[0].weight, prune.is_pruned(m))
prune.remove(m[0], "weight")
show(m[0].weight, list(dict(m[0].named_parameters())), prune.is_pruned(nn.Linear(1, 1)))
"""
    )


def test_several_parameters_and_own_methods() -> None:
    same(
        START
        + """
n = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
pairs = [(n[0], "weight"), (n[1], "weight")]
for amount in (0.4, 0.5):
    prune.global_unstructured(pairs, pruning_method=prune.L1Unstructured, amount=amount)
    show(n[0].weight, n[1].weight)
class Every(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"
    def compute_mask(self, t, default_mask):
        mask = default_mask.clone(); mask.view(-1)[::2] = 0
        return mask
f = nn.Linear(3, 2)
Every.apply(f, "bias")
prune.custom_from_mask(f, "weight", torch.tensor([[1., 0, 1], [0, 1, 1]]))
Every.apply(f, "weight")
show(f.bias_mask, f.weight_mask, f.weight)
show(prune.L1Unstructured(0.5).prune(torch.tensor([1., -3, 2, 0.5])))
show(prune.LnStructured(1, 1, 0).prune(torch.arange(4.).view(2, 2)))
"""
    )


def test_refusals() -> None:
    same(
        START
        + """
m = nn.Linear(3, 2)
for attempt in (lambda: prune.remove(m, "weight"), lambda: prune.random_unstructured(m, "bias", 7),
                lambda: prune.random_structured(m, "bias", 1, 0),
                lambda: prune.CustomFromMask(torch.ones(2)).prune(torch.ones(3))): fails(attempt)
for amount in (1.5, -1, "a"): fails(lambda: prune.L1Unstructured(amount))
"""
    )
