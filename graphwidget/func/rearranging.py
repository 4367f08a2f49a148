"""``rearrange``: the dims of a tensor by a pattern of their names (einops, A. Rogozhnikov, 2022).

A pattern names the dims of what is given, an arrow, and how they stand in the result; those in
brackets are, or become, one dim. ``...`` stands for any number of dims, ``1`` and ``()`` for a dim
of size 1.
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..core.compile import TENSORS as F
from ..core.joins import stack
from ..core.reductions import sum as total
from ..core.tensor import Tensor
from ..core.warning import warn

ELLIPSIS = "…"
Group = tuple[str, ...]
"""The names that make up one dim."""
REST: Group = (ELLIPSIS,)
"""The ellipsis outside of brackets: any number of dims. It is known by its identity."""


class DimensionBindError(Exception):
    """The sizes of a tensor do not fit a pattern."""


def rearrange(
    tensor: Tensor | Sequence[Tensor], pattern: str, **axes_lengths: int
) -> Tensor:  # fmt: skip
    """A tensor, or several of equal sizes that are stacked first, with its dims in another order,
    split or joined.

    Args:
        pattern: as ``"b (h two) c -> b c h two"``.
        axes_lengths: the sizes of dims that cannot be told from the tensor's.

    Raises:
        ValueError, TypeError: the pattern is none, or not one for this tensor (PyTorch's texts).
        DimensionBindError: its sizes do not fit (likewise).
    """
    whole = tensor if isinstance(tensor, Tensor) else stack(tensor)
    left, right = sides(pattern)
    check(left, right, axes_lengths)
    left, right = spread_out(left, right, whole.ndim)
    if not left:
        return whole
    sizes = dict(axes_lengths)
    for group, size in zip(left, whole.shape, strict=True):
        sizes |= bound(group, size, sizes, [name for each in left for name in each])
    names = [name for group in left for name in group]
    found = F.view(whole, [sizes[name] for name in names])
    order = [name for group in right for name in group]
    ones = [place for place, name in enumerate(names) if name.isdecimal()]
    if ones:
        found = total(found, ones)
        names = [name for name in names if not name.isdecimal()]
    found = F.permute(found, [names.index(name) for name in order])
    return F.reshape(found, [math.prod(sizes[name] for name in group) for group in right])


# Patterns ----------------------------------------------------------------------------------------
def sides(pattern: str) -> tuple[list[Group], list[Group]]:
    """What stands left and right of the arrow. A size of 1 is an empty group.

    Raises:
        ValueError: it is no pattern (PyTorch's texts).
    """
    if pattern.count("->") != 1:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = (groups(each) for each in pattern.split("->"))
    there = [any(ELLIPSIS in group for group in side) for side in (left, right)]
    if there[1] and not there[0]:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if there[0] and not any(group is REST for group in left):
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    return left, right


def groups(side: str) -> list[Group]:
    """The dims of one side.

    Raises:
        ValueError: it is none (PyTorch's texts).
    """
    side = with_ellipsis(side)
    found: list[Group] = []
    seen: set[str] = set()
    open_group: list[str] | None = None
    for word in re.findall(r"[()]|[\w…]+|[^\s\w()…]", side):
        if word == "(" and open_group is not None:
            raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
        if word == ")" and open_group is None:
            raise ValueError("Brackets are not balanced")
        if word == "(":
            open_group = []
        elif word == ")":
            found.append(tuple(open_group or ()))
            open_group = None
        else:
            name = () if word == "1" else (checked_name(word, seen),)
            if open_group is None:
                found.append(REST if name == REST else name)
            else:
                open_group += name
    if open_group is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{side}'")
    return found


def with_ellipsis(side: str) -> str:
    """A side with one letter for its three dots.

    Raises:
        ValueError: there are other dots (PyTorch's texts).
    """
    if "." in side:
        start = "Expression may contain dots only inside ellipsis (...)"
        if "..." not in side:
            raise ValueError(start)
        if side.count("...") != 1 or side.count(".") != 3:
            raise ValueError(f"{start}; only one ellipsis for tensor ")
    return side.replace("...", ELLIPSIS)


def checked_name(word: str, seen: set[str]) -> str:
    """A name that was not ``seen`` on this side yet.

    Raises:
        ValueError: it was, or it is none (PyTorch's texts).
    """
    if not (word[0].isalnum() or word[0] in "_…"):
        raise ValueError(f"Unknown character '{word}'")
    if word in seen:
        raise ValueError(f"Indexing expression contains duplicate dimension '{word}'")
    seen.add(word)
    reason = ""
    if word == ELLIPSIS or word.isdecimal():
        return word
    if not word.isidentifier():
        reason = "not a valid python identifier"
    elif word[0] == "_" or word[-1] == "_":
        reason = "axis name should should not start or end with underscore"
    if reason:
        raise ValueError(f"Invalid axis identifier: {word}\n{reason}")
    if keyword.iskeyword(word):
        warn(f"It is discouraged to use axes names that are keywords: {word}", RuntimeWarning)
    if word == "axis":
        text = "It is discouraged to use 'axis' as an axis name and will raise an error in future"
        warn(text, FutureWarning)
    return word


def check(left: list[Group], right: list[Group], lengths: dict[str, Any]) -> None:
    """Refuse sides that do not name the same dims, and lengths of others.

    Raises:
        ValueError, TypeError: PyTorch's texts.
    """
    for length in lengths.values():
        if type(length) is not int:
            raise TypeError(f"rearrange axis lengths must be integers, got: {type(length)}")
    names = [{name for group in side for name in group} for side in (left, right)]
    if any(name.isdecimal() for name in names[0] | names[1]):
        raise ValueError("rearrange only supports unnamed axes of size 1")
    if names[0] != names[1]:
        raise ValueError(
            "Identifiers only on one side of rearrange expression (should be on both): "
            f"{names[0] ^ names[1]}"
        )
    if lengths.keys() - names[0]:
        raise ValueError(
            f"Identifiers not found in rearrange expression: {lengths.keys() - names[0]}"
        )


# Sizes -------------------------------------------------------------------------------------------
def spread_out(
    left: list[Group], right: list[Group], ndim: int
) -> tuple[list[Group], list[Group]]:  # fmt: skip
    """Sides with a name for each dim: of the ellipsis, and of the dims of size 1 on the left, which
    are numbered.

    Raises:
        ValueError: the tensor has other dims (PyTorch's texts).
    """
    open_ended = any(group is REST for group in left)
    least = sum(max(1, len(group)) for group in left) - 1 if open_ended else len(left)
    if (least > ndim) if open_ended else (least != ndim):
        relation = "less than or equal to" if open_ended else "equal to"
        raise ValueError(
            f"Number of dimensions in pattern ({least}) must be {relation} the number of "
            f"dimensions in the tensor ({ndim})"
        )
    rest = tuple(f"{ELLIPSIS}{place}" for place in range(ndim - len(left) + 1))
    spread = [list(each_alone(side, rest)) for side in (left, right)]
    return [group or (str(place),) for place, group in enumerate(spread[0])], spread[1]


def each_alone(side: list[Group], rest: Group) -> Iterator[Group]:
    """The groups of a side, those of the ellipsis one by one or inside of theirs."""
    for group in side:
        if group is REST:
            yield from ((name,) for name in rest)
        else:
            place = group.index(ELLIPSIS) if ELLIPSIS in group else len(group)
            yield (*group[:place], *(rest if place < len(group) else ()), *group[place + 1 :])


def bound(group: Group, size: int, known: dict[str, int], names: list[str]) -> dict[str, int]:
    """The sizes of the dims that make up one of a known size.

    Raises:
        DimensionBindError: they do not (PyTorch's texts).
    """
    shown = [f"d{names.index(name)}" for name in group]
    open_names = [name for name in group if known.get(name, -1) < 0]
    product = math.prod(known[name] for name in group if name not in open_names)
    if len(open_names) > 1:
        raise DimensionBindError(
            f"cannot infer the sizes of two dimensions at once {' and '.join(shown[:2])}"
        )
    if not open_names and product != size:
        pack = f"({shown[0]},)" if len(shown) == 1 else f"({', '.join(shown)})"
        raise DimensionBindError(
            f"Dimension sizes to do not match ({size} != {product}) when matching dimension pack "
            f"{pack}"
        )
    if not open_names:
        return {}
    if size % product:
        sizes = tuple(known.get(name, "?") for name in group)
        raise DimensionBindError(
            f"inferred dimension does not evenly fit into larger dimension: {size} vs {sizes}"
        )
    return {open_names[0]: size // product}
