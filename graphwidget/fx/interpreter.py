"""`Interpreter` runs a graph node by node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..absent import AbsentMethod
from ..nn.module import Module
from .codegen import last_uses
from .graph import Graph
from .node import Argument, Node, Target, map_arg

__all__ = ["Interpreter"]

_MORE = (
    "\nUse tlparse to see full graph. "
    "(https://github.com/pytorch/tlparse?tab=readme-ov-file#tlparse-parse-structured-pt2-logs)"
)


class Interpreter:
    """Runs a graph node by node. Subclasses change what the methods named after opcodes do, or
    `run_node`.

    Args:
        module: has what the graph calls and reads.
        garbage_collect_values: forget values that no later node uses.
        graph: that of the module by default.
    """

    boxed_run = AbsentMethod("boxed_run", "torch.fx.Interpreter")

    def __init__(
        self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None
    ) -> None:
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph: Graph = module.graph if graph is None else graph
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.args_iter: Iterator[Any] = iter(())
        if garbage_collect_values:
            self.user_to_last_uses = last_uses(self.graph.nodes)

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None) -> Any:
        """Run the graph and return its result.

        Args:
            initial_env: values of nodes that need not run.
        """
        self.env = initial_env if initial_env is not None else {}
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                if self.extra_traceback:
                    self._tell(error, node)
                raise
            if self.garbage_collect_values:
                for unused in self.user_to_last_uses.get(node, []):
                    del self.env[unused]
            if node.op == "output":
                return self.env[node]
        return None

    def _tell(self, error: Exception, node: Node) -> None:
        """Add to an error which node raised it."""
        text = f"While executing {node.format_node()}"
        text = f"{error.args[0]}\n\n{text}" if error.args else text
        text += f"\nOriginal traceback:\n{node.stack_trace}{_MORE}"
        error.args = (text, *error.args[1:])
        if isinstance(error, KeyError):
            raise RuntimeError(*error.args) from error

    def run_node(self, n: Node) -> Any:
        """The value of one node."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    # --------------------------------------------------------------------------- opcodes
    def placeholder(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """The next argument; for a starred parameter all that are left.

        Raises:
            RuntimeError: there is none.
        """
        if str(target).startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration as end:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from end

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """Return the attribute of the module at a path."""
        return self.fetch_attr(str(target))

    def call_function(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Call a function and return its result."""
        if isinstance(target, str):
            raise AssertionError("target should not be a string for call_function")
        return target(*args, **kwargs)

    def call_method(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Call a method of the first argument and return its result."""
        own, *rest = args
        return getattr(own, str(target))(*rest, **kwargs)

    def call_module(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Call the module at a path and return its result."""
        return self.fetch_attr(str(target))(*args, **kwargs)

    def output(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of the graph."""
        return args[0]

    # ------------------------------------------------------------------------- arguments
    def fetch_attr(self, target: str) -> Any:
        """Return the attribute of the module at a path.

        Raises:
            RuntimeError: nothing.
        """
        found: Any = self.module
        parts = target.split(".")
        for i, part in enumerate(parts):
            if not hasattr(found, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(parts[: i + 1])}")
            found = getattr(found, part)
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The values that a node is given."""
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args: Argument, n: Node) -> Argument:
        """A nest with the values of the nodes in it.

        Raises:
            RuntimeError: one has none yet.
        """

        def value(node: Node) -> Any:
            if node not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {node}! Run Graph.lint() "
                    f"to diagnose such issues"
                )
            return self.env[node]

        return map_arg(args, value)
