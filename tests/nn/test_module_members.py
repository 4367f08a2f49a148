"""Members of modules: converted, copied, listed and printed, against PyTorch."""

import pytest

from tests.compare_engines import both, programs, source

SETUP = """
import copy, pickle
nn = torch.nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
        self.register_buffer("steps", torch.zeros(1, dtype=torch.int64))
        self.register_buffer("mean", torch.ones(2))
        self.register_buffer("scratch", torch.ones(2), persistent=False)
        self.register_buffer("nothing", None)
        self.register_parameter("absent", None)
    def forward(self, x):
        return self.fc(x - self.mean)
net = Net()
"""

PROGRAMS = """
# buffers
result = [list(net.state_dict()), [k for k, _ in net.named_buffers()], net.nothing, net.absent,
    attempt(lambda: setattr(net, "mean", 3)), list(net._non_persistent_buffers_set)]
net.scratch = None
net.extra = nn.Buffer(torch.zeros(2))
net.mean = nn.Buffer(torch.zeros(3), persistent=False)
net.steps = nn.Parameter(torch.zeros(1))
del net.scratch
result += [list(net.state_dict()), sorted(net._buffers), sorted(net._non_persistent_buffers_set),
    isinstance(net.extra, nn.Buffer), isinstance(torch.ones(1), nn.Buffer), net.extra,
    nn.Buffer(), nn.Buffer(torch.ones(1, requires_grad=True))]

# conversions
x = torch.ones(1, 2)
net(x).sum().backward()
weight, grad, mean = net.fc.weight, net.fc.weight.grad, net.mean
a = [net.double() is net, net.fc.weight is weight, net.fc.weight.grad is grad, net.mean is mean,
    net.fc.weight.dtype, grad.dtype, net.mean.dtype, net.steps.dtype, weight._version]
b = [net.half().fc.weight.dtype, net.float().fc.weight.dtype, net.to(torch.float64).mean.dtype,
    net.to("cpu").mean.dtype, net.to("cpu", torch.float32).mean.dtype,
    net.to(torch.ones(1, dtype=torch.float64)).mean.dtype, net.cpu() is net,
    net.to(device="cpu", dtype=torch.float32).steps.dtype, net.fc.weight.requires_grad]
result = [a, b, attempt(lambda: net.to(torch.int64)), attempt(lambda: net.cuda()),
    attempt(lambda: net.to("cuda")), attempt(lambda: net.to("cpu", "cpu")),
    attempt(lambda: net.to(3)), net.type(torch.float64).fc.weight.dtype]

# state dicts
keep = net.state_dict(keep_vars=True)
given = {}
net.state_dict(destination=given, prefix="m.")
result = [keep["fc.weight"] is net.fc.weight, list(given), list(net.state_dict(prefix="p.")),
    dict(net.state_dict()._metadata), list(net.state_dict({}, "x."))]

# loading by assignment
fresh = Net()
state = fresh.state_dict()
before = net.fc.weight
net.fc.weight.requires_grad_(False)
net.load_state_dict(state, assign=True)
result = [net.fc.weight is before, type(net.fc.weight).__name__, net.fc.weight.requires_grad,
    net.fc.bias.requires_grad, torch.equal(net.fc.weight, fresh.fc.weight),
    net.mean.data_ptr() == fresh.mean.data_ptr()]

# loading what does not fit
state = net.state_dict()
state["fc.weight"] = torch.ones(2, 2)
state["mean"] = [1.0]
state["other.x"] = torch.ones(1)
state["fc.y"] = torch.ones(1)
del state["steps"]
result = [attempt(lambda: net.load_state_dict(state)),
    attempt(lambda: net.load_state_dict(state, strict=False))]

# shared members
net.again = net.fc
net.tied = net.fc.weight
result = [[k for k, _ in net.named_parameters()], list(net.state_dict()),
    [k for k, _ in net.named_modules()], [k for k, _ in net.named_modules(remove_duplicate=False)],
    [k for k, _ in net.named_children()], [k for k, _ in net.named_parameters("x",
    remove_duplicate=False)], len(list(net.modules()))]

# copies keep sharing
net.tied = net.fc.weight
other = copy.deepcopy(net)
result = [other.tied is other.fc.weight, other.tied is net.tied, other.fc.weight, other.mean,
    list(other._non_persistent_buffers_set), other.training]

# repr of nested modules
class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.ModuleList([nn.Sequential(nn.Linear(1, 2), nn.ReLU()) for _ in range(3)])
        self.heads = nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.Identity()})
        self.bias = nn.Parameter(torch.zeros(1))
result = repr(Deep())

# flags
net.requires_grad_(False)
a = [p.requires_grad for p in net.parameters()]
net.eval()
result = [a, net.training, net.fc.training, net.train() is net, net.fc.training,
    net.apply(lambda m: None) is net, attempt(lambda: net.train(1)), net.zero_grad()]

# paths
outer = nn.Sequential(net)
outer.set_submodule("0.fc", nn.Linear(1, 1))
result = [repr(outer), attempt(lambda: outer.get_submodule("0.x")),
    attempt(lambda: outer.get_submodule("0.mean")), repr(outer.get_submodule("")),
    outer.get_buffer("0.mean"), attempt(lambda: outer.get_buffer("0.fc.weight")),
    attempt(lambda: outer.get_parameter("0.mean")), attempt(lambda: outer.get_parameter("1.x")),
    attempt(lambda: outer.set_submodule("", net)), attempt(lambda: outer.set_submodule("0", 3)),
    attempt(lambda: outer.set_submodule("0.mean", net)),
    attempt(lambda: outer.set_submodule("0.new", net, strict=True))]
"""

