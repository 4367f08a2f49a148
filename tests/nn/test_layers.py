"""Every layer against PyTorch's: repr, starting values, state dict, values, gradients, graph."""

from pathlib import Path

import pytest

from tests.compare_engines import both, programs, source

LAYERS = Path(__file__).with_name("layers.txt").read_text("utf-8").splitlines()[1:]
SETUP = """
nn = torch.nn
torch.manual_seed(0)
def show(layer, *shapes, calls=2, grads=True):
    inputs = [torch.randn(*s) if isinstance(s, tuple) else s for s in shapes]
    for x in inputs:
        if grads and x.is_floating_point():
            x.requires_grad_()
    seen = [repr(layer), list(layer.state_dict()), list(layer.parameters())]
    for mode in (True, False):
        layer.train(mode)
        for _ in range(calls):
            out = layer(*inputs)
            outs = out if isinstance(out, tuple) else (out,)
            loss = sum((o * o.detach().cos()).sum() for o in outs if o.is_floating_point())
            if loss.requires_grad:
                loss.backward()
            seen.append([list(outs), graph(outs[0].grad_fn)])
    return [*seen, plain([x.grad for x in inputs if x.grad is not None]),
        plain([p.grad for p in layer.parameters() if p.grad is not None]), list(layer.buffers())]
"""

ACTIVATIONS = """
nn.ReLU() nn.ReLU6() nn.LeakyReLU() nn.LeakyReLU(.2) nn.ELU() nn.ELU(.5) nn.SELU()
nn.SiLU() nn.Mish() nn.GELU() nn.GELU("tanh") nn.Sigmoid() nn.LogSigmoid() nn.Hardsigmoid()
nn.Hardswish() nn.Tanh() nn.Softsign() nn.Softplus() nn.Softplus(2.,1.)
nn.Hardtanh() nn.Hardtanh(-.5,.2)
nn.Threshold(.1,20.) nn.Softmax(1) nn.Softmax(-1) nn.Softmax() nn.LogSoftmax(1)
nn.GLU() nn.GLU(0) nn.PReLU() nn.PReLU(4,.1)
"""

INPLACE = """
nn.ReLU(True) nn.ReLU6(True) nn.LeakyReLU(.1,True) nn.Threshold(0.,1.,True) nn.ELU(1.,True)
nn.SELU(True) nn.SiLU(True) nn.Mish(True) nn.Hardsigmoid(True) nn.Hardswish(True)
nn.Hardtanh(-1.,1.,True) nn.Dropout(.5,True)
"""


@pytest.mark.parametrize("call", LAYERS)
def test_layer(call: str) -> None:
    both(source(f"{SETUP}result = show({call})"))


@pytest.mark.parametrize("call", ACTIVATIONS.split())
def test_activation(call: str) -> None:
    both(source(f"{SETUP}result = show({call}, (4, 4), calls=1)"))


@pytest.mark.parametrize("call", INPLACE.split())
def test_in_place(call: str) -> None:
    both(
        source(f"""{SETUP}
layer = {call}
x = torch.randn(3, 4, requires_grad=True)
y = x * 1
z = layer(y)
z.sum().backward()
result = [repr(layer), z is y, z, y._version, x.grad, graph(z.grad_fn)]""")
    )


PROGRAMS = """
# wrong options
F = nn.functional
result = [attempt(f) for f in (lambda: nn.Conv2d(3, 4, 3, groups=2), lambda: nn.Conv2d(4, 3, 3,
    groups=2), lambda: nn.Conv2d(1, 1, 1, groups=0), lambda: nn.Conv2d(1, 1, 3, 2, "same"),
    lambda: nn.ConvTranspose2d(1, 1, 3, padding_mode="reflect"), lambda: nn.GroupNorm(2, 3),
    lambda: nn.Dropout(2.), lambda: nn.Hardtanh(2., 1.), lambda: nn.Embedding(3, 2, 7),
    lambda: nn.Embedding(3, 2, _weight=torch.ones(2, 2)), lambda: nn.Unflatten(1, 3),
    lambda: nn.Unflatten(1, (2, "x")), lambda: nn.BatchNorm1d(3)(torch.ones(3)),
    lambda: nn.BatchNorm2d(3)(torch.ones(3, 3)),
    lambda: nn.Embedding.from_pretrained(torch.ones(2)),
    lambda: nn.LayerNorm(3)(torch.ones(2, 4)))]

# batch norm frozen and reset
b = nn.BatchNorm1d(2)
b(torch.randn(4, 2))
a = [t.clone() for t in b.buffers()]
b.eval()
y = b(torch.randn(3, 2))
b.reset_running_stats()
result = [a, y, list(b.buffers())]

# starting values, in one go
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(36, 10), nn.LayerNorm(10), nn.Embedding(4, 4),
    nn.ConvTranspose2d(2, 2, 2), nn.PReLU())
result = [repr(net), list(net.parameters()), torch.rand(2)]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_layers(title: str, text: str) -> None:
    both(source(SETUP + text))
