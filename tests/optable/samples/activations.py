"""Samples of activation functions and softmax."""

from __future__ import annotations

from .sample import ONE, WITH_DIM, Sample, one

SAMPLES: dict[str, list[Sample]] = {
    "leaky_relu": [Sample("torch.nn.functional.leaky_relu(x, 0.1)", ONE, integers=False)],
    "leaky_relu_backward": one(
        "torch.autograd.grad((torch.nn.functional.leaky_relu(x) ** 2).sum(), x, "
        "create_graph=True)[0]"
    ),
    "hardtanh": [*one("torch.nn.functional.hardtanh(x, -1.5, 1.)"),
                 *one("torch.nn.functional.relu6(x * 4)")],
    "hardtanh_backward": one(
        "torch.autograd.grad((torch.nn.functional.hardtanh(x) ** 2).sum(), x, "
        "create_graph=True)[0]"
    ),
    "silu": [Sample("torch.nn.functional.silu(x)", ONE, integers=False)],
    "softplus": [Sample("torch.nn.functional.softplus(x)", ONE, integers=False),
                 Sample("torch.nn.functional.softplus(x * 30)", ONE, integers=False)],
    "softplus_backward": [Sample(
        "torch.autograd.grad(torch.nn.functional.softplus(x).sum(), x, create_graph=True)[0]",
        ONE, integers=False)],
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

IN_PLACE: list[tuple[str, str]] = []
