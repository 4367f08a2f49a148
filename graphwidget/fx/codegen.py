"""`CodeGen`: a graph as the source of a Python function: a line for each node."""

from __future__ import annotations

import enum
import math
import re
import types
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..arrays.devices import device
from ..graph.tensor import Tensor
from .names import Namespace, TorchInCode, is_from_torch, qualified_name, reserve, type_repr
from .node import Node
from .wrapping import wrap

# The lines of generated code ---------------------------------------------------------------------

REFLECTABLE = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "floordiv": "{} // {}",
    "truediv": "{} / {}", "div": "{} / {}", "mod": "{} % {}", "pow": "{} ** {}",
    "lshift": "{} << {}", "rshift": "{} >> {}", "and_": "{} & {}", "or_": "{} | {}",
    "xor": "{} ^ {}", "getitem": "{}[{}]", "matmul": "{} @ {}",
}  # fmt: skip
MAGIC = {
    "eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "gt": "{} > {}", "le": "{} <= {}",
    "ge": "{} >= {}", "pos": "+{}", "neg": "-{}", "invert": "~{}", **REFLECTABLE,
}  # fmt: skip
"""Code of the functions of `operator`."""

INPLACE = {
    **{
        f"i{name.strip('_')}": REFLECTABLE[name].removesuffix(" {}") + "= {}"
        for name in ("add", "and_", "floordiv", "lshift", "mod", "mul", "matmul", "or_", "pow",
                     "rshift", "sub", "truediv", "xor")
    },
    "setitem": "{}[{}] = {}",
}  # fmt: skip
"""The same of those that write in place."""


FORMER: dict[Any, Any] = {
    list: typing.List, dict: typing.Dict, set: typing.Set, frozenset: typing.FrozenSet,  # noqa: UP006
    tuple: typing.Tuple,  # noqa: UP006
}  # fmt: skip
"""Classes and their names in annotations of the former kind."""


def access(base: str, path: str) -> str:
    """The code that reads a path below something."""
    for part in path.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base


def last_uses(nodes: Iterable[Node]) -> dict[Node, list[Node]]:
    """For each node those that are not used after it."""
    seen: set[Node] = set()
    freed: dict[Node, list[Node]] = {}
    for user in reversed(nodes):  # type: ignore[call-overload]
        for node in user._input_nodes:
            if node not in seen:
                seen.add(node)
                freed.setdefault(user, []).append(node)
    return freed


class Body:
    """The body of the function that a graph becomes.

    Args:
        root_module: what the module is called in the code.
        namespace: gives the code's names.
        torch: what `torch` is in it; what the code needs of it is put there.
    """

    def __init__(
        self,
        nodes: Iterable[Node],
        root_module: str,
        namespace: Namespace,
        torch: TorchInCode,
    ) -> None:
        self.nodes, self.root, self.namespace, self.torch = nodes, root_module, namespace, torch
        self.lines: list[str] = []
        self.parameters: list[str] = []
        self.returned = ""
        self.globals: dict[str, Any] = {}
        self.wrapped: dict[str, None] = {}

    # ----------------------------------------------------------------------------- names
    def add_global(self, hint: str, thing: Any) -> str:
        """The name of something outside the graph.

        Raises:
            AssertionError: two things have it.
        """
        if is_from_torch(thing) and thing is not device:
            name = type_repr(thing) if isinstance(thing, type) else qualified_name(thing)
            self.torch.put(name, thing)
            return name
        name = self.namespace.create_name(hint, thing)
        if name in self.globals and self.globals[name] != thing:
            raise AssertionError(f"Global name {name} already assigned to different object")
        self.globals[name] = thing
        return name

    def type_name(self, kind: Any) -> str:
        """A type as code spells it."""
        if kind == ():
            return "()"
        name = type_repr(kind)
        if isinstance(kind, types.UnionType) and "|" in name:
            return "|".join(map(self.type_name, typing.get_args(kind)))
        origin = getattr(kind, "__origin__", None)
        if origin is None:
            return self.add_global(name, kind)
        if isinstance(kind, typing._GenericAlias):  # type: ignore[attr-defined]
            origin = FORMER.get(origin, origin)
        start = self.add_global(type_repr(origin), origin)
        inner = ",".join(map(self.type_name, typing.get_args(kind)))
        return f"{start}[{inner}]" if inner else start

    def text(self, arg: Any) -> str:
        """An argument as code."""
        if isinstance(arg, Node):
            return repr(arg)
        if isinstance(arg, tuple) and hasattr(arg, "_fields"):
            kind = self.add_global(qualified_name(type(arg)), type(arg))
            return f"{kind}{tuple(arg)!r}"
        if isinstance(arg, enum.Enum):
            return f"{self.add_global(type(arg).__name__, type(arg))}.{arg.name}"
        if isinstance(arg, Tensor):
            return f"torch.Tensor(size={list(arg.size())}, dtype={str(arg.dtype).split('.')[-1]})"
        if isinstance(arg, tuple):
            return f"({', '.join(map(self.text, arg))}{',' * (len(arg) == 1)})"
        if isinstance(arg, list):
            return f"[{', '.join(map(self.text, arg))}]"
        if isinstance(arg, slice):
            return f"slice({self.text(arg.start)}, {self.text(arg.stop)}, {self.text(arg.step)})"
        return repr(arg)

    def arguments(self, args: Any, kwargs: dict[str, Any]) -> str:
        """The arguments of a call."""
        named = [f"{key} = {self.text(each)}" for key, each in kwargs.items()]
        return ", ".join([*map(self.text, args), *named])

    def wrap(self) -> str:
        """The name of `wrap`."""
        return self.add_global("wrap", wrap)

    # ----------------------------------------------------------------------------- lines
    def write(self, generate_output: Callable[..., str]) -> None:
        """Write all lines.

        Args:
            generate_output: gives the line that returns.
        """
        freed = last_uses(self.nodes)
        for number, node in enumerate(self.nodes):
            self.lines.append(f"# COUNTER: {number}\n")
            if node.op == "placeholder":
                self.take(node)
                continue
            if node.op == "output":
                if node.type is not None:
                    self.returned = f" -> {self.type_name(node.type)}"
                self.lines += [generate_output(node.args[0], repr_fn=self.text), "\n"]
                continue
            kind = "" if node.type is None else f" : {self.type_name(node.type)}"
            self.lines.append(getattr(self, node.op)(node, f"{node!r}{kind}"))
            done = [*freed.get(node, []), *([] if node.users else [node])]
            text = " = ".join([*map(repr, done), "None"])
            self.lines.append(f";  {text}\n" if done else "\n")
        if not self.lines:
            self.lines.append("pass\n")

    def take(self, node: Node) -> None:
        """Make a placeholder a parameter."""
        kind = "" if node.type is None else f" : {self.type_name(node.type)}"
        default = f" = {self.text(node.args[0])}" if node.args else ""
        self.parameters.append(f"{node.target}{kind}{default}")
        name = node.target.replace("*", "")
        if name != repr(node):
            self.lines.append(f"{node!r} = {name}\n")

    def call_method(self, node: Node, left: str) -> str:
        """The line of such a node."""
        method = access(self.text(node.args[0]), node.target)
        return f"{left} = {method}({self.arguments(node.args[1:], node.kwargs)})"

    def call_module(self, node: Node, left: str) -> str:
        """The line of such a node."""
        module = access(self.root, node.target)
        return f"{left} = {module}({self.arguments(node.args, node.kwargs)})"

    def get_attr(self, node: Node, left: str) -> str:
        """The line of such a node."""
        return f"{left} = {access(self.root, node.target)}"

    def call_function(self, node: Node, left: str) -> str:
        """The line of such a node: operators are written as such."""
        target, texts = node.target, [self.text(each) for each in node.args]
        if getattr(target, "__module__", "") == "_operator":
            if target.__name__ in MAGIC:
                return f"{left} = {MAGIC[target.__name__].format(*texts)}"
            if target.__name__ in INPLACE:
                return f"{INPLACE[target.__name__].format(*texts)};  {left} = {texts[0]}"
        name = self.add_global(qualified_name(target), target)
        if (
            name == "getattr"
            and len(node.args) == 2
            and isinstance(node.args[1], str)
            and node.args[1].isidentifier()
        ):
            return f"{left} = {access(texts[0], node.args[1])}"
        if node.meta.get("is_wrapped", False):
            self.wrapped[name] = None
        return f"{left} = {name}({self.arguments(node.args, node.kwargs)})"


