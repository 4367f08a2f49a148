"""Names: one for each node and object of a graph, and what functions and types are called in code.

A function of this package is called what PyTorch calls its own, so that code reads the same.
"""

from __future__ import annotations

import builtins
import importlib
import inspect
import keyword
import re
import types
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

from ..dispatch.offer import FUNCTIONAL, FUNCTIONS, SPACES
from ..dispatch.signatures import inner_signatures
from ..graph.tensor import Tensor

PACKAGE = str(__package__).rpartition(".")[0]
FOLDER = str(Path(__file__).parent.parent)
BOUND = {"nn": "torch._C._nn", "linalg": "torch._C._linalg", "special": "torch._C._special"}
"""Where PyTorch has the functions that its parser knows by these sections."""

PLACES = {f"fx.{own}": "fx._symbolic_trace" for own in ("tracer", "wrapping")}
"""Modules of this package that are elsewhere in PyTorch."""

_TAKEN: dict[str, Any] = {word: object() for word in keyword.kwlist} | vars(builtins)
_NUMBERED = re.compile(r"^([a-zA-Z_][0-9a-zA-Z_]*?)(?:_(\d+))?$")
_ILLEGAL = re.compile("[^0-9a-zA-Z_]+")
_HUMP = re.compile(r"(?<=[a-z])([A-Z])")


def is_own_file(filename: str) -> bool:
    """Whether code is this package's: of a file of it, or written while it ran."""
    return filename.startswith((FOLDER, f"<{PACKAGE} "))


def reserve(name: str, thing: Any) -> None:
    """Keep a name for one thing in all code."""
    _TAKEN[name] = thing


class Namespace:
    """Gives every object a name of its own that hides no builtin."""

    def __init__(self) -> None:
        self._name_of: dict[Hashable, str] = {}
        self._used: set[str] = set()
        self._last: dict[str, int] = {}

    def create_name(self, candidate: str, thing: Any) -> str:
        """A name like `candidate` that nobody has; the one it has already for a `thing`."""
        if thing is not None and thing in self._name_of:
            return self._name_of[thing]
        if not _NUMBERED.match(candidate):
            candidate = _ILLEGAL.sub("_", candidate) or "_unnamed"
            candidate = f"_{candidate}" if candidate[0].isdigit() else candidate
        found = _NUMBERED.match(candidate)
        assert found is not None
        base, suffix = found.groups()
        if suffix is None or candidate in self._used:
            number = self._last.get(base, 0)
            if _TAKEN.get(candidate, thing) is not thing:
                number += 1
                candidate = f"{base}_{number}"
        else:
            number = int(suffix)
        while candidate in self._used:
            number += 1
            candidate = f"{base}_{number}"
        self._used.add(candidate)
        self._last[base] = number
        if thing is not None:
            self._name_of[thing] = candidate
        return candidate

    def associate_name_with_obj(self, name: str, thing: Any) -> None:
        """Remember whose a name is.

        Raises:
            AssertionError: the object has another one.
        """
        if self._name_of.setdefault(thing, name) is not name:
            raise AssertionError("obj is already associated")

    def rename(self, thing: Any, name: str) -> None:
        """Give an object another name."""
        self._name_of[thing] = name
        self._used.add(name)


def snake_case(name: str) -> str:
    """`fullName` as `full_name`."""
    return _HUMP.sub(r"_\1", name).lower()


def target_name(target: Any) -> str:
    """What a node is called after its target."""
    if callable(target):
        name: str = target.__name__
    else:
        if not isinstance(target, str):
            raise AssertionError(f"Expected target to be str, got {type(target)}")
        name = target[2:-2] if target.startswith("__") and target.endswith("__") else target
    return snake_case(name)


# Functions and types ------------------------------------------------------------------------------
def torch_module(name: str) -> str:
    """What PyTorch calls a module of this package; other modules' names stay."""
    head, _, rest = name.partition(".")
    if head != PACKAGE:
        return name
    rest = PLACES.get(rest, rest)
    return f"torch.{rest}" if rest else "torch"


def is_from_torch(thing: Any) -> bool:
    """Whether code finds something through the name `torch`."""
    module = getattr(thing, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] in ("torch", PACKAGE)


