"""Samples of every op of the table: expressions of x and y with the shapes to try them on."""

from __future__ import annotations

from typing import NamedTuple

Shape = tuple[int, ...]
Shapes = tuple[Shape, ...]

ONE: list[Shapes] = [((2, 3),), ((),), ((0, 3),), ((2, 1, 3),)]
TWO: list[Shapes] = [
    ((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2,)), ((2, 3), ()), ((0, 3), (3,)),
    ((), ()),
]  # fmt: skip
MATRIX: list[Shapes] = [((2, 3),), ((3, 3),)]
SQUARE: list[Shapes] = [((3, 3),)]
FILLED: list[Shapes] = [((2, 3),), ((2, 1, 3),)]
WITH_DIM: list[Shapes] = [((2, 3),), ((2, 1, 3),), ((3, 0),)]


class Sample(NamedTuple):
    """An expression and the shapes of its inputs; `positive` where its domain asks for it."""

    text: str
    shapes: list[Shapes]
    positive: bool = False
    integers: bool = True


def one(text: str, positive: bool = False) -> list[Sample]:
    return [Sample(text, ONE, positive)]


def two(*texts: str, positive: bool = False) -> list[Sample]:
    return [Sample(text, TWO, positive) for text in texts]


def each(shapes: list[Shapes], *texts: str, integers: bool = True) -> list[Sample]:
    return [Sample(text, shapes, integers=integers) for text in texts]


