"""How calls may be spelled: numpy's names of parameters, and PyTorch's words for wrong ones."""

from __future__ import annotations

import pytest

from tests.core.both import both, programs, source

PROGRAMS = """
# axis= and keepdims=
x = torch.tensor([[1.0, -2.0, 3.0], [4.0, 0.5, 0.0]], requires_grad=True)
names = ("sum", "mean", "amax", "prod", "std", "var", "logsumexp", "nansum", "nanmean", "any")
result = [getattr(x, name)(axis=1, keepdims=True) for name in names]
result += [getattr(torch, name)(x, axis=0) for name in names]
names = ("softmax", "log_softmax", "cumsum", "cumprod", "unsqueeze", "squeeze", "argmax",
         "argsort", "logcumsumexp")
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

# arguments that are missing
x = torch.ones(2, 3)
result = [attempt(lambda: getattr(x, name)()) for name in ("cumsum", "logsumexp", "unsqueeze")]
result += [attempt(lambda: getattr(torch, name)(x)) for name in ("softmax", "select", "gather")]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(text))
