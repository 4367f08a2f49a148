"""`as_torch()`: imports of `torch` and its parts resolve to this package."""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from .absent import refuse_module

PACKAGE = __package__
VERSION = "2.13.0"
"""The PyTorch whose behaviour is followed, reported to programs that ask for the version."""

_TOO_LATE = (
    "as_torch() comes too late: PyTorch itself is already imported in this process. Call it in a "
    "fresh process (or after restarting the kernel), before anything imports torch."
)
_PLACES = {
    "nn.modules.utils": "nn.module_utils",
    "nn.modules.sparse": "nn.linear",
    "nn.modules.dropout": "nn.activation",
    "nn.modules.distance": "nn.loss",
    **dict.fromkeys(("nn.modules.batchnorm", "nn.modules.instancenorm"), "nn.normalization"),
    **{
        f"nn.modules.{name}": "nn.reshaping"
        for name in ("channelshuffle", "flatten", "fold", "padding", "pixelshuffle", "upsampling")
    },
    "nn.modules": "nn",
    "fx._symbolic_trace": "fx.tracer",
    "optim.adamw": "optim.adam",
    "utils.data._utils.collate": "utils.data.dataloader",
    "utils.data._utils": "utils.data",
}
"""Modules of PyTorch that have another name here."""


class TorchImporter:
    """Result of `as_torch()`: undo it with `undo()`, or use it as a context manager.

    It finds and loads modules for Python's import system. That asks for the methods only; the
    abstract classes of `importlib.abc` would load much that nothing else here needs.
    """

    def __init__(self) -> None:
        self._specs: dict[str, Any] = {}
        self._version: str | None = None

    # ---------------------------------------------------------------------- on and off

    def begin(self) -> None:
        """Let imports of torch resolve here.

        Raises:
            RuntimeError: PyTorch is already imported.
        """
        if self in sys.meta_path:
            return
        if "torch" in sys.modules:
            raise RuntimeError(_TOO_LATE)
        package = sys.modules[PACKAGE]
        self._version = package.__version__
        package.__version__ = f"{VERSION}+graphwidget.{self._version}"  # type: ignore[attr-defined]
        sys.meta_path.insert(0, self)

    def undo(self) -> None:
        """Forget it: imports of torch find PyTorch again, if it is installed."""
        if self not in sys.meta_path:
            return
        sys.meta_path.remove(self)
        sys.modules[PACKAGE].__version__ = self._version  # type: ignore[attr-defined]
        for name in [*self._specs]:
            sys.modules.pop(name, None)
        self._specs.clear()

    def __enter__(self) -> TorchImporter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.undo()

    # ------------------------------------------------------------------- the import system

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """The import system's question for a module: ours, for torch and its parts."""
        head, _, rest = fullname.partition(".")
        if head != "torch":
            return None
        module = _module(rest)
        if module is None:
            refuse_module(f"{PACKAGE}.{rest}", fullname)
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        self._specs[fullname] = module.__spec__
        return importlib.machinery.ModuleSpec(
            fullname,
            self,  # type: ignore[arg-type]
            is_package=hasattr(module, "__path__"),
        )

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """The module of this package that stands in."""
        module = _module(spec.name.partition(".")[2])
        if module is not None:
            _widen(spec.name, module)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """The module has run already; it only gets its own spec back."""
        spec = module.__spec__
        if spec is not None:
            module.__spec__ = self._specs[spec.name]


def _module(rest: str) -> ModuleType | None:
    """The part of this package for a dotted name after `torch`; None if there is none."""
    for theirs, ours in _PLACES.items():
        if rest == theirs or rest.startswith(theirs + "."):
            rest = ours + rest.removeprefix(theirs)
    name = f"{PACKAGE}.{rest}" if rest else PACKAGE
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
    # The package above may know it by another name (``distributions.normal``).
    above, _, last = name.rpartition(".")
    known = getattr(sys.modules.get(above), last, None)
    here = isinstance(known, ModuleType) and known.__name__.startswith(PACKAGE)
    return known if here else None


def _widen(fullname: str, module: ModuleType) -> None:
    """Let names that PyTorch has in a part of `nn.modules`, and we in another, be found in both."""
    if fullname.startswith("torch.nn.modules.") and not hasattr(module, "__getattr__"):
        package = importlib.import_module(f"{PACKAGE}.nn")
        module.__getattr__ = functools.partial(getattr, package)  # type: ignore[method-assign]


_importer = TorchImporter()


def as_torch() -> TorchImporter:
    """Let `import torch`, `from torch import nn` and the like resolve to graphwidget.

    Call it before anything imports torch. `as_torch().undo()` takes it back, and
    `with as_torch(): ...` does so at the end of the block. While it holds, `torch.__version__`
    begins with the version of PyTorch whose behaviour is followed. A part of PyTorch that is not
    here raises ModuleNotFoundError when it is imported.

    Raises:
        RuntimeError: PyTorch itself is already imported.
    """
    _importer.begin()
    return _importer