SAMPLES: dict[str, list[Sample]] = {
    # item by item
    "add": [*two("x + y"), *one("x + 1"), *one("2.5 + x"), *one("x.add(2)")],
    "add.alpha": two("torch.add(x, y, alpha=2)", "x.add(y, alpha=3)"),
    "sub": [*two("x - y"), *one("x - 1"), *one("x - 1.5")],
    "sub.alpha": two("torch.sub(x, y, alpha=2)"),
    "rsub": [*one("1 - x"), *one("2.5 - x"), *one("torch.rsub(x, 2)")],
    "rsub.tensor": two("torch.rsub(x, y)"),
    "mul": [*two("x * y"), *one("x * 2"), *one("2.5 * x"), *one("x * x")],
    "div": [*two("x / y", positive=True), *one("x / 2"), *one("x / x", positive=True)],
    "neg": one("-x"),
    "reciprocal": [*one("x.reciprocal()", positive=True), *one("2 / x", positive=True)],
    "remainder": two("x % y", positive=True),
    "remainder.number": [*one("x % 2"), *one("x % 1.5"), *one("x % -2")],
    "floor_divide": [Sample("(x // y).detach()", TWO, True), *one("(x // 2).detach()")],
    "pow": [*one("x ** 2"), *one("x ** 3"), *one("x ** 0.5", True), *one("x ** -1.5", True),
            *one("x ** 1"), *one("x ** 0"), *one("x.square()")],
    "pow.tensor": two("x ** y", positive=True),
    "pow.base": each(ONE, "2 ** x", "0.5 ** x", integers=False),
    "exp": one("x.exp()"),
    "log": one("x.log()", positive=True),
    "sqrt": one("x.sqrt()", positive=True),
    "sin": one("x.sin()"),
    "cos": one("x.cos()"),
    "sign": one("x.sign()"),
    "abs": one("x.abs()"),
    "tanh": one("x.tanh()"),
    "tanh_backward": one("torch.autograd.grad(x.tanh().sum(), x, create_graph=True)[0]"),
    "sigmoid": one("x.sigmoid()"),
    "sigmoid_backward": one("torch.autograd.grad(x.sigmoid().sum(), x, create_graph=True)[0]"),
    "relu": one("x.relu()"),
    "threshold_backward": one(
        "torch.autograd.grad((x.relu() ** 2).sum(), x, create_graph=True)[0]"
    ),
    "clamp": [*one("x.clamp(-1, 1)"), *one("x.clamp(min=0.5)"), *one("x.clamp(max=0.5)")],
    "within": one("torch.autograd.grad((x.clamp(-1, 1) ** 2).sum(), x, create_graph=True)[0]"),
    "maximum": two("torch.maximum(x, y)", "torch.maximum(x, x)"),
    "minimum": two("torch.minimum(x, y)"),
    "tan": one("x.tan()"),
    "asin": one("(x / 3).asin()"),
    "acos": one("(x / 3).acos()"),
    "atan": one("x.atan()"),
    "sinh": one("x.sinh()"),
    "cosh": one("x.cosh()"),
    "asinh": one("x.asinh()"),
    "acosh": one("(x + 1).acosh()", positive=True),
    "atanh": one("(x / 3).atanh()"),
    "exp2": one("x.exp2()"),
    "expm1": one("x.expm1()"),
    "log2": one("x.log2()", positive=True),
    "log10": one("x.log10()", positive=True),
    "log1p": one("x.log1p()", positive=True),
    "rsqrt": one("x.rsqrt()", positive=True),
    "hypot": [Sample("torch.hypot(x, y)", TWO, True, integers=False)],
    "atan2": two("torch.atan2(x, y)", positive=True),
    "floor": one("x.floor()"),
    "ceil": one("x.ceil()"),
    "round": one("x.round()"),
    "trunc": one("x.trunc()"),
    "where": [*two("torch.where(x > 0, x, y)"), *one("torch.where(x > 0, x, 0.)"),
              *one("torch.where(x > 0, 1., x)")],
    "masked_fill": one("x.masked_fill(x > 0, 2)"),
    "clone": one("x.clone()"),
    "to_copy": [*one("x.double()"), *one("x.float() + x.double()"), *one("x.half()"),
                *one("x.long()"), *one("x.bool()")],
    "zeros_like": one("torch.zeros_like(x)"),
    "ones_like": one("torch.ones_like(x)"),
    "detach": one("x.detach()"),
    "zero": one("(x * 1).zero_()"),
    "fill": one("(x * 1).fill_(2)"),
    "fill.tensor": one("(x * 1).fill_(x.sum())"),
    "copy": two("(x * y).clone().copy_(x)", "(x + y).copy_(y)"),
    "eq": [*two("x == y"), *one("x == 1")],
    "ne": [*two("x != y"), *one("x != 1")],
    "lt": [*two("x < y"), *one("x < 1")],
    "le": [*two("x <= y"), *one("x <= 1.5")],
    "gt": [*two("x > y"), *one("x > 1")],
    "ge": [*two("x >= y"), *one("1 >= x")],
    "logical_and": two("torch.logical_and(x, y)"),
    "logical_or": two("torch.logical_or(x, y)"),
    "logical_xor": two("torch.logical_xor(x, y)"),
    "logical_not": one("torch.logical_not(x)"),
    "bitwise_and": two("(x > 0) & (y > 0)", "x.long() & y.long()"),
    "bitwise_or": two("(x > 0) | (y > 0)", "x.long() | y.long()"),
    "bitwise_xor": two("(x > 0) ^ (y > 0)"),
    "bitwise_not": [*one("~(x > 0)"), *one("~x.long()")],
    "isnan": one("torch.isnan(x.log())"),
    "isinf": one("torch.isinf(x / 0.)"),
    "isfinite": one("torch.isfinite(x / 0.)"),
    # reductions
    "sum": one("x.sum()"),
    "sum.dim": each(WITH_DIM, "x.sum(0)", "x.sum(-1, keepdim=True)", "x.sum((0, 1))",
                    "x.sum(dim=[0, -1], keepdim=True)"),
    "mean": [Sample("x.mean()", ONE)],
    "mean.dim": each(WITH_DIM, "x.mean(0)", "x.mean(-1, keepdim=True)", "x.mean((0, 1))"),
    "max": each(FILLED, "x.max()", "torch.max(torch.cat([x, x]))"),
    "max.dim": each(FILLED, "x.max(0)", "x.max(-1, keepdim=True)"),
    "min": each(FILLED, "x.min()"),
    "min.dim": each(FILLED, "x.min(0)", "x.min(1, keepdim=True)"),
    "scatter_chosen": each(FILLED, "x.max(0).values ** 2"),
    "gather_chosen": each(
        FILLED, "torch.autograd.grad((x.max(0).values ** 2).sum(), x, create_graph=True)[0]"
    ),
    "argmax": each(FILLED, "x.argmax()", "x.argmax(0)", "x.argmax(-1, keepdim=True)"),
    "argmin": each(FILLED, "x.argmin()", "x.argmin(1)"),
    # activations
    "leaky_relu": [Sample("torch.nn.functional.leaky_relu(x, 0.1)", ONE, integers=False)],
    "leaky_relu_backward": one(
        "torch.autograd.grad((torch.nn.functional.leaky_relu(x) ** 2).sum(), x, "
        "create_graph=True)[0]"
    ),
    "hardtanh": [*one("torch.nn.functional.hardtanh(x, -1.5, 1.)"),
                 *one("torch.nn.functional.relu6(x * 4)")],
    "hardtanh_backward": one(
        "torch.autograd.grad((torch.nn.functional.hardtanh(x) ** 2).sum(), x, "
        "create_graph=True)[0]"
    ),
    "silu": [Sample("torch.nn.functional.silu(x)", ONE, integers=False)],
    "softplus": [Sample("torch.nn.functional.softplus(x)", ONE, integers=False),
                 Sample("torch.nn.functional.softplus(x * 30)", ONE, integers=False)],
    "softplus_backward": [Sample(
        "torch.autograd.grad(torch.nn.functional.softplus(x).sum(), x, create_graph=True)[0]",
        ONE, integers=False)],
    "softmax": [Sample(text, WITH_DIM, integers=False)
                for text in ("x.softmax(-1)", "torch.softmax(x, 0)")],
    "softmax_backward_data": [Sample(
        "torch.autograd.grad((x.softmax(-1) ** 2).sum(), x, create_graph=True)[0]",
        WITH_DIM, integers=False)],
    "log_softmax": [Sample(text, WITH_DIM, integers=False)
                    for text in ("x.log_softmax(-1)", "torch.log_softmax(x, 0)")],
    "log_softmax_backward_data": [Sample(
        "torch.autograd.grad((x.log_softmax(-1) ** 2).sum(), x, create_graph=True)[0]",
        WITH_DIM, integers=False)],
    # shapes
    "view": each(MATRIX, "x.view(-1)", "x.reshape(-1, 3)", "x.flatten()", "x.view(1, -1, 3)"),
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
    "transpose": each(FILLED, "x.transpose(0, 1)", "x.transpose(-1, 0) * 2"),
    "permute": each(MATRIX, "x.permute(1, 0)", "x.T"),
    "unsqueeze": one("x.unsqueeze(0)") + one("x[None]") + one("x.unsqueeze(-1)"),
    "squeeze": each([((2, 1, 3),), ((1, 1),), ((),)], "x.squeeze()"),
    "squeeze.dim": each([((2, 1, 3),)], "x.squeeze(1)", "x.squeeze(0)", "x.squeeze(-2)"),
    "squeeze.dims": each([((2, 1, 3),)], "x.squeeze((0, 1))"),
    "expand": each([((1, 3),), ((3,),)], "x.expand(2, 3)", "x.expand(2, -1)")
    + each([((2, 3),)], "x.expand(4, 2, 3)", "x.expand(2, 3)"),
    "select": each(FILLED, "x[0]", "x[-1]", "x.select(-1, 1)", "x[1, 0]", "x[..., 0]"),
    "select_backward": each(
        FILLED, "torch.autograd.grad((x[0] ** 2).sum(), x, create_graph=True)[0]"
    ),
    "slice": each(FILLED, "x[1:]", "x[:, :1]", "x[::2]", "x[:]", "x.narrow(0, 1, 1)", "x[5:]"),
    "slice_backward": each(
        FILLED, "torch.autograd.grad((x[1:] ** 2).sum(), x, create_graph=True)[0]"
    ),
    "diagonal": each(MATRIX, "x.diagonal()", "torch.diagonal(x, 1)"),
    "diagonal_backward": each(
        MATRIX, "torch.autograd.grad((x.diagonal() ** 2).sum(), x, create_graph=True)[0]"
    ),
    "unbind": each(FILLED, "x.unbind()", "x.unbind(-1)", "tuple(x)", "x.unbind()[0] * 2"),
    "split": each(FILLED, "x.split(1)", "x.split(2, -1)", "x.chunk(2, -1)"),
    "split.sizes": each(FILLED, "x.split([1, 1])", "x.split([1, 2], -1)"),
    "cat": each([((2, 3), (1, 3)), ((2, 3), (2, 3))], "torch.cat([x, y])")
    + each(FILLED, "torch.cat([x, x * 2], 1)", "torch.cat([x, x.double()], -1)"),
    "stack": each([((2, 3), (2, 3))], "torch.stack([x, y])", "torch.stack([x, y, x], -1)"),
    # products
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
    # indices and losses
    "index": each(FILLED, "x[x > 0]", "x[[0, 1, 0]]", "x[torch.tensor([1])]")
    + each([((2, 3),)], "x[[0, 1], [2, 0]]", "x[:, [0, 2]]", "x[torch.tensor([[0, 1]])]"),
    "index_backward": each(
        FILLED, "torch.autograd.grad((x[[0, 0]] ** 2).sum(), x, create_graph=True)[0]"
    ),
    "index_put": each(FILLED, "put(x * 1, [0], 2)", "put(x * 1, x > 0, 0.5)",
                      "put(x * 1, [1, 0], x * 3)"),
    "mse_loss": each([((2, 3), (2, 3)), ((), ())], "torch.nn.functional.mse_loss(x, y)",
                     "torch.nn.functional.mse_loss(x, y, reduction='sum')",
                     "torch.nn.functional.mse_loss(x, y, reduction='none')", integers=False),
    "mse_loss_backward": each(
        [((2, 3), (2, 3))],
        "torch.autograd.grad(torch.nn.functional.mse_loss(x, y), x, create_graph=True)[0]",
        integers=False,
    ),
}  # fmt: skip
"""By the op's key in the table."""

