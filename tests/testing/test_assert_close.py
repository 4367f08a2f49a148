"""`torch.testing.assert_close` against PyTorch's: what passes, and what it says of the rest."""

from typing import Any

import pytest

from tests.compare_engines import both, source

CASES = """
t([1., 2.]), t([1., 2.1])
t([1., 2.]), t([1., 2.])
t(1.), t(1.1)
1., 1.1
1, 2
True, False
1, 1.
t([1, 2]), t([1, 3])
t([1.]), t([1.], dtype=torch.float64)
t([1.]), t([1., 2.])
[t(1.), t(2.)], [t(1.), t(3.)]
{"a": t(1.)}, {"a": t(2.)}
{"a": t(1.)}, {"b": t(2.)}
[1.], [1., 2.]
"a", "a"
t([nan]), t([nan])
t([nan]), t([nan]), dict(equal_nan=True)
t([1., 2.]), t([1., 2.1]), dict(rtol=.1, atol=0.)
t([1., 2.]), t([1., 2.1]), dict(rtol=.1)
t([1., 2.]), t([1., 2.1]), dict(atol=.1)
t([1., 2.]), t([1., 2.1]), dict(msg="hey")
t([1., 2.]), t([1., 2.1]), dict(msg=lambda m: "X " + m)
t([True, False]), t([True, True])
t([[1., 2.], [3., 4.]]), t([[1., 2.5], [3., 5.]])
t([1.]), t([1]), dict(check_dtype=False)
t([1.]).requires_grad_(), t([1.])
torch.ones(2, 3).t(), torch.ones(3, 2), dict(check_stride=True)
t([1.]), 1.
None, None
None, t(1.)
t([1.]), [1.]
t([]), t([])
t([1e10]), t([2e10])
t([inf]), t([1.])
t([inf, 1.]), t([inf, 1.])
t([1.5], dtype=torch.float64), t([1.25], dtype=torch.float64)
t([1.5], dtype=torch.float16), t([1.25], dtype=torch.float16)
t([0.]), t([1e-6])
t([1e-4]), t([0.])
[[t(1.)]], [[t(2.)]]
(1, 2.), (1, 3.)
1., 1.1, dict(rtol=0, atol=0)
np.array([1., 2.]), np.array([1., 3.])
np.array([1., 2.]), t([1., 3.])
"""


@pytest.mark.parametrize("case", CASES.strip().split("\n"))
def test_assert_close(case: str) -> None:
    def program(engine: Any) -> Any:
        return source(f"""
import numpy as np
t, nan, inf = torch.tensor, float("nan"), float("inf")
a, b, options = (*({case}), {{}})[:3]
result = attempt(lambda: torch.testing.assert_close(a, b, **options))""")(engine)

    both(program)
