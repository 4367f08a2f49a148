"""Path of a module or a parameter as the user would type it: ``encoder.layers[2].linear1``."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice
from types import FrameType, ModuleType
from typing import Any

from ..recording.libraries import is_librarys
from ..recording.looking import attributes, is_a, items, text
from .position_finder import drop_copy, is_module, ours, user_frame

MAIN = ("lr", "momentum", "betas", "weight_decay", "nesterov")
"""The numbers by which an optimizer's step is emitted, where they are not zero."""

NUMBERS = frozenset({bool, int, float, type(None)})

MAX_FRAMES = 60
MAX_ITEMS = 64


def step_into(holder: Any, path: str, name: str) -> str:
    """The path of a member of a module at ``path``: containers' numbers and keys in brackets."""
    if name == "_orig_mod":  # what ``torch.compile`` wraps has the wrapper's attributes
        return path
    if name.isdigit():
        return f"{path}[{name}]"
    if name.isidentifier() and not type(holder).__name__.endswith("Dict"):
        return f"{path}.{name}"
    return f"{path}[{name!r}]"


def within(module: Any, path: str) -> Iterator[tuple[str, Any]]:
    """(path, module) of a module and all within it, each once."""
    seen: set[int] = set()
    waiting = [(path, module)]
    while waiting:
        path, module = waiting.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        yield path, module
        members = [(step_into(module, path, name), x) for name, x in module._modules.items()]
        waiting.extend((name, each) for name, each in reversed(members) if is_module(each))


def tensors(module: Any, path: str) -> Iterator[tuple[str, Any]]:
    """(path, tensor) of all parameters and buffers of a module, each once."""
    seen: set[int] = set()
    for inner, each in within(module, path):
        for name, tensor in chain(each._parameters.items(), each._buffers.items()):
            if tensor is not None and id(tensor) not in seen:
                seen.add(id(tensor))
                yield step_into(each, inner, name), tensor


class ModuleNames:
    """Names of modules, each looked for once."""

    def __init__(self, ours: Callable[[str], bool] = ours) -> None:
        self._ours = ours
        self._found: dict[int, tuple[weakref.ref[Any], str]] = {}
        self.fresh: list[tuple[str, Any]] = []
        """The tensors of models that were first called since this was emptied."""
        self._roots: dict[int, tuple[str, weakref.ref[Any]]] = {}  # by the modules within them
        self._scopes: dict[int, int] = {}

    def called(self, module: Any, frame: FrameType | None, scope: int) -> str:
        """A module is called by ``frame``, in a scope of its own: what the user would type for it;
        its class where no variable of the program leads to it."""
        number = id(module)
        self._scopes[number] = scope
        found = self._found.get(number)
        if found is None or found[0]() is not module or number in self._roots:
            self._register(module, None if frame is None else user_frame(frame, self._ours))
        return self._found[number][1]

    def _register(self, module: Any, where: FrameType | None) -> None:
        """A module is called for the first time: find its name, and its model's tensors."""
        if not self.knows(module):
            self._search(module, where)
        path, root = self._roots.pop(id(module), ("", None))
        whole = None if root is None else root()
        if whole is not None:
            for _, each in within(whole, path):
                self._roots.pop(id(each), None)
            self.fresh += tensors(whole, path)

    def scope_of(self, module: Any) -> int | None:
        """The scope of a module's newest call; None for no module, or one that was not called."""
        return self._scopes.get(id(module)) if self.knows(module) else None

    def _search(self, module: Any, where: FrameType | None) -> None:
        """Look for the module from this frame outward: in the user's variables, in what these
        hold, else in those of libraries."""
        frames = list(islice(_outward(where), MAX_FRAMES))
        users = [frame for frame in frames if not is_librarys(frame)]
        others = [frame for frame in frames if frame not in users]
        for look, within_frames in (
            (self._look, users), (self._look_into, users), (self._look, others),
        ):  # fmt: skip
            if self._found_in(within_frames, look, module):
                return
        self._keep(type(module).__name__, module)

    def _found_in(
        self, frames: list[FrameType], look: Callable[[Mapping[str, Any]], None], module: Any
    ) -> bool:
        """Look for the module in the globals of the innermost frame, then in the variables of all
        from there outward."""
        if frames:
            look(frames[0].f_globals)
        for frame in frames:
            if self.knows(module):
                break
            space = frame.f_locals
            look(space)
            drop_copy(frame, space)
        return self.knows(module)

    def _look_into(self, namespace: Mapping[str, Any]) -> None:
        """Name the modules that attributes of objects hold, as a trainer's."""
        for name, value in list(namespace.items()):
            if name.startswith("_") or is_a(value, (type, ModuleType)):
                continue
            for attribute, member in list(attributes(value).items()):
                if is_module(member) and not attribute.startswith("_"):
                    self._keep_all(f"{name}.{attribute}", member)

    def knows(self, module: Any) -> bool:
        """Return whether the module has its name."""
        known = self._found.get(id(module))
        return known is not None and known[0]() is module

    def _look(self, namespace: Mapping[str, Any]) -> None:
        """Name the modules that variables hold, and those that an object's attributes hold."""
        for name, value in list(namespace.items()):
            if name.startswith("_") or is_a(value, type):
                continue
            self._keep_value(name, value)
            for attribute, member in list(attributes(value).items() if name == "self" else ()):
                self._keep_value(f"self.{attribute}", member)

    def _keep_value(self, path: str, value: Any) -> None:
        """Name the module that a value is, or those that it holds as a plain container."""
        if is_module(value):
            self._keep_all(path, value)
        else:
            for key, item in items(value, MAX_ITEMS):
                if is_module(item):
                    self._keep_all(f"{path}[{text(key)}]", item)

    def _keep_all(self, path: str, module: Any) -> None:
        if not self.knows(module):
            root = weakref.ref(module)
            for inner, each in within(module, path):
                if not self.knows(each):
                    self._keep(inner, each)
                    self._roots[id(each)] = path, root

    def _keep(self, path: str, module: Any) -> None:
        self._found[id(module)] = weakref.ref(module), path


def _outward(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def numbers_of(optimizer: Any) -> str:
    """The main numbers of an optimizer: ``lr=0.1, momentum=0.9``."""
    group = optimizer.param_groups[0] if optimizer.param_groups else {}
    values = tuple([group.get(name) for name in MAIN])
    plain = all(type(each) in NUMBERS or _is_pair(each) for each in values)
    return (_joined if plain else _joined.__wrapped__)(*values)


def _is_pair(value: Any) -> bool:
    """Return whether these are numbers as those of ``betas``."""
    return type(value) is tuple and all(type(each) is float for each in value)


@lru_cache(maxsize=64, typed=True)
def _joined(*values: Any) -> str:
    pairs = zip(MAIN, values, strict=True)
    return ", ".join(f"{name}={_plain(value)}" for name, value in pairs if value)


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_plain, value))})"
    item = getattr(value, "item", None)
    return str(value) if item is None else _plain(item())
