"""Attention and transformers against PyTorch: values, gradients, masks and errors."""

import pytest

from tests.both import both, programs, source

SETUP = """
nn, F = torch.nn, torch.nn.functional
inf = float("inf")
torch.manual_seed(0)
def show(out, *leaves):
    out.sum().backward() if out.ndim == 0 else (out * out.detach().cos()).sum().backward()
    return [out.detach(), plain([x.grad for x in leaves if x.grad is not None])]
def rand(*shape):
    return torch.randn(*shape, requires_grad=True)
"""

PROGRAMS = """
# scaled dot products
def case(mask=None, shape=(2, 2, 4, 6), **o):
    q, k, v = rand(*shape), rand(*shape), rand(*shape)
    return show(F.scaled_dot_product_attention(q, k, v, mask, **o), q, k, v)
blind = torch.tensor([[True, False, False, True], [False] * 4, [True] * 4, [False, True] * 2])
result = [case(), case(is_causal=True), case(torch.randn(4, 4)), case(blind), case(scale=.3),
    case(shape=(3, 5)), case(shape=(3, 4, 5)), case(torch.where(blind, 0., -inf))]
q, k, v = rand(1, 4, 3, 2), rand(1, 2, 3, 2), rand(1, 2, 3, 2)
result.append(show(F.scaled_dot_product_attention(q, k, v, enable_gqa=True), q, k, v))
q, k, mask = rand(1, 2, 4, 3), rand(1, 2, 4, 3), torch.zeros(4, 4)
result += [F.scaled_dot_product_attention(q, k, k, m).grad_fn._saved_attn_mask for m in (blind,
    mask, None)]

# several heads
def case(q, k=None, v=None, make={}, **o):
    torch.manual_seed(1)
    m = nn.MultiheadAttention(4, 2, **make)
    k = q if k is None else k
    v = k if v is None else v
    out, w = m(q, k, v, **o)
    return [repr(m), list(m.state_dict()), w, *show(out, q, k, v, *m.parameters())]
x, y = rand(3, 2, 4), rand(5, 2, 4)
hidden = torch.tensor([[False, False, True], [False, True, True]])
ahead = torch.triu(torch.ones(3, 3, dtype=torch.bool), 1)
result = [case(x), case(x, y), case(x, y, rand(5, 2, 4)), case(x, need_weights=False), case(x, y,
    need_weights=False), case(x, average_attn_weights=False), case(x, make=dict(bias=False)),
    case(x, key_padding_mask=hidden), case(x, attn_mask=ahead), case(x, attn_mask=ahead,
    key_padding_mask=hidden, need_weights=False), case(x, attn_mask=ahead, is_causal=True,
    need_weights=False), case(x, attn_mask=torch.randn(4, 3, 3)), case(rand(3, 4)), case(rand(3,
    4), need_weights=False), case(rand(2, 3, 4), make=dict(batch_first=True)), case(rand(2, 3, 4),
    make=dict(batch_first=True), key_padding_mask=hidden), case(x, make=dict(add_bias_kv=True,
    add_zero_attn=True), key_padding_mask=hidden), case(x, rand(5, 2, 3), rand(5, 2, 7),
    make=dict(kdim=3, vdim=7))]

# several heads with dropout
torch.manual_seed(1)
m = nn.MultiheadAttention(4, 2, dropout=.4)
x = rand(3, 2, 4)
result = [m(x, x, x), m.eval()(x, x, x)]

# what several heads refuse
m = nn.MultiheadAttention(4, 2)
x = rand(3, 2, 4)
result = [attempt(f) for f in (lambda: nn.MultiheadAttention(4, 3), lambda: nn.MultiheadAttention(0,
    1), lambda: m(x, x, x, attn_mask=torch.zeros(2, 2)), lambda: m(x, x, x,
    attn_mask=torch.zeros(1, 3, 3)), lambda: m(x, x, x, is_causal=True), lambda: m(x, x, x,
    attn_mask=torch.zeros(3, 3, dtype=torch.int64)), lambda: m(x, x, x,
    attn_mask=torch.zeros(3, 3), key_padding_mask=torch.zeros(2, 3, dtype=torch.bool))[1])]

# the encoder's layer
def case(src, make={}, **o):
    torch.manual_seed(2)
    m = nn.TransformerEncoderLayer(4, 2, 8, dropout=0., **make)
    return [repr(m), list(m.state_dict()), *show(m(src, **o), src, *m.parameters())]
x = rand(3, 2, 4)
hidden = torch.tensor([[False, False, True], [False, True, True]])
result = [case(x), case(x, dict(norm_first=True)), case(x, dict(activation="gelu")), case(x,
    dict(activation=nn.Tanh(), bias=False)), case(rand(2, 3, 4), dict(batch_first=True),
    src_key_padding_mask=hidden), case(x, src_mask=torch.triu(torch.full((3, 3), -inf), 1)),
    attempt(lambda: nn.TransformerEncoderLayer(4, 2, activation="x"))]

# the encoder's layer with dropout
torch.manual_seed(2)
m = nn.TransformerEncoderLayer(8, 2, 16, dropout=.2)
x = rand(3, 2, 8)
result = [m(x), m.eval()(x)]

# encoders
torch.manual_seed(2)
layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0., batch_first=True)
m = nn.TransformerEncoder(layer, 2, nn.LayerNorm(4))
x = rand(2, 3, 4)
mask = nn.Transformer.generate_square_subsequent_mask(3)
result = [repr(m), list(m.state_dict()), show(m(x), x, *m.parameters()), m(x, mask=mask), mask,
    m(x, mask=mask, is_causal=True)]

# what an encoder gives for padding at the ends, in evaluation
torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
x = torch.randn(3, 4, 4)
masks = [torch.tensor(m) for m in ([[0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]], [[0, 1, 0, 1],
    [0, 0, 0, 1], [0, 0, 0, 0]])]
result = []
for norm in (None, nn.LayerNorm(4)):
    for options in ({}, {"mask_check": False}, {"enable_nested_tensor": False}):
        net = nn.TransformerEncoder(layer, 2, norm, **options).eval()
        for padding in masks[:1] if "mask_check" in options else masks:
            with torch.no_grad():
                result.append(net(x, src_key_padding_mask=padding.bool()))
            result.append(net(x, src_key_padding_mask=padding.bool()).detach().clone())
        result.append(net.requires_grad_(False)(x, src_key_padding_mask=masks[0].bool()))
        net.requires_grad_()
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_attention(title: str, text: str) -> None:
    both(source(SETUP + text))
