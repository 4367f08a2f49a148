"""Every loss as a module against PyTorch's."""

import pytest

from tests.compare_engines import both, programs, source

SETUP = """
nn = torch.nn
torch.manual_seed(0)
n = torch.randn
b = lambda *s: (torch.rand(*s) > .5).float()
s = lambda *s: torch.where(torch.rand(*s) > .5, 1., -1.)
c = lambda high, *s: torch.randint(high, s)
w = torch.tensor([.5, 1., 2.])
def show(loss, *args):
    args = [a.requires_grad_() if i == 0 else a for i, a in enumerate(args)]
    seen = [repr(loss), list(loss.state_dict())]
    out = loss(*args)
    out.sum().backward()
    return [*seen, out, args[0].grad.clone(), graph(out.grad_fn)]
"""

LOSSES = """
nn.MSELoss(), n(3, 2), n(3, 2)
nn.MSELoss(reduction="none"), n(3, 2), n(3, 2)
nn.MSELoss(size_average=False), n(3, 2), n(3, 2)
nn.L1Loss(), n(3, 2), n(3, 2)
nn.L1Loss(reduction="sum"), n(3, 2), n(3, 2)
nn.SmoothL1Loss(), n(3, 2), n(3, 2)
nn.SmoothL1Loss(beta=.3), n(3, 2), n(3, 2)
nn.HuberLoss(delta=.5), n(3, 2), n(3, 2)
nn.CrossEntropyLoss(), n(4, 3), c(3, 4)
nn.CrossEntropyLoss(w, ignore_index=1, label_smoothing=.1), n(4, 3), c(3, 4)
nn.CrossEntropyLoss(reduction="sum"), n(4, 3), torch.rand(4, 3)
nn.CrossEntropyLoss(), n(2, 3, 4), c(3, 2, 4)
nn.NLLLoss(), n(4, 3).log_softmax(1).detach(), c(3, 4)
nn.NLLLoss(w, reduction="none"), n(4, 3), c(3, 4)
nn.BCELoss(), torch.rand(3, 2), b(3, 2)
nn.BCELoss(torch.tensor([1., 2.]), reduction="sum"), torch.rand(3, 2), b(3, 2)
nn.BCEWithLogitsLoss(), n(3, 2), b(3, 2)
nn.BCEWithLogitsLoss(torch.tensor([1., 2.]), pos_weight=torch.tensor([3., 1.])), n(3, 2), b(3, 2)
nn.KLDivLoss(reduction="batchmean"), n(3, 2).log_softmax(1).detach(), n(3, 2).softmax(1)
nn.KLDivLoss(reduction="sum", log_target=True), n(3, 2), n(3, 2).log_softmax(1)
nn.HingeEmbeddingLoss(), n(4), s(4)
nn.TripletMarginLoss(), n(4, 3), n(4, 3), n(4, 3)
nn.TripletMarginLoss(2., 1., swap=True), n(4, 3), n(4, 3), n(4, 3)
"""


@pytest.mark.parametrize("call", LOSSES.strip().split("\n"))
def test_loss(call: str) -> None:
    both(source(f"{SETUP}result = show({call})"))


INIT = """
# all that fill
i = nn.init
def fresh(f, *a, shape=(4, 6), **k):
    w = nn.Parameter(torch.zeros(shape))
    r = f(w, *a, **k)
    return [r is w, w]
result = [fresh(i.trunc_normal_), fresh(i.trunc_normal_, 1., 2., 0., 3.), fresh(i.trunc_normal_,
    0., 1., 2., 3.), fresh(i.trunc_normal_, std=.02), fresh(i.orthogonal_),
    fresh(i.orthogonal_, 2., shape=(6, 4)), fresh(i.orthogonal_, shape=(3, 2, 2)),
    fresh(i.xavier_normal_, 2., shape=(3, 2, 3, 3)), fresh(i.kaiming_normal_, mode="fan_out",
    shape=(3, 2, 3)), torch.rand(1)]

# generators
i = nn.init
g = torch.Generator().manual_seed(4)
w = torch.empty(3, 4)
result = [f(w, generator=g).clone() for f in (i.uniform_, i.normal_, i.trunc_normal_,
    i.xavier_uniform_, i.xavier_normal_, i.kaiming_uniform_, i.kaiming_normal_, i.orthogonal_)]

# gains
i = nn.init
result = [i.calculate_gain(k) for k in ("linear", "conv2d", "conv_transpose1d", "sigmoid", "tanh",
    "relu", "leaky_relu", "selu")] + [i.calculate_gain("leaky_relu", .2),
    attempt(lambda: i.calculate_gain("leaky_relu", True)), attempt(lambda: i.calculate_gain("x"))]

# what cannot be filled
i = nn.init
v = torch.ones(3)
result = [attempt(f) for f in (
    lambda: i.orthogonal_(v), lambda: i.xavier_normal_(v),
    lambda: i.kaiming_normal_(torch.ones(2, 2), mode="x"),
    lambda: i.kaiming_normal_(torch.ones(0, 2)), lambda: i.trunc_normal_(v, 9.))]

# old names warn
i = nn.init
result = [i.xavier_uniform(torch.zeros(2, 2)), i.constant(torch.zeros(1), 3.), i.normal.__name__]
"""


@pytest.mark.parametrize(("title", "text"), programs(INIT), ids=lambda part: part[:60])
def test_init(title: str, text: str) -> None:
    both(source(SETUP + text))
