"""Dtypes: ``torch.float32`` and the others, and type promotion.

A `dtype` is a named singleton around a `np.dtype`; inside the core arrays carry numpy's dtypes and
these objects appear only where the user sees them. PyTorch's other types exist by name, for
programs that list or compare them, and refuse to be used.
"""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from .kernel_errors import C_WORDS, WORDS
from .scalars import Default

Array = np.ndarray[Any, np.dtype[Any]]
NumpyDtype = np.dtype[Any]
Number = bool | int | float


class dtype:
    """An element type such as `torch.float32`. One object exists per type; compare with `is`."""

    __slots__ = (
        "abbr",
        "c_type",
        "is_complex",
        "is_floating_point",
        "is_signed",
        "itemsize",
        "name",
        "numpy",
        "word",
    )

    def __new__(cls, *args: object, **kwargs: object) -> dtype:
        raise TypeError("cannot create 'torch.dtype' instances")

    numpy: NumpyDtype
    name: str
    word: str
    c_type: str
    abbr: str
    itemsize: int
    is_complex: bool
    is_floating_point: bool
    is_signed: bool

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return dtype_of, (self.name,)

    def __getattr__(self, name: str) -> Any:
        """Look up a property that only types with an array type have.

        Raises:
            NotImplementedError: this is not one of them.
        """
        if name in dtype.__slots__:
            raise NotImplementedError(ABSENT_TYPE.format(self))
        raise AttributeError(f"'torch.dtype' object has no attribute '{name}'")

    def to_real(self) -> dtype:
        """The type of the real part."""
        return NAMES[f"float{self.itemsize * 4}"] if self.is_complex else self


def python_type(kind: type) -> dtype:
    """The type for which one of Python's may stand."""
    return dtype_of({float: "float64", int: "int64", bool: "bool"}[kind])


def dtype_of(name: str) -> dtype:
    """A dtype from its pickle, which cannot name the constant: its public name is PyTorch's."""
    return NAMES[name] if name in NAMES else ABSENT[name]


def _declare(name: str, abbr: str) -> dtype:
    made = object.__new__(dtype)
    made.numpy = np.dtype(name)
    made.name = name
    made.word = WORDS[name]
    made.c_type = C_WORDS[name]
    made.abbr = abbr
    made.itemsize = made.numpy.itemsize
    made.is_complex = False
    made.is_floating_point = made.numpy.kind == "f"
    made.is_signed = made.numpy.kind in "fi"
    return made


float64: Final = _declare("float64", "f64")
float32: Final = _declare("float32", "f32")
float16: Final = _declare("float16", "f16")
int64: Final = _declare("int64", "i64")
int32: Final = _declare("int32", "i32")
int16: Final = _declare("int16", "i16")
int8: Final = _declare("int8", "i8")
uint8: Final = _declare("uint8", "u8")
bool_: Final = _declare("bool", "b8")

ALL: Final = (float64, float32, float16, int64, int32, int16, int8, uint8, bool_)

# Every name of a dtype that exists here.
NAMES: Final[dict[str, dtype]] = {
    **{made.name: made for made in ALL},
    "double": float64, "float": float32, "half": float16,
    "long": int64, "int": int32, "short": int16,
}  # fmt: skip

ABSENT_TYPE = (
    "graphwidget does not have the type {}, only float64, float32, float16, int64, int32, int16, "
    "int8, uint8 and bool."
)


def _absent(name: str, itemsize: int, traits: str) -> dtype:
    made = object.__new__(dtype)
    made.name = name
    made.itemsize = itemsize
    made.is_floating_point = "floating" in traits
    made.is_complex = "complex" in traits
    made.is_signed = "signed" in traits
    return made


# Every name of one that does not.
ABSENT: Final[dict[str, dtype]] = {
    name: _absent(name, itemsize, traits)
    for itemsize, traits, names in (
        (2, "floating signed", "bfloat16"),
        (1, "floating signed", "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz"),
        (1, "floating signed", "float4_e2m1fn_x2"),
        (1, "floating", "float8_e8m0fnu"),
        (4, "complex signed", "complex32"),
        (8, "complex signed", "complex64"),
        (16, "complex signed", "complex128"),
        (1, "signed", "int1 int2 int3 int4 int5 int6 int7"),
        (1, "", "uint1 uint2 uint3 uint4 uint5 uint6 uint7 bits8 bits1x8 bits2x4 bits4x2"),
        (1, "", "qint8 quint8 quint4x2 quint2x4"),
        (2, "", "uint16 bits16"),
        (4, "", "uint32 qint32"),
        (8, "", "uint64"),
    )
    for name in names.split()
}
ABSENT.update(
    chalf=ABSENT["complex32"], cfloat=ABSENT["complex64"], cdouble=ABSENT["complex128"],
    bit=ABSENT["uint1"],
)  # fmt: skip

