"""Modules that hold others: `Sequential`, `ModuleList`, `ModuleDict`."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, SupportsIndex

from .module import Module


class Sequential(Module):
    """Calls its modules one after another, each with what the one before returned."""

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            for name, module in modules[0].items():
                self.add_module(name, module)
        else:
            for place, module in enumerate(modules):
                self.add_module(str(place), module)

    def forward(self, input: Any) -> Any:
        """The output of the last module."""
        for module in self:
            input = module(input)
        return input

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(_held(self))

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(dict(list(self._modules.items())[index]))
        return _held(self)[_place(index, len(self))]

    def __setitem__(self, index: SupportsIndex, module: Module) -> None:
        setattr(self, list(self._modules)[_place(index, len(self))], module)

    def append(self, module: Module) -> Sequential:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self


class ModuleList(Module):
    """A list of modules that the module holding it knows of; calling it is up to you."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(_held(self))

    def __contains__(self, module: object) -> bool:
        return module in self._modules.values()

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(_held(self)[index])
        return _held(self)[_place(index, len(self))]

    def __setitem__(self, index: SupportsIndex, module: Module) -> None:
        setattr(self, str(_place(index, len(self))), module)

    def append(self, module: Module) -> ModuleList:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        """Add modules at the end."""
        for module in modules:
            self.append(module)
        return self

    def __repr__(self) -> str:
        """Equal neighbours are printed once: `(0-1): 2 x Linear(...)`."""
        runs: list[tuple[int, int, str]] = []
        for place, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1] = (runs[-1][0], place, text)
            else:
                runs.append((place, place, text))
        lines = [
            f"({first}): {text}" if first == last
            else f"({first}-{last}): {last - first + 1} x {text}"
            for first, last, text in runs
        ]  # fmt: skip
        body = "".join("\n  " + line.replace("\n", "\n  ") for line in lines)
        return f"{self._get_name()}({body}\n)" if lines else f"{self._get_name()}()"


class ModuleDict(Module):
    """A dict of modules that the module holding it knows of."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, name: object) -> bool:
        return name in self._modules

    def __getitem__(self, name: str) -> Any:
        return self._modules[name]

    def __setitem__(self, name: str, module: Module) -> None:
        self.add_module(name, module)

    def __delitem__(self, name: str) -> None:
        del self._modules[name]

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def values(self) -> Iterable[Module | None]:
        """The modules."""
        return self._modules.values()

    def items(self) -> Iterable[tuple[str, Module | None]]:
        """The names with their modules."""
        return self._modules.items()

    def update(self, modules: Mapping[str, Module]) -> None:
        """Add modules under names."""
        for name, module in modules.items():
            self[name] = module


def _held(module: Module) -> list[Any]:
    return list(module._modules.values())


def _place(index: SupportsIndex, length: int) -> int:
    place = operator.index(index)
    if not -length <= place < length:
        raise IndexError(f"index {place} is out of range")
    return place % length
