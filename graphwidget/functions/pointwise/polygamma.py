"""``polygamma`` and ``special.ndtr``."""

from __future__ import annotations

from ...dispatch.offer import METHODS, offer
from ...eager.inplace import write
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...optable import TABLE


# The gamma function, the normal distribution ----------------------------------------------------
@offer(method=False, out=True)
def polygamma(n: int, input: Tensor) -> Tensor:
    """The n-th derivative of the digamma function.

    Raises:
        RuntimeError: n is negative.
    """
    return F.polygamma(input, n)


offer(out=True, space="special")(polygamma)


def polygamma_method(self: Tensor, n: int) -> Tensor:
    """The n-th derivative of the digamma function."""
    return F.polygamma(self, n)


def polygamma_written(self: Tensor, n: int) -> Tensor:
    """``polygamma``, written into this tensor."""
    return write(TABLE["polygamma.written"], self, (), {"n": n})


METHODS.update(polygamma=polygamma_method, polygamma_=polygamma_written)
