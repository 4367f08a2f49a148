"""Samples of linear algebra."""

from __future__ import annotations

from .sample import Sample, each

SAMPLES: dict[str, list[Sample]] = {
    "mm": each([((2, 3), (3, 4)), ((0, 3), (3, 2)), ((2, 0), (0, 2))], "x @ y", "x.mm(y)"),
    "mv": each([((2, 3), (3,))], "x @ y", "x.mv(y)"),
    "ger": each([((2, 3), (3,))],
                "torch.autograd.grad((x @ y).sum(), x, create_graph=True)[0]", integers=False),
    "dot": each([((3,), (3,))], "x @ y", "x.dot(y)"),
    "bmm": each([((2, 3, 4), (2, 4, 1))], "x @ y", "x.bmm(y)")
    + each([((2, 3, 4), (4, 2)), ((3, 4), (2, 4, 1)), ((2, 3, 4), (4,))], "x @ y")
    + each([((4,), (2, 4, 3))], "x @ y"),
    "addmm": each([((2, 3), (4, 3))], "torch.nn.functional.linear(x, y, y[:, 0] * 1)",
                  integers=False),
    "addmm.scaled": each([((2, 3), (3, 2))], "torch.addmm(x @ y, x, y, beta=2, alpha=3)",
                         "torch.addmm(y[0], x, y, beta=0, alpha=2)"),
    "baddbmm": each([((2, 3, 4), (2, 4, 3))], "torch.baddbmm(x[:, :, :3], x, y)",
                    "torch.baddbmm(x[0, :, :3], x, y, beta=2, alpha=3)"),
    "linalg_cross": each([((2, 3), (2, 3)), ((2, 3), (1, 3))], "torch.linalg.cross(x, y)")
    + each([((3, 2), (3, 2))], "torch.cross(x, y, dim=0)"),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
