"""``show_code``: the code that is generated for functions and nodes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from ..graph.node import Node
from ..optable.declare import Op
from .lazy import SOURCES, is_generated
from .node_classes import class_source
from .op_functions import RECORDED


def show_code(what: Any) -> None:
    """Print the code that runs for a function, a method or a node of the graph.

    Functions of ops are generated from the op's declaration, and so are the classes of their nodes:
    ``show_code(torch.mul)`` prints both, ``show_code(y.grad_fn)`` the class of that node. Of other
    functions, the generated front that checks the arguments is followed by the written function.

    Raises:
        TypeError: there is no such code.
    """
    print("\n\n\n".join(f"# {title}\n{text.rstrip()}" for title, text in code_of(what)))


def code_of(what: Any) -> Iterator[tuple[str, str]]:
    """Yield a title and the text of each piece of code."""
    node = type(what) if isinstance(what, Node) else what
    if isinstance(node, type) and issubclass(node, Node) and node.op is not None:
        yield node_code(node.op, node.targets)
        return
    function, inner = what, False
    while is_generated(function):
        write = function.__kwdefaults__["write"]
        write()
        op = RECORDED.get(function)
        if op is None or not inner:  # a function in front of it contains its lines
            yield f"generated for {function.__name__}", SOURCES[function.__code__]
        if op is not None:
            if op.derivatives:
                yield node_code(op, tuple(op.derivatives))
            return
        function, inner = write.__wrapped__, True
    if isinstance(function, type) or not callable(function):
        raise TypeError(f"show_code takes a function, a method or a node, not {what!r}")
    try:
        yield f"written in {function.__module__}", inspect.getsource(function)
    except TypeError:  # numpy's own, in C
        yield f"computed by {function!r}", ""


def node_code(op: Op, targets: tuple[str, ...]) -> tuple[str, str]:
    """Return the title and the text of the node class of an op with these targets."""
    return f"generated for the node with gradients of {', '.join(targets)}", class_source(
        op, targets
    )
