"""Every layer against PyTorch's: repr, starting values, state dict, values, gradients, graph."""

import pytest

from tests.both import both, programs, source

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

LAYERS = """
nn.Linear(3, 4), (5, 3)
nn.Linear(3, 4, bias=False), (2, 5, 3)
nn.Linear(3, 2, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
nn.Identity(), (2, 3)
nn.DataParallel(nn.Linear(3, 2)), (4, 3)
nn.Flatten(), (2, 3, 4)
nn.Flatten(0, 1), (2, 3, 4)
nn.Unflatten(1, (2, 3)), (2, 6, 2)
nn.Conv1d(2, 3, 3), (2, 2, 7)
nn.Conv1d(2, 4, 3, stride=2, padding=1, dilation=2, groups=2, bias=False), (2, 2, 9)
nn.Conv1d(2, 3, 2, padding="same", padding_mode="circular"), (2, 2, 7)
nn.Conv2d(1, 4, 3), (2, 1, 6, 6)
nn.Conv2d(2, 4, (3, 2), stride=(2, 1), padding=(1, 0), groups=2), (2, 2, 6, 5)
nn.Conv2d(2, 2, 3, padding="same"), (2, 2, 5, 5)
nn.Conv2d(2, 2, 3, padding=1, padding_mode="reflect"), (1, 2, 5, 5)
nn.ConvTranspose1d(2, 3, 3, stride=2), (2, 2, 4)
nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1, output_padding=1), (1, 2, 3, 3)
nn.MaxPool1d(2), (2, 3, 7)
nn.MaxPool1d(3, stride=2, padding=1, ceil_mode=True), (2, 3, 7)
nn.MaxPool2d(2), (2, 3, 6, 6)
nn.MaxPool2d(3, 2, 1, return_indices=True), (2, 3, 7, 7)
nn.AvgPool1d(3, 2, 1), (2, 3, 7)
nn.AvgPool2d(2), (2, 3, 6, 6)
nn.AvgPool2d((3, 2), (2, 1), 1, True, False), (1, 2, 5, 5)
nn.BatchNorm1d(3), (6, 3)
nn.BatchNorm1d(3, momentum=None), (4, 3, 5)
nn.BatchNorm1d(3, affine=False, eps=1e-3), (4, 3)
nn.BatchNorm2d(3, momentum=.3), (4, 3, 2, 2)
nn.BatchNorm2d(3, track_running_stats=False), (4, 3, 2, 2)
nn.LayerNorm(4), (2, 3, 4)
nn.LayerNorm((3, 4), eps=1e-3), (2, 3, 4)
nn.LayerNorm(4, elementwise_affine=False), (2, 4)
nn.LayerNorm(4, bias=False), (2, 4)
nn.GroupNorm(2, 4), (3, 4, 2)
nn.GroupNorm(1, 4, affine=False), (3, 4)
nn.Embedding(5, 3), torch.tensor([[0, 1], [4, 0]])
nn.Embedding(5, 3, padding_idx=-1), torch.tensor([0, 4])
nn.Embedding.from_pretrained(torch.ones(3, 2)), torch.tensor([0, 2])
nn.Dropout(.3), (40,)
nn.Dropout(1.), (4,)
nn.AdaptiveAvgPool1d(3), (2, 3, 7)
nn.AdaptiveAvgPool2d((1, 1)), (2, 3, 5, 6)
nn.AdaptiveAvgPool2d((3, None)), (2, 3, 5, 6)
nn.AdaptiveMaxPool1d(3), (2, 3, 7)
nn.AdaptiveMaxPool2d((2, 3)), (2, 3, 5, 6)
nn.RMSNorm(4), (2, 4)
nn.RMSNorm([3, 4], eps=1e-3, elementwise_affine=False), (2, 3, 4)
nn.InstanceNorm1d(3), (2, 3, 5)
nn.InstanceNorm2d(3, affine=True, track_running_stats=True), (2, 3, 4, 4)
nn.Dropout1d(.5), (4, 3, 2)
nn.Dropout2d(.5), (4, 3, 2, 2)
nn.ConstantPad1d(1, 2.), (2, 3)
nn.ZeroPad2d((1, 2, 0, 1)), (1, 1, 3, 3)
nn.ZeroPad1d(2), (2, 3)
nn.ReflectionPad1d(2), (1, 2, 4)
nn.ReflectionPad2d(1), (1, 1, 3, 3)
nn.ReplicationPad2d(1), (1, 1, 3, 3)
nn.CircularPad1d((1, 2)), (1, 2, 4)
nn.ConstantPad2d(1, .5), (1, 3, 3)
nn.AlphaDropout(.3), (40,)
nn.CosineSimilarity(), (3, 4), (3, 4)
nn.PairwiseDistance(), (3, 4), (3, 4)
nn.MaxPool3d(2), (2, 3, 4, 4, 4)
nn.MaxPool3d(3, 2, 1, return_indices=True), (2, 4, 5, 4)
nn.AvgPool3d(2), (2, 3, 4, 4, 5)
nn.AvgPool3d((1, 2, 3), 1, (0, 1, 1), True, False, 5), (1, 2, 4, 4, 4)
nn.AdaptiveAvgPool3d((2, None, 3)), (2, 3, 4, 3, 5)
nn.AdaptiveAvgPool3d(1), (2, 4, 3, 5)
nn.AdaptiveMaxPool3d(2), (2, 3, 4, 3, 5)
nn.AdaptiveMaxPool3d((2, 1, 3), True), (2, 4, 3, 5)
nn.Upsample(scale_factor=2), (1, 2, 3, 4)
nn.Upsample(scale_factor=(2, 1.5), mode="bilinear", align_corners=True), (1, 2, 3, 4)
nn.Upsample(size=7, mode="linear"), (1, 2, 3)
nn.Upsample((4, 5, 6), mode="trilinear"), (1, 2, 3, 3, 3)
nn.Upsample((4, 5, 2), mode="area"), (1, 2, 3, 3, 3)
nn.UpsamplingNearest2d(5), (1, 2, 3, 4)
nn.UpsamplingBilinear2d(scale_factor=2), (1, 2, 3, 4)
nn.Unfold((2, 3), padding=1, stride=2), (2, 3, 5, 6)
nn.Fold((4, 5), (2, 3), padding=1), (2, 12, 25)
nn.PixelShuffle(2), (2, 8, 3, 2)
nn.PixelUnshuffle(2), (8, 4, 6)
nn.ChannelShuffle(2), (1, 4, 2, 3)
nn.LocalResponseNorm(2), (2, 4, 3)
nn.LocalResponseNorm(3, .1, .5, 2.), (2, 4, 3, 3)
nn.InstanceNorm3d(3, affine=True), (2, 3, 2, 3, 4)
nn.Dropout3d(.5), (2, 4, 2, 2, 2)
nn.FeatureAlphaDropout(.5), (4, 5, 2)
nn.ConstantPad3d(1, 2.), (1, 2, 2, 2, 2)
nn.ZeroPad3d((0, 1, 2, 1, 0, 1)), (1, 2, 2, 2, 2)
nn.ReflectionPad3d(1), (1, 2, 3, 3, 3)
nn.ReplicationPad3d((0, 1, 2, 1, 0, 1)), (1, 2, 2, 2, 2)
nn.CircularPad3d(1), (1, 2, 2, 2, 2)
"""

