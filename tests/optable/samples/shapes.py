"""Samples of shapes and views."""

from __future__ import annotations

from .sample import FILLED, MATRIX, SQUARE, Sample, each, one

SAMPLES: dict[str, list[Sample]] = {
    "view": each(MATRIX, "x.view(-1)", "x.reshape(-1, 3)", "x.flatten()", "x.view(1, -1, 3)",
                 "x.ravel()", "x.unflatten(1, (-1, 1))", "x.view_as(x)", "x.t().ravel()"),
    "reshape_alias": each(SQUARE, "x[:, :2].reshape(-1, 1, 2)", "x[::2, 0].reshape(2, 1)"),
    "unsafe_view": each(MATRIX, "x.t().reshape(-1)"),
    "alias": one("x[...]"),
    "t": each([((2, 3),), ((3,),), ((),)], "x.t()", "x.t().exp()"),
    "t_inplace": each(MATRIX, "(x * 1).t_()"),
    "transpose_inplace": each(FILLED, "(x * 1).transpose_(0, 1)"),
    "unsqueeze_inplace": one("(x * 1).unsqueeze_(0)"),
    "squeeze_inplace": each([((2, 1, 3),), ((1, 1),)], "(x * 1).squeeze_()"),
    "squeeze_inplace.dim": each([((2, 1, 3),)], "(x * 1).squeeze_(1)", "(x * 1).squeeze_(0)"),
    "squeeze_inplace.dims": each([((2, 1, 3),)], "(x * 1).squeeze_((0, 1))"),
    "transpose": each(FILLED, "x.transpose(0, 1)", "x.transpose(-1, 0) * 2", "x.mT", "x.mH",
                      "x.swapaxes(-1, -2)", "x.swapdims(0, 1)", "x.adjoint()")
    + each(MATRIX, "x.H") + each([((),)], "x.transpose(0, -1)"),
    "permute": each(MATRIX, "x.permute(1, 0)", "x.T", "x.permute(-1, 0)")
    + each([((2, 1, 3),)], "x.movedim(0, 2)", "torch.moveaxis(x, (0, 1), (-1, 0))",
           "x.permute((2, 0, 1)).exp()"),
    "unsqueeze": one("x.unsqueeze(0)") + one("x[None]") + one("x.unsqueeze(-1)"),
    "squeeze": each([((2, 1, 3),), ((1, 1),), ((),)], "x.squeeze()"),
    "squeeze.dim": each([((),)], "x.squeeze(0)")
    + each([((2, 1, 3),)], "x.squeeze(1)", "x.squeeze(0)", "x.squeeze(-2)"),
    "squeeze.dims": each([((2, 1, 3),)], "x.squeeze((0, 1))"),
    "expand": each([((1, 3),), ((3,),)], "x.expand(2, 3)", "x.expand(2, -1)",
                   "torch.broadcast_to(x, (2, 3))", "torch.broadcast_tensors(x, x[None])")
    + each([((2, 3),)], "x.expand(4, 2, 3)", "x.expand(2, 3)"),
    "select": each(FILLED, "x[0]", "x[-1]", "x.select(-1, 1)", "x[1, 0]", "x[..., 0]"),
    "select_backward": each(
        FILLED, "torch.autograd.grad((x[0] ** 2).sum(), x, create_graph=True)[0]"
    ),
    "slice": each(FILLED, "x[1:]", "x[:, :1]", "x[::2]", "x[:]", "x.narrow(0, 1, 1)", "x[5:]",
                  "x[-1:]", "x[..., :-1]", "x.tensor_split(2, -1)", "x.tensor_split((1, 2), -1)"),
    "slice_backward": each(
        FILLED, "torch.autograd.grad((x[1:] ** 2).sum(), x, create_graph=True)[0]"
    ),
    "diagonal": each(MATRIX, "x.diagonal()", "torch.diagonal(x, 1)"),
    "diagonal_backward": each(
        MATRIX, "torch.autograd.grad((x.diagonal() ** 2).sum(), x, create_graph=True)[0]"
    ),
    "unbind": each(FILLED, "x.unbind()", "x.unbind(-1)", "tuple(x)", "x.unbind()[0] * 2"),
    "split": each(FILLED, "x.split(1)", "x.split(2, -1)", "x.chunk(2, -1)", "x.chunk(5)"),
    "split.sizes": each(FILLED, "x.split([1, 1])", "x.split([1, 2], -1)",
                        "x.split_with_sizes([0, 3], -1)"),
    "diagonal_copy": each(MATRIX, "torch.diag(x)", "torch.diag(x, 1)", "x.diag(-1)"),
    "unfold": each([((5,),)], "x.unfold(0, 2, 1)", "x.unfold(0, 2, 3)", "x.unfold(-1, 3, 2)")
    + each([((3, 4),)], "x.unfold(0, 2, 1)", "x.unfold(1, 4, 1)", "x.unfold(1, 1, 2)")
    + each([((),)], "x.unfold(0, 1, 1)"),
    "unfold_backward": each(
        [((5,),)], "torch.autograd.grad((x.unfold(0, 3, 1) ** 2).sum(), x, create_graph=True)[0]"
    ),
    "as_strided": each(
        [((2, 3),), ((3, 3),)], "x.as_strided((2, 2), (1, 2))", "x.as_strided((2, 2), (1, 2), 1)",
        "x.as_strided((3, 2), (1, 1))", "x[1:].as_strided((2,), (1,))",
    ),
    "put_strided": each(
        [((2, 3),)],
        "torch.autograd.grad((x.as_strided((3, 2), (1, 1)) ** 2).sum(), x, create_graph=True)[0]",
        "torch.autograd.grad((x[1:].as_strided((2, 2), (2, 1), 1) ** 2).sum(), x, "
        "create_graph=True)[0]",
    ),
    "shared_out": each(
        [((2, 1),)],
        "torch.autograd.grad((x.expand(2, 3).as_strided((2, 2), (1, 0)) ** 2).sum(), x, "
        "create_graph=True)[0]",
    ),
    "as_strided_inplace": each([((2, 3),)], "(x * 1).as_strided_((2, 2), (1, 2))"),
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = [
    ("x.t()", "z.t_()"),
    ("x.unsqueeze(0)", "z.unsqueeze_(0)"),
    ("x.transpose(0, 1)", "z.transpose_(0, 1)"),
    ("x[None].squeeze()", "z.unsqueeze_(0).squeeze_()"),
]
