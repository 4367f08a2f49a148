"""Parametrizations: a module's tensor computed from others whenever it is asked for.

The module gets a class of its own, in which the tensor's name is a property; what it is computed
from lies in `module.parametrizations.<name>`, a list of modules that are applied one after another.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ...autograd.grad_mode import no_grad
from ...graph.tensor import Tensor
from ...graph.version import bump
from ..container import ModuleDict, ModuleList
from ..module import Module
from ..parameter import Parameter

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization",
    "remove_parametrizations", "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]  # fmt: skip

_depth = 0
_cache: dict[tuple[int, str], Any] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Inside, each parametrized tensor is computed once, when it is first asked for."""
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if not _depth:
            _cache.clear()


def _register(module: Any, name: str, tensor: Tensor) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _set_values(target: Tensor, values: Tensor) -> None:
    """Let a tensor have other values, of any shape; it stays the same object."""
    target.data = values.data
    bump(target, "set_")


def _compare(kind: str, before: Any, after: Any) -> None:
    if before != after:
        raise ValueError(
            f"Registering a parametrization may not change the {kind} of the tensor, unless "
            f"`unsafe` flag is enabled.\nunparametrized {kind}: {before}\n"
            f"parametrized {kind}: {after}"
        )


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, and what they start from: `original`, or `original0`
    and so on where the first one's `right_inverse` gives several.

    Raises:
        ValueError: a parametrization that gives no tensor, or one of another shape or dtype
            (unless `unsafe`).
    """

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        new: Any = original
        with no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):
                        new = module.right_inverse(new)
        if not isinstance(new, Tensor | Sequence):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if isinstance(new, Tensor) else len(new)
        if isinstance(new, Tensor):
            if original.dtype != new.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
                )
            _set_values(original, new)
            _register(self, "original", original)
        else:
            self._register_originals(new, original)
        if not unsafe:
            made = self()
            if not isinstance(made, Tensor):
                raise ValueError(
                    f"A parametrization must return a tensor. Got {type(made).__name__}."
                )
            _compare("dtype", dtype, made.dtype)
            _compare("shape", shape, made.shape)

    def _register_originals(self, parts: Any, original: Tensor) -> None:
        """Register the tensors that the parametrization starts from, of the original's kind."""
        for place, each in enumerate(parts):
            if not isinstance(each, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, "
                    f"tuple...). Got element {place} of the sequence with type "
                    f"{type(each).__name__}."
                )
            if isinstance(original, Parameter):
                each = Parameter(each, original.requires_grad)
            _register(self, f"original{place}", each.requires_grad_(original.requires_grad))

    def right_inverse(self, value: Tensor) -> None:
        """Let the parametrized tensor be `value`, as nearly as the parametrizations can.

        Raises:
            RuntimeError: one has no `right_inverse`.
            ValueError: it gives something else than before.
        """
        found: Any = value
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                found = module.right_inverse(found)
        if self.is_tensor:
            if not isinstance(found, Tensor):
                raise ValueError(
                    f"`right_inverse` should return a tensor. Got {type(found).__name__}"
                )
            if found.dtype != self.original.dtype:
                raise ValueError(
                    f"The tensor returned by `right_inverse` has dtype {found.dtype} while "
                    f"`original` has dtype {self.original.dtype}"
                )
            _set_values(self.original, found)
            return
        if not isinstance(found, Sequence):
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors. Got {type(found).__name__}."
            )
        if len(found) != self.ntensors:
            raise ValueError(
                "'right_inverse' must return a sequence of tensors of length "
                f"{self.ntensors}. Got a sequence of length {len(found)}."
            )
        for place, each in enumerate(found):
            kept = getattr(self, f"original{place}")
            if each.dtype != kept.dtype:
                raise ValueError(
                    f"Tensor {place} returned by `right_inverse` has dtype {each.dtype} while "
                    f"`original{place}` has dtype {kept.dtype}"
                )
            _set_values(kept, each)

    def forward(self) -> Any:
        """The parametrized tensor."""
        first, *rest = self
        if self.is_tensor:
            found = first(self.original)
        else:
            found = first(*(getattr(self, f"original{i}") for i in range(self.ntensors)))
        for each in rest:
            found = each(found)
        return found


