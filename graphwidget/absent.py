"""Names of PyTorch's that are not part of this package refuse in one sentence.

``pytorch_names.txt`` lists the public names of PyTorch's modules (``python -m
tests.structure.pytorch_names`` writes it). A module that shares its path with one of them calls
``refuse_others(__name__)``, or ``load_when_used(__name__, ...)`` if some of its names load late.
Names that PyTorch does not have either get Python's ordinary errors.

``ANSWERS`` lists the modules that programs ask questions, with nothing behind them here: CUDA,
compilers, processes. Such a stand-in is made when a program first imports or reads it.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
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
    path = os.path.join(os.path.dirname(__file__), "pytorch_names.txt")
    with open(path, encoding="utf-8") as lines:
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


Home = str | Callable[[], Mapping[str, Any]]
"""The module that defines a name, or a function that returns names with their values."""


def load_when_used(module: str, homes: Mapping[str, Home], modules: Collection[str] = ()) -> None:
    """Let names of a module load when they are first used, and refuse PyTorch's others.

    Args:
        homes: the home of each name; a module's path begins below this one.
        modules: names of modules below it.
    """

    def __getattr__(name: str) -> Any:
        if name in homes:
            home = homes[name]
            if isinstance(home, str):
                loaded = importlib.import_module(f".{home}", module)
                values = {each: getattr(loaded, each) for each in homes if homes[each] == home}
            else:
                values = dict(home())
            vars(sys.modules[module]).update(values)
            return values[name]
        if name in modules:
            return importlib.import_module(f".{name}", module)
        return refuse(module, name)

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
    """Attribute of a class in the place of a method that only PyTorch has."""

    def __init__(self, name: str, owner: str = "torch.Tensor") -> None:
        self._name, self._owner = name, owner

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise AttributeError(not_here(f"{self._owner}.{self._name}"), name=self._name, obj=None)


def refuse_options(function: str, options: Mapping[str, Any]) -> None:
    """Refuse keyword arguments that only PyTorch takes.

    Raises:
        NotImplementedError: there is one.
    """
    for option in options:
        raise NotImplementedError(not_here(f"{function}'s {option}="))


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


# Modules that programs ask questions, with nothing behind them here ------------------------------


class Answer:
    """Function of any arguments that returns a constant."""

    def __init__(self, value: Any = None) -> None:
        self.value = value


class From:
    """Name that another module of this package has."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name


class Region(contextlib.ContextDecorator):
    """Block, or decorated function, that runs as any other does."""

    def __init__(self, *args: Any, **options: Any) -> None:
        pass

    def __enter__(self) -> Region:
        return self

    def __exit__(self, *error: object) -> None:
        return None


def unchanged(function: Any = None, *args: Any, **options: Any) -> Any:
    """Return the function itself; works as a decorator, with and without arguments."""
    return function if callable(function) else lambda given: given


NO, ZERO, NOTHING = Answer(False), Answer(0), Answer()
NONE = {"is_available": NO, "device_count": ZERO}
"""Answers of a kind of device that is not there."""
SEEDS = {"manual_seed": NOTHING, "manual_seed_all": NOTHING}
COMPILE = "tracing.torch_compile"

ANSWERS: dict[str, dict[str, Any]] = {
    "cuda": {
        **NONE, **SEEDS, "is_initialized": NO, "is_bf16_supported": NO, "empty_cache": NOTHING,
        "memory_allocated": ZERO, "max_memory_allocated": ZERO, "memory_reserved": ZERO,
        "reset_peak_memory_stats": NOTHING,
        "OutOfMemoryError": From("graph.errors", "OutOfMemoryError"),
    },
    "mps": {**NONE, "manual_seed": NOTHING},
    "xpu": {**NONE, **SEEDS},
    "accelerator": {**NONE, "current_accelerator": NOTHING},
    "cpu": {"is_available": Answer(True), "device_count": Answer(1), "synchronize": NOTHING},
    "backends": {},
    "backends.cuda": {
        "is_built": NO, "is_available": NO,
        "matmul": SimpleNamespace(allow_tf32=False, fp32_precision="none"),
    },
    "backends.cudnn": {
        "is_available": NO, "version": NOTHING, "enabled": True, "benchmark": False,
        "deterministic": False, "allow_tf32": True,
    },
    "backends.mps": {"is_available": NO, "is_built": NO},
    "version": {"cuda": None, "hip": None, "xpu": None, "debug": False},
    "distributed": {"is_available": NO, "is_initialized": NO, "is_torchelastic_launched": NO},
    "profiler": {"record_function": Region},
    "autograd.profiler": {"record_function": Region},
    "compiler": {
        "compile": From(COMPILE, "compile"), "disable": unchanged, "allow_in_graph": unchanged,
        "is_compiling": NO, "is_dynamo_compiling": NO, "is_exporting": NO, "reset": NOTHING,
        "set_stance": Region,
    },
    "jit": {
        "trace": From(COMPILE, "trace"), "is_scripting": NO, "is_tracing": NO, "ignore": unchanged,
        "unused": unchanged, "export": unchanged, "script_if_tracing": unchanged,
    },
}  # fmt: skip
"""By the module's path within the package. Values that are no answers may be set by programs, and
change nothing."""


class StandIns:
    """Finder and loader for Python's import system: makes the modules of ``ANSWERS``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: Any = None
    ) -> ModuleSpec | None:
        """Return the spec of a stand-in; None for any other module."""
        if fullname.removeprefix(f"{PACKAGE}.") not in ANSWERS or "." not in fullname:
            return None
        return ModuleSpec(fullname, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return an empty module."""
        return ModuleType(spec.name, f"`{spec.name.replace(str(PACKAGE), 'torch', 1)}` where "
                          "there is nothing behind it.")  # fmt: skip

    def exec_module(self, module: ModuleType) -> None:
        """Fill a module with its answers and its parts."""
        path = module.__name__.removeprefix(f"{PACKAGE}.")
        parts = [each.removeprefix(f"{path}.") for each in ANSWERS if each.startswith(f"{path}.")]
        vars(module).update({name: _made(module, name, x) for name, x in ANSWERS[path].items()})
        module.__all__ = [*ANSWERS[path], *parts]  # type: ignore[attr-defined]
        for part in parts:
            importlib.import_module(f"{module.__name__}.{part}")
        refuse_others(module.__name__)


def _made(module: ModuleType, name: str, answer: Any) -> Any:
    if isinstance(answer, From):
        return getattr(importlib.import_module(f".{answer.module}", PACKAGE), answer.name)
    return _constant(module.__name__, name, answer.value) if type(answer) is Answer else answer


def _constant(module: str, name: str, value: Any) -> Callable[..., Any]:
    def function(*args: Any, **options: Any) -> Any:
        return value

    function.__module__, function.__name__, function.__qualname__ = module, name, name
    function.__doc__ = f"Return {value!r}."
    return function
