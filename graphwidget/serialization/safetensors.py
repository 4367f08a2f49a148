"""The safetensors format (github.com/huggingface/safetensors): a JSON header, then raw numbers.

Eight bytes give the header's length, little-endian. The header names each tensor's type, shape
and place among the bytes that follow it, which have no gaps. The bytes are in C order; where a
tensor has another order in memory, the file's metadata has its strides.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays.memory_order import real_strides

_WORDS = {
    "float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64", "int32": "I32",
    "int16": "I16", "int8": "I8", "uint8": "U8", "bool": "BOOL",
}  # fmt: skip
_TYPES = {word: np.dtype(name).newbyteorder("<") for name, word in _WORDS.items()}
_METADATA = "__metadata__"
_STRIDES = "graphwidget.strides"
_LONGEST_HEADER = 100_000_000


def encode(arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> list[Any]:
    """The bytes of a file with these arrays and texts, in parts: those of arrays are not copied.

    Raises:
        TypeError: an array of a type that such files do not have.
    """
    header: dict[str, Any] = {}
    parts: list[Any] = []
    end = 0
    # The widest types first, so that every tensor lies aligned.
    for name in sorted(arrays, key=lambda name: -arrays[name].itemsize):
        array = arrays[name]
        if array.dtype.name not in _WORDS:
            raise TypeError(f"cannot save an array of {array.dtype.name}")
        part = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(-1)
        header[name] = {
            "dtype": _WORDS[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [end, end + part.nbytes],
        }
        end += part.nbytes
        parts.append(part.view(np.uint8).data)
    strides = {name: item_strides(array) for name, array in arrays.items() if not is_c_order(array)}
    texts = {**metadata, **({_STRIDES: json.dumps(strides)} if strides else {})}
    text = json.dumps({_METADATA: texts, **header}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return [len(text).to_bytes(8, "little"), text, *parts]


def item_strides(array: np.ndarray) -> list[int]:
    """An array's strides in items."""
    return [step // array.itemsize for step in real_strides(array)]


def is_c_order(array: np.ndarray) -> bool:
    """Return whether its strides are those of C order, also where sizes of 1 or 0 leave them
    open."""
    return item_strides(array) == item_strides(np.empty(array.shape, array.dtype))


def decode(data: bytes) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The arrays and texts of a file.

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
    strides = json.loads(metadata.get(_STRIDES, "{}"))
    found = {name: _array(name, entry, body) for name, entry in header.items()}
    return {
        name: _with_strides(array, strides.get(name)) for name, array in found.items()
    }, metadata


def _with_strides(array: np.ndarray, strides: list[int] | None) -> np.ndarray:
    """The array with these strides, in items.

    Raises:
        ValueError: they are not those of an array that fills its memory.
    """
    if strides is None:
        return array
    steps = tuple(step * array.itemsize for step in strides)
    made = np.ndarray(array.shape, array.dtype, np.empty(array.size, array.dtype), 0, steps)
    made[...] = array
    return made


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
