"""`assert_close`: tensors, numbers and what holds them, equal up to a tolerance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..graph.tensor import Tensor

TOLERANCES = {"float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}
"""The relative and absolute tolerance of each dtype; others must be equal."""


class _Options(NamedTuple):
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_dtype: bool
    check_stride: bool

    def tolerances(self, *dtypes: Any) -> tuple[float, float]:
        """The given tolerances, or the larger ones of the dtypes."""
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        usual = [TOLERANCES.get(np.dtype(dtype).name, (0.0, 0.0)) for dtype in dtypes]
        return max(each[0] for each in usual), max(each[1] for each in usual)


class _Failure(AssertionError):
    """A difference; `text` without where it was found."""


Pair = tuple[tuple[Any, ...], Any, Any]


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Fail unless `|actual - expected| <= atol + rtol |expected|` everywhere.

    Args:
        actual, expected: tensors, arrays, numbers, None, or sequences or mappings of them.
        allow_subclasses: types may differ if one is a kind of the other.
        rtol, atol: both or none; those of the dtype when not given.
        equal_nan: nan equals nan.
        msg: says it instead of the usual text, or is given that and returns another.

    Raises:
        AssertionError: they differ (PyTorch's texts).
        TypeError: they cannot be compared.
        ValueError: one tolerance without the other.
    """
    if (rtol is None) is not (atol is None):
        raise ValueError(
            "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
            f"{'rtol' if rtol is None else 'atol'}."
        )
    options = _Options(rtol, atol, equal_nan, check_dtype, check_stride)
    place: tuple[Any, ...] = ()
    try:
        for pair in list(_pairs(actual, expected, (), allow_subclasses)):
            place = pair[0]
            _compare(pair[1], pair[2], options)
    except _Failure as failure:
        text = str(failure)
        if place:
            items = "".join(str([item]) for item in place)
            text += f"\n\nThe failure occurred for item {items}"
        if msg is not None:
            text = msg(text) if callable(msg) else msg
    else:
        return
    raise AssertionError(text)


def _pairs(actual: Any, expected: Any, place: tuple[Any, ...], subclasses: bool) -> Iterator[Pair]:
    """A pair to compare, with its place in its container."""
    if _both_instances(Sequence, actual, expected) and not isinstance(actual, str):
        if len(actual) != len(expected):
            raise _Failure(
                f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            )
        for number, (mine, theirs) in enumerate(zip(actual, expected, strict=True)):
            yield from _pairs(mine, theirs, (*place, number), subclasses)
    elif _both_instances(Mapping, actual, expected):
        missing, more = set(expected) - set(actual), set(actual) - set(expected)
        if missing or more:
            raise _Failure(
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {sorted(missing)}\n"
                f"Additional keys in the actual mapping: {sorted(more)}"
            )
        for key in _in_order(actual):
            yield from _pairs(actual[key], expected[key], (*place, key), subclasses)
    elif _comparable(actual, expected, subclasses):
        yield place, actual, expected
    else:
        at = f"\n\nThe failure occurred for item {''.join(str([i]) for i in place)}"
        raise TypeError(
            f"No comparison pair was able to handle inputs of type {_format_value(actual)} and "
            f"{_format_value(expected)}." + (at if place else "")
        )


def _both_instances(kind: Any, *values: Any) -> bool:
    return all(isinstance(value, kind) for value in values)


def _format_value(value: Any) -> str:
    return "<class 'torch.Tensor'>" if type(value) is Tensor else str(type(value))


def _in_order(keys: Any) -> list[Any]:
    try:
        return sorted(keys)
    except TypeError:
        return list(keys)


def _comparable(actual: Any, expected: Any, subclasses: bool) -> bool:
    if actual is None or expected is None:
        return True
    if _both_instances(Tensor | np.ndarray | np.generic, actual, expected):
        kinds = type(actual), type(expected)
        related = issubclass(kinds[0], kinds[1]) or issubclass(kinds[1], kinds[0])
        return related and (subclasses or kinds[0] is kinds[1])
    return _both_instances(bool | int | float, actual, expected)