_OF: Final[dict[NumpyDtype, dtype]] = {made.numpy: made for made in ALL}


def of(numpy_dtype: NumpyDtype) -> dtype:
    """The dtype of arrays with `numpy_dtype`; TypeError if there is no such type here."""
    try:
        return _OF[numpy_dtype]
    except KeyError:
        raise TypeError(
            f"can't convert np.ndarray of type {numpy_dtype.type.__module__}."
            f"{numpy_dtype.type.__name__}. The only supported types are: "
            "float64, float32, float16, int64, int32, int16, int8, uint8, and bool."
        ) from None


def scalar_type(numpy_dtype: NumpyDtype) -> str:
    """PyTorch's word for a type in messages: "Float", "Double", "Long", ..."""
    return _OF[numpy_dtype].word


def c_type(numpy_dtype: NumpyDtype) -> str:
    """The C++ word that other PyTorch messages print: "float", "double", "long int", ..."""
    return _OF[numpy_dtype].c_type


def legacy_type(numpy_dtype: NumpyDtype) -> str:
    """The legacy type string, e.g. "torch.FloatTensor"."""
    return f"torch.{_OF[numpy_dtype].word}Tensor"


def printed_type(numpy_dtype: NumpyDtype) -> str:
    """The type as PyTorch's C++ messages print it: bool has no legacy name there."""
    return "CPUBoolType" if numpy_dtype.kind == "b" else legacy_type(numpy_dtype)


# ------------------------------------------------------------------------------ default dtype

_default: dtype = float32


def get_default_dtype() -> dtype:
    """The floating type of new tensors made from Python floats."""
    return _default


def set_default_dtype(d: dtype, /) -> None:
    """Set the floating type of new tensors; TypeError unless `d` is a floating dtype."""
    global _default
    if not isinstance(d, dtype):
        raise TypeError(
            "invalid dtype object: only floating-point types are supported as the default type"
        )
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default, Default.dtype = d, d.numpy


def default_numpy() -> NumpyDtype:
    """The default dtype as numpy's."""
    return _default.numpy


def number_dtype(number: Number) -> NumpyDtype:
    """The dtype a Python number has as a tensor: bool, int64 or the default dtype."""
    kind = type(number)
    if kind is float:
        return _default.numpy
    if kind is bool:
        return bool_.numpy
    if kind is int:
        return int64.numpy
    # Subclasses, numpy's float64 among them.
    if isinstance(number, float):
        return _default.numpy
    return bool_.numpy if isinstance(number, bool) else int64.numpy


# ---------------------------------------------------------------------------------- promotion
# PyTorch promotes by category (bool < int < float) and sorts operands into three levels; a lower
# level counts only if it raises the category (c10 ResultTypeState).

DIMENSIONED: Final = 0
"""Level of tensors with at least one dimension."""
ZERO_DIM: Final = 1
"""Level of 0-d tensors."""
NUMBER: Final = 2
"""Level of Python numbers."""

_CATEGORY: Final = {"b": 0, "u": 1, "i": 1, "f": 2}
_promoted: dict[tuple[NumpyDtype, NumpyDtype], NumpyDtype] = {}
_combined: dict[tuple[NumpyDtype, int, NumpyDtype, int], NumpyDtype] = {}


def promote_types(first: NumpyDtype, second: NumpyDtype) -> NumpyDtype:
    """The smallest type both fit in, by PyTorch's table: unlike numpy, float16+int64 is float16."""
    key = (first, second)
    found = _promoted.get(key)
    if found is None:
        high, low = first, second
        if _CATEGORY[high.kind] < _CATEGORY[low.kind]:
            high, low = low, high
        same = _CATEGORY[high.kind] == _CATEGORY[low.kind]
        found = _promoted[key] = np.promote_types(high, low) if same else high
    return found


