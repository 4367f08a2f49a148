"""Every loss as a module against PyTorch's."""

import pytest

from tests.both import both, programs, source

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
nn.PoissonNLLLoss(), n(3), torch.rand(3) * 5
nn.GaussianNLLLoss(), n(3, 2), n(3, 2), torch.rand(3, 2)
nn.GaussianNLLLoss(full=True, reduction="sum"), n(3, 2), n(3, 2), torch.rand(3, 1)
nn.MarginRankingLoss(margin=.2), n(4), n(4), s(4)
nn.PoissonNLLLoss(False, True, reduction="none"), torch.rand(3), torch.rand(3) * 5
nn.HingeEmbeddingLoss(), n(4), s(4)
nn.MultiMarginLoss(), n(4, 3), c(3, 4)
nn.MultiMarginLoss(2, .5, w), n(4, 3), c(3, 4)
nn.CosineEmbeddingLoss(margin=.1), n(4, 3), n(4, 3), s(4)
nn.SoftMarginLoss(), n(4), s(4)
nn.MultiLabelMarginLoss(), n(2, 4), torch.tensor([[3, 0, -1, 1], [2, -1, 0, 0]])
nn.MultiLabelSoftMarginLoss(), n(4, 3), b(4, 3)
nn.TripletMarginLoss(), n(4, 3), n(4, 3), n(4, 3)
nn.TripletMarginLoss(2., 1., swap=True), n(4, 3), n(4, 3), n(4, 3)
nn.TripletMarginWithDistanceLoss(), n(4, 3), n(4, 3), n(4, 3)
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
    0., 1., 2., 3.), fresh(i.trunc_normal_, std=.02), fresh(i.eye_), fresh(i.dirac_, shape=(4, 2,
    3)), fresh(i.dirac_, 2, shape=(4, 2, 3, 3)), fresh(i.sparse_, .3), fresh(i.orthogonal_),
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
result = [attempt(f) for f in (lambda: i.eye_(v), lambda: i.dirac_(v), lambda: i.sparse_(v, .1),
    lambda: i.orthogonal_(v), lambda: i.xavier_normal_(v), lambda: i.dirac_(torch.ones(3, 2, 2),
    2), lambda: i.kaiming_normal_(torch.ones(2, 2), mode="x"),
    lambda: i.kaiming_normal_(torch.ones(0, 2)), lambda: i.trunc_normal_(v, 9.))]

# old names warn
i = nn.init
result = [i.xavier_uniform(torch.zeros(2, 2)), i.constant(torch.zeros(1), 3.), i.normal.__name__]
"""


@pytest.mark.parametrize(("title", "text"), programs(INIT), ids=lambda part: part[:60])
def test_init(title: str, text: str) -> None:
    both(source(SETUP + text))


SEQUENCES = """
# connectionist temporal classification
scores = torch.randn(6, 2, 4).log_softmax(2)
labels, ins, outs = torch.tensor([[1, 2, 2], [3, 1, 0]]), torch.tensor([6, 5]), torch.tensor([3, 2])
def case(*args, scores=scores, **options):
    x = scores.detach().requires_grad_()
    out = F.ctc_loss(x, *args, **options)
    (out * torch.arange(1., out.numel() + 1).view(out.shape)).sum().backward()
    n = out.grad_fn
    return [out, graph(n), plain([x.grad])]
loss = nn.CTCLoss(blank=1, zero_infinity=True)
short = torch.tensor([1, 5])
result = [case(labels, ins, outs), case(labels, ins, outs, reduction="none"),
    case(labels % 3, [6, 5], (3, 2), 3, "sum"), case(torch.tensor([1, 2, 2, 3, 1]), ins, outs),
    case(labels[0], torch.tensor(6), torch.tensor(3), scores=scores[:, 0]),
    case(labels[0], (6,), (3,), scores=scores[:, 0], reduction="none"),
    case(labels, short, outs), case(labels, short, outs, reduction="none", zero_infinity=True),
    case(labels, ins, torch.tensor([0, 0])), case(labels, ins, outs, scores=scores.double()),
    repr(loss), loss(scores, labels * 0 + 2, ins, outs)]

# what its node keeps
x = torch.randn(6, 2, 4).log_softmax(2).requires_grad_()
n = F.ctc_loss(x, torch.tensor([[1, 2, 2], [3, 1, 0]]), (6, 5), (3, 2), reduction="none").grad_fn
g = torch.autograd.grad(F.ctc_loss(x, torch.tensor([[1], [2]]), (6, 5), (1, 1)), x,
    create_graph=True)[0]
result = [n, n._saved_blank, n._saved_input_lengths, n._saved_target_lengths, n._saved_log_probs,
    n._saved_result0, n._saved_targets, n._saved_zero_infinity, tuple(n._saved_result1.shape),
    attempt(lambda: g.sum().backward())]

# lengths that do not fit
x, labels = torch.randn(6, 2, 4), torch.tensor([[1, 2, 2], [3, 1, 0]])
i, o = torch.tensor([6, 5]), torch.tensor([3, 2])
E = F.ctc_loss
result = [attempt(f) for f in (lambda: E(x, labels, torch.tensor([7, 5]), o), lambda: E(x, labels,
    i, torch.tensor([4, 2])), lambda: E(x, labels, i, o, 4), lambda: E(x, labels, i[:1], o),
    lambda: E(x, labels, i, o[:1]), lambda: E(x, labels, i.float(), o), lambda: E(x.long(), labels,
    i, o), lambda: E(x, labels, i, o, reduction="x"), lambda: E(x[0, 0], labels, i, o),
    lambda: E(x, torch.tensor([1, 2, 2, 3]), i, o), lambda: E(x, labels, i, torch.tensor([-1,
    2])), lambda: E(x, labels[0], i, o))]
"""


@pytest.mark.parametrize(("title", "text"), programs(SEQUENCES), ids=lambda part: part[:60])
def test_sequences(title: str, text: str) -> None:
    both(source("nn, F = torch.nn, torch.nn.functional\ntorch.manual_seed(0)\n" + text))