# The class of a parametrized module ---------------------------------------------------------------
def _deepcopy(module: Any, memo: dict[int, Any]) -> Any:
    """A copy of the same class."""
    found = memo.get(id(module))
    if found is None:
        found = memo[id(module)] = module.__new__(type(module))
        found.__dict__ = copy.deepcopy(module.__dict__, memo)
    return found


def _refuse_state(module: Any) -> Any:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
    )


def _inject_new_class(module: Any) -> None:
    """Make a module the only one of a new subclass of its class."""
    kind = type(module)
    members: dict[str, Any] = {"__getstate__": _refuse_state, "__module__": __name__}
    if not hasattr(kind, "__deepcopy__"):
        members["__deepcopy__"] = _deepcopy
    module.__class__ = type(f"Parametrized{kind.__name__}", (kind,), members)


def _inject_property(module: Any, name: str) -> None:
    """Let a name stand for what its parametrizations compute."""

    def get(self: Any) -> Any:
        listed = self.parametrizations[name]
        if not _depth:
            return listed()
        key = (id(self), name)
        if key not in _cache:
            _cache[key] = listed()
        return _cache[key]

    def put(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, put))


# What users call ----------------------------------------------------------------------------------
def register_parametrization(
    module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False
) -> Any:
    """Let a parameter or buffer be computed by a module from what it is now.

    Args:
        parametrization: its `forward` gives the tensor; its `right_inverse`, if it has one, what
            to start from, and what to keep when users assign to the tensor. More than one is
            applied in the order of their registration.
        unsafe: it may change the shape and dtype.

    Returns:
        The module, which has a class of its own now.

    Raises:
        ValueError: there is no such tensor, or what the parametrization gives does not fit.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        listed = module.parametrizations[tensor_name]
        if not unsafe:
            _check_another(module, tensor_name, parametrization)
        listed.append(parametrization)
        listed.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        made = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element "
            f"with name '{tensor_name}'"
        )
    return module


def _check_another(module: Any, name: str, parametrization: Any) -> None:
    """One more parametrization may change neither shape nor dtype."""
    before = getattr(module, name)
    after = parametrization(before)
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for kind in ("dtype", "shape"):
        given, made = getattr(before, kind), getattr(after, kind)
        if given != made:
            raise ValueError(
                f"Registering a parametrization may not change the {kind} of the tensor, unless "
                f"the `unsafe` flag is enabled.\nmodule.{name}.{kind}: {given}\n"
                f"parametrization(module.{name}).{kind}: {made}"
            )


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrizations, or one of its tensors has."""
    listed = getattr(module, "parametrizations", None)
    if not isinstance(listed, ModuleDict):
        return False
    return len(listed) > 0 if tensor_name is None else tensor_name in listed


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Undo the parametrizations of a tensor: it is a parameter or buffer again, with its present
    values or (`leave_parametrized=False`) those that they started from.

    Raises:
        ValueError: it has none, or they started from several tensors, which are to be left.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    listed = module.parametrizations[tensor_name]
    if listed.is_tensor:
        original = listed.original
        if leave_parametrized:
            with no_grad():
                _set_values(original, getattr(module, tensor_name))
    elif leave_parametrized:
        present = getattr(module, tensor_name)
        original = Parameter(present) if present.requires_grad else present
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is "
            "parametrized in terms of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Any) -> type:
    """The class that a module had before it was parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Any, to_module: Any, tensor_name: str | None = None
) -> Any:
    """Give another module the parametrizations of a module (or of one tensor), and the values.

    Returns:
        The other module.
    """
    if not is_parametrized(from_module):
        return to_module
    names = list(from_module.parametrizations) if tensor_name is None else [tensor_name]
    for name in names:
        listed = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for each in listed:
            register_parametrization(to_module, name, each)
        given = to_module.parametrizations[name]
        for own in ("original", *(f"original{i}" for i in range(listed.ntensors))):
            if hasattr(listed, own):
                setattr(given, own, getattr(listed, own))
    return to_module
