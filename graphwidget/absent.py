"""Names of PyTorch's that are not part of this package refuse in one sentence.

``pytorch_names.txt`` lists the public names of PyTorch's modules (``python -m
tests.structure.pytorch_names`` writes it). A module that shares its path with one of them calls
``refuse_others(__name__)``, or ends its own ``__getattr__`` with ``refuse(__name__, name)``. Names
that PyTorch does not have either get Python's ordinary errors.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

PACKAGE = __package__


def not_here(what: str) -> str:
    """Return the sentence that refuses, for a name such as ``torch.hub``."""
    return (
        f"{what} is not part of graphwidget's engine, which has what teaching needs; "
        "use PyTorch itself (`import torch`), which the widget draws as well."
    )


@cache
def pytorch_names() -> dict[str, frozenset[str]]:
    """Return the public names of each of PyTorch's modules, and of its Tensor."""
    lines = (Path(__file__).parent / "pytorch_names.txt").read_text("ascii").splitlines()
    parts = (line.partition(":") for line in lines)
    return {module: frozenset(names.split()) for module, _, names in parts}


def in_pytorch(module: str, name: str) -> str | None:
    """Return a name's path in PyTorch; None if PyTorch does not have it."""
    path = "torch" + module.removeprefix(PACKAGE)
    return f"{path}.{name}" if name in pytorch_names().get(path, ()) else None


def refuse_others(module: str) -> None:
    """Let a module refuse the names of PyTorch's that it does not define."""

    def __getattr__(name: str) -> NoReturn:
        refuse(module, name)

    vars(sys.modules[module])["__getattr__"] = __getattr__


def refuse(module: str, name: str) -> NoReturn:
    """Refuse a name for a module's ``__getattr__``.

    Raises:
        AttributeError: always, but in ``from module import name``.
        ImportError: in ``from module import name``, which would hide an AttributeError's text.
    """
    path = in_pytorch(module, name)
    if path is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    asking = sys._getframe(2)
    if asking.f_lasti >= 0 and asking.f_code.co_code[asking.f_lasti] == _import_from():
        raise ImportError(not_here(path), name=module)
    raise AttributeError(not_here(path), name=name, obj=None)  # an object would bring suggestions


@cache
def _import_from() -> int:
    from opcode import opmap

    return opmap["IMPORT_FROM"]


class AbsentMethod:
    """Attribute of Tensor in the place of a method that only PyTorch has."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise AttributeError(not_here(f"torch.Tensor.{self._name}"), name=self._name, obj=None)


class AbsentModules:
    """Finder for Python's import system: modules that only PyTorch has refuse."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> None:
        """Refuse a module of PyTorch's under its name here."""
        if fullname.startswith(PACKAGE + "."):
            refuse_module(fullname, fullname)


def refuse_module(ours: str, asked: str) -> None:
    """Refuse to import a module, asked for by a name, that only PyTorch has.

    Raises:
        ModuleNotFoundError: PyTorch has a module of this name.
    """
    above, _, name = ours.rpartition(".")
    path = in_pytorch(above, name)
    if path is not None:
        raise ModuleNotFoundError(not_here(path), name=asked)
