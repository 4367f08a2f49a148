"""Rules that programs of an outside judge found: each held here by name."""

from __future__ import annotations

import pytest

from tests.both import both, programs, source

RARE = """
# out= of another size keeps its storage, which others see
results = []
for name in ("arange", "zeros"):
    x = torch.arange(10.)
    part = x[2:8].view(2, 3)
    getattr(torch, name)(6 if name == "arange" else 4, out=part)
    torch.ne(x[:9].view(3, 3), 1, out=x.detach()[1:])
    results += [x, part, part.storage_offset()]
result = results

# out= must not be what is gathered, joined or searched, nor a part of it shifted
i, j = torch.tensor([[2, 1, 0]] * 3), torch.tensor([2, 1, 0])
def calls(s):
    x = torch.arange(9.).view(3, 3)
    return [("gather", s, 0, i), ("take", s, i), ("index_select", s, 0, j), ("stack", [*s]),
        ("cat", (s, s[:0])), ("vstack", (s,)), ("cross", s, x, 1), ("take_along_dim", s, i, 0),
        ("cumsum", s, 0), ("max", s, x), ("square", s), ("scatter", s, 0, i, 1.), ("sort", s),
        ("index_add", s, 0, j, x), ("index_add", x, 0, j, s), ("scatter_add", x, 0, i, s),
        ("index_copy", s, 0, j, x), ("masked_select", s, s > 2)]
memory = torch.arange(10.)
whole, shifted = memory[:9].view(3, 3), memory[1:].view(3, 3)
result = []
for o in (whole, whole.t(), shifted):
    for name, *args in calls(whole):
        out = (o, i.clone()) if name == "sort" else o
        result.append(attempt(lambda: getattr(torch, name)(*args, out=out) is None))
        memory.copy_(torch.arange(10.))

# copies keep the order of dims
import copy, pickle
laid = [torch.arange(6.).reshape(2, 3).t(), torch.arange(24.).reshape(2, 3, 4).permute(2, 0, 1)]
laid += [torch.zeros_like(each) + 1 for each in laid] + [torch.zeros_like(each) for each in laid]
result = [copy.deepcopy(each) for each in laid] + [copy.deepcopy(laid), laid[0]]

# out= of what has no derivative gives a node that refuses backward, and refuses leaves only
results = []
x = torch.ones(2, requires_grad=True)
for f in (lambda o: torch.zeros(2, out=o), lambda o: torch.floor_divide(x, x, out=o),
          lambda o: torch.softmax(x, 0, out=o), lambda o: torch.full((2,), 3., out=o)):
    for make in (lambda: torch.ones(2), lambda: x * 2, lambda: (x * 2)[:], lambda: x):
        o = make()
        found = attempt(lambda: f(o))
        results += [found, graph(o.grad_fn), attempt(lambda: o.sum().backward())]
result = results

# joined tensors must fit their out=
result = [attempt(lambda: f([torch.ones(2), torch.ones(2)], out=torch.ones(4, dtype=torch.long)))
          for f in (torch.cat, torch.hstack)]

# a dim that is None is not one that is left out
x = torch.ones(2, 3, requires_grad=True)
results = []
for f in (lambda: x.sum(dim=None), lambda: x.sum(), lambda: x.mean(None), lambda: x.mean(),
          lambda: x.var(dim=None), lambda: x.var(), lambda: x.std(None), lambda: x.amax(None)):
    node = f().grad_fn
    results += [node.name(), getattr(node, "_saved_dim", 0), getattr(node, "_saved_correction", 0)]
result = results

# what was saved stays where a node's hook or its results are refused
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clone()
    @staticmethod
    def backward(ctx, g):
        return g[:1, None]
x = torch.ones(2, requires_grad=True)
y, z = x.exp(), Wrong.apply(x)
y.grad_fn.register_hook(lambda gi, go: ())
result = [attempt(lambda: y.sum().backward()), attempt(lambda: y.grad_fn._saved_result),
          attempt(lambda: z.sum().backward()), attempt(lambda: z.grad_fn.saved_tensors)]

# whoever reads what is written is refused, numbers included; matrix products are not asked
results = []
i = torch.tensor([0])
for f in (lambda a: a.scatter_(0, i[0], a), lambda a: a.index_add_(0, i, a),
          lambda a: a.index_fill_(0, i, a), lambda a: a.masked_fill_(a > 0, a)):
    results.append(attempt(lambda: f(torch.tensor(2.))))
a = torch.ones(2, 2)
a.addmm_(a, a)
result = results

# asarray gives what it is given, which requires grad as it is told
results = []
leaf = lambda: torch.ones(2, requires_grad=True)
for make in (leaf, lambda: leaf() * 2):
    for options in ({}, {"requires_grad": False}, {"copy": True}, {"dtype": torch.float64},
                    {"dtype": torch.int64}, {"dtype": torch.float64, "copy": False}):
        x = make()
        y = attempt(lambda: torch.asarray(x, **options))
        results += [y, y is x, x.requires_grad, graph(getattr(y, "grad_fn", None))]
result = results

# the softmax of one infinite number is no number
x = torch.tensor(float("inf"))
result = [f(x, 0) for f in (torch.softmax, torch.log_softmax)], torch.tensor(2.).softmax(0)

# masks and dropout's noise are written before anyone sees them
torch.manual_seed(0)
x = torch.ones(2, 3, requires_grad=True)
F = torch.nn.functional
result = [x[index].grad_fn._saved_indices[-1]._version for index in (True, False)]
result += [F.dropout(x, p).grad_fn._saved_other._version for p in (0.5, 1.)]

# refusals in order
leaf = lambda: torch.ones(2, requires_grad=True)
result = [attempt(f) for f in (
    lambda: torch.tensor(1.).repeat_interleave(2, dim=0),
    lambda: torch.tensor(1.).repeat_interleave(torch.tensor([2]), dim=0),
    lambda: torch.meshgrid(torch.ones(2, 2), torch.ones(2).double(), indexing="ij"),
    lambda: torch.nn.functional.dropout(torch.ones(2).bool(), 0.5),
    lambda: torch.ones(2, 3).logsumexp(()), lambda: torch.ones(2, 3).logsumexp((), True),
    lambda: torch.clamp(torch.ones(2), torch.tensor(True), 3.0),
    lambda: torch.dist(torch.arange(3), torch.arange(3.)),
)]
result.append(leaf().diff(dim=-1).grad_fn.next_functions[0][0]._saved_dim)

# an index out of bounds is called by its number among the indices, masks count for each dim
x = torch.zeros(2, 3, 4, 2)
nine, mask = torch.tensor([9]), torch.tensor([[True, False, True], [False, False, False]])
result = [attempt(lambda: x[i]) for i in (
    (slice(None), nine), (torch.tensor([0]), slice(None), nine), (mask, nine), (0, nine),
    (mask, torch.tensor([0, 1, 1])), (slice(None), torch.tensor([0, 1]), torch.tensor([0, 1, 1])),
)]
x, y = torch.tensor(1.), torch.zeros(1, 0, 3)
result += [attempt(lambda: x[i]) for i in (0, (0,), 1, (1,), slice(None), (slice(None),))]
result.append(attempt(lambda: y[1:2, torch.tensor([-3])]))

# expanded tensors are filled where one of the items that share memory is
x = torch.arange(6.).view(2, 3).expand(2, 2, 3)
x.index_fill_(0, torch.tensor([0]), 2)
result = x

# types show themselves as PyTorch's, and can be copied
import copy, pickle
result = [repr(type(each)) for each in (torch.float32, torch.device("cpu"), torch.Size([1]))]
again = pickle.loads(pickle.dumps([torch.float32, torch.bool, torch.device("cpu", 0)]))
result += [again, copy.deepcopy(torch.int8) is torch.int8, repr(torch.set_grad_enabled(True))]
result += [repr(torch.FloatTensor), isinstance(torch.ones(1), torch.FloatTensor),
           isinstance(torch.ones(1), torch.LongTensor)]
node = torch.ones(1, requires_grad=True).exp().grad_fn
result += [attempt(lambda: pickle.dumps(node)), attempt(lambda: copy.deepcopy(node)),
           attempt(lambda: node(1))]

# differences of what is checked by differences
zero = torch.zeros(1, dtype=torch.float64, requires_grad=True)
result = [attempt(lambda: torch.autograd.gradcheck(f, (zero,))) for f in (torch.sqrt, torch.isnan)]

# derivatives of norms and of prelu are nodes of their own, by input, weight and bias at once
F = torch.nn.functional
torch.manual_seed(0)
x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
w = torch.randn(3, dtype=torch.float64, requires_grad=True)
b, mean, var = w.detach().exp().requires_grad_(), torch.zeros(3).double(), torch.ones(3).double()
results = []
for f in (lambda: F.layer_norm(x, (3,), w, b), lambda: F.layer_norm(x, (3,), w),
          lambda: F.batch_norm(x, mean, var, w, b, True), lambda: F.prelu(x, w),
          lambda: F.batch_norm(x, mean, var, w, b, False)):
    grads = torch.autograd.grad(f().pow(3).sum(), (x, w), create_graph=True)
    results += [graph(each.grad_fn) for each in grads]
    again = torch.autograd.grad(sum((each ** 2).sum() for each in grads), (x, w, b),
                                allow_unused=True)
    results += [None if each is None else each.round(decimals=6) for each in again]
result = results

# values are clipped where there is a gradient; counts of targets are integers
F, p = torch.nn.functional, torch.nn.Parameter(torch.ones(2))
y = torch.ones(2, 3, requires_grad=True)
loss = F.cross_entropy(y, torch.tensor([0, -100]), label_smoothing=0.1)
result = (attempt(lambda: torch.nn.utils.clip_grad_value_([p], 0.5)), loss, graph(loss.grad_fn),
          torch.autograd.grad(loss, y))

# what is marked dirty where nothing is recorded comes back without a history
class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)
    @staticmethod
    def backward(ctx, g):
        return g * 2
results = []
leaf = torch.ones(2, requires_grad=True)
for x in (leaf, leaf * 1, (leaf * 1)[:], torch.ones(2), torch.ones(2)[:]):
    with torch.no_grad():
        y = Doubled.apply(x)
    results += [y is x, y, y.requires_grad, x.requires_grad, y._version, y._is_view()]
result = results

# a copy that was asked for is a conversion, and nothing has a softmax in any type
x = torch.ones(2, requires_grad=True)
result = [graph(x.to(*args, copy=True).grad_fn) for args in ((), (torch.float32,), ("cpu",))]
result += [torch.tensor([], dtype=kind).softmax(0) for kind in (torch.bool, torch.float32)]

# powers of a number, of zero and beyond
result = []
for base in (0.0, 0, -0.0, 2.0, -2.0, torch.tensor(0.0), float("inf"), float("nan"), 1.0):
    x = torch.tensor([-2., -1., -.5, 0., .5, float("nan"), float("inf"), -float("inf")],
                     requires_grad=True)
    weights = torch.linspace(-1, 1, 8)
    (first,) = torch.autograd.grad((weights * base**x).sum(), x, create_graph=True)
    result += [base**x, first, graph(first.grad_fn), torch.autograd.grad(first.sum(), x)]

# in place the derivative is told by the result, if it can be
F = torch.nn.functional
def run(written):
    x = torch.tensor([-2., 0., 2.], requires_grad=True)
    y = written(x.clone())
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return y, g, graph(g.grad_fn)
result = [attempt(lambda: run(written)) for written in (
    lambda x: F.leaky_relu_(x, 0.0), lambda x: F.leaky_relu_(x, -2), lambda x: F.elu_(x, -0.5),
    lambda x: F.elu_(x, 0.0), lambda x: F.celu_(x, -1.0), lambda x: F.celu_(x, 2.0),
    lambda x: F.rrelu_(x, -5.0, 1.0), lambda x: F.rrelu_(x, 0.0, 0.0),
    lambda x: F.leaky_relu(x, -2), lambda x: F.elu(x, -0.5), lambda x: F.celu(x, -1.0))]
"""


@pytest.mark.parametrize(("title", "text"), programs(RARE), ids=lambda part: part[:60])
def test_rare(title: str, text: str) -> None:
    both(source(text))
