"""`CodeGen`: a graph as the source of a Python function, with the objects that it names."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..arrays.devices import device
from ..func import pytree
from .code_body import Body
from .names import Namespace, TorchInCode, reserve
from .node import Node

__all__ = ["CodeGen", "PyTreeCodeGen", "PyTreeInfo", "PythonCode"]

_COUNTER = re.compile(r"# COUNTER: (\d+)")


class Flattening:
    """What `fx_pytree` is in generated code."""

    @staticmethod
    def tree_flatten_spec(tree: Any, spec: pytree.Spec) -> list[Any]:
        """The values of a nest of that shape; what lies below the shape stays whole."""
        if spec.kind is None:
            return [tree]
        values = [tree[key] for key in spec.keys] if isinstance(tree, dict) else tree
        return [
            leaf
            for value, part in zip(values, spec.parts, strict=False)
            for leaf in Flattening.tree_flatten_spec(value, part)
        ]


KNOWN: dict[str, Any] = {
    "inf": math.inf, "nan": math.nan, "NoneType": type(None), "device": device,
    "fx_pytree": Flattening, "pytree": pytree,
}  # fmt: skip
"""What all code may name, beside `torch`."""
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
        self._body_transformer: Callable[[list[str]], list[str]] | None = None
        self._func_name = "forward"

    def gen_fn_def(
        self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False
    ) -> str:
        """The line that begins the function.

        Args:
            free_vars: its parameters; `self` is put before them.
            expanded_def: one on each line.
        """
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        if not expanded_def:
            listed = ", ".join(free_vars)
            return f"def {self._func_name}({listed}){maybe_return_annotation}:"
        lines = "".join(map(_expanded, free_vars))
        return f"def {self._func_name}(\n{lines}){maybe_return_annotation}:"

    def generate_output(
        self, output_args: Any, *, descs: Any = None, repr_fn: Callable[[Any], str] = repr
    ) -> str:
        """The line that returns."""
        return f"return {repr_fn(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """What the graph's placeholders get of the function's arguments."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """What the function returns of what the graph's output node gives."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Names and objects that the code needs beside those in the graph."""
        return []

    def _gen_python_code(
        self, nodes: Iterable[Node], root_module: str, namespace: Namespace, expanded_def: bool
    ) -> PythonCode:
        torch = TorchInCode()
        body = Body(nodes, root_module, namespace, torch, expanded_def=expanded_def)
        for name, thing in KNOWN.items():
            body.globals[namespace.create_name(name, thing)] = thing
        body.globals["torch"] = torch
        body.write(self.generate_output)
        wrapped = "\n".join(f'{body.wrap()}("{name}")' for name in body.wrapped)
        lines = body.lines
        if self._body_transformer:
            lines = self._body_transformer(lines)
        for name, thing in self.additional_globals():
            body.add_global(name, thing)
        options = {"expanded_def": body.expanded_def}
        known = inspect.signature(self.gen_fn_def).parameters
        prologue = self.gen_fn_def(
            body.parameters, body.returned, **{k: v for k, v in options.items() if k in known}
        )
        code, numbers = _numbered("".join(lines), prologue.count("\n") + 1)
        source = f"\n{wrapped}\n\n{prologue}\n{code}"
        return PythonCode(source, body.globals, numbers, wrapped.count("\n") + 4)


def _expanded(parameter: str) -> str:
    name, mark, comment = parameter.partition("#")
    return f"    {name.rstrip()},  # {comment.lstrip()}\n" if mark else f"    {parameter},\n"


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


class PyTreeInfo(NamedTuple):
    """What nests a function takes and gives: the names of its parameters and two shapes."""

    orig_args: list[str]
    in_spec: pytree.Spec
    out_spec: pytree.Spec | None


class PyTreeCodeGen(CodeGen):
    """Writes a function that takes nests apart first and puts its result together last."""

    def __init__(self, pytree_info: PyTreeInfo) -> None:
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *args: Any) -> Any:
        """The values in the arguments."""
        return pytree.tree_flatten(args)[0]

    def process_outputs(self, outputs: Any) -> Any:
        """The nest that the function returns."""
        if self.pytree_info.out_spec is None:
            return outputs
        listed = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        return pytree.tree_unflatten(listed, self.pytree_info.out_spec)

    def gen_fn_def(
        self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False
    ) -> str:
        """The line that begins the function, and those that take its arguments apart."""
        names = self.pytree_info.orig_args
        if names[:1] == ["self"]:
            free_vars.insert(0, "self")
        start = super().gen_fn_def(names[:], maybe_return_annotation, expanded_def=expanded_def)
        if not free_vars:
            return start
        annotated = [each for each in free_vars if ":" in each]
        if annotated and expanded_def:
            start += "\n    " + "\n    ".join(annotated)
        elif annotated:
            start += "\n    " + "".join(f"{each}; " for each in annotated) + "\n"
        left = ", ".join(each.split(":")[0].split("#")[0] for each in free_vars)
        given = ", ".join(names)
        return f"{start}\n    {left}, = fx_pytree.tree_flatten_spec([{given}], self._in_spec)"

    def generate_output(
        self, output_args: Any, *, descs: Any = None, repr_fn: Callable[[Any], str] = repr
    ) -> str:
        """The line that returns the nest."""
        if not self.pytree_info.out_spec:
            return super().generate_output(output_args, repr_fn=repr_fn)
        return f"return pytree.tree_unflatten({repr_fn(output_args)}, self._out_spec)"
