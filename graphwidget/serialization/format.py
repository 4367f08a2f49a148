"""The safetensors format (github.com/huggingface/safetensors): a JSON header, then raw numbers.

Eight bytes give the header's length, little-endian. The header names each tensor's type, shape
and place among the bytes that follow it, which have no gaps.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..core.version import filled

_WORDS = {
    "float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64", "int32": "I32",
    "int16": "I16", "int8": "I8", "uint8": "U8", "bool": "BOOL",
}  # fmt: skip
_TYPES = {word: np.dtype(name).newbyteorder("<") for name, word in _WORDS.items()}
_METADATA = "__metadata__"
_LONGEST_HEADER = 100_000_000


def encode(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> bytes:
    """The bytes of a file with these tensors and texts."""
    header: dict[str, Any] = {_METADATA: dict(metadata)}
    parts: list[bytes] = []
    end = 0
    # The widest types first, so that every tensor lies aligned.
    for name in sorted(tensors, key=lambda name: -tensors[name]._data.itemsize):
        array = tensors[name]._data
        part = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
        header[name] = {
            "dtype": _WORDS[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [end, end + len(part)],
        }
        end += len(part)
        parts.append(part)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def decode(data: bytes) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors and texts of a file.

    Raises:
        ValueError: it is no safetensors file, or a broken one.
        TypeError: it has a type of number that is not known here.
    """
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(len(data) - 8, _LONGEST_HEADER):
        raise ValueError("this is no safetensors file: its header is longer than the file")
    try:
        header = json.loads(data[8 : 8 + length])
    except ValueError as error:
        raise ValueError(f"this is no safetensors file: {error}") from None
    if not isinstance(header, dict):
        raise ValueError("this is no safetensors file: its header is no dict")
    metadata = header.pop(_METADATA, {})
    body = memoryview(data)[8 + length :]
    found: dict[str, Tensor] = {}
    for name, entry in header.items():
        found[name] = Tensor._wrap(_array(name, entry, body))
        found[name]._counter = filled()  # PyTorch counts that it is given its memory
    return found, metadata


def _array(name: str, entry: dict[str, Any], body: memoryview) -> np.ndarray:
    """One tensor's numbers, in memory of their own."""
    if not isinstance(entry, dict) or not {"dtype", "shape", "data_offsets"} <= entry.keys():
        raise ValueError(f"tensor {name!r} is not described by its type, shape and offsets")
    kind = _TYPES.get(entry["dtype"])
    if kind is None:
        raise TypeError(f"tensor {name!r} has the type {entry['dtype']}, which is not known here")
    start, end = entry["data_offsets"]
    shape = tuple(entry["shape"])
    if not 0 <= start <= end <= len(body) or end - start != math.prod(shape) * kind.itemsize:
        raise ValueError(f"tensor {name!r} does not fit into the file")
    array = np.frombuffer(body[start:end], kind).reshape(shape)
    return array.astype(kind.newbyteorder("="))
