"""`Node`: one step of a graph, with the nodes that it uses and those that use it; `NodeList`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from ..absent import AbsentMethod, refuse_options
from ..dispatch.offer import FUNCTIONS
from ..functions.tensor.global_settings import typename
from .immutable_collections import immutable_dict, immutable_list
from .names import qualified_name, type_repr
from .wrapping import _assert

__all__ = ["Argument", "Node", "Target", "has_side_effect", "map_aggregate", "map_arg"]

Target: TypeAlias = Callable[..., Any] | str
Argument: TypeAlias = Any
"""Argument of a node: nodes, constants, and nests of them."""

OPCODES = ("call_function", "call_method", "get_attr", "call_module", "placeholder", "output")
_EFFECTS: set[Any] = {_assert, operator.setitem}
_RANDOM = {
    FUNCTIONS[name]
    for name in (
        "bernoulli", "multinomial", "normal", "rand", "rand_like", "randint",
        "randint_like", "randn", "randn_like", "randperm",
    )
}  # fmt: skip


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Let `eliminate_dead_code` keep calls of a function whose results are unused."""
    _EFFECTS.add(fn)
    return fn


def map_aggregate(a: Argument, fn: Callable[[Argument], Argument]) -> Argument:
    """A nest of tuples, lists, dicts and slices with `fn` of each thing in it; the lists and dicts
    of the new one cannot be changed."""
    if isinstance(a, tuple):
        parts = [map_aggregate(each, fn) for each in a]
        return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
    if isinstance(a, list):
        return immutable_list(map_aggregate(each, fn) for each in a)
    if isinstance(a, dict):
        return immutable_dict((key, map_aggregate(each, fn)) for key, each in a.items())
    if isinstance(a, slice):
        return slice(*(map_aggregate(each, fn) for each in (a.start, a.stop, a.step)))
    return fn(a)


def map_arg(a: Argument, fn: Callable[[Node], Argument]) -> Argument:
    """A nest with `fn` of each node in it.

    Raises:
        AssertionError: `fn` cannot be called.
    """
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda each: fn(each) if isinstance(each, Node) else each)


