"""Spellings of calls: numpy's names of parameters, and PyTorch's words for wrong ones."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, programs, source

PROGRAMS = """
# axis= and keepdims=
x = torch.tensor([[1.0, -2.0, 3.0], [4.0, 0.5, 0.0]], requires_grad=True)
names = ("sum", "mean", "amax", "prod", "std", "var", "logsumexp", "nansum", "nanmean", "any")
result = [getattr(x, name)(axis=1, keepdims=True) for name in names]
result += [getattr(torch, name)(x, axis=0) for name in names]
names = ("softmax", "log_softmax", "cumsum", "cumprod", "unsqueeze", "squeeze", "argmax",
         "argsort")
result += [getattr(x, name)(axis=0) for name in names]
result += [getattr(torch, name)(x, axis=-1) for name in names]
result += [*x.max(axis=1), *torch.sort(x, axis=0), *x.unbind(axis=0), *x.topk(1, axis=0)]
result += [torch.cat([x, x], axis=1), torch.stack([x, x], axis=2), x.select(axis=1, index=0)]
result += [x.swapaxes(axis0=0, axis1=1), torch.sum(x, axis=0, out=torch.empty(0))]

# names that nothing has
x = torch.ones(2, 3)
result = [attempt(lambda: getattr(x, name)(colour=1)) for name in ("cumsum", "softmax", "diff")]
result += [attempt(lambda: getattr(torch, name)(x, 0, colour=1)) for name in ("cumsum", "softmax")]
result += [attempt(lambda: x.cumsum(axis=0, keepdims=True))]

# numpy's numbers
x, i, h = torch.ones(2), torch.tensor([1, 2]), torch.ones(2).half()
numbers = (np.float64(2), np.float32(2), np.int32(2), np.bool_(True))
result = [f for n in numbers for f in (i - n, n - i, i ** n, n ** i, i % n, i.clamp(n), x * n,
                                       h * n, torch.add(i, n), i.masked_fill(i > 1, n))]

# bools do not subtract
x, i, b = torch.ones(2), torch.tensor([1, 2]), torch.tensor([True, False])
result = [attempt(f) for a in (x, i, b) for f in (
    lambda: a - True, lambda: True - a, lambda: torch.sub(a, True), lambda: a.clone().sub_(True),
    lambda: a.sub(True, alpha=2), lambda: a + True)]

# no dims at all
x, t = torch.tensor([[1.0, 0.0]]), torch.tensor(2.0)
result = [x.any(dim=()), x.all((), keepdim=True), torch.any(x, dim=[]), t.quantile(0.5, -1),
          t.quantile(0.5, 0, True), attempt(lambda: t.size(0)), attempt(lambda: t.size(-1)),
          attempt(lambda: t.index_select(0, torch.tensor([0, 0])))]

# remainders of nothing have the sign of the dividend
x = torch.tensor([-4.0, 4.0, -3.0, -0.0, 0.0])
result = [str(x % 2), str(x % -2.0), str(torch.remainder(x[0], 2)), str(x.half() % -2),
          str(7 % torch.tensor([-0.5, 0.5])), torch.tensor(1.0).mT]

# copies that were filled
import copy
x = torch.ones(2, requires_grad=True)
p = torch.nn.Parameter(torch.ones(2))
result = [each._version for each in (copy.copy(x), copy.deepcopy(x), copy.copy(p),
                                     copy.deepcopy(p), torch.isclose(x, x))]

# arguments that are missing
x = torch.ones(2, 3)
result = [attempt(lambda: getattr(x, name)()) for name in ("cumsum", "logsumexp", "unsqueeze")]
result += [attempt(lambda: getattr(torch, name)(x)) for name in ("softmax", "select", "gather")]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(text))
