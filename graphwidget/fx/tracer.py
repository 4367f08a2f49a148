"""`symbolic_trace`: a module's program recorded by running it with proxies for its arguments."""

from __future__ import annotations

import collections
import contextlib
import copy
import functools
import inspect
import math
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from ..absent import refuse_options
from ..graph.tensor import Tensor
from ..nn.container import Sequential
from ..nn.module import Module
from ..nn.parameter import Parameter
from .graph import Graph
from .graph_module import GraphModule
from .names import PACKAGE, is_bound
from .node import Argument
from .patches import (
    VARIABLE,
    Patches,
    all_by_position,
    declared_types,
    placeholder,
)
from .proxy import Proxy, Scope, TracerBase

__all__ = ["Tracer", "symbolic_trace"]


class Tracer(TracerBase):
    """Records programs; subclasses change which modules stay whole and what becomes a node.

    Args:
        autowrap_modules: Python modules whose functions become nodes when given proxies.
        autowrap_functions: more such functions.
    """

    root: Module

    def __init__(
        self,
        autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        **options: Any,
    ) -> None:
        refuse_options("torch.fx.Tracer", options)
        members = chain.from_iterable(vars(module).items() for module in autowrap_modules)
        self._autowrap_function_ids = {
            *(id(value) for name, value in members if name[0] != "_" and callable(value)),
            *map(id, autowrap_functions),
        }
        self._autowrap_search = list(autowrap_modules)
        self.submodule_paths: dict[Module, str] | None = None
        self.root_module_name = ""
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.num_calls: dict[str, int] = {}
        self.node_name_to_scope = {}
        self.tensor_attrs: dict[Tensor, str] = {}
        self._numbers: dict[str, int] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Tracer:
        copied = Tracer.__new__(Tracer)
        for key, value in self.__dict__.items():
            shallow = key == "_autowrap_search"  # modules
            copied.__dict__[key] = copy.copy(value) if shallow else copy.deepcopy(value, memo)
        return copied

    # -------------------------------------------------------------------- what users change
    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Return whether the call of a module becomes one node: by default of those of `torch.nn`,
        but `Sequential`."""
        own = m.__module__.startswith((f"{PACKAGE}.nn", "torch.nn"))
        return own and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """The path of a module below the one that is recorded.

        Raises:
            NameError: it is not below it.
        """
        if self.submodule_paths:
            path = self.submodule_paths.get(mod)
        else:
            path = next((name for name, each in self.root.named_modules() if each is mod), None)
        if path is None:
            raise NameError("module is not installed as a submodule")
        return path

    def call_module(
        self,
        m: Module,
        forward: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Called for each call of a module.

        Args:
            forward: runs its own program.
        """
        path = self.path_of_module(m)
        before = self.scope.module_path, self.scope.module_type
        self.scope.module_path, self.scope.module_type = path, type(m)
        calls = self.num_calls.get(path, 0)
        key = f"{path}@{calls}" if calls else path
        self.module_stack[key] = path, type(m)
        self.num_calls[path] = calls + 1
        try:
            if self.is_leaf_module(m, path):
                return self.create_proxy("call_module", path, args, kwargs)
            return forward(*args, **kwargs)
        finally:
            self.module_stack.pop(key)
            self.scope.module_path, self.scope.module_type = before

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Proxy]) -> Any:
        """Called for each parameter, buffer and module that is read as an attribute."""
        if isinstance(attr_val, Parameter):
            found = self._proxy_for(attr_val, self.root.named_parameters(), parameter_proxy_cache)
        else:
            found = None
        return attr_val if found is None else found

    def _proxy_for(
        self, value: Any, named: Iterable[tuple[str, Any]], cache: dict[str, Proxy]
    ) -> Proxy | None:
        for name, each in named:
            if each is value:
                if name not in cache:
                    cache[name] = self.create_proxy("get_attr", name, (), {})
                return cache[name]
        return None

    def create_arg(self, a: Any) -> Argument:
        """Return a node's argument for a value: also of parameters, buffers and modules, and of
        other tensors, which become attributes of the module.

        Raises:
            NameError: a parameter of another module.
            NotImplementedError: a value of a type that graphs do not hold.
        """
        if isinstance(a, (Tensor, Module)):
            return self.create_node("get_attr", self._path_of(a), (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            args = tuple(self.create_arg(each) for each in a)
            return self.create_node("call_function", type(a), args, {})
        return super().create_arg(a)

    def _path_of(self, value: Any) -> str:
        named: Iterable[tuple[str, Any]]
        if isinstance(value, Parameter):
            named = self.root.named_parameters()
        elif isinstance(value, Tensor):
            named = self.root.named_buffers()
        else:
            named = self.root.named_modules()
        for name, each in named:
            if each is value:
                return name
        if isinstance(value, Parameter):
            raise NameError("parameter is not a member of this module")
        if isinstance(value, Module):
            raise NotImplementedError(f"argument of type: {type(value)}")
        path = self.tensor_attrs.get(value)
        if not path:
            path = self.tensor_attrs[value] = self.get_fresh_qualname("_tensor_constant")
            setattr(self.root, path, value)
        return path

    def get_fresh_qualname(self, prefix: str) -> str:
        """A name that the module has not, with a number."""
        number = self._numbers.get(prefix, 0) if hasattr(self.root, f"{prefix}0") else 0
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        self._numbers[prefix] = number
        return f"{prefix}{number}"

    # --------------------------------------------------------------------------- recording
    def trace(
        self,
        root: Module | Callable[..., Any],
        concrete_args: dict[str, Any] | tuple[Any, ...] | None = None,
    ) -> Graph:
        """The graph of a module's or function's program.

        Args:
            concrete_args: arguments that are known; the graph is for these values only.

        Raises:
            TraceError: what the program does depends on values.
        """
        function: Any = root
        if isinstance(root, Module):
            self.root = root
            if not hasattr(type(root), self.traced_func_name):
                raise AssertionError(
                    f"traced_func_name={self.traced_func_name} doesn't exist in "
                    f"{type(root).__name__}"
                )
            function = getattr(type(root), self.traced_func_name)
            self.root_module_name = root._get_name()
            self.submodule_paths = {each: name for name, each in root.named_modules()}  # type: ignore[misc]
        else:
            self.root = Module()
        kind = BuiltinFunctionType if is_bound(function) else type(function)
        if kind is not FunctionType:
            raise AssertionError(f"Expected FunctionType, got {kind}")
        self.graph = Graph(tracer_cls=type(self))
        code = function.__code__
        self.graph._co_fields = {
            "co_name": code.co_name, "co_filename": code.co_filename,
            "co_firstlineno": code.co_firstlineno,
        }  # fmt: skip
        self.tensor_attrs = dict(_tensors_in(self.root))
        self._record(function, isinstance(root, Module), concrete_args)
        self.submodule_paths = None
        return self.graph

    def _record(self, function: FunctionType, is_module: bool, concrete_args: Any) -> None:
        names = function.__globals__
        called, args = self.create_args_for_root(function, is_module, concrete_args)
        with self._patched(names):
            value = self.create_arg(called(*args))
            kind = declared_types(called).get("return")
            self.create_node("output", "output", (value,), {}, type_expr=kind)

    @contextlib.contextmanager
    def _patched(self, names: dict[str, Any]) -> Iterator[None]:
        cache: dict[str, Proxy] = {}
        call, read = Module.__call__, Module.__getattr__

        @functools.wraps(read)
        def getattr_recorded(module: Module, attr: str) -> Any:
            return self.getattr(attr, read(module, attr), cache)

        @functools.wraps(call)
        def call_recorded(module: Module, *args: Any, **kwargs: Any) -> Any:
            forward = getattr(module, "forward", module)
            patches.among(getattr(forward, "__globals__", {}), self._autowrap_function_ids)
            return self.call_module(module, lambda *a, **k: call(module, *a, **k), args, kwargs)

        with Patches() as patches:
            patches.method(Module, "__getattr__", getattr_recorded)
            patches.method(Module, "__call__", call_recorded)
            patches.wrapped()
            patches.among(names, self._autowrap_function_ids)
            for module in self._autowrap_search:
                patches.among(vars(module), self._autowrap_function_ids)
            yield

    # --------------------------------------------------------------------------- arguments
    def create_args_for_root(
        self,
        root_fn: Any,
        is_module: bool,
        concrete_args: dict[str, Any] | tuple[Any, ...] | None = None,
    ) -> tuple[Any, list[Any]]:
        """The function to call and what to call it with: proxies for its parameters.

        Raises:
            RuntimeError: wrong numbers of arguments.
        """
        analysed = inspect.unwrap(root_fn)
        code = analysed.__code__
        total = code.co_argcount + code.co_kwonlyargcount
        names = iter(code.co_varnames)
        args: list[Any] = []
        if is_module:
            if total == 0:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            next(names)
            args.append(self.root)
        known = concrete_args
        listed = [next(names) for _ in range(len(args), total)]
        if isinstance(known, tuple):
            if len(listed) != len(known):
                raise RuntimeError(
                    f"Tracing expected {len(listed)} arguments but got {len(known)} "
                    "concrete arguments"
                )
            known = dict(zip(listed, known, strict=True))
        args += [placeholder(self, name, known, analysed) for name in listed]
        if code.co_kwonlyargcount > 0 or code.co_flags & VARIABLE:
            if code.co_flags & inspect.CO_VARARGS:
                args.append(placeholder(self, "*" + next(names), known, analysed))
            if code.co_flags & inspect.CO_VARKEYWORDS:
                args.append(placeholder(self, "**" + next(names), known, analysed))
            root_fn = all_by_position(root_fn, len(args))
        return root_fn, args


def _tensors_in(module: Any, place: str = "") -> Iterator[tuple[Tensor, str]]:
    """The tensors that a module has as plain attributes, with their paths."""
    for name, value in vars(module).items():
        if isinstance(value, Tensor):
            yield value, place + name
    for name, child in module.named_children():
        yield from _tensors_in(child, f"{place}{name}.")


def symbolic_trace(
    root: Module | Callable[..., Any],
    concrete_args: dict[str, Any] | tuple[Any, ...] | None = None,
) -> GraphModule:
    """A module's or function's program as a `GraphModule`, recorded by running it with proxies.

    Args:
        concrete_args: arguments that are known; the program is for these values only, and checks.

    Raises:
        TraceError: what the program does depends on values.
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
