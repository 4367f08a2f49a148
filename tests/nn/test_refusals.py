"""What layers and their functions refuse, in PyTorch's words."""

from __future__ import annotations

import pytest

from tests.both import both, programs, source

HEAD = """
nn, F = torch.nn, torch.nn.functional
torch.manual_seed(0)
"""

PROGRAMS = """
# activations in place are called so
names = ("relu relu6 elu selu celu leaky_relu hardtanh hardsigmoid hardswish silu mish rrelu "
         "dropout").split()
result = [attempt(lambda: getattr(F, name)(None, inplace=here)) for name in names
    for here in (True, False)]
result += [attempt(lambda: F.threshold(None, 0, 0, inplace=True))]

# sequences have two dims or three
x = torch.ones(7)
layers = [nn.RNN(4, 5), nn.LSTM(4, 5), nn.GRU(4, 5)]
for first in (True, False):
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=first)
    other = nn.TransformerDecoderLayer(4, 2, 8, batch_first=first)
    decoder = nn.TransformerDecoder(other, 1)
    whole = nn.Transformer(4, 2, 1, 1, 8, batch_first=first)
    layers += [layer, nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)]
    layers += [lambda x, f=f: f(x, x) for f in (other, decoder, whole)]
result = [attempt(lambda: layer(x)) for layer in layers]

# recurrent layers ask for bools and for sizes above zero
result = [attempt(lambda: getattr(nn, kind)(*sizes, **options)) for kind in ("RNN", "GRU", "LSTM")
    for sizes, options in (((3, 5), {"bias": 0}), ((3, 5), {"bias": "True"}), ((-1, 5), {}),
    ((3, 5), {"batch_first": 1}), ((0, 5), {}), ((3, 0), {}), ((3., 5), {}), ((3, "5"), {}),
    ((0, 5), {"bias": 1}), ((3, 5), {"num_layers": 0}))]

# recurrent cells ask for states with one dim or two
x = torch.ones(3, 4)
states = [torch.ones(shape) for shape in ((3, 1, 1, 5), (), (5,), (3, 5))]
result = [attempt(lambda: getattr(nn, kind)(4, 5)(x, s).shape) for s in states
    for kind in ("RNNCell", "GRUCell")]
result += [attempt(lambda: nn.LSTMCell(4, 5)(x, (s, t))[0].shape) for s in states for t in states]

# circular padding asks for a sample or a batch
result = [attempt(lambda: getattr(nn, f"CircularPad{n}d")(1)(torch.ones((4,) * d)).shape)
    for n in (1, 2, 3) for d in range(1, 7)]

# variances may be the same along one dim
x, y = torch.ones(4, 3, 2), torch.zeros(4, 3, 2)
result = [attempt(lambda: F.gaussian_nll_loss(x, y, torch.ones(s))) for s in ((4, 3, 2), (4, 3),
    (4, 3, 1), (1, 3, 2), (4, 1, 2), (1, 3, 1), (1, 1, 1), (1,), (), (4, 2, 2), (2, 3, 2), (3, 2))]

# instance norm of another number of channels, and without a bias
layers = [nn.InstanceNorm1d(3, affine=a, bias=b) for a in (True, False) for b in (True, False)]
result = [(repr(m), list(m.state_dict()), attempt(lambda: m(torch.ones(2, n, 4)).shape),
    attempt(lambda: m(torch.ones(n, 4)).shape)) for m in layers for n in (3, 5)]

# adaptive pooling to no size
result = [attempt(lambda: getattr(F, f"adaptive_{kind}_pool{n}d")(torch.ones(1, 2, 3, 4), s))
    for kind in ("avg", "max") for n in (1, 2, 3) for s in ((), (1, 2), (1, 2, 3))]

# max_pool1d's own checks, and those of max_pool2d where indices are wanted
wrong = [dict(kernel_size=2, padding=-1), dict(kernel_size=2, padding=4), dict(kernel_size=0),
    dict(kernel_size=2, stride=0), dict(kernel_size=2, stride=-1), dict(kernel_size=2, dilation=0),
    dict(kernel_size=3, dilation=2, padding=3), dict(kernel_size=20), dict(kernel_size=(2, 2)),
    dict(kernel_size=2, padding=(1, 1)), dict(kernel_size=()), dict(kernel_size=2, stride=())]
result = [attempt(lambda: F.max_pool1d(torch.ones(s, requires_grad=wanted), return_indices=also,
    **kw)) for s in ((0, 1, 9), (3, 9), (9,), (2, 3, 0), (1, 2, 3, 9)) for kw in wrong
    for wanted in (False, True) for also in (False, True)]

# windows that walk backwards
result = [attempt(lambda: f(torch.ones(s), 2, stride)) for f, s in ((F.max_pool2d, (2, 4, 4)),
    (F.max_pool3d, (2, 4, 4, 4)), (F.avg_pool2d, (2, 4, 4)), (F.avg_pool3d, (2, 4, 4, 4)))
    for stride in (-1, 0, (1, -1, 1)[:len(s) - 1])]

# states of an LSTM with the wrong number of dims
x, m = torch.ones(4, 2, 3), nn.LSTM(3, 5)
states = [torch.ones(shape) for shape in ((1, 2, 5), (2, 5), (1, 5), (5,))]
result = [attempt(lambda: m(y, (h, c))[0].shape) for y in (x, x[:, 0]) for h in states
    for c in states]

# padding masks of another size, and heads that do not divide those of the queries
m, x = nn.MultiheadAttention(4, 2), torch.ones(3, 2, 4)
q, wrong = torch.ones(2, 4, 3, 5), ((3, 3), (2, 2), (3, 2))
result = [attempt(lambda: m(x, x, x, key_padding_mask=torch.zeros(s).bool())) for s in wrong]
result += [attempt(lambda: F.scaled_dot_product_attention(q, k, k, enable_gqa=True, dropout_p=p))
    for k in (q[:, :3], torch.ones(2, 8, 3, 5)) for p in (0., .5)]

# what is no probability, in the module, in the function and below
x = torch.ones(2, 3, 4, 2)
result = [attempt(lambda: nn.CrossEntropyLoss(label_smoothing=2.)(x[0, 0], torch.tensor([0, 1])))]
for p in (2., -1., 1.5, float("nan")):
    result += [attempt(lambda: f(p)) for f in (nn.Dropout, nn.AlphaDropout,
        lambda p: F.dropout(x, p), lambda p: F.dropout2d(x, p), lambda p: F.alpha_dropout(x, p),
        lambda p: torch.dropout(x, p, True), lambda p: torch.alpha_dropout(x, p, True))]
result += [attempt(lambda: F.scaled_dot_product_attention(x, x, x, dropout_p=p)) for p in (2, 1.5)]

# channels of samples without any
x = torch.ones(3, requires_grad=True)
result = [attempt(lambda: f(y, p)) for f in (F.dropout1d, F.dropout2d, F.dropout3d)
    for p in (0., 1., .5) for y in (x, x[0], x[:0], x[None], x[None, None], x[None, None, None])]

# sizes that a transposed convolution cannot have
m, x = nn.ConvTranspose2d(2, 2, 3, stride=2), torch.ones(1, 2, 4, 4)
result = [attempt(lambda: m(x, output_size=s).shape) for s in ((10, 10), (12, 10), [12, 10], (10,),
    (1, 2, 9, 10), (1, 2, 12, 10), torch.Size((3, 3)), (1, 9, 10))]

# statistics of instance norm may be of another type, weights may not
kinds, x = (torch.float32, torch.float64), torch.arange(24.).sin().view(2, 3, 4)
result = []
for kind in kinds:
    for kept in kinds:
        for weight in (None, torch.ones(3), torch.ones(3, dtype=torch.float64)):
            mean, var = torch.zeros(3, dtype=kept), torch.ones(3, dtype=kept)
            for own in (True, False):
                result += [attempt(lambda: F.instance_norm(x.to(kind), mean, var, weight, None,
                    own)), mean.clone(), var.clone()]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_refusals(title: str, text: str) -> None:
    both(source(HEAD + text))
