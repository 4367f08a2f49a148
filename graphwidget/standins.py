"""Modules that programs ask questions, with nothing behind them here: CUDA, compilers, processes.

``ANSWERS`` says what each of them answers; every other name of PyTorch's in them refuses (see
``absent``). They are made when a program imports or reads them first.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

from .absent import PACKAGE, refuse_others


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
"""What a kind of device says of which there is none."""
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
