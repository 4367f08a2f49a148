"""Samples of ops that change the number of points."""

from __future__ import annotations

from .convolution import grads
from .sample import Sample, Shapes, each

F = "torch.nn.functional"
IMAGES: list[Shapes] = [((2, 2, 5, 6),), ((2, 4, 3),)]
BATCH: list[Shapes] = [((2, 4, 5, 6),)]
SIGNALS: list[Shapes] = [((2, 3, 7),)]
EVEN: list[Shapes] = [((2, 4, 4, 6),)]
FACTORS: list[Shapes] = [((2, 3, 4), (2, 3, 5))]


def resized(mode: str, *more: str) -> list[str]:
    """Larger, smaller and by a factor."""
    sizes = ("size=8", "size=3", "scale_factor=1.7")
    return [f"{F}.interpolate(x, {size}, mode='{mode}')" for size in sizes] + [
        f"{F}.interpolate(x, size=9, mode='{mode}', {each})" for each in more
    ]


ALIGNED = "align_corners=True"
BACK = [
    *(("nearest", "nearest", i, given) for i, given in enumerate((SIGNALS, BATCH), 1)),
    *(("nearest_exact", "nearest-exact", i, given) for i, given in enumerate((SIGNALS, BATCH), 1)),
    ("linear", "linear", 1, SIGNALS), ("bilinear", "bilinear", 2, BATCH),
]  # fmt: skip

SAMPLES: dict[str, list[Sample]] = {
    "adaptive_avg_pool2d": each(
        IMAGES, f"{F}.adaptive_avg_pool2d(x, 2)", f"{F}.adaptive_avg_pool2d(x, (4, None))",
        f"{F}.adaptive_avg_pool2d(x, 1)", "torch.adaptive_avg_pool1d(x[0], 3)",
        integers=False),
    "adaptive_avg_pool2d_backward": each(
        IMAGES, grads(f"{F}.adaptive_avg_pool2d(x, (2, 3))", "x") + "[0]", integers=False),
    "upsample_nearest1d": each(SIGNALS, *resized("nearest"), integers=False),
    "upsample_nearest2d": each(BATCH, *resized("nearest"), integers=False),
    "upsample_nearest_exact1d": each(SIGNALS, *resized("nearest-exact"), integers=False),
    "upsample_nearest_exact2d": each(BATCH, *resized("nearest-exact"), integers=False),
    "upsample_linear1d": each(SIGNALS, *resized("linear", ALIGNED), integers=False),
    "upsample_bilinear2d": each(
        BATCH, *resized("bilinear", ALIGNED),
        f"{F}.interpolate(x, scale_factor=(1.5, 2), mode='bilinear', recompute_scale_factor=True)",
        integers=False),
    **{
        f"upsample_{key}{dims}d_backward": each(
            given, grads(f"{F}.interpolate(x, size=8, mode='{mode}')", "x") + "[0]",
            grads(f"{F}.interpolate(x, scale_factor=1.7, mode='{mode}')", "x") + "[0]",
            integers=False)
        for key, mode, dims, given in BACK
    },
    "im2col": each(
        IMAGES, f"{F}.unfold(x, 2)", f"{F}.unfold(x, (2, 3), padding=1, stride=2)",
        f"{F}.unfold(x, 2, dilation=2, padding=1)", integers=False),
    "col2im": each(
        BATCH, grads(f"{F}.unfold(x, 2)", "x") + "[0]",
        grads(f"{F}.unfold(x, (2, 3), padding=1, stride=2)", "x") + "[0]", integers=False),
    "pixel_shuffle": each(EVEN, f"{F}.pixel_shuffle(x, 2)", "torch.pixel_shuffle(x[0], 2)"),
    "pixel_unshuffle": each(EVEN, grads(f"{F}.pixel_shuffle(x, 2)", "x") + "[0]"),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
