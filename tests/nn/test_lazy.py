"""Lazy modules against PyTorch's."""

import pytest

from tests.both import both, programs, source

SETUP = """
import copy
nn = torch.nn
torch.manual_seed(0)
def kinds(m):
    return [type(t).__name__ for t in m.state_dict().values()]
"""

CASES = """
nn.LazyLinear(3), (2, 4)
nn.LazyLinear(3, False, dtype=torch.float64), (4,), torch.float64
nn.LazyConv1d(3, 2), (1, 2, 5)
nn.LazyConv2d(3, 2, padding=1, bias=False), (1, 2, 5, 5)
nn.LazyConv2d(4, 2, groups=2), (1, 3, 5, 5)
nn.LazyConv2d(3, 2), (2, 5, 5)
nn.LazyConv2d(3, 2), (5, 5)
nn.LazyConv3d(4, 2, groups=2), (1, 2, 3, 3, 3)
nn.LazyConvTranspose1d(3, 2), (1, 2, 5)
nn.LazyConvTranspose2d(4, 2, 2, groups=2), (1, 2, 3, 3)
nn.LazyConvTranspose3d(3, 2), (1, 2, 2, 2, 2)
nn.LazyBatchNorm1d(), (2, 3)
nn.LazyBatchNorm2d(affine=False), (2, 3, 4, 4)
nn.LazyBatchNorm2d(), (2, 3)
nn.LazyBatchNorm3d(track_running_stats=False), (2, 3, 2, 2, 2)
nn.LazyInstanceNorm1d(), (2, 3, 4)
nn.LazyInstanceNorm2d(affine=True, track_running_stats=True), (2, 3, 4, 4)
nn.LazyInstanceNorm3d(.1), (2, 3, 2, 2, 2)
nn.LazyInstanceNorm1d(), (3, 4)
"""


@pytest.mark.parametrize("call", CASES.strip().split("\n"))
def test_modules(call: str) -> None:
    both(
        source(f"""{SETUP}
layer, shape, dtype = (*({call}), torch.float32)[:3]
before = [repr(layer), kinds(layer), layer.has_uninitialized_params()]
x = torch.randn(*shape, dtype=dtype)
out = attempt(lambda: layer(x))
result = [before, out, repr(layer), type(layer).__name__, list(layer.parameters()),
    list(layer.buffers()), list(layer.state_dict())]""")
    )


PROGRAMS = """
# a network
net = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten(),
    nn.LazyLinear(2))
optimizer = torch.optim.SGD(net.parameters(), lr=.1)
before = repr(net)
x = torch.randn(3, 2, 5, 5)
net(x)
net(x).square().sum().backward()
optimizer.step()
result = [before, repr(net), list(net.parameters()), list(net.buffers()), torch.rand(1)]

# what a parameter without a shape says
w = nn.LazyLinear(3).weight
result = [repr(w), type(w).__name__, isinstance(w, nn.Parameter), repr(w.dtype), w.requires_grad,
    w.grad, w.is_leaf, repr(w.device), nn.parameter.is_lazy(w), attempt(lambda: w.shape),
    attempt(lambda: w + 1)[1], attempt(lambda: w.sum())[1], attempt(lambda: torch.sin(w))[1],
    attempt(lambda: w.share_memory_()), repr(nn.UninitializedBuffer()),
    repr(nn.UninitializedParameter(requires_grad=False)), repr(copy.deepcopy(w)),
    attempt(lambda: nn.init.ones_(w))[1], attempt(lambda: w.detach())[1],
    attempt(lambda: len(w))[1]]

# what it says of methods
w = nn.UninitializedParameter()
result = [w.size(), *(attempt(f) for f in (lambda: w.numel(), lambda: w.dim(), lambda: w.sum(),
    lambda: w * 2, lambda: 2 * w, lambda: w + w, lambda: -w, lambda: w @ w, lambda: w[0], lambda:
    w.clone(), lambda: w.detach(), lambda: w.zero_(), lambda: w.view(2), lambda: w.tolist(),
    lambda: bool(w), lambda: w == w, lambda: w.is_contiguous(), lambda: w.max()))]

# starting values through data before there is a shape: they are lost
layer = nn.LazyLinear(3)
told = [layer.weight.data.normal_(0, .01), layer.bias.data.zero_(), layer.weight.data.shape,
    nn.init.normal_(layer.weight.data), type(layer.weight.data).__name__, repr(layer.weight),
    attempt(lambda: nn.init.xavier_uniform_(layer.weight.data)), layer.weight.data.requires_grad]
layer.weight.data = torch.zeros(2)
result = [told, repr(layer.weight), layer(torch.randn(2, 4)), layer.weight.data.normal_()]

# values by hand
w = nn.UninitializedParameter(dtype=torch.float64)
same = w
w.materialize((2, 3))
b = nn.UninitializedBuffer()
b.materialize((4,))
result = [w is same, type(w).__name__, tuple(w.shape), repr(w.dtype), w.requires_grad,
    type(b).__name__, tuple(b.shape), b.requires_grad]

# state dicts
net = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d())
net(torch.randn(2, 3))
fresh = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d())
told = repr(fresh.load_state_dict(net.state_dict()))
between = repr(fresh), kinds(fresh)
fresh(torch.randn(2, 3))
result = [told, between, repr(fresh), list(fresh.parameters()), attempt(
    lambda: nn.Linear(3, 4).load_state_dict(nn.LazyLinear(4).state_dict())), repr(
    nn.LazyLinear(4).load_state_dict(nn.LazyLinear(4).state_dict())), attempt(
    lambda: nn.LazyLinear(4).load_state_dict({}))]

# copies and dtypes
net = nn.Sequential(nn.LazyLinear(4), nn.LazyLinear(3))
twin = copy.deepcopy(net)
net.double()
kind = [repr(t.dtype) for t in net.state_dict().values()]
out = net(torch.randn(2, 3).double())
twin(torch.randn(5, 2))
result = [kind, out, repr(net), repr(twin)]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_lazy(title: str, text: str) -> None:
    both(source(SETUP + text))
