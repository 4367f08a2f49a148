"""Nested data with tensors in it, as JSON: what a safetensors file cannot say by itself."""

from __future__ import annotations

import json
import math
from collections import Counter, OrderedDict
from typing import Any

import numpy as np

from ..core import devices, dtypes
from ..core.tensor import Tensor
from ..nn.parameter import Parameter

_CANNOT = (
    "cannot save {}: graphwidget saves tensors, numbers, texts, and dicts, lists, tuples and sets "
    "of these{}"
)
_LISTS: dict[str, Any] = {
    "tuple": tuple, "set": set, "frozenset": frozenset, "size": dtypes.Size,
}  # fmt: skip
_DICTS: dict[str, Any] = {"dict": dict, "ordered": OrderedDict, "counter": Counter}


def pack(value: Any, tensors: dict[str, Tensor]) -> str:
    """The value as JSON; its tensors are put into `tensors` under names of their paths.

    Raises:
        TypeError: something in it cannot be saved.
    """
    return json.dumps(_packed(value, "", tensors), separators=(",", ":"))


def unpack(text: str, tensors: dict[str, Tensor]) -> Any:
    """The value that `pack` described."""
    return _unpacked(json.loads(text), tensors)


def _packed(value: Any, path: str, tensors: dict[str, Tensor]) -> Any:
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, Tensor):
        return _packed_tensor(value, path, tensors)
    if isinstance(value, float | np.floating):
        number = float(value)
        return number if math.isfinite(number) else {"float": str(number)}
    if isinstance(value, int | np.integer | np.bool_):
        return value.item() if isinstance(value, np.generic) else int(value)
    if type(value) is list:
        return [_packed(item, _joined(path, n), tensors) for n, item in enumerate(value)]
    for name, kind in _LISTS.items():
        if type(value) is kind:
            items = [_packed(item, _joined(path, n), tensors) for n, item in enumerate(value)]
            return {name: items}
    if isinstance(value, dict):
        return _packed_dict(value, path, tensors)
    if isinstance(value, dtypes.dtype):
        return {"dtype": value.name}
    if isinstance(value, devices.device):
        return {"device": str(value)}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    advice = ". Save model.state_dict(), not the model" if hasattr(value, "state_dict") else ""
    raise TypeError(_CANNOT.format(f"a {type(value).__name__}", advice))


def _packed_tensor(tensor: Tensor, path: str, tensors: dict[str, Tensor]) -> Any:
    name = path or "tensor"
    while name in tensors:
        name += "_"
    tensors[name] = tensor
    described: dict[str, Any] = {"tensor": name}
    if tensor.requires_grad:
        described["grad"] = True
    if isinstance(tensor, Parameter):
        described["parameter"] = True
    return described


def _packed_dict(value: dict[Any, Any], path: str, tensors: dict[str, Tensor]) -> Any:
    kind = next((name for name, known in _DICTS.items() if type(value) is known), "dict")
    items = [
        [_packed(key, "", tensors), _packed(item, _joined(path, key), tensors)]
        for key, item in value.items()
    ]
    described: dict[str, Any] = {kind: items}
    metadata = getattr(value, "_metadata", None)
    if metadata is not None:  # of a module's state dict: the versions of its format
        described["metadata"] = _packed(metadata, "", tensors)
    return described


def _joined(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


def _unpacked(value: Any, tensors: dict[str, Tensor]) -> Any:
    if isinstance(value, list):
        return [_unpacked(item, tensors) for item in value]
    if not isinstance(value, dict):
        return value
    kind, inner = next(iter(value.items()))
    if kind == "tensor":
        return _unpacked_tensor(value, tensors[inner])
    if kind in _LISTS:
        return _LISTS[kind](_unpacked(item, tensors) for item in inner)
    if kind in _DICTS:
        pairs = [(_unpacked(key, tensors), _unpacked(item, tensors)) for key, item in inner]
        made: Any = _DICTS[kind]() if kind == "counter" else _DICTS[kind](pairs)
        if kind == "counter":
            made.update(dict(pairs))
        if "metadata" in value:
            made._metadata = _unpacked(value["metadata"], tensors)
        return made
    if kind == "float":
        return float(inner)
    if kind == "dtype":
        return dtypes.NAMES[inner]
    if kind == "device":
        return devices.device(inner)
    return bytes.fromhex(inner)


def _unpacked_tensor(described: dict[str, Any], tensor: Tensor) -> Tensor:
    grad = described.get("grad", False)
    if described.get("parameter"):
        return Parameter(tensor, requires_grad=grad)
    return tensor.requires_grad_() if grad else tensor
