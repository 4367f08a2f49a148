"""``isclose``, ``allclose`` and ``equal``: whether items are the same, or nearly."""

from __future__ import annotations

import numpy as np

from ...arrays import dtypes
from ...arrays.kernel_errors import broadcast_shape
from ...dispatch.offer import offer
from ...eager.numpy_errors import quiet_function
from ...eager.promote import not_a_tensor_error
from ...graph import runtime
from ...graph.tensor import Tensor
from ...graph.version import counter_at_version
from ...optable import TABLE


@offer()
@quiet_function
def isclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Tensor:
    """Return whether items differ by at most ``atol + rtol |other|``.

    Shapes: of any shape each; they are broadcast together.

    Raises:
        RuntimeError: two dtypes, or a negative tolerance.
    """
    if not isinstance(other, Tensor):
        raise not_a_tensor_error(TABLE["eq"], (input, other))
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.word} did not match {other.dtype.word}")
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not tolerance >= 0:
            raise RuntimeError(
                f"{name} must be greater than or equal to zero, but got {tolerance:g}"
            )
    a, b = input._data, other._data
    broadcast_shape((a.shape, b.shape))
    close, writes = a == b, 0  # PyTorch writes the rest into what was equal to begin with
    if equal_nan and input._meta.floating:
        close, writes = close | ((a != a) & (b != b)), 1
    if rtol or atol:
        kind = a if input._meta.floating else a.astype(dtypes.default_numpy())
        far = np.abs(kind - b)
        close = close | (np.isfinite(far) & (far <= atol + np.abs(rtol * b)))
        writes += 1
    out = Tensor._wrap(np.asarray(close))
    if writes:
        out._counter = counter_at_version(writes)
    return out


@offer()
def allclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> bool:
    """Return whether all items differ by at most ``atol + rtol |other|``.

    Shapes: of any shape each; they are broadcast together.
    """
    close = isclose(input, other, rtol, atol, equal_nan)
    if runtime.reading is not None:
        runtime.reading((close,), np.all, "allclose()")
    return bool(close._data.all())


@offer()
def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same size and items."""
    if runtime.reading is not None:
        runtime.reading((input, other), np.array_equal, "equal()")
    return bool(np.array_equal(input._data, other._data))
