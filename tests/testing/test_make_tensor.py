"""`testing.make_tensor` against PyTorch's: the same values, as both draw the same numbers."""

import pytest

from tests.both import both, programs, source

SETUP = """
import math
def make(*shape, **given):
    torch.manual_seed(2)
    options = {"dtype": torch.float32, "device": "cpu", **given}
    return torch.testing.make_tensor(*shape, **options)
INTEGRAL = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
FLOATING = [torch.float16, torch.float32, torch.float64]
"""

PROGRAMS = """
# shapes
result = [make(*each) for each in ((2, 3), ((2, 3),), ([4],), (), ((),), (torch.Size([2, 0]),),
    (5,))]

# dtypes
result = [make(3, 4, dtype=each, **given) for each in INTEGRAL + FLOATING + [torch.bool]
    for given in ({}, {"noncontiguous": True})]

# intervals
result = [[make(6, dtype=each, low=1, high=5.5), make(6, dtype=each, low=-3.), make(6, dtype=each,
    high=0.5)] for each in (torch.int64, torch.int8, torch.float32, torch.float64)]
result += [make(6, dtype=torch.bool, low=1), make(3, dtype=torch.uint8, low=0, high=200),
    make(4, low=-math.inf, high=math.inf).isfinite(),
    make(3, dtype=torch.int8, low=-1000, high=1000),
    make(3, dtype=torch.float64, low=-1e308, high=1.5e308), make(3, low=2., high=2.)]

# options
x = make(2, 3, requires_grad=True, noncontiguous=True)
y = make(1, 2, 3, 4, memory_format=torch.channels_last)
result = [x.requires_grad, x.is_leaf, x.stride(), y, y.stride(),
    make(9, dtype=torch.int64, low=-1, high=2, exclude_zero=True),
    make(4, low=0., high=0., exclude_zero=True), make(1, noncontiguous=True).is_contiguous(),
    make(4, dtype=torch.bool, exclude_zero=True)]

# refusals
result = [attempt(lambda: make(3, **given)) for given in (
    {"low": 2, "high": 1}, {"low": 2, "high": 2, "dtype": torch.int64}, {"low": math.nan},
    {"high": math.nan}, {"dtype": torch.int8, "low": 500, "high": 600},
    {"dtype": torch.uint8, "low": -9, "high": -2}, {"dtype": torch.bool, "low": 2, "high": 3},
    {"dtype": torch.int64, "requires_grad": True}, {"dtype": torch.bool, "requires_grad": True},
    {"noncontiguous": True, "memory_format": torch.contiguous_format}, {"dtype": 3})]
result.append(attempt(lambda: torch.testing.make_tensor(3)))
result.append(attempt(lambda: torch.testing.make_tensor(3, dtype=torch.float32)))
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_make_tensor(title: str, text: str) -> None:
    both(source(SETUP + text))
