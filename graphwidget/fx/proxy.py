"""`Proxy`: stands for a value while a program is recorded; what is done with it becomes nodes."""

from __future__ import annotations

import collections
import copy
import dis
import enum
import inspect
import operator
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from ..arrays.devices import device
from ..arrays.dtypes import dtype
from ..arrays.memory_formats import layout, memory_format
from ..graph import runtime
from ..graph.tensor import Tensor
from .codegen import MAGIC, REFLECTABLE
from .graph import Graph
from .names import calls_method, is_bound, is_own_file, is_tensor_method_or_property, target_name
from .node import Argument, Node, Target, map_aggregate, map_arg

__all__ = ["Attribute", "GraphAppendingTracer", "Proxy", "Scope", "TraceError", "TracerBase"]

BASE_TYPES = (str, int, float, bool, complex, dtype, Tensor, device, memory_format, layout)
"""Constants that nodes may be given."""


class TraceError(ValueError):
    """A program cannot be recorded: what it does depends on values."""


class Scope:
    """Module whose code is being recorded: its path and class."""

    def __init__(self, module_path: str, module_type: Any) -> None:
        self.module_path, self.module_type = module_path, module_type


class TracerBase:
    """Base of tracers: makes nodes of operations on proxies."""

    graph: Graph
    record_stack_traces: bool = False
    traced_func_name: str = "forward"
    scope: Scope
    module_stack: collections.OrderedDict[str, tuple[str, Any]]
    node_name_to_scope: dict[str, tuple[str, type]]

    def create_node(
        self,
        kind: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Add a node to the graph, with the modules around it in its `meta`."""
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        self.node_name_to_scope[node.name] = self.scope.module_path, self.scope.module_type
        if self.module_stack:
            node.meta["nn_module_stack"] = copy.copy(self.module_stack)
        if self.record_stack_traces and not node.stack_trace:
            stack = traceback.extract_stack()
            frames = [frame for frame in stack if not is_own_file(frame.filename)]
            first = next((i for i, frame in enumerate(frames) if frame.name == "forward"), None)
            if first is not None:
                listed = traceback.StackSummary.from_list(frames[first:])
                node.stack_trace = "".join(listed.format()).strip()
        return node

    def proxy(self, node: Node) -> Proxy:
        """A proxy for what a node gives."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Target,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Proxy:
        """Add a node for something that was done with proxies, and give a proxy of its result."""
        node = self.create_node(
            kind, target, self.create_arg(args), self.create_arg(kwargs), name, type_expr
        )
        return proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)

    def create_arg(self, a: Any) -> Argument:
        """Return a node's argument for a value: its node for a proxy.

        Raises:
            NotImplementedError: a value of a type that graphs do not hold.
            RuntimeError: a dict whose keys are proxies.
        """
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            parts = [self.create_arg(each) for each in a]
            return type(a)(*parts) if hasattr(a, "_fields") else type(a)(parts)
        if isinstance(a, list):
            return [self.create_arg(each) for each in a]
        if isinstance(a, dict):
            return {self._key(key): self.create_arg(each) for key, each in a.items()}
        if isinstance(a, (slice, range)):
            return type(a)(*(self.create_arg(each) for each in (a.start, a.stop, a.step)))
        if is_dataclass(a) and not isinstance(a, type):
            given = {each.name: self.create_arg(getattr(a, each.name)) for each in fields(a)}
            return self.create_node("call_function", type(a), (), given)
        if isinstance(a, (*BASE_TYPES, enum.Enum)) or a is None or a is ...:
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, key: Any) -> Any:
        if isinstance(key, str):
            return key

        def refuse(node: Node) -> None:
            raise RuntimeError(
                f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {node}"
            )

        key = self.create_arg(key)
        map_arg(key, refuse)
        return key

    def to_bool(self, obj: Proxy) -> bool:
        """Called when a proxy is asked whether it is true.

        Raises:
            TraceError: always; subclasses may know.
        """
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """Called when a proxy is iterated over.

        Raises:
            TraceError: always; subclasses may know.
        """
        raise TraceError(
            "Proxy object cannot be iterated. This can be "
            "attempted when the Proxy is used in a loop or"
            " as a *args or **kwargs function argument. "
            "See the torch.fx docs on pytorch.org for a "
            "more detailed explanation of what types of "
            "control flow can be traced, and check out the"
            " Proxy docstring for help troubleshooting "
            "Proxy iteration errors"
        )

    def keys(self, obj: Proxy) -> Any:
        """Called for `obj.keys()`, which `**obj` calls, too."""
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """Adds what is done with proxies to a graph that is there."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.node_name_to_scope = {}


class Proxy:
    """Stands for the value that a node gives. Calls of functions and methods, operators and
    attributes become nodes; what needs the value itself (`if`, `for`, `len`) cannot."""

    tracer: TracerBase

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        if not runtime.overridden:
            runtime.enable_overrides()  # functions ask for __torch_function__ from now on
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        return Attribute(self, k)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = state

    def __deepcopy__(self, memo: dict[int, Any]) -> Proxy:
        copied = Proxy.__new__(Proxy)
        for key, value in self.__dict__.items():
            try:
                copied.__dict__[key] = copy.deepcopy(value, memo)
            except Exception:  # a tracer may hold anything
                copied.__dict__[key] = copy.copy(value)
        return copied

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        frame = sys._getframe(1)
        for step in dis.get_instructions(frame.f_code):  # ``a, b = proxy`` says how many
            if step.offset == frame.f_lasti and step.opname == "UNPACK_SEQUENCE":
                return (self[i] for i in range(step.argval))  # type: ignore[index]
        return self.tracer.iter(self)

    def __abs__(self) -> Proxy:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def keys(self) -> Any:
        """Its keys, as `**proxy` asks for them."""
        return self.tracer.keys(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want "
            "this call to be recorded, please call torch.fx.wrap('len') at "
            "module scope"
        )

    @classmethod
    def __torch_function__(
        cls, orig_method: Any, types: Any, args: Any = None, kwargs: Any = None
    ) -> Proxy:
        args, kwargs = args or (), kwargs or {}
        tracers: dict[TracerBase, None] = {}

        def find(each: Any) -> None:
            if isinstance(each, cls):
                tracers[each.tracer] = None

        map_aggregate((args, kwargs), find)
        if len(tracers) > 1:
            raise RuntimeError(
                f"Found multiple different tracers {list(tracers)} while "
                f"trying to trace operations {orig_method}"
            )
        (tracer,) = tracers
        name = orig_method.__name__
        if is_tensor_method_or_property(orig_method) or calls_method(orig_method):
            return tracer.create_proxy("call_method", name, args, kwargs)
        if inspect.isfunction(orig_method) and not is_bound(orig_method):
            args, kwargs = spelled_out(orig_method, args, kwargs)
        return tracer.create_proxy(
            "call_function", orig_method, args, kwargs, name=target_name(name)
        )


def spelled_out(function: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Return the arguments of a call as PyTorch's functions in Python hand them on: those without
    a default by position, all others by name."""
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    by_place: list[Any] = []
    by_name: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        value = bound.arguments[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            by_place += value
        elif parameter.kind is parameter.VAR_KEYWORD:
            by_name.update(value)
        elif parameter.default is parameter.empty:
            by_place.append(value)
        else:
            by_name[name] = value
    return tuple(by_place), by_name


class Attribute(Proxy):
    """An attribute of what a proxy stands for: a node only if it is not called as a method."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """The node that reads it."""
        if self._node is None:
            made = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {})
            self._node = made.node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


def _operator(name: str, function: Callable[..., Any], reflected: bool) -> Callable[..., Proxy]:
    def recorded(self: Any, *others: Any) -> Proxy:
        args = (*others, self) if reflected else (self, *others)
        return self.tracer.create_proxy("call_function", function, args, {})  # type: ignore[no-any-return]

    recorded.__name__ = recorded.__qualname__ = name
    return recorded


for _operation in MAGIC:
    if hasattr(operator, _operation):
        _function, _bare = getattr(operator, _operation), _operation.strip("_")
        setattr(Proxy, f"__{_bare}__", _operator(_operation, _function, reflected=False))
        if _operation in REFLECTABLE:
            setattr(Proxy, f"__r{_bare}__", _operator(f"__r{_bare}__", _function, reflected=True))