CONTAINERS = """
# a sequential like a list
s = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Tanh())
s += nn.Sequential(nn.Identity())
s.insert(1, nn.Sigmoid())
s.extend([nn.ReLU()])
last = s.pop(-1)
del s[0]
t = s + nn.Sequential(nn.Linear(1, 1))
result = [repr(s), repr(t), repr(last), repr(s[1:]), repr(s * 2), repr(2 * s), len(s),
    list(t.state_dict()), attempt(lambda: s.insert(9, nn.ReLU())),
    [attempt(f)[:2] for f in (lambda: s * 0, lambda: s * 1.5, lambda: s.insert(0, 3))],
    attempt(lambda: s + [1]), attempt(lambda: s[9]), repr(s[-1])]
s *= 2
del s[1:3]
result += [repr(s), attempt(lambda: s(torch.ones(1)))]

# a module list like a list
m = nn.ModuleList([nn.Linear(1, 1)])
m += [nn.ReLU(), nn.ReLU()]
m.insert(0, nn.Tanh())
got = m.pop(1)
m.extend(nn.Sequential(nn.Sigmoid()))
del m[0]
result = [repr(m), repr(got), repr(m + [nn.Tanh()]), repr(m[::2]), len(m), m[0] in m,
    attempt(lambda: m.extend(3)), attempt(lambda: m.append(3)), attempt(lambda: m[7]),
    attempt(lambda: m(1)), [k for k, _ in m.named_modules()]]

# a module dict like a dict
d = nn.ModuleDict([["a", nn.ReLU()], ("b", nn.Tanh())])
d.update({"z": nn.Identity(), "c": nn.Linear(1, 1)})
got = d.pop("a")
result = [repr(d), repr(got), list(d.keys()), [repr(v) for v in d.values()], len(d), "b" in d,
    [k for k, _ in d.items()], attempt(lambda: d.update(3)), attempt(lambda: d.update([3])),
    attempt(lambda: d.update([("a",)])), attempt(lambda: d["q"]), attempt(lambda: d.pop("q"))]
d.clear()
result += [repr(d), attempt(lambda: d(1))]

# a parameter list
p = nn.ParameterList([torch.ones(2), nn.Parameter(torch.zeros(1, 3)), "text"])
p.append(torch.zeros(()))
p += [torch.ones(1)]
p[0] = torch.zeros(2)
result = [repr(p), len(p), [k for k, _ in p.named_parameters()], list(p.state_dict()), p[0],
    p[-1], repr(p[1:3]), attempt(lambda: p[9]), attempt(lambda: p(1)), p[2],
    attempt(lambda: p.extend(torch.ones(2))),
    [type(v).__name__ for v in p], repr(nn.ParameterList())]

# a parameter dict
q = nn.ParameterDict({"b": torch.ones(2), "a": nn.Parameter(torch.zeros(1))})
q["c"] = 3
q.update([("d", torch.zeros(1, 2))])
result = [repr(q), list(q), len(q), "a" in q, q["a"], q.get("zz", 5), q.pop("c"),
    list(q.items()), [k for k, _ in q.named_parameters()], list(q.state_dict()),
    attempt(lambda: q(1)), attempt(lambda: q[3]), attempt(lambda: q.update(3)),
    attempt(lambda: q.update([1])), attempt(lambda: q.update([(1, 2, 3)])),
    list(q.keys()), len(list(q.values()))]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_module(title: str, text: str) -> None:
    both(source(SETUP + text))


@pytest.mark.parametrize(("title", "text"), programs(CONTAINERS), ids=lambda part: part[:60])
def test_containers(title: str, text: str) -> None:
    both(source(SETUP + text))
