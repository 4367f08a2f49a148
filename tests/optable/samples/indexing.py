"""Samples of indexing."""

from __future__ import annotations

from .sample import FILLED, Sample, each

SAMPLES: dict[str, list[Sample]] = {
    "index": each(FILLED, "x[x > 0]", "x[[0, 1, 0]]", "x[torch.tensor([1])]")
    + each([((2, 3),)], "x[[0, 1], [2, 0]]", "x[:, [0, 2]]", "x[torch.tensor([[0, 1]])]"),
    "index_backward": each(
        FILLED, "torch.autograd.grad((x[[0, 0]] ** 2).sum(), x, create_graph=True)[0]"
    ),
    "index_put": each(FILLED, "put(x * 1, [0], 2)", "put(x * 1, x > 0, 0.5)",
                      "put(x * 1, [1, 0], x * 3)"),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
