"""Modules that hold others: `Sequential`, `ModuleList`, `ModuleDict`."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, SupportsIndex, TypeVar

from .module import Module
from .module_base import ModuleBase

__all__ = ["ModuleDict", "ModuleList", "Sequential"]

Seq = TypeVar("Seq", bound="Sequential")
Listed = TypeVar("Listed", bound="ModuleList")


class Sequential(Module):
    """Calls its modules one after another, each with what the one before returned."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for place, module in enumerate(args):
                self.add_module(str(place), module)

    def forward(self, input: Any) -> Any:
        """The output of the last module."""
        for module in self._modules.values():
            input = module(input)  # type: ignore[misc]
        return input

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(_held(self))

    def __getitem__(self, idx: SupportsIndex | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return _held(self)[_place(idx, len(self))]

    def __setitem__(self, idx: SupportsIndex, module: Module) -> None:
        setattr(self, _name_at(self, idx), module)

    def __delitem__(self, idx: SupportsIndex | slice) -> None:
        names = list(self._modules)
        gone = names[idx] if isinstance(idx, slice) else [_name_at(self, idx)]
        for name in gone:
            delattr(self, name)
        _renumber(self, _held(self))

    def __add__(self, other: object) -> Sequential:
        return Sequential(*self, *_checked_sequential(other))

    def __iadd__(self: Seq, other: object) -> Seq:
        return self.extend(list(_checked_sequential(other)))

    def __mul__(self, other: int) -> Sequential:
        _check_times(self, other)
        return Sequential(*(_held(self) * other))

    def __rmul__(self, other: int) -> Sequential:
        return self.__mul__(other)

    def __imul__(self: Seq, other: int) -> Seq:
        _check_times(self, other)
        return self.extend(_held(self) * (other - 1))

    def append(self: Seq, module: Module) -> Seq:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self: Seq, index: int, module: Module) -> Seq:
        """Put a module before the one at `index`.

        Raises:
            IndexError: there is no such place.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        modules = _held(self)
        if not -len(modules) <= index <= len(modules):
            raise IndexError(f"Index out of range: {index}")
        modules.insert(index if index >= 0 else index + len(modules), module)
        _renumber(self, modules)
        return self

    def extend(self: Seq, sequential: Iterable[Module]) -> Seq:
        """Add modules at the end."""
        for module in sequential:
            self.append(module)
        return self

    def pop(self, key: SupportsIndex) -> Module:
        """Take a module out and return it."""
        found: Module = self[key]
        del self[key]
        return found


class ModuleList(Module):
    """A list of modules that the module holding it knows of; calling it is up to you."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(_held(self))

    def __contains__(self, module: object) -> bool:
        return module in self._modules.values()

    def __getitem__(self, idx: SupportsIndex | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(_held(self)[idx])
        return _held(self)[_place(idx, len(self))]

    def __setitem__(self, idx: SupportsIndex, module: Module) -> None:
        setattr(self, str(_place(idx, len(self))), module)

    def __delitem__(self, idx: SupportsIndex | slice) -> None:
        names = list(self._modules)
        gone = names[idx] if isinstance(idx, slice) else [str(_place(idx, len(self)))]
        for name in gone:
            delattr(self, name)
        _renumber(self, _held(self))

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def __iadd__(self: Listed, modules: Iterable[Module]) -> Listed:
        return self.extend(modules)

    def insert(self, index: int, module: Module) -> None:
        """Put a module before the one at `index`."""
        for place in range(len(self), index, -1):
            self._modules[str(place)] = self._modules[str(place - 1)]
        self._modules[str(index)] = module

    def append(self: Listed, module: Module) -> Listed:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: SupportsIndex) -> Module:
        """Take a module out and return it."""
        found: Module = self[key]
        del self[key]
        return found

    def extend(self: Listed, modules: Iterable[Module]) -> Listed:
        """Add modules at the end.

        Raises:
            TypeError: what is given is not iterable.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleList.extend should be called with an iterable, but got "
                + type(modules).__name__
            )
        start = len(self)
        for place, module in enumerate(modules, start):
            self.add_module(str(place), module)
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
        if modules is not None:
            self.update(modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def clear(self) -> None:
        """Take everything out."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Take a module out and return it."""
        found = self[key]
        del self[key]
        return found

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def values(self) -> Iterable[ModuleBase | None]:
        """The modules."""
        return self._modules.values()

    def items(self) -> Iterable[tuple[str, ModuleBase | None]]:
        """The names with their modules."""
        return self._modules.items()

    def update(self, modules: Any) -> None:
        """Add modules under names, from a mapping or from pairs.

        Raises:
            TypeError: neither of these.
            ValueError: an item is no pair.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + type(modules).__name__
            )
        if isinstance(modules, Mapping | ModuleDict):
            for name, each in modules.items():
                self[name] = each  # type: ignore[assignment]  # None holds a place
            return
        for place, pair in enumerate(modules):
            check_pair("ModuleDict", place, pair)
            self[pair[0]] = pair[1]


def check_pair(kind: str, place: int, pair: Any) -> None:
    """PyTorch's checks of what a dict of a module is updated by.

    Raises:
        TypeError: it cannot be iterated.
        ValueError: it has another length than 2.
    """
    what = f"{kind} update sequence element #{place}"
    if not isinstance(pair, Iterable):
        raise TypeError(f"{what} should be Iterable; is{type(pair).__name__}")
    items: Any = pair
    if len(items) != 2:
        raise ValueError(f"{what} has length {len(items)}; 2 is required")


def _held(module: Module) -> list[Any]:
    return list(module._modules.values())


def _place(index: SupportsIndex, length: int) -> int:
    place = operator.index(index)
    if not -length <= place < length:
        raise IndexError(f"index {place} is out of range")
    return place % length


def _name_at(module: Sequential, index: SupportsIndex) -> str:
    return list(module._modules)[_place(index, len(module))]


def _renumber(module: Module, modules: list[Any]) -> None:
    """Let a module hold these under the names "0", "1", ..."""
    module._modules.clear()
    module._modules.update({str(place): child for place, child in enumerate(modules)})


def _checked_sequential(other: object) -> Sequential:
    if not isinstance(other, Sequential):
        raise ValueError(
            f"add operator supports only objects of Sequential class, but {type(other)} is given."
        )
    return other


def _check_times(module: Module, times: object) -> None:
    if not isinstance(times, int):
        raise TypeError(f"unsupported operand type(s) for *: {type(module)} and {type(times)}")
    if times <= 0:
        raise ValueError(f"Non-positive multiplication factor {times} for {type(module)}")
