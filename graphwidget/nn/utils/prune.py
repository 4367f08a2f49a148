"""Pruning: some items of a parameter held at zero, as in `torch.nn.utils.prune`.

`pruning` says how a mask does it; here are the methods that choose the items, and the functions
that users call.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, TypeVar

from ...arrays.memory_formats import contiguous_format
from ...functions.creation.factories import ones_like, zeros_like
from ...functions.random.random_tensors import rand, rand_like
from ...graph.tensor import Tensor
from .convert_parameters import parameters_to_vector
from .pruning_method import BasePruningMethod, PruningContainer, pruning_hooks

__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured",
    "PruningContainer", "RandomStructured", "RandomUnstructured", "custom_from_mask",
    "global_unstructured", "identity", "is_pruned", "l1_unstructured", "ln_structured",
    "random_structured", "random_unstructured", "remove",
]  # fmt: skip

Of = TypeVar("Of")


class Identity(BasePruningMethod):
    """Prunes nothing, but makes the parameter a pruned one."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The earlier mask."""
        return default_mask

    @classmethod
    def apply(cls, module: Any, name: str) -> Any:  # type: ignore[override]
        return super().apply(module, name)


class _Amount(BasePruningMethod):
    """Prunes a number of items or slices, or a share of them in [0, 1].

    Raises:
        TypeError: `amount` is no number.
        ValueError: a negative number, or a share outside [0, 1].
    """

    def __init__(self, amount: Any) -> None:
        if not isinstance(amount, Real):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        whole = isinstance(amount, Integral)
        if float(amount) < 0.0 or (not whole and float(amount) > 1.0):
            raise ValueError(
                f"amount={amount} should either be a float in the range [0, 1] or a non-negative "
                "integer"
            )
        self.amount: Any = amount

    def _count(self, size: int) -> Any:
        """How many of `size` are pruned."""
        whole = isinstance(self.amount, Integral)
        if not whole:
            return round(self.amount * size)
        if self.amount > size:
            raise ValueError(
                f"amount={self.amount} should be smaller than the number of parameters to "
                f"prune={size}"
            )
        return self.amount


class _Unstructured(_Amount):
    """Prunes single items."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The earlier mask without the items that `_items_to_prune` names.

        Raises:
            ValueError: there are not so many.
        """
        count = self._count(t.nelement())
        mask = default_mask.clone(memory_format=contiguous_format)
        if count:
            mask.view(-1)[self._items_to_prune(t, count)] = 0
        return mask

    @abstractmethod
    def _items_to_prune(self, t: Tensor, count: int) -> Any:
        """The places of the items to prune."""


class RandomUnstructured(_Unstructured):
    """Prunes any items."""

    def _items_to_prune(self, t: Tensor, count: int) -> Any:
        return rand_like(t).view(-1).topk(k=count).indices

    @classmethod
    def apply(cls, module: Any, name: str, amount: Any) -> Any:  # type: ignore[override]
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Prunes the items nearest to zero."""

    def _items_to_prune(self, t: Tensor, count: int) -> Any:
        return t.abs().view(-1).topk(k=count, largest=False).indices

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Any, name: str, amount: Any, importance_scores: Any = None
    ) -> Any:
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(_Amount):
    """Prunes whole slices along a dim."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The earlier mask where it meets the slices that `_slices_to_keep` names.

        Raises:
            ValueError: a tensor of one dim or none, or there are not so many slices.
            IndexError: no such dim.
        """
        if t.dim() <= 1:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor "
                f"of shape {t.shape} with {t.dim()} dims"
            )
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        count = self._count(t.shape[self.dim])
        if not count:
            return default_mask
        place: list[Any] = [slice(None)] * t.dim()
        place[self.dim] = self._slices_to_keep(t, count)
        mask = zeros_like(t)
        mask[tuple(place)] = 1
        mask *= default_mask.to(dtype=mask.dtype)
        return mask

    @abstractmethod
    def _slices_to_keep(self, t: Tensor, count: int) -> Any:
        """An index of the slices that stay when `count` go."""


class RandomStructured(_Structured):
    """Prunes any slices along a dim."""

    def _slices_to_keep(self, t: Tensor, count: int) -> Any:
        chance = rand(t.shape[self.dim])
        return chance > chance.kthvalue(k=count).values

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Any, name: str, amount: Any, dim: int = -1
    ) -> Any:
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """Prunes the slices along a dim that have the least `n`-norms."""

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _slices_to_keep(self, t: Tensor, count: int) -> Any:
        others = [*range(t.dim())]
        size = t.shape[others.pop(self.dim)]
        return t.norm(self.n, others).topk(k=size - count).indices

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None
    ) -> Any:
        return super().apply(
            module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores
        )


class CustomFromMask(BasePruningMethod):
    """Prunes where a given mask is 0."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The earlier mask times the given one.

        Raises:
            AssertionError: they have different shapes.
        """
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape "
                f"{self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Any, name: str, mask: Any) -> Any:  # type: ignore[override]
        return super().apply(module, name, mask=mask)


def identity(module: Of, name: str) -> Of:
    """Make a module's parameter a pruned one of which nothing is pruned yet."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Of, name: str, amount: Any) -> Of:
    """Prune `amount` items of a module's parameter (a share of them, if it is a float), any."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Of, name: str, amount: Any, importance_scores: Any = None) -> Of:
    """Prune the `amount` items of a module's parameter that are nearest to zero, or have the
    scores that are."""
    L1Unstructured.apply(module, name, amount, importance_scores)
    return module


def random_structured(module: Of, name: str, amount: Any, dim: int) -> Of:
    """Prune `amount` slices of a module's parameter along a dim, any."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Of, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None
) -> Of:
    """Prune the `amount` slices of a module's parameter along a dim that have the least
    `n`-norms."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores)
    return module


def custom_from_mask(module: Of, name: str, mask: Any) -> Of:
    """Prune a module's parameter where a mask of its shape is 0."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prune several parameters as if they were one.

    Args:
        parameters: pairs of a module and a name.
        pruning_method: a class of unstructured methods, made with `kwargs`.
        importance_scores: a dict from such pairs to what is looked at in the parameter's place.

    Raises:
        TypeError: `parameters` cannot be iterated, scores that are no dict, or a method that is
            not unstructured.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    given = {} if importance_scores is None else importance_scores
    if not isinstance(given, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    scores, masks = [], []
    for module, name in parameters:
        tensor = getattr(module, name)
        scores.append(given.get((module, name), tensor))
        masks.append(getattr(module, f"{name}_mask", ones_like(tensor)))
    every, mask = parameters_to_vector(scores), parameters_to_vector(masks)
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    method._tensor_name = "temp"
    parts = PruningContainer(method).compute_mask(every, mask)
    for (module, name), part in zip(
        parameters, parts.split([each.numel() for each in scores]), strict=True
    ):
        custom_from_mask(module, name, part.view_as(getattr(module, name)))


def remove(module: Of, name: str) -> Of:
    """Make a pruned parameter a usual one again; what was pruned stays 0.

    Raises:
        ValueError: it was not pruned.
    """
    for key, hook in pruning_hooks(module, name).items():
        hook.remove(module)
        del module._forward_pre_hooks[key]  # type: ignore[attr-defined]
        return module
    raise ValueError(
        f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    )


def is_pruned(module: Any) -> bool:
    """Whether a parameter of the module or of one below it is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for each in module.modules()
        for hook in each._forward_pre_hooks.values()
    )
