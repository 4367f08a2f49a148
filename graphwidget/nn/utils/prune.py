"""`torch.nn.utils.prune`: functions that prune modules' parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...core.public import FUNCTIONS
from ...core.tensor import Tensor
from ..module import Module
from .pruning import (
    BasePruningMethod,
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    PruningContainer,
    RandomStructured,
    RandomUnstructured,
    pruning_hooks,
)

__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured",
    "PruningContainer", "RandomStructured", "RandomUnstructured", "custom_from_mask",
    "global_unstructured", "identity", "is_pruned", "l1_unstructured", "ln_structured",
    "random_structured", "random_unstructured", "remove",
]  # fmt: skip


def identity(module: Module, name: str) -> Module:
    """Make a parameter's mask, which prunes nothing."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: float) -> Module:
    """Prune entries at random."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: Module, name: str, amount: float, importance_scores: Tensor | None = None
) -> Module:
    """Prune the entries of the smallest absolute values, or scores."""
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: float, dim: int) -> Module:
    """Prune slices along a dim at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module, name: str, amount: float, n: Any, dim: int,
    importance_scores: Tensor | None = None,
) -> Module:  # fmt: skip
    """Prune the slices along a dim of the smallest n-norms."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prune by a mask."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Callable[..., BasePruningMethod],
    importance_scores: dict[tuple[Module, str], Tensor] | None = None, **kwargs: Any,
) -> None:  # fmt: skip
    """Prune several parameters, pairs of (module, name), as if they were one.

    Raises:
        TypeError: no iterable, or a method that is not for single entries.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    pairs: list[tuple[Module, str]] = list(parameters)
    given = importance_scores or {}
    scores = [given.get(pair, getattr(*pair)) for pair in pairs]
    masks = [
        getattr(module, name + "_mask", FUNCTIONS["ones_like"](getattr(module, name)))
        for module, name in pairs
    ]
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    container = PruningContainer()
    container._tensor_name = method._tensor_name = "temp"
    container.add_pruning_method(method)
    join = FUNCTIONS["cat"]
    flat = join([each.reshape(-1) for each in scores])
    final = container.compute_mask(flat, join([each.reshape(-1) for each in masks]))
    start = 0
    for module, name in pairs:
        param = getattr(module, name)
        end = start + param.numel()
        custom_from_mask(module, name, mask=final[start:end].view_as(param))
        start = end


def remove(module: Module, name: str) -> Module:
    """Make the pruning of a parameter permanent.

    Raises:
        ValueError: it is not pruned.
    """
    for key, hook in pruning_hooks(module):
        if hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(
        f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    )


def is_pruned(module: Module) -> bool:
    """Whether any parameter of a module, or of those inside, is pruned.

    Raises:
        TypeError: it is no module.
    """
    if not isinstance(module, Module):
        raise TypeError(f"argument 'module' must be a Module, not {type(module).__name__}")
    return any(pruning_hooks(each) for each in module.modules())
