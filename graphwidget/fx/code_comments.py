"""What code made for people tells beside: the shapes of values, and where nodes were recorded."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ..arrays import dtypes
from ..arrays.size import Size
from ..graph.tensor import Tensor
from .node import Node

SHORT = {
    "bool": "b8", "uint8": "u8", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "float16": "f16", "float32": "f32", "float64": "f64",
}  # fmt: skip
"""The kinds of numbers, as shapes are annotated."""

_FRAME = re.compile(r"^File \"(.+)\", line (\d+), in (.+)$")


class TensorMetadata(NamedTuple):
    """What `ShapeProp` notes of a tensor."""

    shape: Size
    dtype: dtypes.dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: Any
    is_quantized: bool
    qparams: dict[str, Any]


class Comments:
    """What is told beside the code.

    Args:
        verbose: all of it, else nothing.
        include_stride, include_device: of tensors, too.
        colored: with the colours of a terminal.
        additional_meta: names in the nodes' `meta` that are told, too.
    """

    def __init__(
        self,
        *,
        verbose: bool = False,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        record_func: bool = False,
        additional_meta: list[str] | None = None,
    ) -> None:
        self.verbose, self.colored = verbose, colored
        self.stride, self.device = include_stride, include_device
        self.additional = additional_meta or []
        self.last: str | None = None

    def painted(self, text: str, *codes: int) -> str:
        """Text in a colour."""
        start = "".join(f"\033[{code}m" for code in codes)
        return f"{start}{text}\033[0m" if self.colored else text

    def blue(self, text: str) -> str:
        """Text in blue."""
        return self.painted(text, 34)

    def dim(self, text: str) -> str:
        """Text that stands back."""
        return self.painted(text, 2)

    def kind(self, node: Node) -> str:
        """The annotation of a node whose tensor's shape is known."""
        meta = node.meta
        value = meta.get("val", meta.get("tensor_meta", meta.get("example_value")))
        if not self.verbose or not isinstance(value, (Tensor, TensorMetadata)):
            return ""
        short = SHORT[str(value.dtype).removeprefix("torch.")]
        if isinstance(value, TensorMetadata):
            return f': "{short}{_listed(value.shape)}"'
        told = self.painted(short, 31) + self.blue(_listed(value.shape))
        told += self.painted(_listed(value.stride()) if self.stride else "", 2, 34)
        told += self.painted(str(value.device) if self.device else "", 2, 32)
        return f': "{told}"' if type(value) is Tensor else f': "{type(value).__name__}({told})"'

    def before(self, node: Node) -> list[str]:
        """The comment before a node, unless it is that of the node before."""
        if not self.verbose or node.op in ("placeholder", "output"):
            return []
        told = [f"{key}: {node.meta[key]}" for key in self.additional if key in node.meta]
        more = f"# {', '.join(told)} " if told else ""
        place = _innermost(node.stack_trace) or "No stacktrace found for following nodes"
        text = f"\n{self.dim(f'{more}# {place}')}\n"
        if text == self.last:
            return []
        self.last = text
        return [text]


def _listed(numbers: Any) -> str:
    return f"[{', '.join(map(str, numbers))}]"


def _innermost(trace: str | None) -> str:
    """The last frame of a stack as one line."""
    lines = (trace or "").strip().split("\n")
    for above, line in zip(reversed(lines[:-1]), reversed(lines[1:]), strict=True):
        found = _FRAME.match(above.strip())
        if found:
            file, number, name = found.groups()
            return f"File: {file}:{number} in {name}, code: {line.strip()}"
    return ""
