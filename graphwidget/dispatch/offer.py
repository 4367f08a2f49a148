"""``@offer``, which makes a function public: under which names, and as which method of Tensor.

A function is offered where it is written, and nowhere else:

    @offer(out=True)
    def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor: ...

gives ``torch.logsumexp(input, dim, keepdim=False, *, out=None)`` and the method of the same name.
``offer("clip")`` adds another name, ``method=False`` or ``function=False`` leaves one of the two
out, ``space="linalg"`` puts the function into ``torch.linalg`` and not on the top.

Public ops of the table without a function of their own are offered as they are (``offer_table``):
the function with ``out=``, the method, and ``name_`` for those that may be written in place.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from ..eager.inplace import inplace_method
from ..eager.lazy import parameter_names
from ..eager.op_functions import TENSORS
from ..eager.overridable import overridable
from ..optable import TABLE, Op
from ..optable.out import Out
from . import docstrings
from .parsed import parsed_function
from .signatures import inner_signatures, is_known

Offered = TypeVar("Offered", bound=Callable[..., Any])

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Functions that the package offers, by name."""

METHODS: dict[str, Any] = {}
"""Methods that Tensor offers, by name."""

SPACES: dict[str, dict[str, Callable[..., Any]]] = {"linalg": {}, "special": {}}
"""Functions that the packages within the package offer, by name."""


WITH_OUT: dict[tuple[str, str], tuple[str, Out]] = {}
"""Functions that take ``out=``: their name in that call, and the kinds of ``out=`` they take."""


def offer(
    *also: str,
    function: bool = True,
    method: bool = True,
    out: Out | bool = False,
    space: str = "",
) -> Callable[[Offered], Offered]:
    """Offer a function to users under its own name and those in ``also``.

    Args:
        function: as a function of the package (of ``space``, when given).
        method: as a method of Tensor (never when ``space`` is given).
        out: what the function's ``out=`` may be; True where that is as declared with the op of its
            name, or as usual.
    """

    def register(offered: Offered) -> Offered:
        place = SPACES[space] if space else FUNCTIONS
        names = parameter_names(offered)
        offered.__doc__ = docstrings.function_docstring(offered.__doc__, offered.__name__, names)
        for name in (offered.__name__, *also):
            if function:
                place[name] = offered
                if out:
                    WITH_OUT[space, name] = with_out(offered.__name__, out, space)
                if _faced:  # a function that needs the methods, so it comes after them
                    parse_function(space, name)
            if method and not space:
                METHODS[name] = offered
        return offered

    return register


def with_out(name: str, out: Out | bool = True, space: str = "") -> tuple[str, Out]:
    """Return the name of a function for ``write_into_out`` and the kind of its ``out=``."""
    op = TABLE.get(f"{space}_{name}") or TABLE.get(name)
    what = out if isinstance(out, Out) else (op and op.out) or Out()
    return op.name if op else name, what


def offer_table() -> None:
    """Offer the public ops of the table that are not written by hand."""
    for key, op in TABLE.items():
        if "." in key:
            continue
        offer_op(op)
        if op.inplace and op.public:
            written = METHODS.get(key + "_")
            if written is None:
                written = METHODS[key + "_"] = inplace_method(key)
                written.__doc__ = docstrings.inplace_docstring(op)
            for name in op.also:
                if "." not in name:
                    METHODS.setdefault(name + "_", written)
    for name, method in METHODS.items():  # PyTorch offers some as functions, too: ``torch.exp_``
        if name.endswith("_") and name[0] != "_" and is_known("torch", name):
            FUNCTIONS.setdefault(name, method)
    parse_all()


FUNCTIONAL = {
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_tensors",
    "cdist", "einsum", "meshgrid", "norm", "split", "tensordot",
    "unique",
}  # fmt: skip
"""Functions of the package that PyTorch writes in Python."""

_faced: list[bool] = []
"""Not empty once ``parse_all`` was called."""


def parse_all() -> None:
    """Put PyTorch's parser before what it knows, and before what takes ``out=``."""
    for space, functions in {"": FUNCTIONS, **SPACES}.items():
        for name in functions:
            parse_function(space, name)
    for name in FUNCTIONAL:
        FUNCTIONS[name] = overridable(FUNCTIONS[name])
    for name, target in METHODS.items():
        if inspect.isfunction(target) and is_known("Tensor", name):
            METHODS[name] = parsed_function("Tensor", name, target)
    _faced.append(True)


def parse_function(space: str, name: str) -> None:
    """The same for one function of a space ("" for the package's own)."""
    functions = SPACES[space] if space else FUNCTIONS
    target, known = functions[name], f"{space}_{name}" if space else name
    out, signatures = WITH_OUT.get((space, name)), inner_signatures(space or "torch", known)
    if signatures and not any(" out=" in each for each in signatures):
        out = None
    if inspect.isfunction(target) and (out or signatures):
        functions[name] = parsed_function(space or "torch", known, target, out)


def offer_op(op: Op) -> None:
    """Offer the record function of an op under its names. A function that was written by hand
    under the op's own name stands for all of them."""
    record = getattr(TENSORS, op.key)
    function, method = FUNCTIONS.get(op.key), METHODS.get(op.key)
    out = WITH_OUT.get(("", op.key))
    if function is None and method is None and (op.public or op.also):
        record.__doc__ = docstrings.op_docstring(op)
        function = method = record
        if op.out is not None and not op.variadic and not op.view:
            out = op.key, op.out
        if op.public:
            FUNCTIONS[op.key], METHODS[op.key] = function, method
            if out is not None:
                WITH_OUT["", op.key] = out
    for name in op.also:
        space, _, own = name.rpartition(".")
        functions = SPACES[space] if space else FUNCTIONS
        if function is not None and own not in functions:
            functions[own] = function
            if out is not None:
                WITH_OUT[space, own] = out
        if method is not None and not space:
            METHODS.setdefault(own, method)


def set_home_module(module: str, functions: dict[str, Any]) -> None:
    """Let pickles find a function in the module that offers it. The module in which it was written
    may have under its name the plain function, without the parser."""
    for name, function in functions.items():
        if inspect.isfunction(function) and function.__name__ == name:
            written = sys.modules.get(function.__module__)
            if getattr(written, name, None) is not function:
                function.__module__ = module
