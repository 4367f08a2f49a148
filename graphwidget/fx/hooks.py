"""Hooks of a graph module: called when its nodes are made, erased, renamed or replaced."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

Hook = Callable[..., object]


class GraphHooks:
    """The lists of hooks, and how users add to them and take away."""

    def _start_hooks(self) -> None:
        self._replace_hooks: list[Hook] = []
        self._create_node_hooks: list[Hook] = []
        self._erase_node_hooks: list[Hook] = []
        self._deepcopy_hooks: list[Hook] = []

    @contextlib.contextmanager
    def _set_replace_hook(self, f: Hook) -> Iterator[None]:
        """Inside, `f(old=node, new=name, user=node)` is called for each use that changes."""
        _check("Replace", f)
        self._replace_hooks.append(f)
        try:
            yield
        finally:
            self._replace_hooks.remove(f)


def _check(kind: str, f: Any) -> None:
    if not callable(f):
        raise AssertionError(f"{kind} hook must be a callable.")


def _add_pair(name: str, list_name: str, kind: str) -> None:
    def register(self: GraphHooks, f: Hook) -> None:
        _check(kind, f)
        getattr(self, list_name).append(f)

    def unregister(self: GraphHooks, f: Hook) -> None:
        _check(kind, f)
        getattr(self, list_name).remove(f)

    setattr(GraphHooks, f"_register_{name}_hook", register)
    setattr(GraphHooks, f"_unregister_{name}_hook", unregister)


_add_pair("replace_node", "_replace_hooks", "create_node")  # PyTorch's word
_add_pair("create_node", "_create_node_hooks", "create_node")
_add_pair("erase_node", "_erase_node_hooks", "erase_node")
_add_pair("deepcopy", "_deepcopy_hooks", "deepcopy")
