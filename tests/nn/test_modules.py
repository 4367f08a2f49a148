"""Modules and their functions against PyTorch."""

import pytest

from tests.compare_engines import both, programs, source

NET = """
nn = torch.nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 4)
        self.fc2 = nn.Linear(4, 1, bias=False)
        self.w = nn.Parameter(torch.zeros(2))
        self.register_buffer("b", torch.ones(2))
        self.act = nn.ReLU()
    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))
torch.manual_seed(3)
n = Net()
"""

MODULES = """
# text of modules
result = [repr(m) for m in (n, nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Tanh(),
    nn.Sigmoid())), nn.Sequential(), nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU()]),
    nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()}), nn.ModuleList(), nn.MSELoss(),
    nn.ReLU(True), nn.Identity(3), nn.Module(),
    nn.Sequential({"a": nn.ReLU()}) if False else nn.ReLU())]

# blank lines in the text of modules
class Blank(nn.Module):
    def extra_repr(self):
        return "x=3\\n\\n  \\ny=4"
result = [repr(m) for m in (Blank(), nn.Sequential(Blank()), nn.ModuleList([Blank(), Blank()]),
    nn.Sequential(nn.Sequential(Blank(), nn.ReLU())))]

# starting values
torch.manual_seed(7)
result = [list(nn.Linear(*s).parameters()) for s in ((3, 4), (1, 1), (20, 30), (2, 2), (5,
    1))] + [nn.Linear(2, 2, dtype=torch.float64).weight, nn.Linear(0, 2), nn.Linear(2,
    2).weight._version]

# forward and backward
x = torch.randn(5, 3, requires_grad=True)
y = n(x)
y.sum().backward()
result = [y, x, list(n.parameters()), graph(y.grad_fn)]

# linear in all shapes
def shape(x, bias):
    l = nn.Linear(3, 4, bias=bias)
    y = l(x)
    y.sum().backward()
    return [y, l.weight, l.bias, graph(y.grad_fn)]
result = [shape(torch.ones(s), b) for s in ((3,), (2, 3), (2, 2, 3), (0, 3)) for b in (True,
    False)]

# what linear refuses
l, k = nn.Linear(3, 4), nn.Linear(3, 4, bias=False)
result = [attempt(lambda: f(x)) for f in (l, k) for x in (torch.ones(2, 2), torch.ones(2),
    torch.ones(2, 2, 2), torch.tensor(1.), 3)] + [
    attempt(lambda: l(torch.ones(2, 3, dtype=torch.float64))), attempt(lambda: l(torch.ones(2, 3,
    dtype=torch.int64)))]

# before Module.__init__
class A(nn.Module):
    def __init__(self): self.w = nn.Parameter(torch.zeros(2))
class B(nn.Module):
    def __init__(self): self.w = nn.Linear(2, 2)
result = [attempt(A), attempt(B)]

# wrong assignments
def put(name, value): setattr(n, name, value)
result = [attempt(lambda: put(k, v)) for k, v in (("w", torch.zeros(2)), ("w", 3), ("fc1", 3),
    ("b", 3), ("w", None), ("b", torch.zeros(3)), ("new",
    torch.zeros(1)))] + [list(n.state_dict()), attempt(lambda: n.foo)]

# a parameter takes a module's place
n.fc1 = nn.Parameter(torch.zeros(1))
n.b = nn.Parameter(torch.zeros(1))
result = [repr(n), [k for k, _ in n.named_parameters()], list(n._buffers)]

# wrong registrations
result = [attempt(f) for f in (lambda: n.register_parameter("a.b", None),
    lambda: n.register_parameter("", None), lambda: n.register_parameter("fc1", None),
    lambda: n.register_parameter("q", 3),
    lambda: n.register_parameter(3, None), lambda: n.register_parameter("q", torch.ones(1)),
    lambda: n.register_buffer("a.b", None), lambda: n.register_buffer("", None),
    lambda: n.register_buffer("q", 3),
    lambda: n.register_buffer(3, None), lambda: n.register_buffer("forward", None),
    lambda: n.add_module("a.b", None), lambda: n.add_module("", None),
    lambda: n.add_module("forward", nn.ReLU()),
    lambda: n.add_module("q", 3), lambda: n.add_module(3, None), lambda: nn.Sequential(3))]

# deleting
del n.fc1
result = [repr(n), attempt(lambda: delattr(n, "nothing"))]

# modes and gradients
n(torch.ones(2, 3)).sum().backward()
given = [p.grad is not None for p in n.parameters()]
n.zero_grad()
n.eval()
off = [m.training for m in n.modules()]
n.train()
n.requires_grad_(False)
names = []
n.apply(lambda m: names.append(type(m).__name__))
result = [given, [p.grad for p in n.parameters()], off, n.training,
    [p.requires_grad for p in n.parameters()], names, attempt(lambda: n.train("x"))]

# zero_grad without None
n(torch.ones(2, 3)).sum().backward()
g = n.fc1.weight.grad
n.zero_grad(set_to_none=False)
result = [g is n.fc1.weight.grad, g]

# parameters
x = torch.ones(2)
q = nn.Parameter(x)
with torch.no_grad():
    q.add_(1)
y = torch.ones(2, requires_grad=True) * 2
result = [q, x, x._version, q._version, repr(q), type(q * 2).__name__, type(q.data).__name__,
    type(q.detach()).__name__, nn.Parameter(y), nn.Parameter(y).is_leaf, isinstance(q,
    torch.Tensor),
          attempt(lambda: nn.Parameter(torch.tensor([1]))), nn.Parameter(torch.tensor([1]),
          requires_grad=False), attempt(lambda: nn.Parameter(3)), repr(nn.Parameter()),
          repr(nn.Parameter(torch.ones(1), False))]

# mean squared error
a = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([0., 1.5], requires_grad=True)
F = nn.functional
ls = [F.mse_loss(a, b), F.mse_loss(a, b, reduction="sum"), F.mse_loss(a, b, reduction="none"),
    nn.MSELoss()(a, b), nn.MSELoss(reduction="sum")(a, b)]
ls[0].backward(retain_graph=True)
(g,) = torch.autograd.grad(F.mse_loss(a, b), a, create_graph=True)
result = [ls, a, b, g.detach(), torch.autograd.grad(g.sum(), [a, b]), graph(ls[0].grad_fn),
    attempt(lambda: F.mse_loss(a, b, reduction="x")),
    attempt(lambda: F.mse_loss(torch.tensor([1]), torch.tensor([1])))]

# sizes that differ warn
F = nn.functional
result = [F.mse_loss(torch.ones(2, 1), torch.ones(2)), attempt(lambda: F.mse_loss(torch.ones(2,
    3), torch.ones(2)))]

# activations
x = torch.tensor([-1., 0., 2.], requires_grad=True)
F = nn.functional
result = [nn.ReLU()(x), nn.Tanh()(x), nn.Sigmoid()(x), nn.ReLU(inplace=True)(x * 1), F.relu(x),
    F.tanh(x), F.sigmoid(x), F.relu(x * 2, inplace=True), nn.Identity()(x) is x,
    attempt(lambda: nn.ReLU(True)(x))]

# init
torch.manual_seed(5)
i = nn.init
def fresh(f, *a, **k):
    w = nn.Parameter(torch.zeros(4, 6))
    r = f(w, *a, **k)
    return [r is w, w]
result = [fresh(i.uniform_), fresh(i.uniform_, -1, 2), fresh(i.normal_, 1, 2), fresh(i.constant_,
    3), fresh(i.ones_), fresh(i.zeros_), fresh(i.xavier_uniform_), fresh(i.xavier_normal_),
    fresh(i.kaiming_uniform_),
          fresh(i.kaiming_normal_, nonlinearity="relu"), fresh(i.kaiming_uniform_,
          mode="fan_out"), attempt(lambda: i.kaiming_uniform_(torch.ones(2))),
          i.calculate_gain("tanh"), attempt(lambda: i.calculate_gain("x"))]
"""


@pytest.mark.parametrize(("title", "text"), programs(MODULES), ids=lambda part: part[:60])
def test_modules(title: str, text: str) -> None:
    both(source(NET + text))
