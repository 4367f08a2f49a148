"""Recurrent layers against PyTorch's: values, gradients, state dicts, starting values, errors."""

import pytest

from tests.core.both import both, programs, source

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

# wrong options and inputs
m = nn.LSTM(2, 3)
result = [attempt(f) for f in (lambda: nn.LSTM(2, 3, dropout=2.), lambda: nn.GRU(2, 0),
    lambda: nn.GRU(2, 3, 0), lambda: nn.RNN(2, 3, nonlinearity="x"), lambda: m(torch.ones(2)),
    lambda: m(torch.ones(2, 2, 5)), lambda: nn.GRU(2, 3)(torch.ones(4, 1, 2), torch.ones(1, 2,
    3)), lambda: nn.GRU(2, 3)(torch.ones(4, 2), torch.ones(1, 1, 3)),
    lambda: nn.GRUCell(2, 3)(torch.ones(1, 1, 2)))]

# dropout with one layer warns
result = repr(nn.GRU(2, 3, dropout=.5))
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_rnn(title: str, text: str) -> None:
    both(source(SETUP + text))
