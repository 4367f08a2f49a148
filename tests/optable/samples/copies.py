"""Samples of views that are copied and of parts that are no views."""

from __future__ import annotations

from .sample import FILLED, MATRIX, ONE, WITH_DIM, Sample, each, one

SAMPLES: dict[str, list[Sample]] = {
    "alias_copy": one("torch.alias_copy(x)"),
    "as_strided_copy": each(FILLED, "torch.as_strided_copy(x, (2, 2), (1, 2))"),
    "detach_copy": one("torch.detach_copy(x.detach())"),
    "expand_copy": each(ONE, "torch.expand_copy(x, (2, *x.shape))"),
    "permute_copy": each(MATRIX, "torch.permute_copy(x, (1, 0))"),
    "select_copy": each(FILLED, "torch.select_copy(x, 0, 1)", "torch.select_copy(x, -1, -1)"),
    "slice_copy": each(WITH_DIM, "torch.slice_copy(x, 0, 1, 3)", "torch.slice_copy(x, 1, step=2)"),
    "split_copy": each(WITH_DIM, "torch.split_copy(x, 2)", "torch.split_copy(x, 1, dim=0)"),
    "split_copy.sizes": each(MATRIX, "torch.split_with_sizes_copy(x, (1, 2), 1)"),
    "squeeze_copy": one("torch.squeeze_copy(x)"),
    "squeeze_copy.dim": each(ONE[1:], "torch.squeeze_copy(x, -1)"),
    "squeeze_copy.dims": each(FILLED, "torch.squeeze_copy(x, (0, 1))"),
    "t_copy": each(MATRIX, "torch.t_copy(x)"),
    "transpose_copy": each(WITH_DIM, "torch.transpose_copy(x, 0, -1)"),
    "unbind_copy": each(FILLED, "torch.unbind_copy(x)", "torch.unbind_copy(x, dim=1)"),
    "unfold_copy": each(FILLED, "torch.unfold_copy(x, 0, 2, 1)"),
    "unsqueeze_copy": one("torch.unsqueeze_copy(x, 0)"),
    "view_copy": each(ONE, "torch.view_copy(x, (x.numel(),))"),
    "unsafe_split": each(WITH_DIM, "torch.unsafe_split(x, 2)", "x.unsafe_chunk(2)"),
    "unsafe_split.sizes": each(MATRIX, "torch.unsafe_split_with_sizes(x, (1, 2), 1)"),
    "filled": [*one("torch.fill(x, 2)"), *one("torch.fill(x, 0.5)")],
    "filled.tensor": one("torch.fill(x, x.sum())"),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
