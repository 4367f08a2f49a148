"""Which of two mistakes is told: what is wrong with an operand's history comes before what is wrong
with its size. PyTorch's autograd asks operands for their histories before an op looks at them; what
is composed of ops, or has no derivative, looks first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, TypeVar

from . import hot

Call = TypeVar("Call", bound=Callable[..., Any])

_COMPOSED = """
adaptive_avg_pool1d adaptive_max_pool1d all allclose any argmax argmin argwhere atleast_1d
atleast_2d atleast_3d avg_pool1d batch_norm bilinear broadcast_tensors bucketize cartesian_prod
cdist chain_matmul chunk column_stack combinations cond conv1d conv2d conv3d corrcoef
cosine_similarity count_nonzero cov cumulative_trapezoid diag diagflat diff dropout dsplit einsum
expand_as flatten fliplr flipud gradient group_norm histc histogram histogramdd hsplit hstack
inner isclose logit matmul matrix_norm matrix_power max_pool1d moveaxis movedim multi_dot
multinomial nanmean nanquantile narrow outer pdist prelu quantile repeat_interleave reshape_as
rrelu searchsorted take_along_dim tensor_split tensordot tensorinv threshold trapezoid trapz
unflatten vander view_as vsplit vstack
"""
COMPOSED = frozenset(_COMPOSED.split())
"""Functions that find their own mistakes first, as seen by giving each a stale view and a wrong
size."""


UNDERIVED = ("index", "indices", "mask")
"""Operands that no op derives by, so that nobody asks them."""


def ask_operands(name: str, values: Iterable[Any]) -> None:
    """Ask the operands of a call that failed for their histories, if PyTorch had asked by then.

    Raises:
        RuntimeError: one is a view whose history cannot be made (PyTorch's text).
    """
    if name.removeprefix("linalg_") in COMPOSED or name.endswith("_"):  # writes ask on their own
        return
    for value in values:
        hot.asked(value if isinstance(value, Sequence) else (value,))


def asking(function: Call) -> Call:
    """A function without a face that asks its first operand."""

    @wraps(function)
    def asked(first: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return function(first, *args, **kwargs)
        except (IndexError, RuntimeError):
            ask_operands(function.__name__, (first,))
            raise

    return asked  # type: ignore[return-value]
