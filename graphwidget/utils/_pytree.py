"""``torch.utils._pytree``: nested tuples, lists and dicts, flattened and rebuilt.

The name is private in PyTorch, but programs use these functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..func.pytree import Spec as TreeSpec
from ..func.pytree import tree_flatten, tree_unflatten
from ..func.pytree import tree_map as _tree_map

__all__ = ["TreeSpec", "tree_flatten", "tree_leaves", "tree_map", "tree_map_only", "tree_unflatten"]


def tree_leaves(tree: Any) -> list[Any]:
    """The values of a nest, in order."""
    return tree_flatten(tree)[0]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any) -> Any:
    """A function of each value of a nest, and of those at the same places of others.

    Raises:
        ValueError: they have not the same shape.
    """
    if not rests:
        return _tree_map(func, tree)
    values, spec = tree_flatten(tree)
    others = []
    for rest in rests:
        found, other = tree_flatten(rest)
        if other != spec:
            raise ValueError(f"the nests differ: {spec} and {other}")
        others.append(found)
    return tree_unflatten([func(*each) for each in zip(values, *others, strict=True)], spec)


def tree_map_only(kind: Any, func: Callable[[Any], Any], tree: Any) -> Any:
    """A function of those values that are of a class, or one of several; the others as they are."""
    return _tree_map(lambda value: func(value) if isinstance(value, kind) else value, tree)
