"""Samples of losses."""

from __future__ import annotations

from .sample import Sample, each

SAMPLES: dict[str, list[Sample]] = {
    "mse_loss": each([((2, 3), (2, 3)), ((), ())], "torch.nn.functional.mse_loss(x, y)",
                     "torch.nn.functional.mse_loss(x, y, reduction='sum')",
                     "torch.nn.functional.mse_loss(x, y, reduction='none')", integers=False),
    "mse_loss_backward": each(
        [((2, 3), (2, 3))],
        "torch.autograd.grad(torch.nn.functional.mse_loss(x, y), x, create_graph=True)[0]",
        integers=False,
    ),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
