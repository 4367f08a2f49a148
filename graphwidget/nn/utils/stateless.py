"""``torch.nn.utils.stateless``: calls of modules with other tensors as parameters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...arrays.warnings import warn
from ..module import Module

Owners = dict[str, tuple[dict[str, Any], str]]


def tensor_owners(module: Module) -> Owners:
    """Where each parameter and buffer is held, by its full name."""
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
    held = {name for name, (register, own) in places.items() if register[own] is not None}
    texts = [
        f"{word} key(s): {', '.join(map(repr, names))}."
        for word, names in (
            ("Unexpected", sorted(given.keys() - held)),
            ("Missing", sorted(held - given.keys())),
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
    held = {name: register[own] for name, (register, own) in places.items()}
    names: dict[int, list[str]] = {}
    for name, tensor in held.items():
        if tensor is not None:
            names.setdefault(id(tensor), []).append(name)
    found = {}
    for name, tensor in given.items():
        alike = names.get(id(held.get(name)), [name])
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


def call_with(
    module: Module, given: dict[str, Any], args: Any, kwargs: dict[str, Any] | None, *,
    tie_weights: bool, strict: bool,
) -> Any:  # fmt: skip
    """Call a module with tensors, by their names, in the places of its own."""
    places = tensor_owners(module)
    if strict:
        check_names(module, given, places)
    if tie_weights:
        given = with_tied_names(given, places)
    call = () if args is None else args if isinstance(args, tuple) else (args,)
    with replace_tensors(places, given):
        return module(*call, **(kwargs or {}))


def functional_call(
    module: Module, parameters_and_buffers: dict[str, Any], args: Any = None,
    kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """`torch.func.functional_call` under its former name, deprecated in PyTorch."""
    warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be "
        "removed in a future version of PyTorch. Please use `torch.func.functional_call` instead "
        "which is a drop-in replacement.",
        FutureWarning,
    )
    return call_with(
        module, dict(parameters_and_buffers), args, kwargs, tie_weights=tie_weights, strict=strict
    )
