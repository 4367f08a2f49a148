"""``BasePruningMethod``: holds some items of a parameter at zero by a mask.

`prune` has the ways to choose them.

The parameter `weight` becomes `weight_orig`, the buffer `weight_mask` says which items stay, and a
hook makes the attribute `weight` their product before each call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from ...arrays.memory_formats import contiguous_format
from ...functions.creation.factories import ones_like


class BasePruningMethod(ABC):
    """The hook that prunes one tensor of a module. Subclasses say by `compute_mask` which items
    stay, and by `PRUNING_TYPE` which ones they look at when the tensor was pruned before:
    those left ("unstructured"), the slices left along their `dim` ("structured") or all
    ("global")."""

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask for a tensor of scores, where an earlier one holds already."""

    def apply_mask(self, module: Any) -> Any:
        """The pruned tensor of a module.

        Raises:
            AssertionError: it has none.
        """
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask, orig = (getattr(module, f"{self._tensor_name}_{part}") for part in ("mask", "orig"))
        return mask.to(dtype=orig.dtype) * orig

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any
    ) -> Any:
        """Prune a module's parameter; `args` and `kwargs` are for the class. One that was pruned
        before gets a `PruningContainer` of all its methods.

        Args:
            importance_scores: of the parameter's shape, looked at in its place.

        Returns:
            The hook.

        Raises:
            AssertionError: scores of another shape, or several hooks for one parameter.
        """
        before = pruning_hooks(module, name)
        if len(before) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module "
                f"{module}. Use a PruningContainer."
            )
        for key in before:
            del module._forward_pre_hooks[key]
        method = cls(*args, **kwargs)
        method._tensor_name = name
        for former in before.values():
            method = _combine_methods(former, method)
        orig = getattr(module, name)
        scores = _importance_scores(importance_scores, orig, f"parameter {name} of {module}")
        again = isinstance(method, PruningContainer)
        if again:
            mask = getattr(module, f"{name}_mask").detach().clone(memory_format=contiguous_format)
        else:
            module.register_parameter(f"{name}_orig", orig)
            del module._parameters[name]
            mask = ones_like(orig)
        try:
            module.register_buffer(f"{name}_mask", method.compute_mask(scores, default_mask=mask))
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if not again:
                module.register_parameter(name, getattr(module, f"{name}_orig"))
                del module._parameters[f"{name}_orig"]
            raise
        return method

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """A pruned tensor, which belongs to no module.

        Raises:
            AssertionError: scores of another shape.
        """
        scores = _importance_scores(importance_scores, t, "tensor t")
        mask = ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=mask)

    def remove(self, module: Any) -> None:
        """Put the parameter back, with its zeros; the hook itself stays.

        Raises:
            AssertionError: it has none.
        """
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        pruned = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        orig = module._parameters[f"{name}_orig"]
        orig.data = pruned.data
        del module._parameters[f"{name}_orig"], module._buffers[f"{name}_mask"]
        setattr(module, name, orig)


class PruningContainer(BasePruningMethod):
    """Several methods for one tensor: the last one prunes what the others left."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method for the same tensor.

        Raises:
            TypeError: it is none.
            ValueError: it is for another tensor.
        """
        if method is not None:
            if not isinstance(method, BasePruningMethod):
                raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
            if self._tensor_name != method._tensor_name:
                raise ValueError(
                    "Can only add pruning methods acting on the parameter named "
                    f"'{self._tensor_name}' to PruningContainer {self}. "
                    f"Found '{method._tensor_name}'"
                )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask of the last method within that of those before.

        Raises:
            ValueError: a method of unknown type.
            AttributeError, IndexError: a structured one without a dim, or with one too low.
        """
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        left = _unpruned_slices(method, t.dim(), default_mask)
        mask[left] = method.compute_mask(t[left], default_mask=default_mask[left]).to(mask.dtype)
        return mask


def _unpruned_slices(method: Any, dims: int, mask: Any) -> Any:
    """An index of the items that a method looks at where a mask holds."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    every: list[Any] = [slice(None)] * dims
    if method.PRUNING_TYPE == "structured":
        if not hasattr(method, "dim"):
            raise AttributeError(
                'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` '
                "defined."
            )
        dim = method.dim + dims if method.dim < 0 else method.dim
        if dim < 0:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {dims}")
        every[dim] = mask.sum(dim=[each for each in range(dims) if each != dim]) != 0
    elif method.PRUNING_TYPE != "global":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    return tuple(every)


def _combine_methods(former: Any, method: Any) -> PruningContainer:
    """The container of a method and of those before it."""
    container = former if isinstance(former, PruningContainer) else PruningContainer(former)
    container.add_pruning_method(method)
    return container


def _importance_scores(given: Any, tensor: Any, called: str) -> Any:
    """What says which items of a tensor matter: the tensor itself if nothing was given."""
    if given is None:
        return tensor
    if given.shape != tensor.shape:
        raise AssertionError(
            f"importance_scores should have the same shape as {called}, got {given.shape} vs "
            f"{tensor.shape}"
        )
    return given


def pruning_hooks(module: Any, name: str) -> dict[int, BasePruningMethod]:
    """The hooks that prune a tensor of a module, by their keys."""
    return {
        key: hook
        for key, hook in module._forward_pre_hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    }