def promoted_type(first: NumpyDtype, level: int, second: NumpyDtype, level2: int) -> NumpyDtype:
    """The type of an operation on two operands, each given by its dtype and its level."""
    key = (first, level, second, level2)
    found = _combined.get(key)
    if found is None:
        if level == level2:
            found = promote_types(first, second)
        else:
            high, low = (first, second) if level < level2 else (second, first)
            raises = _CATEGORY[low.kind] > _CATEGORY[high.kind]
            found = promote_types(high, low) if raises or high.kind == "b" else high
        _combined[key] = found
    return found


Operand = Array | np.generic | Number


def plain_number(number: Any) -> Number:
    """A numpy scalar as the Python number that PyTorch takes it for: its bools are floats there."""
    if isinstance(number, np.bool_):
        return float(number)
    return number.item() if isinstance(number, np.generic) else number  # type: ignore[no-any-return]


def result_type(*operands: Operand) -> NumpyDtype:
    """The type of an operation on arrays (0-d ones count as 0-d tensors) and numbers, as
    `torch.result_type` has it for any number of operands."""
    levels: list[NumpyDtype | None] = [None, None, None]
    for operand in operands:
        if isinstance(operand, np.ndarray):
            found, level = operand.dtype, ZERO_DIM if operand.ndim == 0 else DIMENSIONED
        else:
            found, level = number_dtype(plain_number(operand)), NUMBER
        before = levels[level]
        levels[level] = found if before is None else promote_types(before, found)
    result: NumpyDtype | None = None
    at = NUMBER
    # From the lowest level up, as PyTorch folds them.
    for level in (NUMBER, ZERO_DIM, DIMENSIONED):
        current = levels[level]
        if current is not None:
            result = current if result is None else promoted_type(current, level, result, at)
            at = level
    if result is None:
        raise ValueError("result_type() needs at least one operand")
    return result


def can_cast(source: NumpyDtype, target: NumpyDtype) -> bool:
    """Return whether an in-place op may write `source` results into `target` (category never
    falls)."""
    rank = _CATEGORY
    return rank[source.kind] <= rank[target.kind]


dtype.__module__ = "torch"  # what printing a type shows


class Limits:
    """Base of `finfo` and `iinfo`: equal when they are of one type."""

    dtype: str

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Limits) and other.dtype == self.dtype

    __hash__ = None  # type: ignore[assignment]  # as PyTorch's, they cannot be looked up


class finfo(Limits):
    """Limits of a floating dtype (by default the default dtype)."""

    def __init__(self, type: dtype | None = None) -> None:
        chosen = get_default_dtype() if type is None else _dtype_argument("finfo", type)
        if not chosen.is_floating_point:
            raise TypeError(
                "torch.finfo() requires a floating point input type. "
                "Use torch.iinfo to handle 'torch.finfo'"
            )
        limits = np.finfo(chosen.numpy)
        self.dtype = chosen.name
        self.bits = chosen.itemsize * 8
        self.eps = float(limits.eps)
        self.max = float(limits.max)
        self.min = float(limits.min)
        self.tiny = self.smallest_normal = float(limits.smallest_normal)
        self.resolution = float(10.0**-limits.precision)

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
            f"eps={self.eps:g}, smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, "
            f"dtype={self.dtype})"
        )


class iinfo(Limits):
    """Limits of an integer dtype."""

    def __init__(self, type: dtype) -> None:
        chosen = _dtype_argument("iinfo", type)
        if chosen.is_floating_point:
            raise TypeError(
                "torch.iinfo() requires an integer input type. "
                "Use torch.finfo to handle 'torch.iinfo'"
            )
        if chosen is bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        limits = np.iinfo(chosen.numpy)
        self.dtype = chosen.name
        self.bits = chosen.itemsize * 8
        self.min = operator.index(limits.min)
        self.max = operator.index(limits.max)

    def __repr__(self) -> str:
        return f"iinfo(min={float(self.min):g}, max={float(self.max):g}, dtype={self.dtype})"


def _dtype_argument(caller: str, value: object) -> dtype:
    if not isinstance(value, dtype):
        raise TypeError(
            f"{caller}(): argument 'type' (position 1) must be torch.dtype, "
            f"not {type(value).__name__}"
        )
    return value
