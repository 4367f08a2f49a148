"""Approximations of low rank, histograms of points and reductions of segments, and their errors."""

import pytest

from tests.core.both import both, programs, source

SETUP = """
torch.manual_seed(0)
low = torch.randn(12, 2) @ torch.randn(2, 7) + 0.01 * torch.randn(12, 7)
points = torch.randn(30, 2)
rows = torch.randn(6, 2)
def lengths(*counts):
    return torch.tensor(counts)
"""

PROGRAMS = """
# singular values
U, S, V = torch.svd_lowrank(low, q=3)
W, T, X = torch.svd_lowrank(low.mT, 2, 1, torch.ones(1, 12))
leaf = low.clone().requires_grad_()
torch.svd_lowrank(leaf, q=2)[1].sum().backward()
result = [S, U.abs(), V.abs(), T, list(W.shape), list(X.shape), leaf.grad]

# principal components
U, S, V = torch.pca_lowrank(low, 3)
result = [S, U.abs(), V.abs(), torch.pca_lowrank(low, center=False)[1], [attempt(f) for f in (
    lambda: torch.pca_lowrank(low, 9), lambda: torch.pca_lowrank(low, niter=-1))],
    torch.pca_lowrank(torch.stack([low, low + 1]), 2)[1]]

# histograms of points
found = [torch.histogramdd(points, [3, 2]), torch.histogramdd(points, 3, [-1., 1, -2, 2],
    torch.ones(30), True), torch.histogramdd(points, [torch.tensor([-1., 0, 1]),
    torch.tensor([-2., 0, 1, 2])])]
result = [[f.hist, list(f.bin_edges)] for f in found]

# histograms that cannot be
H = torch.histogramdd
result = [attempt(f) for f in (lambda: H(points, [3]), lambda: H(points, [3, 0]),
    lambda: H(points.long(), 3), lambda: H(points, 3, [0., 1]), lambda: H(points[0, 0], 3),
    lambda: H(points[:, 0], 3), lambda: H(points, 3, weight=torch.ones(3)),
    lambda: H(points, [3, 2], [1., 0, 0, 1]))]

# segments, also without rows
def reduced(how, axis=0, data=rows, counts=(2, 0, 4), **options):
    leaf = data.clone().requires_grad_()
    out = torch.segment_reduce(leaf, how, lengths=lengths(*counts), axis=axis, **options)
    out.nan_to_num(0, 0, 0).cos().sum().backward()
    return [out.detach(), leaf.grad, repr(out.grad_fn)[:30]]
kinds = ("sum", "mean", "max", "min", "prod", "amax")
result = [[reduced(k), reduced(k, initial=.5), reduced(k, 1, torch.stack([rows, -rows]), ((2, 4),
    (6, 0)))] for k in kinds] + [reduced("prod", data=torch.tensor([0., 2, 3, 0, 0, 1]))]

# eigenvalues of symmetric matrices, their vectors up to the sign, and two derivatives
def five(tensor, decimals=5):
    return torch.round(tensor.detach(), decimals=decimals)
result = []
for shape, k in (((9, 9), 1), ((9, 9), 3), ((2, 7, 7), 2), ((2, 2, 6, 6), 1)):
    m = torch.rand(shape, dtype=torch.float64)
    m = (m @ m.mT / 3 + torch.diag(torch.arange(float(shape[-1])))).requires_grad_()
    start = torch.rand(*shape[:-1], k, dtype=torch.float64)
    for largest in (True, False, None):
        values, vectors = torch.lobpcg(m, k=k, X=start, largest=largest)
        loss = (vectors @ vectors.mT * start[..., :1]).sum()
        loss = (values * torch.arange(1., k + 1)).sum() + loss
        g, = torch.autograd.grad(loss, m, create_graph=True)
        h, = torch.autograd.grad((g * start[..., :1]).sum(), m)
        result += [five(values), five(vectors.abs()), values.grad_fn.name(), five(g), five(h, 3)]

# eigenvalues by another matrix
A = torch.diag(torch.arange(1., 10., dtype=torch.float64))
B = A * A
values, vectors = torch.lobpcg(A, 2, B, torch.rand(9, 2, dtype=torch.float64))
result = [torch.round(values, decimals=5), torch.round(vectors.abs(), decimals=5)]
values = torch.lobpcg(A, 2, B.requires_grad_(), torch.rand(9, 2, dtype=torch.float64))[0]
result += [attempt(lambda: values.sum().backward()), attempt(lambda: torch.lobpcg(A[:4])),
           attempt(lambda: torch.lobpcg(A, 4)), attempt(lambda: torch.lobpcg(A, 2, B[:3])),
           attempt(lambda: torch.lobpcg(A, X=torch.ones(4, 2)))]
result += [[each.shape for each in torch.lobpcg(A, k=2, n=3)], torch.rand(2)]

# segments that cannot be
S = torch.segment_reduce
result = [attempt(f) for f in (lambda: S(rows, "sum"), lambda: S(rows, "foo", lengths=lengths(6)),
    lambda: S(rows, "sum", lengths=lengths(1, 2)), lambda: S(rows, "sum", lengths=lengths(-1, 7)),
    lambda: S(rows, "sum", lengths=lengths(6.)), lambda: S(rows, "sum", lengths=lengths(6), axis=1),
    lambda: S(rows, "sum", lengths=lengths(6), indices=lengths(6)), lambda: S(rows.long(), "sum",
    lengths=lengths(6)), lambda: S(torch.tensor(1.), "sum", lengths=lengths(6)))]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_program(title: str, text: str) -> None:
    both(source(SETUP + text))
