"""Samples of convolution and pooling."""

from __future__ import annotations

from .sample import Sample, Shapes, each

F = "torch.nn.functional"

SIGNALS: list[Shapes] = [((2, 2, 7), (4, 2, 3))]
IMAGES: list[Shapes] = [((2, 2, 5, 6), (4, 2, 3, 2))]
GROUPED: list[Shapes] = [((2, 4, 5, 5), (6, 2, 3, 3))]
POOLED: list[Shapes] = [((2, 2, 6, 5),), ((2, 6, 7),)]


def grads(call: str, of: str = "(x, y)", square: bool = True) -> str:
    """The first derivatives of a call's square."""
    inner = f"({call} ** 2).sum()" if square else f"{call}.sum()"
    return f"torch.autograd.grad({inner}, {of}, create_graph=True)"


CONV2D = [
    f"{F}.conv2d(x, y)",
    f"{F}.conv2d(x, y, y[:, 0, 0, 0])",
    f"{F}.conv2d(x, y, padding=1, stride=2)",
    f"{F}.conv2d(x, y, stride=(2, 1), padding=(0, 2), dilation=(2, 1))",
    f"{F}.conv2d(x, y, padding='valid')",
    f"{F}.conv2d(x[0], y, y[:, 0, 0, 0])",
    "torch.conv2d(x, y[:, :, :1, :1])",
    f"{F}.conv2d(x[:0], y)",
]
TRANSPOSED = [
    f"{F}.conv_transpose2d(x, y.transpose(0, 1))",
    f"{F}.conv_transpose2d(x, y.transpose(0, 1), stride=2, padding=1, output_padding=(1, 0))",
    f"{F}.conv_transpose2d(x, y.transpose(0, 1), dilation=2, bias=y[:, 0, 0, 0])",
    f"{F}.conv_transpose2d(x, y.transpose(0, 1), dilation=(3, 2), output_padding=(2, 1))",
    f"{F}.conv_transpose2d(x, y.transpose(0, 1), stride=2, dilation=4, output_padding=(3, 2))",
    f"{F}.conv_transpose2d(x, y[:, :, :1, :1].transpose(0, 1), dilation=3, output_padding=2)",
]

SAMPLES: dict[str, list[Sample]] = {
    "convolution": [
        *each(SIGNALS, f"{F}.conv1d(x, y)", f"{F}.conv1d(x, y, y[:, 0, 0], 2, 1, 2)",
              f"{F}.conv1d(x, y, padding='same')", f"{F}.conv1d(x[0], y)",
              f"{F}.conv_transpose1d(x, y.transpose(0, 1), stride=3, output_padding=2)"),
        *each(IMAGES, *CONV2D),
        *each(GROUPED, f"{F}.conv2d(x, y, groups=2, padding=1)",
              f"{F}.conv2d(x, y, groups=2, padding='same')"),
        *each(IMAGES, *TRANSPOSED, integers=False),
        *each([((2, 2, 4, 4), (2, 3, 3, 3))], f"{F}.conv_transpose2d(x, y, groups=2)",
              integers=False),
    ],
    "convolution_backward": [
        *each(IMAGES, grads(CONV2D[2], "x") + "[0]", grads(TRANSPOSED[2], "x") + "[0]",
              grads(CONV2D[3], "y") + "[0]", grads(TRANSPOSED[2], "y") + "[0]", grads(CONV2D[1]),
              integers=False),
        *each(GROUPED, grads(f"{F}.conv2d(x, y, groups=2)"), integers=False),
    ],
    "max_pool2d_with_indices": each(
        POOLED, f"{F}.max_pool2d(x, 2)", f"{F}.max_pool2d(x, 3, 2, 1)",
        f"{F}.max_pool2d(x, (2, 3), (1, 2), ceil_mode=True)", f"{F}.max_pool1d(x[0], 2)",
        f"{F}.max_pool2d(x, 2, 1, dilation=2)", "torch.max_pool1d(x[0], 3, padding=1)",
        f"{F}.max_pool2d(x * 0, 2)",
        f"{F}.max_pool2d(torch.where(x > 1, torch.nan, x), 2).detach()"),
    "max_pool2d_with_indices_backward": each(
        POOLED, grads(f"{F}.max_pool2d(x, 3, 2, 1)", "x") + "[0]", integers=False),
    "max_pool_gather": each(
        POOLED, grads(f"{F}.max_pool2d(x, 3, 1, 1, ceil_mode=True)", "x") + "[0]", integers=False),
    "max_pool_scatter": each(
        POOLED, grads(grads(grads(f"{F}.max_pool2d(x, 2)", "x") + "[0]", "x") + "[0]", "x")
        + "[0].detach()", integers=False),
    "max_pool_indices": each(
        POOLED, f"{F}.max_pool2d(x, 2, return_indices=True)",
        f"{F}.max_pool2d(x, 3, 2, 1, return_indices=True)",
        f"{F}.max_pool2d(x, (2, 3), (1, 2), dilation=(1, 2), ceil_mode=True, return_indices=True)",
        f"{F}.max_pool1d(x[0], 2, return_indices=True)"),
    "avg_pool2d": each(
        POOLED, f"{F}.avg_pool2d(x, 2)", f"{F}.avg_pool2d(x, 3, 2, 1)",
        f"{F}.avg_pool2d(x, (2, 3), (1, 2), ceil_mode=True)", "torch.avg_pool1d(x[0], 2)",
        f"{F}.avg_pool2d(x, 3, 2, 1, True, count_include_pad=False)",
        f"{F}.avg_pool2d(x, 2, divisor_override=3)"),
    "avg_pool2d_backward": each(
        POOLED, grads(f"{F}.avg_pool2d(x, 3, 2, 1, True, False)", "x") + "[0]", integers=False),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
