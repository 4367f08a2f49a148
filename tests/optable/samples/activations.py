"""Samples of activation functions and softmax."""

from __future__ import annotations

from .sample import FILLED, ONE, WITH_DIM, Sample, each, floats, slope

SAMPLES: dict[str, list[Sample]] = {
    "threshold": each(ONE, "F.threshold(x, 0.4, 20)", "torch.threshold(x, 1, 2.5)"),
    "leaky_relu": floats("F.leaky_relu(x, 0.1)", "F.leaky_relu(x)"),
    "leaky_relu.written": floats("torch.nn.functional.leaky_relu(x * 1, 0.1, inplace=True)"),
    "threshold.written": each(ONE, "torch.threshold_(x * 1, 0.4, 20)"),
    "leaky_relu_backward": slope("F.leaky_relu(x)"),
    "hardtanh": each(ONE, "F.hardtanh(x, -1.5, 1.)", "F.relu6(x * 4)"),
    "hardtanh_backward": slope("F.hardtanh(x)"),
    "prelu_kernel_backward": slope("F.prelu(x, x[0, :1] * 2)", shapes=FILLED[:1]),
    "prelu_kernel": [Sample("F.prelu(x, y)", [((2, 3), (3,)), ((2, 3), (1,)), ((4,), (1,)),
                      ((2, 3, 2), (3,)), ((), ()), ((0, 3), (3,))], integers=False)],
    "hardswish": floats("F.hardswish(x)", "F.hardswish(x * 3)"),
    "hardswish_backward": slope("F.hardswish(x)"),
    "hardsigmoid": floats("F.hardsigmoid(x).detach()"),
    "hardsigmoid_backward": floats(
        "torch.autograd.grad(F.hardsigmoid(x * 2).sum(), x, create_graph=True)[0].detach()"),
    "elu": floats("F.elu(x)", "F.elu(x, 2.0)", "F.selu(x)"),
    "elu.written": floats("F.elu(x * 1, 2.0, inplace=True)", "torch.selu_(x * 1)"),
    "elu_backward": slope("F.elu(x, 1.5)"),
    "gelu": floats("F.gelu(x)", "F.gelu(x, approximate='tanh')"),
    "gelu_backward": slope("F.gelu(x)", "F.gelu(x, approximate='tanh')"),
    "silu": floats("F.silu(x)"),
    "mish": floats("F.mish(x)", "F.mish(x * 3)"),
    "softplus": floats("F.softplus(x)", "F.softplus(x * 30)", "F.softplus(x, 2, 1)"),
    "softplus_backward": slope("F.softplus(x)"),
    "log_sigmoid": floats("F.logsigmoid(x)", "F.logsigmoid(x * 500)"),
    "log_sigmoid_backward": slope("F.logsigmoid(x)"),
    "glu": [Sample("F.glu(x)", [((4,),), ((2, 4),)], integers=False),
            Sample("F.glu(x, 0)", [((4,),), ((2, 4, 3),)], integers=False)],
    "glu_backward": [Sample(
        "torch.autograd.grad((F.glu(x) ** 2).sum(), x, create_graph=True)[0]",
        [((4,),), ((2, 4),)], integers=False)],
    "softmax": [Sample(text, WITH_DIM, integers=False)
                for text in ("x.softmax(-1)", "torch.softmax(x, 0)")],
    "softmax_backward_data": [Sample(
        "torch.autograd.grad((x.softmax(-1) ** 2).sum(), x, create_graph=True)[0]",
        WITH_DIM, integers=False)],
    "log_softmax": [Sample(text, WITH_DIM, integers=False)
                    for text in ("x.log_softmax(-1)", "torch.log_softmax(x, 0)")],
    "log_softmax_backward_data": [Sample(
        "torch.autograd.grad((x.log_softmax(-1) ** 2).sum(), x, create_graph=True)[0]",
        WITH_DIM, integers=False)],
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = [
    ("F.relu(x)", "F.relu(z, inplace=True)"),
    ("F.leaky_relu(x)", "F.leaky_relu(z, inplace=True)"),
    ("F.hardtanh(x)", "F.hardtanh(z, inplace=True)"),
    ("F.relu6(x)", "F.relu6(z, inplace=True)"),
    ("F.hardswish(x)", "F.hardswish(z, inplace=True)"),
    ("F.elu(x)", "F.elu(z, inplace=True)"),
    ("F.selu(x)", "F.selu(z, inplace=True)"),
    ("F.silu(x)", "F.silu(z, inplace=True)"),
    ("F.mish(x)", "F.mish(z, inplace=True)"),
    ("torch.threshold(x, 1, 2)", "torch.threshold_(z, 1, 2)"),
]
