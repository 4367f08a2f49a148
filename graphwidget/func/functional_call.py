"""``functional_call`` and ``stack_module_state``: modules as functions of their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..functions.shape.joins_splits import stack
from ..graph.tensor import Tensor
from ..nn import Module, ModuleList
from ..nn.normalization import _BatchNorm

Owners = dict[str, tuple[dict[str, Any], str]]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with tensors in the places of its parameters and buffers.

    Args:
        parameter_and_buffer_dicts: tensors by name, in one dict or several.
        args, kwargs: the call's; one argument need not be in a tuple.
        tie_weights: a parameter that stands under several names is replaced under all.
        strict: every parameter and buffer must be given, and nothing else.

    Raises:
        ValueError: no dict, or a name in two of them.
        RuntimeError: names that are missing or unknown, when strict.
    """
    given = merge_dicts(parameter_and_buffer_dicts)
    places = tensor_owners(module)
    if strict:
        check_names(module, given, places)
    if tie_weights:
        given = with_tied_names(given, places)
    call = () if args is None else args if isinstance(args, tuple) else (args,)
    with replace_tensors(places, given):
        return module(*call, **(kwargs or {}))


def tensor_owners(module: Module) -> Owners:
    """The owner of each parameter and buffer, by its full name."""
    found: Owners = {}
    for prefix, each in module.named_modules(remove_duplicate=False):
        for register in (each._parameters, each._buffers):
            for name in register:
                found[f"{prefix}.{name}" if prefix else name] = (register, name)
    return found


def check_names(module: Module, given: dict[str, Any], places: Owners) -> None:
    """Exactly the module's names.

    Raises:
        RuntimeError: PyTorch's text.
    """
    own_names = {name for name, (register, own) in places.items() if register[own] is not None}
    texts = [
        f"{word} key(s): {', '.join(map(repr, names))}."
        for word, names in (
            ("Unexpected", sorted(given.keys() - own_names)),
            ("Missing", sorted(own_names - given.keys())),
        )
        if names
    ]
    if texts:
        raise RuntimeError(
            f"Error(s) in reparametrizing for {type(module).__name__}:\n\t" + "\n\t".join(texts)
        )


def with_tied_names(given: dict[str, Any], places: Owners) -> dict[str, Any]:
    """The tensors by all names of those that they replace.

    Raises:
        ValueError: several tensors for one (PyTorch's text).
    """
    own_names = {name: register[own] for name, (register, own) in places.items()}
    names: dict[int, list[str]] = {}
    for name, tensor in own_names.items():
        if tensor is not None:
            names.setdefault(id(tensor), []).append(name)
    found = {}
    for name, tensor in given.items():
        alike = names.get(id(own_names.get(name)), [name])
        if any(given.get(other, tensor) is not tensor for other in alike):
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(alike)}, which are tied. "
                "Consider using tie_weights=False"
            )
        found.update(dict.fromkeys(alike, tensor))
    return found


@contextmanager
def replace_tensors(places: Owners, given: dict[str, Any]) -> Iterator[None]:
    """Tensors in the places of others for a while."""
    before = {}
    try:
        for name, tensor in given.items():
            if name in places:
                register, own = places[name]
                before[name] = register[own]
                register[own] = tensor
        yield
    finally:
        for name, tensor in before.items():
            register, own = places[name]
            register[own] = tensor


def merge_dicts(dicts: Any) -> dict[str, Any]:
    """One dict of all.

    Raises:
        ValueError: no dicts, or a name in two of them (PyTorch's texts).
    """
    if isinstance(dicts, Mapping):
        return dict(dicts)
    if not isinstance(dicts, Sequence) or not all(isinstance(each, Mapping) for each in dicts):
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(dicts)}"
        )
    names = [name for each in dicts for name in each]
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise ValueError(
            f"{repeated} appeared in multiple dictionaries; behavior of functional call is "
            "ambiguous"
        )
    return {name: tensor for each in dicts for name, tensor in each.items()}


def stack_module_state(
    models: Sequence[Module] | ModuleList,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of several modules of one kind, stacked along a first dim.

    Raises:
        RuntimeError: no models, or of different kinds or modes (PyTorch's texts).
    """
    every = list(models)
    if not every:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if any(each.training != every[0].training for each in every):
        raise RuntimeError(
            "stack_module_state: Expected all models to have the same training/eval mode."
        )
    if any(type(each) is not type(every[0]) for each in every):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = {
        name: stack_leaves([dict(each.named_parameters())[name] for each in every])
        for name, _ in every[0].named_parameters()
    }
    buffers = {
        name: stack_leaves([dict(each.named_buffers())[name] for each in every])
        for name, _ in every[0].named_buffers()
    }
    return parameters, buffers


def stack_leaves(tensors: list[Tensor]) -> Tensor:
    """Leaves stacked, as a leaf."""
    wanted = [tensor.requires_grad for tensor in tensors]
    if any(wanted) and not all(wanted):
        raise RuntimeError(
            "stack_module_state: Expected a parameter to have the same .requires_grad for each "
            "model"
        )
    found = stack([tensor.detach() for tensor in tensors])
    return found.requires_grad_() if wanted[0] else found


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Let all batch norms of a module forget their running statistics and gather none: they write
    into buffers, which a function that is transformed may not."""
    for module in root.modules():
        if isinstance(module, _BatchNorm) and module.track_running_stats:
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
