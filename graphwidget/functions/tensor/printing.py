"""``repr`` of tensors and ``set_printoptions``, exactly as PyTorch prints."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np

from ...arrays import dtypes
from ...arrays.dtypes import Array
from ...graph import runtime
from ...graph.tensor import Tensor

Scalar = bool | int | float


@dataclass(frozen=True)
class PrintOptions:
    """Options for printing tensors. Lengths are in characters."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES: Final[dict[str, dict[str, Any]]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}

_options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set what is given and keep the rest, except `sci_mode`, which None sets back to automatic.

    `threshold` is the number of elements above which only `edgeitems` at each end of every
    dimension are printed; `profile` is "default", "short" or "full".
    """
    global _options
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    changes = dict(_PROFILES.get(profile or "", {}))
    changes.update({name: value for name, value in given.items() if value is not None})
    _options = replace(_options, **changes, sci_mode=sci_mode)


def get_printoptions() -> dict[str, Any]:
    """The current options, as arguments of `set_printoptions`."""
    return asdict(_options)


@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Print with other options inside the `with` block."""
    global _options
    before = _options
    set_printoptions(**options)
    try:
        yield
    finally:
        _options = before


# ------------------------------------------------------------------------------ whole tensors


def tensor_str(
    array: Array, suffixes: list[str], prefix: str = "tensor(", contents: str | None = None
) -> str:
    """The repr of a tensor with this data, or with other ``contents``.

    `suffixes` are what the tensor adds beyond its data (`grad_fn=<...>` or `requires_grad=True`);
    the size and dtype are added here when PyTorch shows them.
    """
    default = dtypes.default_numpy()
    shown: list[str] = []
    usual = array.dtype == default
    if array.size == 0:
        if array.ndim != 1:
            shown.append(f"size={_plain(array.shape)}")
        body = "[]"
    else:
        if not _options.edgeitems:
            shown.append(f"size={_plain(array.shape)}")
        usual = usual or array.dtype == np.int64 or array.dtype == np.bool_
        body = data_str(array, len(prefix))
    if contents is not None:
        body = contents
    if not usual:
        shown.append(f"dtype={dtypes.of(array.dtype)}")
    return _join(prefix + body, shown + suffixes, len(prefix))


def data_str(array: Array, indent: int = 0) -> str:
    """The nested brackets with the numbers; `indent` is the column of the first bracket."""
    if array.size == 0:
        return "[]"
    summarize = array.size > _options.threshold
    style = _Style.of(_edges(array) if summarize else array)
    return _nested(array, indent, summarize, style)


def format_tensor(tensor: Tensor, spec: str) -> str:
    """Return `format(tensor, spec)`: a 0-d tensor (no parameter) is formatted as its number.

    Raises:
        TypeError: a format for what is formatted as it is printed.
    """
    kind = type(tensor)
    if tensor.ndim == 0 and kind is Tensor:
        return format(tensor.detach().item(), spec)
    if spec:
        raise TypeError(f"unsupported format string passed to {kind.__name__}.__format__")
    return repr(tensor)


def _plain(shape: tuple[int, ...]) -> str:
    return str(tuple(shape))


def _join(text: str, suffixes: list[str], indent: int) -> str:
    # The count starts one or two too high, as PyTorch's does.
    column = len(text) - text.rfind("\n") + 1
    parts = [text]
    for suffix in suffixes:
        if column + len(suffix) + 2 > _options.linewidth:
            parts.append(",\n" + " " * indent + suffix)
            column = indent + len(suffix)
        else:
            parts.append(", " + suffix)
            column += len(suffix) + 2
    return "".join(parts) + ")"


# ------------------------------------------------------------------------------------ numbers


@dataclass(frozen=True)
class _Style:
    """One format for all numbers of a tensor, right-aligned to `width`."""

    width: int
    text: Callable[[Scalar], str]

    def __call__(self, value: Scalar) -> str:
        return self.text(value).rjust(self.width)

    @classmethod
    def of(cls, shown: Array) -> "_Style":
        """The format that suits the numbers shown."""
        if shown.dtype.kind != "f":
            return cls(max(map(len, map(str, shown.ravel().tolist())), default=1), str)
        finite = shown[np.isfinite(shown) & (shown != 0)]
        if finite.size == 0:
            return cls(1, _whole)
        # Half precision would overflow in the ratio.
        sizes = np.abs(finite).astype(np.float64)
        with np.errstate(over="ignore"):
            wide = bool(sizes.max() / sizes.min() > 1000)
        scientific = _options.sci_mode
        if scientific is None:
            scientific = wide or bool(sizes.max() > 1e8) or bool(sizes.min() < 1e-4)
        if scientific:
            text: Callable[[Scalar], str] = _pattern(f".{_options.precision}e")
        elif bool((finite == np.ceil(finite)).all()):
            text = _whole
        else:
            text = _pattern(f".{_options.precision}f")
        # Zeros, nan and inf never widen a column.
        return cls(max(map(len, map(text, finite.tolist()))), text)


def _pattern(spec: str) -> Callable[[Scalar], str]:
    return lambda value: format(value, spec)


def _whole(value: Scalar) -> str:
    dot = "." if math.isfinite(value) else ""
    return f"{value:.0f}{dot}"


# ----------------------------------------------------------------------------------- brackets


def _edges(array: Array) -> Array:
    """The elements that a summary shows."""
    for axis, size in enumerate(array.shape):
        edge = _options.edgeitems
        if size > 2 * edge:
            kept = [*range(edge), *range(size - edge, size)]
            array = array.take(kept, axis)
    return array


def _nested(array: Array, indent: int, summarize: bool, style: _Style) -> str:
    if array.ndim == 0:
        return style(array.item())
    if array.ndim == 1:
        return _row(array, indent, summarize, style)
    edge, size = _options.edgeitems, len(array)
    cut = summarize and size > 2 * edge
    places = [*range(edge), *range(size - edge, size)] if cut else list(range(size))
    blocks = [_nested(array[place], indent + 1, summarize, style) for place in places]
    if cut:
        blocks.insert(edge, "...")
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(blocks) + "]"


def _row(row: Array, indent: int, summarize: bool, style: _Style) -> str:
    edge = _options.edgeitems
    if summarize and not edge:
        items = ["..."]
    elif summarize and len(row) > 2 * edge:
        ends = [[style(value) for value in part.tolist()] for part in (row[:edge], row[-edge:])]
        items = [*ends[0], " ...", *ends[1]]
    else:
        items = [style(value) for value in row.tolist()]
    per_line = max(1, (_options.linewidth - indent) // (style.width + 2))
    lines = [", ".join(items[at : at + per_line]) for at in range(0, len(items), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def tensor_repr(self: Tensor, *, tensor_contents: Any = None) -> str:
    """``repr(tensor)``: its numbers, and where they come from."""
    if runtime.reading is not None:
        runtime.reading((self,), None, "printing")
    name = type(self).__name__
    prefix = "tensor(" if name in ("Tensor", "Parameter") else f"{name}("
    shown = tensor_str(self._data, repr_suffixes(self), prefix, tensor_contents)
    return f"Parameter({shown})" if self.__dict__.get("_is_param", False) else shown


def repr_suffixes(tensor: Tensor) -> list[str]:
    """Return the parts of a repr about the tensor's history."""
    try:
        node = tensor.grad_fn
    except RuntimeError:
        return ["grad_fn=<Invalid>"]
    if node is not None:
        return [f"grad_fn=<{type(node).__name__}>"]
    return ["requires_grad=True"] if tensor.requires_grad else []