def qualified_name(function: Any) -> str:
    """The dotted name of a function or class, PyTorch's for those of this package.

    Raises:
        RuntimeError: a lambda without a name.
    """
    name = function.__name__
    if getattr(builtins, name, None) is function:
        return str(name)
    if is_from_torch(function) and not isinstance(function, type):
        return _own_name(function)
    if name == "<lambda>":
        try:
            name = inspect.getsource(function).split("=")[0].strip()
        except Exception as error:
            raise RuntimeError("Unable to represent lambda") from error
    module = function.__module__
    if module is None:
        raise RuntimeError(f"cannot find module for {function}")
    return f"{torch_module(module)}.{name}"


def is_tensor_method_or_property(function: Any) -> bool:
    """Return whether a function is a method of Tensor, or the getter of a property."""
    own = any(member is function for member in vars(Tensor).values())
    return own or function.__name__ == "__get__"


def calls_method(function: Any) -> bool:
    """Return whether PyTorch's function of that name in ``nn.functional`` only calls a method."""
    name = getattr(function, "__name__", "")
    layers = importlib.import_module("graphwidget.nn.functional")
    return name in ("sigmoid", "tanh") and getattr(layers, name) is function


def _public_name(function: Any) -> str | None:
    """Return the dotted name of a public function of the package, None of others."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, property):
        names = (name for name, each in vars(Tensor).items() if each is owner)
        return f"torch.Tensor.{next(names)}.{getattr(function, '__name__', '')}"
    for path in ("", ".nn.functional", ".nn.init", ".linalg", ".special"):
        module = importlib.import_module(f"graphwidget{path}")
        name = getattr(function, "__name__", "")
        if getattr(module, name, None) is function:
            return f"torch{path}.{name}"
    return None


def _parser_place(function: Callable[..., Any]) -> str | None:
    """Return where PyTorch has a function of C++; None for those that it writes in Python."""
    name, layers = function.__name__, importlib.import_module("graphwidget.nn.functional")
    if getattr(layers, name, None) is function and name in layers.PARSED:
        section, name = layers.PARSED[name]
    elif FUNCTIONS.get(name) is function and inner_signatures("torch", name):
        section = "torch"
    else:
        section = next((s for s, own in SPACES.items() if own.get(_short(name, s)) is function), "")
        name = f"{section}_{_short(name, section)}"
    return f"{BOUND.get(section, section)}.{name}" if section else None


def _short(name: str, section: str) -> str:
    return name.removeprefix(f"{section}_")


def _own_name(function: Callable[..., Any]) -> str:
    name = function.__name__
    if vars(Tensor).get(name) is function:
        return f"torch.Tensor.{name}"
    place = _parser_place(function)
    if place is not None:
        return place
    if name in FUNCTIONAL and FUNCTIONS.get(name) is function:
        return f"torch.functional.{name}"
    return _public_name(function) or f"{torch_module(function.__module__)}.{name}"


def is_bound(function: Any) -> bool:
    """Return whether PyTorch's function of that name is written in C++."""
    return isinstance(function, types.FunctionType) and _parser_place(function) is not None


class Builtin:
    """Stands in a table for a function that PyTorch writes in C++, and prints as that does."""

    def __init__(self, function: Any) -> None:
        self.function, self.name = function, qualified_name(function)

    def __str__(self) -> str:
        place, _, name = self.name.rpartition(".")
        if place == "torch":
            return f"<built-in method {name} of type object at {id(self.function):#x}>"
        return f"<built-in function {name}>"


def type_repr(thing: Any) -> str:
    """A type as annotations spell it."""
    if isinstance(thing, type) and not isinstance(thing, types.GenericAlias):
        if thing.__module__ == "builtins":
            return thing.__qualname__
        return f"{torch_module(thing.__module__)}.{thing.__qualname__}"
    if thing is ...:
        return "..."
    return thing.__name__ if isinstance(thing, types.FunctionType) else repr(thing)


class TorchInCode:
    """What `torch` is in generated code: the package, with each function that the code calls at the
    place where PyTorch has it."""

    def __init__(self, module: Any = None) -> None:
        self._module = importlib.import_module(PACKAGE) if module is None else module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._module, name)

    def put(self, path: str, thing: Any) -> None:
        """Let `torch.a.b` be something."""
        place = self
        *parts, last = path.split(".")[1:]
        for part in parts:
            inner = vars(place).get(part)
            if not isinstance(inner, TorchInCode):
                inner = vars(place)[part] = TorchInCode(getattr(place._module, part, object()))
            place = inner
        vars(place)[last] = thing
