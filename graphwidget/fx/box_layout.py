"""Where the boxes of a graph lie: in layers from top to bottom, each below what it reads.

The layered drawing of Sugiyama, Tagawa and Toda (1981) in its plainest form: a box's layer is the
length of the longest way to it; a wire that passes layers gets a point in each; and the order
within a layer follows the mean place of the neighbours, down and up again a few times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

ROUNDS = 4
"""How often the layers are put in order, down and up."""
GAP, DROP, POINT = 18.0, 62.0, 10.0
"""Between neighbours, between layers, and the width of a wire that passes, in pixels."""

Point = tuple[float, float]


class Drawing(NamedTuple):
    """The middle of each box, the points of each wire, and the size of the whole."""

    boxes: dict[int, Point]
    wires: dict[tuple[int, int], list[Point]]
    width: float
    height: float


def draw(widths: Sequence[float], reads: Sequence[Sequence[int]]) -> Drawing:
    """Boxes of these widths, each of which reads boxes before it."""
    depth: list[int] = []
    for inputs in reads:
        depth.append(1 + max((depth[each] for each in inputs), default=-1))
    layers: list[list[int]] = [[] for _ in range(1 + max(depth, default=-1))]
    size = dict(enumerate(widths))
    above: dict[int, list[int]] = {place: [] for place in size}
    for place, level in enumerate(depth):
        layers[level].append(place)
    chains: dict[tuple[int, int], list[int]] = {}
    for place, inputs in enumerate(reads):
        for source in dict.fromkeys(inputs):
            chain = [source]
            for level in range(depth[source] + 1, depth[place]):
                point = len(size)
                size[point], above[point] = POINT, [chain[-1]]
                layers[level].append(point)
                chain.append(point)
            above[place].append(chain[-1])
            chains[source, place] = [*chain, place]
    order(layers, above)
    x = placed(layers, above, size)
    y = {each: DROP * level for level, row in enumerate(layers) for each in row}
    wires = {ends: [(x[each], y[each]) for each in chain] for ends, chain in chains.items()}
    boxes = {place: (x[place], y[place]) for place in range(len(widths))}
    right = max((x[each] + size[each] / 2 for each in size), default=0.0)
    return Drawing(boxes, wires, right, DROP * max(len(layers) - 1, 0))


def order(layers: list[list[int]], above: Mapping[int, Sequence[int]]) -> None:
    """Put each layer into an order in which few wires cross."""
    below: dict[int, list[int]] = {each: [] for each in above}
    for each, sources in above.items():
        for source in sources:
            below[source].append(each)

    for _ in range(ROUNDS):
        for level in range(1, len(layers)):
            layers[level].sort(key=mean_place(above, layers[level - 1]))
        for level in range(len(layers) - 2, -1, -1):
            layers[level].sort(key=mean_place(below, layers[level + 1]))


def mean_place(
    neighbours: Mapping[int, Sequence[int]], beside: Sequence[int]
) -> Callable[[int], float]:
    """The mean place of one's neighbours in the layer beside; before all, of who has none."""
    place = {each: i for i, each in enumerate(beside)}

    def mean(each: int) -> float:
        near = neighbours[each]
        return sum(place[other] for other in near) / len(near) if near else -1.0

    return mean


def placed(
    layers: Sequence[Sequence[int]], above: Mapping[int, Sequence[int]], size: Mapping[int, float]
) -> dict[int, float]:
    """Where the middle of each lies: below the middle of what it reads, if there is room."""
    x: dict[int, float] = {}
    for row in layers:
        edge = 0.0
        wished = [wish(each, above, x) for each in row]
        for each, at in zip(row, wished, strict=True):
            half = size[each] / 2
            x[each] = max(edge + half, at if at is not None else 0.0)
            edge = x[each] + half + GAP
        shift = [x[each] - at for each, at in zip(row, wished, strict=True) if at is not None]
        back = min(sum(shift) / len(shift) if shift else 0.0, x[row[0]] - size[row[0]] / 2)
        for each in row:  # as far to the right of the wish as to the left of it
            x[each] -= back
    return x


def wish(each: int, above: Mapping[int, Sequence[int]], x: Mapping[int, float]) -> float | None:
    """Where one would like to lie: in the middle of what it reads."""
    near = [x[source] for source in above[each]]
    return sum(near) / len(near) if near else None