def _compare(actual: Any, expected: Any, options: _Options) -> None:
    if actual is None or expected is None:
        if actual is not expected:
            raise _Failure(f"None mismatch: {actual} is not {expected}")
    elif _both_instances(bool, actual, expected):
        if actual is not expected:
            raise _Failure(f"Booleans mismatch: {actual} is not {expected}")
    elif _both_instances(int | float, actual, expected):
        if options.check_dtype and type(actual) is not type(expected):
            raise _Failure(f"The (d)types do not match: {type(actual)} != {type(expected)}.")
        _compare_numbers(actual, expected, options.tolerances(type(actual), type(expected)),
                         options.equal_nan)  # fmt: skip
    else:
        _compare_tensors(_as_tensor(actual), _as_tensor(expected), options)


def _as_tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else Tensor._wrap(np.asarray(value))


def _compare_numbers(
    actual: Any, expected: Any, tolerances: tuple[float, float], equal_nan: bool
) -> None:
    rtol, atol = tolerances
    difference = abs(actual - expected)
    same = actual == expected or difference <= atol + rtol * abs(expected)
    if same or (equal_nan and actual != actual and expected != expected):
        return
    relative = difference / abs(expected) if expected else float("inf")
    exact = rtol == atol == 0
    raise _Failure(
        f"Scalars are not {'equal' if exact else 'close'}!\n\n"
        f"Expected {expected} but got {actual}.\n"
        f"Absolute difference: {difference}{_tolerance_text(atol, exact)}\n"
        f"Relative difference: {relative}{_tolerance_text(rtol, exact)}"
    )


def _tolerance_text(tolerance: float, exact: bool) -> str:
    return "" if exact else f" (up to {tolerance} allowed)"


def _compare_tensors(actual: Tensor, expected: Tensor, options: _Options) -> None:
    checks: list[tuple[str, Any, Any]] = [("shape", actual.shape, expected.shape)]
    if options.check_dtype:
        checks.append(("dtype", actual.dtype, expected.dtype))
    if options.check_stride:
        checks.append(("stride()", actual.stride(), expected.stride()))
    for name, mine, theirs in checks:
        if mine != theirs:
            raise _Failure(f"The values for attribute '{name}' do not match: {mine} != {theirs}.")
    a, b = actual._data, expected._data
    rtol, atol = options.tolerances(a.dtype, b.dtype)
    if not a.ndim:
        _compare_numbers(a.item(), b.item(), (rtol, atol), options.equal_nan)
        return
    _compare_arrays(a, b, rtol, atol, options.equal_nan)


def _compare_arrays(a: Any, b: Any, rtol: float, atol: float, equal_nan: bool) -> None:
    """Compare item by item; the text has the largest differences."""
    common = np.result_type(a, b)
    common = np.dtype(np.int64) if common.kind == "b" else common
    a, b = a.astype(common), b.astype(common)
    with np.errstate(all="ignore"):
        away = np.abs(a - b)
        size = np.abs(b)
        same = (a == b) | (np.isfinite(away) & (away <= atol + rtol * size))
        if equal_nan:
            same |= (a != a) & (b != b)
        if same.all():
            return
        relative = away / size if common.kind == "f" else (away / size).astype(np.float32)
    exact = rtol == atol == 0
    wrong = int(same.size - same.sum())
    lines = [
        f"Tensor-likes are not {'equal' if exact else 'close'}!",
        "",
        f"Mismatched elements: {wrong} / {same.size} ({wrong / same.size:.1%})",
    ]
    for word, values, tolerance in (("absolute", away, atol), ("relative", relative, rtol)):
        values = np.where(same, values.dtype.type(0), values)
        index = np.unravel_index(int(np.argmax(values)), values.shape)
        place = f"{values[index].item()} at index {tuple(int(each) for each in index)}"
        lines.append(f"Greatest {word} difference: {place}{_tolerance_text(tolerance, exact)}")
    raise _Failure("\n".join(lines))
