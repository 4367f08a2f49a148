"""`ShapeProp`: runs a graph and records the shapes and types of its nodes' results."""

from __future__ import annotations

import traceback
from typing import Any, NamedTuple

from ...arrays import dtypes
from ...arrays.memory_formats import channels_last, channels_last_3d, contiguous_format
from ...arrays.size import Size
from ...graph.tensor import Tensor
from ..graph_module import GraphModule
from ..interpreter import Interpreter
from ..node import Node, map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]


class TensorMetadata(NamedTuple):
    """Properties of a tensor that `ShapeProp` records."""

    shape: Size
    dtype: dtypes.dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: Any
    is_quantized: bool
    qparams: dict[str, Any]


def _extract_tensor_metadata(result: Tensor) -> TensorMetadata:
    """Return the recorded properties of a tensor."""
    order = None
    for each, dims in ((contiguous_format, None), (channels_last, 4), (channels_last_3d, 5)):
        if dims in (None, result.dim()) and result.is_contiguous(memory_format=each):
            order = each
            break
    return TensorMetadata(
        result.shape, result.dtype, result.requires_grad, result.stride(), order, False, {}
    )


class ShapeProp(Interpreter):
    """Runs a graph and records in `meta["tensor_meta"]` and `meta["type"]` what each node gives.

    Args:
        gm: the module that has the graph.
        fake_mode: nothing here.
    """

    def __init__(self, gm: GraphModule, fake_mode: Any = None) -> None:
        super().__init__(gm)

    def run_node(self, n: Node) -> Any:
        """The value of a node, whose shape is recorded.

        Raises:
            RuntimeError: the node raised an error.
        """
        try:
            result = super().run_node(n)
        except Exception as error:
            traceback.print_exc()
            raise RuntimeError(
                f"ShapeProp error for: node={n.format_node()} with meta={n.meta}"
            ) from error
        found = []

        def noted(each: Any) -> Any:
            if not isinstance(each, Tensor):
                return each
            found.append(each)
            return _extract_tensor_metadata(each)

        meta = map_aggregate(result, noted)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the graph for some arguments; gives what it returns."""
        return self.run(*args)
