"""What is wrong with a call, in the words of PyTorch's parser of arguments.

Nothing is looked at before a call: only when one fails are its arguments held against what the
function says of them, its annotations.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from .promote import as_function
from .tensor import Tensor


def is_integer(value: Any) -> bool:
    """Whether a value may stand where an integer is wanted; no bool may."""
    if isinstance(value, (bool, np.bool_, float)):
        return False
    if isinstance(value, Tensor):
        return value._data.ndim == 0 and value._data.dtype.kind in "iu"
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


KINDS = {
    "int": ("int", is_integer),
    "int | None": ("int", lambda value: value is None or is_integer(value)),
    "bool": ("bool", lambda value: isinstance(value, (bool, np.bool_))),
    "Tensor": ("Tensor", lambda value: isinstance(value, Tensor)),
    "Tensor | None": ("Tensor", lambda value: value is None or isinstance(value, Tensor)),
}
"""By annotation, PyTorch's word for what is wanted, and whether a value is that."""

SEVERAL_FORMS = frozenset((
    "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr", "all", "any", "argsort",
    "baddbmm", "bernoulli", "bucketize", "clamp", "count_nonzero", "cumulative_trapezoid",
    "diff", "div", "fill", "float_power", "gradient", "histogram", "index_fill", "isin", "lerp",
    "masked_fill", "max", "mean", "median", "min", "movedim", "nanmedian", "nanquantile",
    "narrow", "norm", "normal", "prod", "quantile", "repeat_interleave", "round", "rsub",
    "scatter", "searchsorted", "sort", "split", "squeeze", "std", "std_mean", "sub", "sum",
    "tensor_split", "trapezoid", "trapz", "unique", "var", "var_mean", "where",
))  # fmt: skip
"""Functions that PyTorch has in several forms: it says of none of their arguments that it is the
wrong one."""


Kinds = Mapping[str, tuple[str, bool]]
"""The annotations of parameters, and whether they are given by name only."""


def explained(
    error: Exception, name: str, given: Mapping[str, Any], kinds: Kinds, first: int
) -> Exception:
    """The error of a failed call: about the first argument of the wrong type, if there is one.

    Args:
        error: what the call raised.
        name: what the function is called.
        given: its arguments, by name, in order.
        kinds: what they may be.
        first: the place at which PyTorch counts the first: 0 for a method's own tensor.
    """
    if isinstance(error, TypeError) and getattr(error, "operand", None) is not None:
        return as_function(error) if first else error
    if name not in SEVERAL_FORMS:
        for place, (key, value) in enumerate(given.items(), first):
            annotation, by_name = kinds[key]
            wanted, fits = KINDS.get(annotation, ("", bool))
            if wanted and not fits(value):
                where = "" if by_name else f" (position {place})"
                kind = type(value).__name__
                return TypeError(f"{name}(): argument '{key}'{where} must be {wanted}, not {kind}")
    return error
