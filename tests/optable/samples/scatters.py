"""Samples of ops that read and write at indices, by masks and in parts of a copy."""

from __future__ import annotations

from .sample import Sample, each, one

I = "torch.tensor([1, 0, 1])"  # noqa: E741
J = "torch.tensor([[0, 1, 0], [1, 0, 1]])"
M = "torch.tensor([[True, False, True], [False, True, True]])"
PLANE = [((2, 3),)]
BOTH = [((2, 3), (2, 3))]
NUMBER = [((),)]


def derivative(text: str) -> str:
    """The gradient of the sum of squares, with its own graph."""
    return f"torch.autograd.grad(({text} ** 2).sum(), x, create_graph=True)[0]"


REDUCED = [
    f"x.scatter_reduce(0, {J}, y, {reduce!r}, include_self={own})"
    for reduce in ("sum", "prod", "mean", "amax", "amin") for own in (True, False)
] + [f"(x * 0).scatter_reduce(0, {J}, (y * 2).floor(), {reduce!r})"
     for reduce in ("prod", "amax", "amin")]  # fmt: skip

SAMPLES: dict[str, list[Sample]] = {
    "gather": each(PLANE, f"x.gather(0, {J})", f"torch.gather(x, -1, {J})",
                   f"x.gather(1, {J}[:, :1])", f"x.take_along_dim({J}[:1], 0)",
                   f"torch.take_along_dim(x, {J})", f"x.gather(0, {J}[:0])")
    + each(NUMBER, "x.gather(0, torch.tensor([0]))"),
    "scatter": each(BOTH, f"x.scatter(0, {J}, y)",
                    "x.scatter(-1, torch.tensor([[0, 2, 1], [1, 0, 2]]), y * x)",
                    "x.scatter(1, torch.tensor([[2, 0, 1], [0, 1, 2]]), y)"),
    "scatter.value": each(PLANE, f"x.scatter(0, {J}, 2)", f"x.scatter(1, {J}, value=-1)"),
    "scatter.joined": each(
        BOTH, f"x.detach().scatter(0, {J}, y.detach(), reduce='add')",
        f"x.detach().scatter(1, {J}, y.detach(), reduce='multiply')",
    ),
    "scatter.value_joined": each(
        PLANE, f"x.detach().scatter(0, {J}, 2, reduce='add')",
        f"x.detach().scatter(1, {J}, 3, reduce='multiply')",
    ),
    "scatter_add": each(BOTH, f"x.scatter_add(0, {J}, y)", f"torch.scatter_add(x, -1, {J}, y)",
                        f"x.scatter_add(0, {J}[:1], y[:1])"),
    "scatter_reduce": each(BOTH, *REDUCED),
    "index_select": each(PLANE, f"x.index_select(0, {I})", f"x.index_select(-1, {I})",
                         f"torch.index_select(x, 1, {I}.int())",
                         "x.repeat_interleave(torch.tensor([2, 1]), 0)",
                         "x.repeat_interleave(3)", "x.repeat_interleave(2, 1)")
    + each(NUMBER, "x.index_select(0, torch.tensor([0]))"),
    "index_add": each(BOTH, f"x.index_add(1, {I}, y)", f"x.index_add(-1, {I}, y, alpha=3)",
                      "x.index_add(0, torch.tensor([1, 1]), y)"),
    "delayed_error": each(BOTH, REDUCED[2]),
    "masked_fill": [*one("x.masked_fill(x > 0, 2)"),
                    *each([((3,),)], f"x.masked_fill({M}, -1)")],
    "masked_fill.tensor": each([((2, 3), ()), ((3,), ())], f"x.masked_fill({M}, y)",
                               "x.masked_fill(x > 0, y.double())"),
    "masked_scatter": each([((2, 3),)], derivative(f"x.masked_select({M})")),
    "masked_scatter_backward": each(
        [((2, 3),)], derivative(derivative(f"x.masked_select({M})"))),
    "masked_select": each([((2, 3),), ((3,),)], f"x.masked_select({M})",
                          f"torch.masked_select(x, {M}[0])"),
    "select_scatter": each([((2, 3), (3,))], "torch.select_scatter(x, y, 0, -1)",
                           "x.select_scatter(y[:2], -1, 1)"),
    "slice_scatter": each(BOTH, "torch.slice_scatter(x, y[:1], 0, 1)",
                          "x.slice_scatter(y[:, :2], -1, 0, 3, 2)", "x.slice_scatter(y)"),
    "diagonal_scatter": each([((2, 3), (2,))], "torch.diagonal_scatter(x, y)",
                             "x.diagonal_scatter(y, 1)"),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = [
    ("x.masked_fill(x > 1, 2.)", "z.masked_fill_(x > 1, 2.)"),
    ("x.masked_fill(x > 1, y[0, 0])", "z.masked_fill_(x > 1, y[0, 0])"),
    (f"x.scatter(0, {J}, y)", f"z.scatter_(0, {J}, y)"),
    (f"x.scatter(0, {J}, 2.)", f"z.scatter_(0, {J}, 2.)"),
    (f"x.scatter_add(0, {J}, y)", f"z.scatter_add_(0, {J}, y)"),
    (f"x.scatter_reduce(0, {J}, y, 'amax')", f"z.scatter_reduce_(0, {J}, y, 'amax')"),
    (f"x.scatter_reduce(0, {J}, y, 'mean')", f"z.scatter_reduce_(0, {J}, y, 'mean')"),
    (f"x.index_add(1, {I}, y, alpha=2)", f"z.index_add_(1, {I}, y, alpha=2)"),
]  # fmt: skip
