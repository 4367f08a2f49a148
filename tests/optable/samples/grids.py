"""Samples of grids and of pools undone."""

from __future__ import annotations

from .convolution import grads
from .sample import Sample, Shapes, each

F = "torch.nn.functional"
IMAGES: list[Shapes] = [((2, 3, 4, 5), (2, 3, 2, 2))]
VOLUMES: list[Shapes] = [((1, 2, 3, 4, 2), (1, 2, 2, 2, 3))]
MODES = [
    "align_corners=True",
    "padding_mode='border', align_corners=False",
    "padding_mode='reflection', align_corners=False",
    "padding_mode='reflection', align_corners=True",
    "mode='nearest', align_corners=False",
]
CUBIC = [
    "mode='bicubic', align_corners=False",
    "mode='bicubic', padding_mode='border', align_corners=True",
    "mode='bicubic', padding_mode='reflection', align_corners=False",
]
POOLED: list[Shapes] = [((2, 4, 4),)]
POOLED3: list[Shapes] = [((2, 2, 4, 3),)]

SAMPLES: dict[str, list[Sample]] = {
    "grid_sampler_2d": each(
        IMAGES, *(f"{F}.grid_sample(x, y / 2, {each})" for each in [*MODES, *CUBIC]),
        integers=False),
    "grid_sampler_3d": each(
        VOLUMES, *(f"{F}.grid_sample(x, y / 2, {each})" for each in MODES), integers=False),
    "grid_sampler_2d_backward": each(
        IMAGES, f"{F}.grid_sample(x, y / 2, align_corners=False) ** 2",
        f"{F}.grid_sample(x, y / 2, {CUBIC[1]}) ** 2", integers=False),
    "grid_sampler_3d_backward": each(
        VOLUMES, f"{F}.grid_sample(x, y / 2, align_corners=False) ** 2", integers=False),
    "grid_sampler_second": each(
        IMAGES, grads(grads(f"{F}.grid_sample(x, y / 2, align_corners=True)") + "[1]")
        + "[0].detach()",
        integers=False),
    "affine_grid_generator": [
        *each([((2, 2, 3),)], f"{F}.affine_grid(x, (2, 1, 3, 4), align_corners=False)",
              f"{F}.affine_grid(x, [2, 1, 3, 2], align_corners=True)", integers=False),
        *each([((1, 3, 4),)], f"{F}.affine_grid(x, (1, 1, 2, 3, 2), align_corners=False)",
              integers=False),
    ],
    "affine_base": each(
        [((2, 2, 3),)], f"{F}.affine_grid(x, (2, 1, 3, 4), align_corners=True) ** 2",
        integers=False),
    "max_unpool2d": each(
        POOLED, f"{F}.max_unpool2d(*{F}.max_pool2d(x, 2, return_indices=True), 2)",
        f"{F}.max_unpool1d(*{F}.max_pool1d(x, 2, return_indices=True), 2)",
        integers=False),
    "max_unpool3d": each(
        POOLED3, f"{F}.max_unpool3d(*{F}.max_pool3d(x, 2, return_indices=True), 2)",
        integers=False),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
