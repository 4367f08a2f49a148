"""Parametrizations, and the hooks that they replace, against PyTorch's."""

import pytest

from tests.both import both, programs, source

SETUP = """
import copy, pickle
nn = torch.nn
U, P, Z = nn.utils, nn.utils.parametrize, nn.utils.parametrizations
torch.manual_seed(0)
x = torch.randn(5, 3, requires_grad=True)
class Sym(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)
    def right_inverse(self, A):
        return A.triu()
class Twice(nn.Module):
    def forward(self, X):
        return X * 2
def run(m, x=x):
    y = m(x)
    (y * y.detach().cos()).sum().backward()
    return [repr(m), list(m.state_dict()), y.detach(), graph(y.grad_fn),
        plain([p.grad for p in m.parameters()]), list(m.parameters()), list(m.buffers()),
        type(m.weight).__name__]
"""

PROGRAMS = """
# weight norm by hooks
import warnings
seen = []
for dim in (0, 1, -1, None):
    seen.append(run(U.weight_norm(nn.Linear(3, 4), dim=dim)))
seen.append(run(U.weight_norm(nn.Conv1d(3, 4, 2), dim=1), torch.randn(2, 3, 4)))
m = U.weight_norm(nn.Linear(3, 4))
before = m.weight.detach().clone()
result = [seen, repr(U.remove_weight_norm(m)), list(m.state_dict()), (m.weight - before).abs().max()
    < 1e-6, attempt(lambda: U.remove_weight_norm(m)), attempt(lambda: U.weight_norm(U.weight_norm(
    nn.Linear(2, 2)))), attempt(lambda: U.weight_norm(nn.Linear(2, 2), "foo"))]

# weight norm's node
v = torch.randn(4, 3, requires_grad=True)
m = U.weight_norm(nn.Linear(3, 4))
n = m.weight.grad_fn
result = [n, n._saved_dim, n._saved_g, n._saved_v, n._saved_result1]

# spectral norm by hooks
seen = []
for m in (nn.Linear(3, 4), nn.Conv1d(3, 4, 2), nn.ConvTranspose1d(3, 2, 2)):
    m = U.spectral_norm(m, n_power_iterations=2)
    z = x if isinstance(m, nn.Linear) else torch.randn(2, 3, 4)
    seen += [run(m, z), run(m, z), m.eval()(z).detach(), list(m.buffers())]
m = U.spectral_norm(nn.Linear(3, 4))
result = [seen, repr(U.remove_spectral_norm(m)), list(m.state_dict()), m.weight,
    attempt(lambda: U.remove_spectral_norm(m)), attempt(lambda: U.spectral_norm(
    U.spectral_norm(nn.Linear(2, 2)))), attempt(lambda: U.spectral_norm(nn.Linear(2, 2),
    n_power_iterations=0))]

# parametrized weight norm
m = Z.weight_norm(nn.Linear(3, 4))
shown = run(m)
old = U.weight_norm(nn.Linear(3, 4)).state_dict()
told = repr(m.load_state_dict(old))
with torch.no_grad():
    m.weight = torch.ones(4, 3)
result = [shown, type(m).__name__, told, m.parametrizations.weight.original0,
    m.parametrizations.weight.original1, m.weight]

# parametrized spectral norm
m = Z.spectral_norm(nn.Linear(3, 4), n_power_iterations=2)
shown = [run(m), run(m), m.eval()(x).detach(), list(m.buffers())]
result = [shown, attempt(lambda: Z.spectral_norm(nn.Linear(2, 2), dim=3)), attempt(
    lambda: Z.spectral_norm(nn.Linear(2, 2), "foo")), attempt(lambda: Z.spectral_norm(nn.Linear(2,
    2), n_power_iterations=0))]

# orthogonal matrices
m = Z.orthogonal(nn.Linear(3, 3))
y = m(x)
with torch.no_grad():
    for p in m.parameters():
        p.add_(.1)
w = m.weight
c = Z.orthogonal(nn.Linear(3, 3), orthogonal_map="cayley", use_trivialization=False)
result = [repr(m), list(m.state_dict()), y.detach(), (w @ w.T).detach(), w.detach(),
    c.weight.detach(), attempt(lambda: setattr(c, "weight", w)), attempt(lambda: Z.orthogonal(
    nn.Linear(2, 2), "bias")), attempt(lambda: Z.orthogonal(nn.Linear(2, 2), orthogonal_map="x"))]

# reflections
m = Z.orthogonal(nn.Linear(3, 3), orthogonal_map="householder")
with torch.no_grad():
    for p in m.parameters():
        p.add_(torch.eye(3)[0] * .1 if p.dim() > 1 else .1)
y = m(x)
y.sin().sum().backward()
tall, wide = Z.orthogonal(nn.Linear(3, 4)), Z.orthogonal(nn.Linear(4, 2))
result = [m.weight.detach(), y.detach(), plain([p.grad for p in m.parameters()]),
    tall.weight.T @ tall.weight, wide.weight @ wide.weight.T]

# own parametrizations
l = nn.Linear(3, 3)
P.register_parametrization(l, "weight", Sym())
one = run(l)
facts = [P.is_parametrized(l), P.is_parametrized(l, "weight"), P.is_parametrized(l, "bias"),
    type(l).__name__, isinstance(l, nn.Linear), P.type_before_parametrizations(l) is nn.Linear]
l.weight = torch.ones(3, 3)
set_to = l.weight.detach()
P.register_parametrization(l, "weight", Twice())
refused = attempt(lambda: setattr(l, "weight", torch.ones(3, 3)))
with P.cached():
    same = l.weight is l.weight
facts += [same, l.weight is l.weight, repr(l)]
twin = copy.deepcopy(l)
P.remove_parametrizations(l, "weight")
result = [one, facts, set_to, refused, repr(l), l.weight, type(l).__name__, list(l.state_dict()),
    repr(twin), twin.weight.detach(), attempt(lambda: pickle.dumps(twin))]

# taken off again, as it was
l = nn.Linear(3, 3)
P.register_parametrization(l, "weight", Twice())
optimizer = torch.optim.SGD(l.parameters(), .1)
l(x).sum().backward()
optimizer.step()
P.remove_parametrizations(l, "weight", leave_parametrized=False)
m = Z.weight_norm(nn.Linear(2, 2))
kept = attempt(lambda: P.remove_parametrizations(m, "weight", leave_parametrized=False))
P.remove_parametrizations(m, "weight")
b = nn.BatchNorm1d(2)
P.register_parametrization(b, "running_mean", Twice())
result = [l.weight, kept, m.weight, repr(m), repr(b), list(b.state_dict()), b.running_mean]

# what does not fit
class Wrong(nn.Module):
    def forward(self, X):
        return 3
class Double(nn.Module):
    def forward(self, X):
        return X.double()
class Back(nn.Module):
    def forward(self, X):
        return X
    def right_inverse(self, X):
        return 3
new = lambda: nn.Linear(3, 2)
result = [attempt(f) for f in (lambda: P.register_parametrization(new(), "foo", Twice()),
    lambda: P.register_parametrization(new(), "weight", nn.Flatten(0)),
    lambda: P.register_parametrization(new(), "weight", Double()),
    lambda: P.register_parametrization(new(), "weight", Wrong()),
    lambda: P.register_parametrization(new(), "weight", Back()),
    lambda: P.register_parametrization(P.register_parametrization(new(), "weight", Twice()),
        "weight", nn.Flatten(0)),
    lambda: P.remove_parametrizations(new(), "weight"))]

# layers and the batch norm after them as one
conv, bn = nn.Conv2d(2, 3, 2, bias=False), nn.BatchNorm2d(3)
bn(conv(torch.randn(4, 2, 5, 5)))
linear, flat = nn.Linear(3, 4), nn.BatchNorm1d(4)
flat(linear(x))
up, after = nn.ConvTranspose1d(2, 3, 2), nn.BatchNorm1d(3)
for each in (conv, bn, linear, flat, up, after):
    each.eval()
image, signal = torch.randn(1, 2, 4, 4), torch.randn(1, 2, 4)
fused, lone = U.fuse_conv_bn_eval(conv, bn), U.fuse_linear_bn_eval(linear, flat)
upper = U.fuse_conv_bn_eval(up, after, transpose=True)
result = [repr(fused), list(fused.parameters()), fused(image).detach(), list(lone.parameters()),
    (lone(x) - flat(linear(x))).abs().max() < 1e-5, (upper(signal) - after(up(signal))).abs().max()
    < 1e-5, attempt(lambda: U.fuse_conv_bn_eval(conv.train(), bn))]

# no starting values
m = U.skip_init(nn.Linear, 3, 4, bias=False)
result = [repr(m), tuple(m.weight.shape), torch.rand(2), attempt(lambda: U.skip_init(nn.ReLU)),
    attempt(lambda: U.skip_init(int))]

# orthogonal matrices made of their own reflections
result = []
for shape in ((3, 3), (4, 2), (2, 4), (2, 3, 3)):
    torch.manual_seed(1)
    m = nn.Module()
    m.weight = nn.Parameter(torch.randn(shape, dtype=torch.float64))
    Z.orthogonal(m, orthogonal_map="householder", use_trivialization=False)
    result += [m.weight.detach(), list(m.state_dict()), plain(torch.autograd.grad(
        (m.weight * torch.arange(m.weight.numel()).view(shape)).sum(), list(m.parameters())))]
    m.weight = torch.eye(*shape[-2:], dtype=torch.float64).expand(shape).clone()
    result.append(m.weight.detach())
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_parametrize(title: str, text: str) -> None:
    both(source(SETUP + text))
