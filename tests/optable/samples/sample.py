"""Samples of ops, and the shapes that samples are tried on."""

from __future__ import annotations

from typing import NamedTuple

Shape = tuple[int, ...]
Shapes = tuple[Shape, ...]

ONE: list[Shapes] = [((2, 3),), ((),), ((0, 3),), ((2, 1, 3),)]
TWO: list[Shapes] = [
    ((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2,)), ((2, 3), ()), ((0, 3), (3,)),
    ((), ()),
]  # fmt: skip
FITTING: list[Shapes] = [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), ()), ((), ())]
MATRIX: list[Shapes] = [((2, 3),), ((3, 3),)]
SQUARE: list[Shapes] = [((3, 3),)]
FILLED: list[Shapes] = [((2, 3),), ((2, 1, 3),)]
WITH_DIM: list[Shapes] = [((2, 3),), ((2, 1, 3),), ((3, 0),)]


class Sample(NamedTuple):
    """An expression and the shapes of its inputs; `positive` where its domain asks for it."""

    text: str
    shapes: list[Shapes]
    positive: bool = False
    integers: bool = True


def one(text: str, positive: bool = False) -> list[Sample]:
    return [Sample(text, ONE, positive)]


def two(*texts: str, positive: bool = False) -> list[Sample]:
    return [Sample(text, TWO, positive) for text in texts]


def each(shapes: list[Shapes], *texts: str, integers: bool = True) -> list[Sample]:
    return [Sample(text, shapes, integers=integers) for text in texts]


def floats(*texts: str, shapes: list[Shapes] = ONE, positive: bool = False) -> list[Sample]:
    """Samples that PyTorch refuses to compute of integers."""
    return [Sample(text, shapes, positive, integers=False) for text in texts]


def slope(*texts: str, shapes: list[Shapes] = ONE) -> list[Sample]:
    """The derivatives of expressions' squares by x, with a graph of their own."""
    return floats(
        *(f"torch.autograd.grad(({t} ** 2).sum(), x, create_graph=True)[0]" for t in texts),
        shapes=shapes,
    )