# -------------------------------------------------------------------------------------------------
__all__ = ["CodeGen", "PythonCode"]

_COUNTER = re.compile(r"# COUNTER: (\d+)")


KNOWN: dict[str, Any] = {
    "inf": math.inf, "nan": math.nan, "NoneType": type(None), "device": device,
}  # fmt: skip
"""Names known to all code, beside `torch`."""
for _name, _thing in KNOWN.items():
    reserve(_name, _thing)
reserve("torch", object())


@dataclass
class PythonCode:
    """A graph as source: the text, what it names, and the node that each of its lines runs."""

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None
    _prologue_start: int = 0


class CodeGen:
    """Writes a graph as a function; subclasses write it in other ways."""

    def __init__(self) -> None:
        self._func_name = "forward"

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """The line that begins the function.

        Args:
            free_vars: its parameters; `self` is put before them.
        """
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(
        self, output_args: Any, *, descs: Any = None, repr_fn: Callable[[Any], str] = repr
    ) -> str:
        """The line that returns."""
        return f"return {repr_fn(output_args)}"

    def _gen_python_code(
        self, nodes: Iterable[Node], root_module: str, namespace: Namespace
    ) -> PythonCode:
        torch = TorchInCode()
        body = Body(nodes, root_module, namespace, torch)
        for name, thing in KNOWN.items():
            body.globals[namespace.create_name(name, thing)] = thing
        body.globals["torch"] = torch
        body.write(self.generate_output)
        wrapped = "\n".join(f'{body.wrap()}("{name}")' for name in body.wrapped)
        prologue = self.gen_fn_def(body.parameters, body.returned)
        code, numbers = _numbered("".join(body.lines), prologue.count("\n") + 1)
        source = f"\n{wrapped}\n\n{prologue}\n{code}"
        return PythonCode(source, body.globals, numbers, wrapped.count("\n") + 4)


def _numbered(text: str, start: int) -> tuple[str, dict[int, int | None]]:
    """The body of the code, indented and without the lines that mark nodes; and the lines of each
    node."""
    numbers: dict[int, int | None] = {}
    kept: list[str] = []
    current = None
    for line in text.split("\n"):
        found = _COUNTER.search(line)
        if found:
            current = int(found.group(1))
        else:
            numbers[len(kept) + start] = current
            kept.append(line)
    code = "\n".join(kept).lstrip("\n")
    return "\n".join(f"    {line}" for line in code.split("\n")), numbers