ACTIVATIONS = """
nn.ReLU() nn.ReLU6() nn.LeakyReLU() nn.LeakyReLU(.2) nn.ELU() nn.ELU(.5) nn.CELU(2.) nn.SELU()
nn.SiLU() nn.Mish() nn.GELU() nn.GELU("tanh") nn.Sigmoid() nn.LogSigmoid() nn.Hardsigmoid()
nn.Hardswish() nn.Tanh() nn.Tanhshrink() nn.Softsign() nn.Softplus() nn.Softplus(2.,1.)
nn.Softshrink() nn.Softshrink(.2) nn.Hardshrink() nn.Hardtanh() nn.Hardtanh(-.5,.2)
nn.Threshold(.1,20.) nn.Softmax(1) nn.Softmax(-1) nn.Softmax() nn.LogSoftmax(1) nn.Softmin(1)
nn.Softmin() nn.GLU() nn.GLU(0) nn.PReLU() nn.PReLU(4,.1) nn.RReLU()
nn.Sequential(nn.Identity(),nn.RReLU(.1,.1))
"""

INPLACE = """
nn.ReLU(True) nn.ReLU6(True) nn.LeakyReLU(.1,True) nn.Threshold(0.,1.,True) nn.ELU(1.,True)
nn.CELU(1.,True)
nn.SELU(True) nn.SiLU(True) nn.Mish(True) nn.Hardsigmoid(True) nn.Hardswish(True)
nn.Hardtanh(-1.,1.,True) nn.Dropout(.5,True)
"""


@pytest.mark.parametrize("call", LAYERS.strip().split("\n"))
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
# bilinear forms
b = nn.Bilinear(2, 3, 4)
c = nn.Bilinear(2, 3, 1, bias=False)
x, y = torch.randn(5, 2, requires_grad=True), torch.randn(5, 3, requires_grad=True)
out = b(x, y)
(out * out.detach().cos()).sum().backward()
result = [repr(b), repr(c), list(c.state_dict()), out.detach(), plain([x.grad, y.grad,
    b.weight.grad, b.bias.grad]), c(torch.ones(2, 5, 2), torch.ones(2, 5, 3)).detach()]

# wrong options
F = nn.functional
result = [attempt(f) for f in (lambda: nn.Conv2d(3, 4, 3, groups=2), lambda: nn.Conv2d(4, 3, 3,
    groups=2), lambda: nn.Conv2d(1, 1, 1, groups=0), lambda: nn.Conv2d(1, 1, 3, 2, "same"),
    lambda: nn.ConvTranspose2d(1, 1, 3, padding_mode="reflect"), lambda: nn.GroupNorm(2, 3),
    lambda: nn.Dropout(2.), lambda: nn.Hardtanh(2., 1.), lambda: nn.Embedding(3, 2, 7),
    lambda: nn.Embedding(3, 2, _weight=torch.ones(2, 2)), lambda: nn.Unflatten(1, 3),
    lambda: nn.Unflatten(1, (2, "x")), lambda: nn.Bilinear(0, 1,
    1), lambda: nn.BatchNorm1d(3)(torch.ones(3)), lambda: nn.BatchNorm2d(3)(torch.ones(3, 3)),
    lambda: nn.Softmax2d()(torch.ones(3)), lambda: nn.Embedding.from_pretrained(torch.ones(2)),
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
    nn.Flatten(), nn.Linear(36, 10), nn.LayerNorm(10), nn.Embedding(4, 4), nn.Bilinear(2, 2, 2),
    nn.ConvTranspose2d(2, 2, 2), nn.PReLU())
result = [repr(net), list(net.parameters()), torch.rand(2)]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_layers(title: str, text: str) -> None:
    both(source(SETUP + text))
