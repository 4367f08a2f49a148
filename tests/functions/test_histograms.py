"""Histograms of points, and their errors."""

import pytest

from tests.both import both, programs, source

SETUP = """
torch.manual_seed(0)
points = torch.randn(30, 2)
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
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_program(title: str, text: str) -> None:
    both(source(SETUP + text))
