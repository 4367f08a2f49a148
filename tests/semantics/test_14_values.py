"""Subgradients, special values, dtypes, scalars and indexing."""

from __future__ import annotations

import pytest

from tests.semantics.compare import same, statements

GRADIENT = """
x = torch.tensor({data}, requires_grad=True)
y = {call}
show(y)
y.sum().backward()
show(x.grad)
"""

SUBGRADIENTS = [
    ("[1., 3., 3.]", "x.max()"), ("[1., 3., 1.]", "x.min()"), ("[1., 3., 3.]", "x.amax(0)"),
    ("[3., 3., 1.]", "x.max(0)[0]"), ("[1., 1., 3.]", "x.min(0)[0]"),
    ("[1., 2.]", "torch.maximum(x, torch.tensor([1., 5.]))"),
    ("[1., 2.]", "torch.minimum(x, torch.tensor([1., 5.]))"),
    ("[1., 2., 3., 4.]", "x.median()"), ("[4., 2., 3., 1.]", "x.median(0)[0]"),
    ("[[[5., 5.], [1., 5.]]]", "torch.nn.functional.max_pool2d(x, 2)"),
    ("[1., float('nan'), 3.]", "x.max()"), ("[1., float('nan'), 3.]", "x.amax()"),
    ("[0., -1., 1.]", "x.relu()"), ("[0., -1.]", "x.abs()"), ("[0., -1.]", "x.sign()"),
    ("[-1., 0., 1., 2.]", "x.clamp(-1, 1)"), ("[-1., 0., 1.]", "torch.nn.functional.hardtanh(x)"),
    ("[0., 6., 3.]", "torch.nn.functional.relu6(x)"), ("[0., 0.]", "x.norm()"),
    ("[0., 0.]", "(x ** 2).sum().sqrt()"), ("[0., 4.]", "x.sqrt()"), ("[0., 2.]", "x ** 0"),
    ("[0., 2.]", "x ** 0.5"), ("[0., 2.]", "0 ** x"), ("[2., 3.]", "torch.tensor([-2., 2.]) ** x"),
    ("[0., 1.]", "torch.where(x > 0, x, x.log())"), ("[2., 0., 3.]", "x.prod()"),
    ("[0., 0., 3.]", "x.prod()"), ("[2., 0., 3.]", "x.cumprod(0)"),
    ("[0., 0., 3.]", "x.cumprod(0)"),
    ("[1000., -1000., 0.]", "x.log_softmax(0)"), ("[1000., -1000.]", "x.logsumexp(0)"),
    ("[1000., -1000.]", "x.sigmoid()"), ("[1000., -1000.]", "torch.nn.functional.logsigmoid(x)"),
    ("[1000., -1000., 20., 21.]", "torch.nn.functional.softplus(x)"),
    ("[1000., -1000.]", "torch.nn.functional.binary_cross_entropy_with_logits(x, torch.ones(2))"),
    ("[float('-inf'), float('-inf')]", "x.logsumexp(0)"),
    ("[float('-inf'), float('-inf')]", "x.softmax(0)"),
    ("[1., 2., 4.]", "x.var()"), ("[1., 2., 4.]", "x.std()"), ("[1.]", "x.var()"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "call"), SUBGRADIENTS)
def test_subgradient(data: str, call: str) -> None:
    same(GRADIENT.format(data=data, call=call))


VALUES = {
    "second derivatives of abs and relu": """
        x = torch.tensor([1., -2.], requires_grad=True)
        for y in (x.abs(), x.relu()):
            d = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
            show(d)
            if d.requires_grad: show(torch.autograd.grad(d.sum(), x))
        """,
    "argmax and NaN": """
        show(torch.tensor([1., float("nan"), 3.]).argmax(), torch.tensor([3., 3.]).argmax())
        """,
}

DTYPES = {
    "torch.tensor": """
        for data in (1, [1, 2], 1.5, [1., 2], True, [True, False], [True, 2], [1, 2.5], [],
                     np.ones(2), np.ones(2, np.float32), np.arange(3), np.float64(2), np.int32(3)):
            show(torch.tensor(data))
        show(torch.full((2,), 3), torch.full((2,), 3.), torch.full((2,), True))
        """,
    "promotion": """
        kinds = [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
                 torch.float16, torch.float32, torch.float64]
        for a in kinds:
            for b in kinds:
                show((torch.ones(2, dtype=a) + torch.ones(2, dtype=b)).dtype,
                     (torch.ones(2, dtype=a) * torch.ones((), dtype=b)).dtype,
                     (torch.ones((), dtype=a) * torch.ones((), dtype=b)).dtype)
            show((torch.ones(2, dtype=a) * 2).dtype, (torch.ones(2, dtype=a) * 2.5).dtype,
                 (torch.ones(2, dtype=a) / 2).dtype, (torch.ones(2, dtype=a) * True).dtype)
        """,
    "integers in division, remainders, reductions, functions": """
        a, b = torch.tensor([7, -7]), torch.tensor([2, 2])
        show(a / b, a // b, a % b, torch.div(a, b, rounding_mode="trunc"),
             torch.div(a, b, rounding_mode="floor"), a.sum(), (a > 0).sum(), a.prod(), a.cumsum(0),
             b.exp(), b.sqrt(), a.to(torch.int32).sum())
        """,
    "errors": """
        t = torch.tensor([True, False])
        fails(lambda: t - t)
        fails(lambda: -t)
        fails(lambda: torch.tensor([1, 2]).mean())
        fails(lambda: torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64))
        fails(lambda: torch.ones(2).dot(torch.ones(2, dtype=torch.float64)))
        fails(lambda: torch.set_default_dtype(torch.int32))
        """,
}

