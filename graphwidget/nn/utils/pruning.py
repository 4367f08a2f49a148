"""The ways to prune of `torch.nn.utils.prune`: masks that set entries of parameters to zero.

A pruned parameter ``name`` becomes the parameter ``name_orig`` and the buffer ``name_mask``; the
module's attribute ``name`` is their product, computed anew before each forward.
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.public import FUNCTIONS
from ...core.tensor import Tensor
from ..module import Module


class BasePruningMethod(ABC):
    """A way to choose what is pruned; called as a hook before its module's forward."""

    _tensor_name: str
    PRUNING_TYPE: str

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask of a tensor of which ``default_mask`` is left."""

    def apply_mask(self, module: Module) -> Tensor:
        """The parameter times its mask.

        Raises:
            AssertionError: it was not pruned.
        """
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask, original = getattr(module, name + "_mask"), getattr(module, name + "_orig")
        found: Tensor = mask.to(dtype=original.dtype) * original
        return found

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None,
        **kwargs: Any,
    ) -> BasePruningMethod:  # fmt: skip
        """Prune a module's parameter, in addition to what is pruned of it already.

        Raises:
            AssertionError: scores of another shape.
        """
        method: BasePruningMethod = cls(*args, **kwargs)
        method._tensor_name = name
        before = [(key, hook) for key, hook in pruning_hooks(module) if hook._tensor_name == name]
        for key, hook in before:
            container = hook if isinstance(hook, PruningContainer) else PruningContainer(hook)
            container.add_pruning_method(method)
            method = container
            del module._forward_pre_hooks[key]
        original = getattr(module, name)
        scores = original if importance_scores is None else importance_scores
        if scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}"
            )
        if before:
            default = getattr(module, name + "_mask").detach().clone()
        else:
            default = FUNCTIONS["ones_like"](original)
        mask = method.compute_mask(scores, default)
        if not before:
            module.register_parameter(name + "_orig", module._parameters[name])
            del module._parameters[name]
        module.register_buffer(name + "_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(
        self, t: Tensor, default_mask: Tensor | None = None,
        importance_scores: Tensor | None = None,
    ) -> Tensor:  # fmt: skip
        """A tensor with zeros where this method prunes it.

        Raises:
            AssertionError: scores of another shape.
        """
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t")
        default = FUNCTIONS["ones_like"](t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default)

    def remove(self, module: Module) -> None:
        """Make the pruning permanent: the product becomes the parameter."""
        name = self._tensor_name
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters[name + "_orig"]
        assert original is not None
        original.data = weight.data
        del module._parameters[name + "_orig"]
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several methods for one parameter, one after another."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        for method in args:
            if not self._pruning_methods:
                self._tensor_name = method._tensor_name
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """Add one at the end.

        Raises:
            TypeError: it is none.
            ValueError: it is for another parameter.
        """
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: int) -> BasePruningMethod:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """What the last method leaves of what the others left."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        left: Any = mask == 1
        if method.PRUNING_TYPE == "structured":
            dim = method.dim if hasattr(method, "dim") else 0
            kept = mask._data.any(tuple(d for d in range(mask.dim()) if d != dim % mask.dim()))
            left = (slice(None),) * (dim % mask.dim()) + (FUNCTIONS["from_numpy"](kept),)
        elif method.PRUNING_TYPE == "global":
            left = (slice(None),) * t.dim()
        elif method.PRUNING_TYPE != "unstructured":
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        found = mask.clone()
        found[left] = method.compute_mask(t[left], default_mask=mask[left]).to(mask.dtype)
        return found


class Identity(BasePruningMethod):
    """Prunes nothing."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask as it is."""
        return default_mask


class RandomUnstructured(BasePruningMethod):
    """Prunes entries at random: ``amount`` of them, or that fraction."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        check_amount(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Zeros at places drawn evenly."""
        count = whole(self.amount, t.nelement())
        check_fits(count, t.nelement())
        mask = default_mask.clone()
        if count:
            drawn = FUNCTIONS["rand_like"](t)
            mask.view(-1)[FUNCTIONS["topk"](drawn.view(-1), k=count).indices] = 0
        return mask


class L1Unstructured(RandomUnstructured):
    """Prunes the entries of the smallest absolute values."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Zeros where the values are smallest."""
        count = whole(self.amount, t.nelement())
        check_fits(count, t.nelement())
        mask = default_mask.clone()
        if count:
            sizes = FUNCTIONS["abs"](t).view(-1)
            mask.view(-1)[FUNCTIONS["topk"](sizes, k=count, largest=False).indices] = 0
        return mask


class RandomStructured(BasePruningMethod):
    """Prunes whole slices along a dim at random."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        check_amount(amount)
        self.amount = amount
        self.dim = dim

    def sizes(self, t: Tensor) -> Tensor:
        """What is compared: for each slice a number, of which the largest stay."""
        found: Tensor = FUNCTIONS["rand"](t.shape[self.dim])
        return found

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Zeros in the slices of the smallest numbers."""
        check_structured(t, self.dim)
        slices = t.shape[self.dim]
        count = whole(self.amount, slices)
        check_fits(count, slices)
        mask = default_mask.clone()
        if count:
            kept = FUNCTIONS["topk"](self.sizes(t), k=slices - count, largest=True).indices
            stays = np.zeros(slices, bool)
            stays[kept._data] = True
            shape = [1] * t.dim()
            shape[self.dim] = -1
            mask = mask * FUNCTIONS["from_numpy"](stays.reshape(shape)).to(mask.dtype)
        return mask


class LnStructured(RandomStructured):
    """Prunes the slices along a dim that have the smallest n-norms."""

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def sizes(self, t: Tensor) -> Tensor:
        """The norms of the slices."""
        others = [d for d in range(t.dim()) if d != self.dim % t.dim()]
        found: Tensor = t.norm(p=self.n, dim=others)
        return found


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask of the user's."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """What both masks leave.

        Raises:
            AssertionError: they differ in shape.
        """
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape "
                f"{self.mask.shape}"
            )
        mask: Tensor = default_mask * self.mask.to(dtype=default_mask.dtype)
        return mask


# What a module has, and amounts -------------------------------------------------------------------
def pruning_hooks(module: Module) -> list[tuple[int, BasePruningMethod]]:
    """The methods among a module's hooks."""
    hooks = [(key, each.function) for key, each in module._forward_pre_hooks.items()]
    return [(key, hook) for key, hook in hooks if isinstance(hook, BasePruningMethod)]


def check_amount(amount: Any) -> None:
    """Refuse what is neither a fraction nor a number of entries.

    Raises:
        TypeError: no number.
        ValueError: negative, or a fraction above 1.
    """
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    integral = isinstance(amount, numbers.Integral)
    if (integral and amount < 0) or (not integral and not 0.0 <= float(amount) <= 1.0):
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative "
            "integer"
        )


def whole(amount: float, size: int) -> int:
    """How many a number, or a fraction of ``size``, are."""
    return int(amount) if isinstance(amount, numbers.Integral) else round(amount * size)


def check_fits(count: int, size: int) -> None:
    """Refuse to prune more than there is.

    Raises:
        ValueError: there are fewer.
    """
    if count > size:
        raise ValueError(
            f"amount={count} should be smaller than the number of parameters to prune={size}"
        )


def check_structured(t: Tensor, dim: int) -> None:
    """Refuse to prune slices of what has none.

    Raises:
        ValueError: fewer than two dims.
        IndexError: no such dim.
    """
    if t.dim() <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of "
            f"shape {t.shape} with {t.dim()} dims"
        )
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")
