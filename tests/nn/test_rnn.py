"""Recurrent layers against PyTorch's: values, gradients, state dicts, starting values, errors."""

import inspect

import pytest

import graphwidget
from tests.compare_engines import both, programs, source

SETUP = """
nn = torch.nn
torch.manual_seed(0)
def rand(*shape):
    return torch.randn(*shape, requires_grad=True)
def flat(out):
    return [o for each in out for o in flat(each)] if isinstance(out, tuple) else [out]
def case(kind, *args, shape=(4, 3, 2), state=None, **options):
    torch.manual_seed(1)
    m = getattr(nn, kind)(*args, **options)
    x = rand(*shape)
    outs = flat(m(x) if state is None else m(x, state))
    sum((o * o.detach().cos()).sum() for o in outs).backward()
    return [repr(m), list(m.state_dict()), [o.detach().clone() for o in outs],
        plain([x.grad, *[p.grad for p in m.parameters()]]), list(m.parameters())]
"""

CASES = """
KIND, 2, 5
KIND, 2, 5, num_layers=2, bias=False
KIND, 2, 3, 2, bidirectional=True
KIND, 2, 3, batch_first=True
KIND, 2, 3, shape=(4, 2)
KIND, 2, 3, 2, dropout=.4
"""


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("call", CASES.strip().split("\n"))
def test_layers(kind: str, call: str) -> None:
    both(source(f"{SETUP}result = case({call.replace('KIND', repr(kind))})"))


PROGRAMS = """
# packed sequences in and out
R = nn.utils.rnn
def packed(kind, lengths, state=None, ordered=True, **options):
    torch.manual_seed(1)
    m = getattr(nn, kind)(2, 3, **options)
    x = rand(4, 3, 2)
    p = R.pack_padded_sequence(x, lengths, enforce_sorted=ordered)
    out, last = m(p, state)
    padded, sizes = R.pad_packed_sequence(out, total_length=5)
    outs = flat((out.data, last, padded))
    sum((o * o.detach().cos()).sum() for o in outs).backward()
    return [repr(type(out)), out.batch_sizes, out.sorted_indices, out.unsorted_indices, sizes,
        [o.detach().clone() for o in outs], plain([x.grad, *[p.grad for p in m.parameters()]])]
h, c = rand(2, 3, 3), rand(2, 3, 3)
result = [packed("RNN", [4, 2, 1]), packed("LSTM", [3, 3, 2], (h, c), num_layers=2),
    packed("GRU", [1, 4, 2], h, False, bidirectional=True),
    packed("LSTM", [2, 1, 2], (h, c), False, bidirectional=True),
    packed("RNN", [2, 1, 1], h, bidirectional=True), plain([h.grad, c.grad])]

# the graph of packed sequences
R = nn.utils.rnn
x = rand(4, 3, 2)
p = R.pack_padded_sequence(x, [4, 2, 1])
m = nn.RNN(2, 3, bidirectional=True)
out, last = m(p)
n = p.data.grad_fn
result = [graph(out.data.grad_fn), graph(last.grad_fn), graph(R.pad_packed_sequence(p)[0].grad_fn),
    n._saved_batch_first, n._saved_input_sym_sizes, n._saved_result1, n]

# packing
R = nn.utils.rnn
x = torch.arange(24.).reshape(3, 4, 2)
p = R.pack_padded_sequence(x, [3, 2, 1], batch_first=True)
q = R.pack_sequence([torch.ones(2), torch.arange(3.)], enforce_sorted=False)
result = [repr(p), repr(q), p.to(torch.float32) is p, p.cpu() is p,
    R.pad_packed_sequence(p, True, -1, 6), R.pad_packed_sequence(q),
    R.invert_permutation(torch.tensor([2, 0, 1])), R.invert_permutation(None),
    list(p._fields), len(p), R.PackedSequence(torch.ones(3), torch.tensor([2, 1])),
    R.PackedSequence((p.data, p.batch_sizes)),
    R.pack_padded_sequence(x, torch.tensor([3., 2, 2]), True)]

# states that are given
h, c = rand(1, 3, 5), rand(1, 3, 5)
result = [case("RNN", 2, 5, state=h), case("GRU", 2, 5, state=h), case("LSTM", 2, 5, state=(h, c)),
    case("RNN", 2, 5, nonlinearity="relu"), case("RNN", 2, 5, 1, "relu"), plain([h.grad, c.grad]),
    case("LSTM", 2, 5, shape=(4, 2), state=(rand(1, 5), rand(1, 5)))]

# cells
h, c = rand(3, 5), rand(3, 5)
result = [case("RNNCell", 2, 5, shape=(3, 2)), case("RNNCell", 2, 5, False, "relu", shape=(3, 2),
    state=h), case("GRUCell", 2, 5, shape=(3, 2)), case("GRUCell", 2, 5, shape=(3, 2), state=h),
    case("LSTMCell", 2, 5, shape=(3, 2)), case("LSTMCell", 2, 5, shape=(3, 2), state=(h, c)),
    case("LSTMCell", 2, 5, shape=(2,)), case("GRUCell", 2, 5, shape=(2,)), case("RNNCell", 2, 5,
    shape=(2,))]

# evaluation has no dropout
torch.manual_seed(1)
m = nn.GRU(2, 3, 2, dropout=.5)
x = torch.randn(4, 2, 2)
result = [m.eval()(x), [len(w) for w in m.all_weights], m.flatten_parameters(), m.mode]

# dropout with one layer warns
result = repr(nn.GRU(2, 3, dropout=.5))

# LSTM with projections
m = nn.LSTM(2, 5, 2, proj_size=3, bidirectional=True, batch_first=True)
out, (h, c) = m(torch.randn(3, 4, 2))
(out.sum() + c.sum()).backward()
result = [repr(m), list(m.state_dict()), out.detach(), h.detach(), c.detach(),
    plain([p.grad for p in m.parameters()]), [attempt(f) for f in (lambda: nn.LSTM(3, 4,
    proj_size=4), lambda: nn.GRU(3, 4, proj_size=2), lambda: nn.LSTM(3, 4, proj_size=-1),
    lambda: nn.LSTM(3., 4), lambda: nn.GRU(3, 4)(torch.ones(0, 1, 3)), lambda: nn.GRU(3,
    4)(torch.ones(1, 1, 3).double()))]]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_rnn(title: str, text: str) -> None:
    both(source(SETUP + text))


def test_signatures_tell_what_they_take() -> None:
    lstm, gru, rnn = (
        [*inspect.signature(each).parameters]
        for each in (graphwidget.nn.LSTM, graphwidget.nn.GRU, graphwidget.nn.RNN)
    )
    assert gru == [name for name in lstm if name != "proj_size"]
    assert rnn == [*gru[:3], "nonlinearity", *gru[3:]]
