"""`GraphModule`: a module whose `forward` is the code of its graph."""

from __future__ import annotations

import copy
import itertools
import linecache
import sys
import traceback
from collections.abc import Callable
from typing import Any

from ..absent import not_here, refuse_options
from ..graph.tensor import Tensor
from ..nn.module import Module
from ..nn.parameter import Parameter
from . import wrapping
from .codegen import PythonCode
from .graph import Graph
from .names import is_own_file

__all__ = ["GraphModule"]

_HOOKS = (
    "_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip
_ABSENT = ("to_folder", "delete_submodule", "delete_all_unused_submodules")
_numbers = itertools.count()


class _Source:
    """Lets tracebacks show the lines of generated code."""

    def __init__(self, text: str) -> None:
        self.text = text

    def get_source(self, name: str) -> str:
        return self.text


def compiled(code: PythonCode, place: dict[str, Any]) -> Any:
    """The function that generated code defines.

    Args:
        place: where the program that it is of was written, by its code object.
    """
    key = f"<eval_with_key>.gw{next(_numbers)}"  # PyTorch counts files of this name, too
    if place:
        key += f" from {place['co_filename']}:{place['co_firstlineno']} in {place['co_name']}"
    names = dict(code.globals)
    module_names = {**names, "__file__": key, "__name__": key, "__loader__": _Source(code.src)}
    linecache.lazycache(key, module_names)
    exec(compile(code.src, key, "exec", dont_inherit=True), names)
    return names.pop("forward")


def is_inner(filename: str) -> bool:
    """Return whether a file of this package takes the place of C++: its errors are those of the
    calling line."""
    return is_own_file(filename) and filename != wrapping.__file__


def lines_around(frame: traceback.FrameSummary) -> str:
    """An error in generated code, with the lines around it."""
    number, lines = frame.lineno or 0, linecache.getlines(frame.filename)
    return "\n".join([
        traceback.format_exc(),
        f"Call using an FX-traced Module, line {number} of the traced Module's "
        "generated forward function:",
        "".join(lines[number - 2 : number]),
        "~" * len(frame.line or "") + "~~~ <--- HERE",
        "\n".join(lines[number : number + 2]),
    ])  # fmt: skip


def _call(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Call the module; an error in the generated code is shown with the lines around it."""
    cls = type(self)
    own = cls._own_call
    try:
        if own is not None:
            return own(self, *args, **kwargs)
        return super(cls, self).__call__(*args, **kwargs)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        frame = next((each for each in reversed(frames) if not is_inner(each.filename)), frames[-1])
        if "eval_with_key" in frame.filename:
            print(lines_around(frame), file=sys.stderr)
            raise error.with_traceback(None)  # noqa: B904
        raise


class _Holder(Module):
    """A module with the attributes of another one."""

    def __init__(self, attributes: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__ = attributes


def copy_attribute(source: Any, target: Any, path: str) -> None:
    """Give a module what another one has at a path, with empty modules on the way."""
    *above, name = path.split(".")
    for part in above:
        theirs, own = getattr(source, part), getattr(target, part, None)
        if theirs is own:
            return  # and so is all below
        if own is None:
            own = Module()
            setattr(target, part, own)
        source, target = theirs, own
    assign_attribute(getattr(source, name), target, name)


def assign_attribute(value: Any, target: Any, path: str) -> None:
    """Give a module something at a path: tensors that are no parameters as buffers."""
    *above, name = path.split(".")
    for part in above:
        if getattr(target, part, None) is None:
            setattr(target, part, Module())
        target = getattr(target, part)
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        target.register_buffer(name, value)
    else:
        setattr(target, name, value)


class GraphModule(Module):
    """A module that runs a graph.

    Args:
        root: a module or dict with what the graph calls and reads, by path.
        class_name: what its class is called.

    Raises:
        RuntimeError: the dict lacks something, or `root` is neither.
    """

    _own_call: Callable[..., Any] | None = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        # Each instance has a forward of its own, hence a class of its own.
        base = next(each for each in cls.__mro__ if "_is_instance_class" not in vars(each))
        own = type("GraphModuleImpl", (base,), {"_is_instance_class": True})
        own.__module__ = base.__module__
        return super().__new__(own)

    def __init__(
        self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule"
    ) -> None:
        super().__init__()
        type(self).__name__ = class_name
        paths = [node.target for node in graph.nodes if node.op in ("get_attr", "call_module")]
        if isinstance(root, Module):
            self.training = getattr(root, "training", self.training)
            if isinstance(root, _Holder):
                named = (root.named_children(), root.named_buffers(), root.named_parameters())
                paths = [*(name for each in named for name, _ in each), *paths]
            for path in paths:
                copy_attribute(root, self, path)
        elif isinstance(root, dict):
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module") and node.target not in root:
                    raise RuntimeError(
                        f"Node {node} referenced target {node.target} but that target was not "
                        "provided in ``root``!"
                    )
            for path in sorted(paths, key=lambda path: path.count(".")):
                assign_attribute(root[path], self, path)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        self.graph = graph
        local = graph._tracer_cls and "<locals>" in graph._tracer_cls.__qualname__
        self._tracer_cls = None if local else graph._tracer_cls
        self.meta: dict[str, Any] = {}

    # ------------------------------------------------------------------------------ code
    @property
    def graph(self) -> Graph:
        """The graph; setting another one compiles it."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The code that was made of the graph when it was compiled last."""
        return self._code

    def recompile(self) -> PythonCode:
        """Make code of the graph again, after changing it."""
        graph = self._graph
        code = graph.python_code(root_module="self")
        self._code, self._lineno_map = code.src, code._lineno_map
        cls: Any = type(self)
        cls.forward = compiled(code, graph._co_fields)
        if vars(cls).get("__call__") is not _call:
            cls._own_call = vars(cls).get("__call__")
            cls.__call__ = _call
        for child in self.children():
            if isinstance(child, GraphModule):
                child.recompile()
        return code

    def __getattr__(self, name: str) -> Any:
        if name in _ABSENT:
            raise AttributeError(not_here(f"torch.fx.GraphModule.{name}"), name=name, obj=None)
        return super().__getattr__(name)

    def __str__(self) -> str:
        reminder = "# To see more debug info, please use `graph_module.print_readable()`"
        return f"{super().__str__()}\n{self._code}\n{reminder}"

    def print_readable(self, print_output: bool = True, **options: Any) -> str:
        """Print (or not) and return the code of the module and of the graph modules below it.

        Raises:
            NotImplementedError: one of PyTorch's other options.
        """
        refuse_options("torch.fx.GraphModule.print_readable", options)
        text = _readable(self, self._get_name())
        if print_output:
            print(text)
        return text

    # --------------------------------------------------------------------------- modules
    def add_submodule(self, target: str, m: Module) -> bool:
        """Add a module at a path; gives whether that could be."""
        *above, name = target.split(".")
        place: Module = self
        for part in above:
            inner = getattr(place, part, None)
            if inner is None:
                inner = Module()
                setattr(place, part, inner)
            if not isinstance(inner, Module):
                return False
            place = inner
        place.add_module(name, m)
        return True

    # --------------------------------------------------------------------------- copying
    def __reduce__(self) -> Any:
        raise TypeError(not_here("pickling a torch.fx.GraphModule"))

    def __deepcopy__(self, memo: Any) -> GraphModule:
        made: Any = type(self).__new__(type(self))
        memo[id(self)] = made
        holder = _Holder(copy.deepcopy(self.__dict__, memo))
        GraphModule.__init__(made, holder, holder.__dict__["_graph"])
        for name in _HOOKS:
            if name in self.__dict__:
                setattr(made, name, copy.deepcopy(self.__dict__[name], memo))
        made.meta = copy.deepcopy(self.meta, memo)
        return made  # type: ignore[no-any-return]

    def __copy__(self) -> GraphModule:
        made = GraphModule(self, self.graph)
        made.meta = self.meta
        return made


def _readable(module: GraphModule, name: str) -> str:
    code = module.graph.python_code(root_module="self")
    text = f"class {name}(torch.nn.Module):\n" + code.src.lstrip("\n")
    below = [
        _readable(child, path)
        for path, child in module.named_children()
        if isinstance(child, GraphModule)
    ]
    return _indented(text) + _indented("\n".join(["", *below]))


def _indented(text: str) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *(f"    {line}" if line.strip() else "" for line in rest)])