IN_PLACE = [
    ("x + y", "z.add_(y)"), ("x - y", "z.sub_(y)"), ("x * y", "z.mul_(y)"),
    ("x / y", "z.div_(y)"), ("x + 2", "z.add_(2)"), ("x * 2.5", "z.mul_(2.5)"),
    ("torch.add(x, y, alpha=2)", "z.add_(y, alpha=2)"),
    ("torch.sub(x, y, alpha=2)", "z.sub_(y, alpha=2)"), ("-x", "z.neg_()"),
    ("x.exp()", "z.exp_()"), ("x.reciprocal()", "z.reciprocal_()"), ("x ** 2", "z.pow_(2)"),
    ("x ** y", "z.pow_(y)"), ("x.log()", "z.log_()"), ("x.sqrt()", "z.sqrt_()"),
    ("x.sin()", "z.sin_()"), ("x.cos()", "z.cos_()"), ("x.sign()", "z.sign_()"),
    ("x.abs()", "z.abs_()"), ("x.tanh()", "z.tanh_()"), ("x.sigmoid()", "z.sigmoid_()"),
    ("x.relu()", "z.relu_()"), ("x.clamp(0.3, 1)", "z.clamp_(0.3, 1)"),
    ("x.masked_fill(x > 1, 2.)", "z.masked_fill_(x > 1, 2.)"), ("x % y", "z.remainder_(y)"),
    ("x.square()", "z.square_()"), ("x * 0", "z.zero_()"), ("x * 0 + 3", "z.fill_(3)"),
    ("x * 0 + y", "z.copy_(y)"), ("x.t()", "z.t_()"), ("x.unsqueeze(0)", "z.unsqueeze_(0)"),
    ("x.transpose(0, 1)", "z.transpose_(0, 1)"),
    ("x[None].squeeze()", "z.unsqueeze_(0).squeeze_()"),
]  # fmt: skip
"""Pairs of an expression and the in-place form that must give the same; z is a copy of x."""