class Node:
    """One step of a graph.

    `op` says what it does with its `target`: `placeholder` takes the argument of that name,
    `get_attr` and `call_module` read or call what the module has at that path, `call_function`
    calls a function, `call_method` the method of that name of `args[0]`, `output` returns
    `args[0]`. Nodes stand in a row, from `prev` to `next`; `users` is an ordered set.

    Raises:
        ValueError: the target is of the wrong kind.
    """

    update_arg = AbsentMethod("update_arg", "torch.fx.Node")
    insert_arg = AbsentMethod("insert_arg", "torch.fx.Node")
    update_kwarg = AbsentMethod("update_kwarg", "torch.fx.Node")
    name: str
    op: str
    target: Any
    type: Any
    graph: Any
    users: dict[Node, None]
    meta: dict[str, Any]

    def __init__(
        self,
        graph: Any,
        name: str,
        op: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        return_type: Any = None,
    ) -> None:
        if op == "call_function":
            wanted = None if callable(target) else "Callable"
        else:
            if op not in (*OPCODES, "root"):
                raise AssertionError(f"op '{op}' is not in _legal_ops")
            wanted = None if isinstance(target, str) else "str"
        if wanted:
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type "
                f"{typename(target)} but a {wanted} is expected"
            )
        self.graph, self.op, self.target, self.type = graph, op, target, return_type
        self.__dict__["name"] = name
        self.users, self.meta = {}, {}
        self._args: tuple[Argument, ...] = ()
        self._kwargs: dict[str, Argument] = immutable_dict()
        self._input_nodes: dict[Node, None] = {}
        self._prev = self._next = self
        self._erased = False
        self._repr_fn: Callable[[Node], str] | None = None
        self._update_args_kwargs(args, kwargs)

    def __repr__(self) -> str:
        return self._repr_fn(self) if self._repr_fn else self.name

    def _rename(self, candidate: str) -> None:
        if candidate != self.name:
            self.name = self.graph._graph_namespace.create_name(candidate, None)
            self.graph._graph_namespace.rename(self, self.name)

    # ------------------------------------------------------------------------ its place
    @property
    def next(self) -> Node:
        """The node after this one."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node before this one."""
        return self._prev

    def prepend(self, x: Node) -> None:
        """Move a node of the same graph to before this one.

        Raises:
            AssertionError: it is of another graph.
        """
        if x.graph is not self.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if x is self:
            return
        x._remove_from_list()
        before = self._prev
        before._next, x._prev, x._next, self._prev = x, before, self, x

    def append(self, x: Node) -> None:
        """Move a node of the same graph to after this one."""
        self._next.prepend(x)

    def _remove_from_list(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    # -------------------------------------------------------------------- its arguments
    @property
    def args(self) -> tuple[Argument, ...]:
        """Positional arguments; may be set."""
        return self._args

    @args.setter
    def args(self, a: tuple[Argument, ...]) -> None:
        self._update_args_kwargs(a, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Argument]:
        """Keyword arguments; may be set."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k: dict[str, Argument]) -> None:
        self._update_args_kwargs(self._args, k)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes among its arguments, each once, in order."""
        return list(self._input_nodes)

    def _update_args_kwargs(self, args: Any, kwargs: Any) -> None:
        for old in self._input_nodes:
            old.users.pop(self, None)
        self._input_nodes = {}

        def seen(each: Argument) -> Argument:
            if isinstance(each, Node):
                self._input_nodes[each] = None
                each.users[self] = None
            return each

        self._args, self._kwargs = map_aggregate(args, seen), map_aggregate(kwargs, seen)

    def replace_all_uses_with(
        self,
        replace_with: Node,
        delete_user_cb: Callable[[Node], bool] | None = None,
        **options: Any,
    ) -> list[Node]:
        """Let those who use this node use another one; gives who they are.

        Args:
            delete_user_cb: whether one of them shall; all without it.
        """
        refuse_options("torch.fx.Node.replace_all_uses_with", options)
        users = [each for each in self.users if delete_user_cb is None or delete_user_cb(each)]
        for user in users:
            user.replace_input_with(self, replace_with)
        return users

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Use another node wherever one is used now."""

        def changed(each: Node) -> Node:
            return new_input if each is old_input else each

        self._update_args_kwargs(map_arg(self._args, changed), map_arg(self._kwargs, changed))

    # ---------------------------------------------------------------------- what it does
    @property
    def stack_trace(self) -> str | None:
        """Stack trace of the recording, if the tracer kept it."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Return whether the node is needed even without users.

        Raises:
            AssertionError: it calls a module and the graph belongs to none.
        """
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_module":
            if self.graph.owning_module is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return bool(
                getattr(self.graph.owning_module.get_submodule(self.target), "_is_impure", False)
            )
        return self.op == "call_function" and self.target in _EFFECTS | _RANDOM

    @staticmethod
    def _pretty_print_target(target: Any) -> str:
        if isinstance(target, str):
            return target
        place = {"builtins": "builtins", "_operator": "operator"}.get(target.__module__)
        return f"{place}.{target.__name__}" if place else qualified_name(target)

    def format_node(
        self,
        placeholder_names: list[str] | None = None,
        maybe_return_typename: list[str] | None = None,
        *,
        include_tensor_metadata: bool = False,
    ) -> str | None:
        """The node as a line of text.

        Args:
            placeholder_names, maybe_return_typename: the graph's text collects its signature here.
        """
        kind = f"{type_repr(self.type)} " if self.type else ""
        if self.op == "output":
            if self.type and maybe_return_typename:
                maybe_return_typename[0] = f" -> {type_repr(self.type)}"
            return f"return {self.args[0]}"
        start = f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}[target="
        if self.op == "placeholder":
            if placeholder_names:
                annotated = f"{self.target}: {type_repr(self.type)}" if self.type else ""
                placeholder_names.append(f"{self.target}{annotated}")
                return None
            default = f"(default={self.args[0]})" if self.args else ""
            return f"{start}{self.target}]{default}"
        start += f"{self._pretty_print_target(self.target)}]"
        if self.op == "get_attr":
            return start
        return f"{start}(args = {_format_arg(self.args)}, kwargs = {_format_arg(self.kwargs)})"


def _format_arg(arg: Any) -> str:
    if isinstance(arg, list):
        return f"[{', '.join(map(_format_arg, arg))}]"
    if isinstance(arg, tuple):
        return f"({', '.join(map(_format_arg, arg))}{',' * (len(arg) == 1)})"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{key}: {_format_arg(each)}" for key, each in arg.items()) + "}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


# The row of a graph's nodes, and the place in it where new ones go -------------------------------


class NodeList:
    """The nodes of a graph in order; it may be changed meanwhile."""

    def __init__(self, graph: Any, backwards: bool = False) -> None:
        self._graph, self._backwards = graph, backwards

    def __len__(self) -> int:
        return int(self._graph._len)

    def __iter__(self) -> Iterator[Node]:
        root = self._graph._root
        node = root._prev if self._backwards else root._next
        while node is not root:
            if not node._erased:
                yield node
            node = node._prev if self._backwards else node._next

    def __reversed__(self) -> Iterator[Node]:
        return iter(NodeList(self._graph, not self._backwards))


class InsertPoint:
    """Place of new nodes, until the `with` block ends."""

    def __init__(self, graph: Any, insert: Callable[[Node], None]) -> None:
        self.graph, self.before = graph, graph._insert
        graph._insert = insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        self.graph._insert = self.before
