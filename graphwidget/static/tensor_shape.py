"""The shapes of symbols as users see them, in which a size may be unknown (``?``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

Sizes = tuple[int | None, ...]


class Dimension:
    """One size; ``value`` is None where it is unknown. Compares with numbers."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        if isinstance(value, Dimension):
            value = value.value
        self.value: int | None = None if value is None else int(value)

    def __int__(self) -> int:
        if self.value is None:
            raise TypeError("__int__ returned non-int (type NoneType)")
        return self.value

    __index__ = __int__

    def __eq__(self, other: object) -> Any:
        other = other.value if isinstance(other, Dimension) else other
        return None if self.value is None or other is None else self.value == other

    def __ne__(self, other: object) -> Any:
        same = self == other
        return None if same is None else not same

    def __hash__(self) -> int:
        return hash(self.value)

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)

    def __repr__(self) -> str:
        return f"Dimension({self.value})"


class TensorShape:
    """A shape of which some sizes may be unknown, or all (``TensorShape(None)``)."""

    __slots__ = ("sizes",)

    def __init__(self, dims: Any) -> None:
        self.sizes = sizes_of(dims)

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes; None where not even their number is known."""
        return None if self.sizes is None else [Dimension(size) for size in self.sizes]

    @property
    def ndims(self) -> int | None:
        """Number of dims; None where that is unknown."""
        return None if self.sizes is None else len(self.sizes)

    rank = ndims

    def as_list(self) -> list[int | None]:
        """The sizes as numbers, None where unknown.

        Raises:
            ValueError: the number of dims is unknown.
        """
        if self.sizes is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self.sizes)

    def is_fully_defined(self) -> bool:
        """Return whether all sizes are known."""
        return self.sizes is not None and None not in self.sizes

    def num_elements(self) -> int | None:
        """Return how many items there are; None where that is unknown."""
        if self.sizes is None:
            return None
        product = 1
        for size in self.sizes:
            if size is None:
                return None
            product *= size
        return product

    def is_compatible_with(self, other: Any) -> bool:
        """Return whether one array may have both shapes."""
        return merged(self.sizes, sizes_of(other)) is not False

    def merge_with(self, other: Any) -> TensorShape:
        """Return the shape of an array that has both shapes.

        Raises:
            ValueError: none can.
        """
        found = merged(self.sizes, sizes_of(other))
        if found is False:
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are not compatible")
        return TensorShape(found)

    def __iter__(self) -> Iterator[Dimension]:
        if self.sizes is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self.dims or ())

    def __len__(self) -> int:
        if self.sizes is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self.sizes)

    def __getitem__(self, key: Any) -> Any:
        if self.sizes is None:
            return TensorShape(None) if isinstance(key, slice) else Dimension(None)
        found = self.sizes[key]
        return TensorShape(found) if isinstance(key, slice) else Dimension(found)

    def __bool__(self) -> bool:
        return self.sizes is not None

    def __eq__(self, other: object) -> bool:
        try:
            return self.sizes == sizes_of(other)
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self.sizes)

    def __str__(self) -> str:
        return "<unknown>" if self.sizes is None else shape_text(self.sizes)

    def __repr__(self) -> str:
        return f"TensorShape({self.dims})"


def sizes_of(shape: Any) -> Sizes | None:
    """A shape in any of the ways in which users write one, as sizes."""
    if shape is None:
        return None
    if isinstance(shape, TensorShape):
        return shape.sizes
    if isinstance(shape, Iterable):
        return tuple(Dimension(size).value for size in shape)
    return (Dimension(shape).value,)


def shape_text(sizes: Sizes) -> str:
    """``(?, 3)``, as in what is printed."""
    shown = ", ".join("?" if size is None else str(size) for size in sizes)
    return f"({shown},)" if len(sizes) == 1 else f"({shown})"


def list_text(sizes: Sizes | None) -> str:
    """``[?,3]``, as in the runtime's messages."""
    if sizes is None:
        return "<unknown>"
    return "[" + ",".join("?" if size is None else str(size) for size in sizes) + "]"


def merged(first: Sizes | None, second: Sizes | None) -> Any:
    """Return the sizes of an array of both shapes, as far as they are known; False where there is
    none."""
    if first is None or second is None:
        return second if first is None else first
    if len(first) != len(second):
        return False
    if any(a != b for a, b in zip(first, second, strict=True) if a is not None and b is not None):
        return False
    return tuple(b if a is None else a for a, b in zip(first, second, strict=True))


def broadcast(shapes: Iterable[Sizes | None]) -> Sizes | None:
    """The shape to which several are broadcast; None where that is unknown.

    Raises:
        ValueError: two sizes differ and neither is 1; its ``args`` are the two.
    """
    known: list[Sizes] = []
    for shape in shapes:
        if shape is None:
            return None
        known.append(shape)
    found: list[int | None] = []
    for place in range(max(map(len, known), default=0), 0, -1):
        sizes = [shape[-place] for shape in known if len(shape) >= place]
        others = [size for size in sizes if size != 1]
        numbers = [size for size in others if size is not None]
        for number in numbers[1:]:
            if number != numbers[0]:
                raise ValueError(numbers[0], number)
        found.append(numbers[0] if numbers else None if others else 1)
    return tuple(found)