SHAPES = {
    "scalars": """
        x = torch.ones(2)
        for attempt in (lambda: x.item(), lambda: bool(x), lambda: bool(torch.ones(0)),
                        lambda: float(x), lambda: int(x), lambda: [1, 2, 3][x],
                        lambda: [1, 2][torch.ones(())], lambda: len(torch.ones(())),
                        lambda: list(torch.ones(()))): fails(attempt)
        """,
    "indices": """
        x = torch.arange(6.).reshape(3, 2)
        for index in (5, (0, 2), (0, 0, 0), slice(None, None, -1), 1.5, "a",
                      torch.tensor([True, False]), torch.tensor([1.5]), [0, 5], (slice(0, 1), 0),
                      torch.tensor([[0, 1], [2, 0]]), (torch.tensor([0, 1]), torch.tensor([0, 1])),
                      (None, 0), (..., 0), (slice(None), [0, 1])):
            fails(lambda: x[index])
        fails(lambda: torch.ones(())[0])
        """,
    "assignments": """
        x = torch.zeros(3, 2)
        def put(index, value): x[index] = value
        for index, value in ((0, torch.ones(3)), (0, [1, 2]), (slice(None), torch.ones(2)),
                             (0, torch.ones(1, 2)), ([0, 1], torch.ones(2, 2)),
                             (torch.tensor([True, False, True]), 5.), (7, 1)):
            fails(lambda: put(index, value))
        show(x)
        """,
    "shape errors": """
        a, b = torch.ones(2, 3), torch.ones(3)
        for attempt in (
            lambda: a + torch.ones(2, 4), lambda: a @ a, lambda: a.mv(torch.ones(4)),
            lambda: b.dot(torch.ones(4)), lambda: torch.dot(a, a), lambda: torch.mm(a, b),
            lambda: torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 3, 4)),
            lambda: torch.cat([a, torch.ones(2, 4)]), lambda: torch.stack([a, b]),
            lambda: torch.stack([]), lambda: torch.cat([]),
            lambda: torch.cat([a, torch.ones(())]), lambda: a.view(-1, -1),
            lambda: a.permute(0, 0), lambda: torch.ones(2, 2, 2).t(), lambda: a.repeat(2),
            lambda: torch.ones(3, 2).expand(3), lambda: torch.tensor([[1, 2], [3]]),
            lambda: a.sum(2), lambda: a.transpose(0, 5), lambda: a.squeeze(3),
            lambda: a.reshape(4), lambda: a.unsqueeze(5), lambda: a.expand(4, 3),
        ): fails(attempt)
        """,
    "construction from a tensor; deepcopy": """
        import copy
        x = torch.ones(2, requires_grad=True)
        show(torch.tensor(x))
        fails(lambda: copy.deepcopy(x * 2))
        x.grad = torch.ones(2)
        show(copy.deepcopy(x).grad)
        """,
}

PRINTED = {
    "repr": """
        for x in (torch.ones(2, 3), torch.zeros(0, 3), torch.zeros(0), torch.tensor([1, 2]),
                  torch.tensor([True, False]), torch.tensor(3.14159), torch.ones(2).double(),
                  torch.tensor([1e-5, 1.]), torch.tensor([1e6, 1.]), torch.tensor([1., 1000.5]),
                  torch.tensor([float("nan"), float("inf"), -1.5]), torch.arange(2000.),
                  torch.arange(40.), torch.arange(24.).reshape(2, 3, 4),
                  torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True) * 2,
                  torch.zeros(0, dtype=torch.int32), torch.tensor([1e9, 1.]),
                  torch.arange(1200.).reshape(30, 40), torch.rand(3, 8, requires_grad=True) * 1000,
                  torch.nn.Parameter(torch.ones(2))):
            show(repr(x))
        """,
    "formats": """
        t = torch.tensor(3.14159)
        show(f"{t}", f"{t:.2f}", str(t), "%s" % t)
        fails(lambda: f"{torch.ones(2):.2f}")
        show(torch.Size([2, 3]), torch.rand(2, 3).shape)
        show(repr(torch.tensor([1., 3.]).max(0)), repr(torch.tensor([3., 1.]).sort()))
        """,
}


@statements(VALUES)
def test_values(program: str) -> None:
    same(program)


@statements(DTYPES)
def test_dtypes(program: str) -> None:
    same(program)


@statements(SHAPES)
def test_shapes(program: str) -> None:
    same(program)


@statements(PRINTED)
def test_printed(program: str) -> None:
    same(program)
