"""`nn.utils` against PyTorch's."""

import pytest

from tests.compare_engines import both, programs, source

SETUP = """
nn = torch.nn
U = nn.utils
torch.manual_seed(0)
def fresh():
    ps = [torch.randn(3, 2, requires_grad=True), torch.randn(4, requires_grad=True),
        torch.ones(1, requires_grad=True)]
    for p in ps[:2]:
        p.grad = torch.randn(p.shape) * 3
    return ps
"""

PROGRAMS = """
# norms
def case(*a, **k):
    ps = fresh()
    grads = [p.grad for p in ps]
    n = U.clip_grad_norm_(ps, *a, **k)
    return [n, [p.grad for p in ps], [p.grad is g for p, g in zip(ps, grads)],
        [p.grad._version for p in ps[:2]]]
result = [case(1.), case(1000.), case(2., norm_type=1), case(1, float("inf")), case(1., 3.),
    U.get_total_norm([p.grad for p in fresh()[:2]]), U.clip_grad_norm_([], 1.),
    U.clip_grad_norm_(fresh()[0], 1.), U.get_total_norm([torch.ones(2, 2)], 0.5),
    U.clip_grad_norm_((p for p in fresh()), .5), U.get_total_norm([])]

# norms that are not finite
ps = fresh()
ps[0].grad[0] = float("inf")
result = [attempt(lambda: U.clip_grad_norm_(ps, 1., error_if_nonfinite=True)),
    U.clip_grad_norm_(ps, 1.), [p.grad for p in ps]]

# an empty generator warns
result = U.clip_grad_norm_((p for p in []), 1.)

# values
ps = fresh()
U.clip_grad_value_(ps, .5)
q = fresh()[0]
U.clip_grad_value_(q, 1)
result = [[p.grad for p in ps], [p.grad._version for p in ps[:2]], q.grad]

# one vector
net = nn.Linear(2, 3)
v = U.parameters_to_vector(net.parameters())
w = net.weight
U.vector_to_parameters(torch.arange(9.), net.parameters())
result = [v, net.weight is w, list(net.parameters()), attempt(lambda: U.vector_to_parameters(3,
    net.parameters()))]

# sequences
R = nn.utils.rnn
a, b, c = torch.ones(2, 3, requires_grad=True), torch.ones(1, 3) * 2, torch.ones(4, 3) * 3
p = R.pad_sequence([a, b, c])
p.sum().backward()
result = [p.detach().clone(), R.pad_sequence([b, c], batch_first=True,
    padding_value=-1.).clone(), a.grad, R.pad_sequence([b, c], True, 0.,
    "left").clone(), attempt(lambda: R.pad_sequence([]))]

# all tensors by their names
net = nn.Sequential(nn.Linear(2, 2, bias=False), nn.BatchNorm1d(2, affine=False))
held = {**dict(net.named_parameters()), **dict(net.named_buffers())}
def call(**given):
    return torch.func.functional_call(net, given, torch.ones(3, 2), strict=True)
result = [attempt(lambda: call(**held)), attempt(lambda: call(**{"0.bias": torch.ones(2)})),
    attempt(lambda: call(**held, **{"1.weight": torch.ones(2), "x": torch.ones(1)}))]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_utils(title: str, text: str) -> None:
    both(source(SETUP + text))
