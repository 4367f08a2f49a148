"""`torch.fx`: programs recorded as graphs that can be read, changed and compiled."""

from ..absent import refuse_others
from . import (
    graph,
    graph_module,
    immutable_collections,
    interpreter,
    node,
    passes,
    proxy,
)
from .codegen import CodeGen
from .graph import Graph
from .graph_module import GraphModule
from .interpreter import Interpreter
from .node import Node, has_side_effect, map_arg
from .proxy import Proxy
from .tracer import Tracer, symbolic_trace
from .wrapping import wrap

__all__ = [
    "CodeGen", "Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer", "graph",
    "graph_module", "has_side_effect", "immutable_collections", "interpreter", "map_arg", "node",
    "passes", "proxy", "symbolic_trace", "wrap",
]  # fmt: skip

refuse_others(__name__)
