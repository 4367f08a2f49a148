"""Samples of ops that join, repeat, turn and pad."""

from __future__ import annotations

from .sample import FILLED, Sample, each, one


def derivative(text: str) -> str:
    """The gradient of the sum of squares, with its own graph."""
    return f"torch.autograd.grad(({text} ** 2).sum(), x, create_graph=True)[0]"


SAMPLES: dict[str, list[Sample]] = {
    "cat": each([((2, 3), (1, 3)), ((2, 3), (2, 3)), ((0, 3), (2, 3)), ((0,), (2, 3))],
                "torch.cat([x, y])", "torch.concat((y, x), axis=0)",
                "torch.cat([x.long(), y])")
    + each([((2, 3), (2, 3))], "torch.hstack([x, y])", "torch.vstack([x, y])",
           "torch.column_stack([x, y[:, 0]])")
    + each([((3,), (3,)), ((), ())], "torch.hstack([x, y])", "torch.vstack([x, y])",
           "torch.column_stack([x, y])")
    + each(FILLED, "torch.cat([x, x * 2], 1)", "torch.cat([x, x.double()], -1)"),
    "stack": each([((2, 3), (2, 3))], "torch.stack([x, y])", "torch.stack([x, y, x], -1)",
                  "torch.stack([x, y.double()], 1)"),
    "block_diag": each([((2, 3), (3,)), ((), (2, 2))], "torch.block_diag(x, y)",
                       "torch.block_diag(y, x.double(), y)"),
    "repeat": each(FILLED, "x.repeat(2, 1, 3)", "x.tile(2)", "torch.tile(x, (2, 2))")
    + each([((3,),), ((),)], "x.repeat(2)", "x.repeat(2, 3)", "x.repeat(0)"),
    "zeros_of": each(FILLED, derivative("x.index_select(0, torch.tensor([0]))")),
    "flip": each(FILLED, "x.flip(0)", "x.flip(0, -1)", "torch.flip(x, (1,))")
    + one("x.flip(())"),
    "roll": each(FILLED, "x.roll(1)", "x.roll(-1, 0)", "x.roll((1, 2), (0, 1))",
                 "torch.roll(x, 5, -1)"),
    "tril": each(FILLED, "x.tril()", "x.tril(1)", "torch.tril(x, -1)"),
    "triu": each(FILLED, "x.triu()", "x.triu(1)", "torch.triu(x, -1)"),
    "diag_embed": each([((3,),), ((2, 3),), ((0,),)], "x.diag_embed()", "x.diag_embed(1)",
                       "x.diag_embed(-1, 0, 1)", "torch.diagflat(x)")
    + each([((3,),)], "torch.diag(x)", "torch.diag(x, -1)"),
    "constant_pad_nd": each(
        FILLED, "torch.nn.functional.pad(x, (1, 2))", "torch.nn.functional.pad(x, (1, 0, 0, 2))",
        "torch.nn.functional.pad(x, (-1, 1), value=2.)", "torch.nn.functional.pad(x, ())",
    ),
}  # fmt: skip
for _name, _mode in (("reflection", "reflect"), ("replication", "replicate")):
    for _count, _shape, _pad in (
        (1, (2, 3), "(1, 2)"), (2, (2, 3, 4), "(1, 2, 2, 0)"),
    ):  # fmt: skip
        _text = f"torch.nn.functional.pad(x, {_pad}, mode={_mode!r})"
        _shapes = [(_shape,), ((2, *_shape),)]
        SAMPLES[f"{_name}_pad{_count}d"] = each(_shapes, _text, integers=False)
        SAMPLES[f"{_name}_pad{_count}d_backward"] = each(_shapes, derivative(_text))

IN_PLACE: list[tuple[str, str]] = [("x.tril()", "z.tril_()"), ("x.triu(1)", "z.triu_(1)")]
