"""`Graph`: a program as a row of nodes, that can be changed, checked, printed and compiled."""

from __future__ import annotations

import copy
import importlib
import inspect
from collections.abc import Callable
from typing import Any

from ..absent import AbsentMethod, not_here
from ..arrays.warnings import warn
from ..nn.module import Module
from ..nn.parameter import Parameter
from . import lint
from .codegen import CodeGen, PythonCode
from .immutable_collections import immutable_dict
from .names import Builtin, Namespace, is_bound, target_name
from .node import Argument, InsertPoint, Node, NodeList, Target, map_arg

__all__ = ["CodeGen", "Graph", "PythonCode"]

COLUMNS = ("opcode", "name", "target", "args", "kwargs")
"""The columns of a graph's table."""
_NO_TABULATE = (
    "`print_tabular` relies on the library `tabulate`, which could not be found on this machine. "
    "Run `pip install tabulate` to install the library."
)
_NO_ATTRIBUTE = (
    "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! "
    "Call GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to "
    "add the necessary Parameter, or nn.Module.register_buffer to add the necessary buffer"
)


class Graph:
    """A program as a row of nodes.

    Args:
        owning_module: the module that runs it.
        tracer_cls: the class that recorded it.
    """

    def __init__(
        self,
        owning_module: Any = None,
        tracer_cls: type[Any] | None = None,
    ) -> None:
        self.owning_module = owning_module
        self._tracer_cls = tracer_cls
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend
        self._len = 0
        self._graph_namespace = Namespace()
        self._codegen = CodeGen()
        self._co_fields: dict[str, Any] = {}

    @property
    def nodes(self) -> NodeList:
        """The nodes in order."""
        return NodeList(self)

    def output_node(self) -> Node:
        """The node that returns.

        Raises:
            AssertionError: it is not the last one.
        """
        last = next(iter(reversed(self.nodes)))
        if last.op != "output":
            raise AssertionError(f"Expected output node, got op={last.op}")
        return last

    def find_nodes(self, *, op: str, target: Target | None = None, sort: bool = True) -> list[Node]:
        """The nodes that do one thing with one target, in order.

        Raises:
            AssertionError: functions without a target are looked for.
        """
        if op == "call_function" and target is None:
            raise AssertionError("target must not be None for call_function op")
        return [
            node for node in self.nodes
            if node.op == op and (target is None or node.target == target)
        ]  # fmt: skip

    # --------------------------------------------------------------------------- copying
    def graph_copy(
        self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False
    ) -> Argument:
        """Add all nodes of another graph but its output; gives what that returns, in new nodes.

        Args:
            val_map: nodes of the other graph and what stands for them here; all are added to it.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], val_map.__getitem__)
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, val_map.__getitem__)
        return None

    def node_copy(
        self, node: Node, arg_transform: Callable[[Node], Argument] = lambda x: x
    ) -> Node:
        """Add a copy of a node of another graph.

        Args:
            arg_transform: gives for each node that it uses what it shall use here.
        """
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    def __deepcopy__(self, memo: Any = None) -> Graph:
        graph = Graph(tracer_cls=self._tracer_cls)
        found = graph.graph_copy(self, {}, return_output_node=True)
        graph._codegen = copy.deepcopy(self._codegen)
        if found is not None:
            value, node = found
            graph.output(value, type_expr=node.type).meta = copy.copy(node.meta)
        return graph

    # ------------------------------------------------------------------------- new nodes
    def create_node(
        self,
        op: str,
        target: Target,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Add a node where nodes are being inserted, at the end by default.

        Args:
            name: what it shall be called like.

        Raises:
            AssertionError: an unknown opcode, or arguments in other containers.
            ValueError: a target of the wrong kind.
        """
        if args and not isinstance(args, tuple):
            raise AssertionError(f"args must be a tuple, got {type(args)}")
        if kwargs and not isinstance(kwargs, dict):
            raise AssertionError(f"kwargs must be a dict, got {type(kwargs)}")
        candidate = name if name is not None else target_name(target)
        own = self._graph_namespace.create_name(candidate, None)
        node = Node(self, own, op, target, args or (), kwargs or immutable_dict(), type_expr)
        self._graph_namespace.associate_name_with_obj(own, node)
        self._insert(node)
        self._len += 1
        return node

    def placeholder(
        self, name: str, type_expr: Any = None, default_value: Any = inspect.Signature.empty
    ) -> Node:
        """Add a parameter of the program."""
        args = () if default_value is inspect.Signature.empty else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Add the reading of a parameter, buffer or the like.

        Warns:
            UserWarning: the graph's module has no such thing.
        """
        if self.owning_module is not None and not self._has_attribute(qualified_name):
            warn(_NO_ATTRIBUTE)
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def _has_attribute(self, path: str) -> bool:
        place, _, name = path.rpartition(".")
        try:
            module = self.owning_module.get_submodule(place)
        except AttributeError:
            warn(f"Failed to fetch module {place}!")
            return False
        found = getattr(module, name, None)
        return isinstance(found, Module | Parameter) or name in module._buffers

    def call_module(
        self,
        module_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Add the call of a module that the graph's module has at a path.

        Raises:
            AttributeError: it has none.
        """
        if self.owning_module is not None:
            self.owning_module.get_submodule(module_name)
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self,
        method_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Add the call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
        name: str | None = None,
    ) -> Node:
        """Add the call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """Add the end of the program, which returns `result`."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def _target_to_str(self, target: Target) -> str:
        return target_name(target)

    def inserting_before(self, n: Node | None = None) -> InsertPoint:
        """Put new nodes before one; without one at the beginning. Works in a `with` block, too.

        Raises:
            AssertionError: it is of another graph.
        """
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> InsertPoint:
        """Put new nodes after one; without one at the end. Works in a `with` block, too.

        Raises:
            AssertionError: it is of another graph.
        """
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return InsertPoint(self, n.append)

    # ---------------------------------------------------------------------- without nodes
    def erase_node(self, to_erase: Node) -> None:
        """Take a node out.

        Raises:
            RuntimeError: other nodes use it, or it is of another graph.
        """
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} "
                f"users in the graph: {to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warn(f"erase_node({to_erase}) on an already erased node")
            return
        to_erase._remove_from_list()
        to_erase._erased = True
        self._len -= 1
        to_erase._update_args_kwargs(
            map_arg(to_erase._args, lambda n: None), map_arg(to_erase._kwargs, lambda n: None)
        )

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Take out the nodes without users, and those that only they use; gives whether there
        were any.

        Args:
            is_impure_node: says which nodes are needed all the same (`Node.is_impure`).
        """
        self.lint()
        needed = is_impure_node or Node.is_impure
        changed = False
        for node in reversed(self.nodes):
            if not node.users and not needed(node):
                self.erase_node(node)
                changed = True
        if self.owning_module is not None:
            names = {node.target for node in self.find_nodes(op="get_attr")}
            for name, child in self.owning_module.named_children():
                if name in names and isinstance(getattr(child, "graph", None), Graph):
                    changed |= child.graph.eliminate_dead_code()
                    child.recompile()
        return changed

    # ------------------------------------------------------------------ checks and prints
    def lint(self) -> None:
        """Check that the graph can run.

        Raises:
            RuntimeError: nodes of other graphs, nodes used before they are computed, two of one
                name, paths that lead nowhere.
            ValueError: a target of the wrong kind.
        """
        lint.check(self)

    def __str__(self) -> str:
        names: list[str] = []
        lines = [node.format_node(names) for node in self.nodes]
        body = "".join(f"\n    {line}" for line in lines if line)
        return f"graph({', '.join(names)}):{body}"

    def print_tabular(self) -> None:
        """Print the nodes as a table.

        Raises:
            ImportError: the library that draws it is not installed.
        """
        try:
            tabulate = importlib.import_module("tabulate").tabulate
        except ImportError:
            print(_NO_TABULATE)
            raise
        rows = [
            [n.op, n.name, Builtin(n.target) if is_bound(n.target) else n.target, n.args, n.kwargs]
            for n in self.nodes
        ]
        print(tabulate(rows, headers=list(COLUMNS)))

    def show(self) -> Any:
        """The widget in which the graph opens, its table linked with the boxes."""
        return importlib.import_module(".show", __package__).show(self)

    def _ipython_display_(self) -> None:
        """Display the graph at the end of a notebook's cell."""
        importlib.import_module(".show", __package__).display_here(self)

    # ------------------------------------------------------------------------------- code
    def python_code(self, root_module: str) -> PythonCode:
        """The program as Python code.

        Args:
            root_module: what the module is called in it (`"self"`).
        """
        namespace = Namespace()
        before = {node: node._repr_fn for node in self.nodes}
        for node in self.nodes:
            node._repr_fn = lambda each: namespace.create_name(each.name, each)
        try:
            return self._codegen._gen_python_code(self.nodes, root_module, namespace)
        finally:
            for node, own in before.items():
                node._repr_fn = own

    def set_codegen(self, codegen: CodeGen) -> None:
        """Let another object write the code.

        Raises:
            NotImplementedError: it changes arguments, results or globals.
        """
        for name in ("process_inputs", "process_outputs", "additional_globals"):
            if hasattr(codegen, name):
                raise NotImplementedError(not_here(f"torch.fx.CodeGen.{name}"))
        self._codegen = codegen

    on_generate_code = AbsentMethod("on_generate_code", "torch.fx.Graph")
