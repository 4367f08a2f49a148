"""``assert_allclose``, the former comparison of tensors."""

from __future__ import annotations

from typing import Any

from ..arrays import dtypes
from ..arrays.warnings import warn
from ..dispatch.offer import FUNCTIONS
from ..graph.tensor import Tensor
from .comparison import assert_close

DEPRECATED = (
    "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future "
    "release. Please use `torch.testing.assert_close()` instead. You can find detailed upgrade "
    "instructions in https://github.com/pytorch/pytorch/issues/61844."
)
TOLERANCES = {
    dtypes.float16: (1e-3, 1e-3), dtypes.float32: (1e-4, 1e-5), dtypes.float64: (1e-5, 1e-8),
}  # fmt: skip
"""The relative and the absolute one by type; those of two types are the larger ones."""


def assert_allclose(
    actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None,
    equal_nan: bool = True, msg: str = "",
) -> None:  # fmt: skip
    """``assert_close`` of values alone, with wider tolerances.

    Raises:
        AssertionError: they are not close.

    Warns:
        FutureWarning: the function is deprecated.
    """
    warn(DEPRECATED, FutureWarning)
    if not isinstance(actual, Tensor):
        actual = FUNCTIONS["tensor"](actual)
    if not isinstance(expected, Tensor):
        expected = FUNCTIONS["tensor"](expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        pairs = [TOLERANCES.get(each.dtype, (0.0, 0.0)) for each in (actual, expected)]
        rtol, atol = max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)
    assert_close(
        actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False,
        msg=msg or None,
    )  # fmt: skip
