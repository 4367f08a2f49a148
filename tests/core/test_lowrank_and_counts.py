"""Histograms of points and reductions of segments, and their errors."""

import pytest

from tests.core.both import both, programs, source

SETUP = """
torch.manual_seed(0)
points = torch.randn(30, 2)
rows = torch.randn(6, 2)
def lengths(*counts):
    return torch.tensor(counts)
"""

PROGRAMS = """
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
