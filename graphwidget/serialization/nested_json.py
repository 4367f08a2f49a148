"""Nested data with tensors as JSON, for what a safetensors file cannot say by itself.

What is met again (a list in two places, a tied parameter) is named by its number: containers and
tensors are counted in the order in which they are met.
"""

from __future__ import annotations

import json
import math
from collections import Counter, OrderedDict, defaultdict
from typing import Any

import numpy as np

from ..arrays import devices, dtypes
from ..arrays.size import Size
from ..graph.tensor import Tensor
from ..graph.version import counter_at_version
from ..nn.parameter import Parameter
from .storages import Arrays, Storages, array_on_storage

_FIXED: dict[str, Any] = {"tuple": tuple, "frozenset": frozenset, "size": Size}
_DICTS: dict[str, Any] = {"dict": dict, "ordered": OrderedDict}


class NoData(TypeError):
    """Something that is no data, by the ``name`` of what a pickle of it would ask for."""

    def __init__(self, value: Any) -> None:
        named = value if hasattr(value, "__qualname__") else type(value)
        module = getattr(named, "__module__", None) or "builtins"
        self.name = named.__qualname__ if module == "builtins" else f"{module}.{named.__qualname__}"
        super().__init__(self.name)


class Packer:
    """Turns data into JSON, and its tensors into the arrays of a file."""

    def __init__(self) -> None:
        self.storages = Storages()
        self._known: dict[int, tuple[int, Any]] = {}  # kept, so that no address comes twice

    def text(self, value: Any) -> str:
        """The value as JSON; ``storages`` then holds its tensors' memory.

        Raises:
            NoData: something in it is none.
            RuntimeError: tensors of two types on one storage (PyTorch's text).
        """
        described = self._value(value, "")
        self.storages.settle()
        return json.dumps(described, separators=(",", ":"))

    def _value(self, value: Any, path: str) -> Any:
        if value is None or type(value) in (bool, int, str):
            return value
        if isinstance(value, float | np.generic):
            return _number(value)
        for name, kind in _FIXED.items():
            if type(value) is kind:
                return {name: self._items(value, path)}
        if isinstance(value, dtypes.dtype):
            return {"dtype": value.name}
        if isinstance(value, devices.device):
            return {"device": str(value)}
        if isinstance(value, bytes | bytearray):
            return {"bytes": value.hex()}
        known = self._known.get(id(value))
        if known is not None:
            return {"again": known[0]}
        self._known[id(value)] = (len(self._known), value)
        return self._object(value, path)

    def _object(self, value: Any, path: str) -> Any:
        if isinstance(value, Tensor):
            return self._tensor(value, path)
        if type(value) is list:
            return self._items(value, path)
        if type(value) is set:
            return {"set": self._items(value, path)}
        if isinstance(value, dict) and not isinstance(value, Counter | defaultdict):
            return self._dict(value, path)
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            described = {"array": True}
            self.storages.add(value, path or "array", described)
            return described
        if isinstance(value, int):  # of a class of its own, as enums have
            return int(value)
        raise NoData(value)

    def _items(self, value: Any, path: str) -> list[Any]:
        return [self._value(item, _join_path(path, n)) for n, item in enumerate(value)]

    def _tensor(self, tensor: Tensor, path: str) -> Any:
        described: dict[str, Any] = {"tensor": True}
        if tensor.requires_grad:
            described["grad"] = True
        if isinstance(tensor, Parameter):
            described["parameter"] = True
        self.storages.add(tensor._data, path or "tensor", described)
        if tensor.__dict__:
            described["attributes"] = self._value(
                dict(tensor.__dict__), _join_path(path, "__dict__")
            )
        return described

    def _dict(self, value: dict[Any, Any], path: str) -> Any:
        kind = next((name for name, known in _DICTS.items() if type(value) is known), "dict")
        items = [
            [self._value(key, _join_path(path, "key")), self._value(item, _join_path(path, key))]
            for key, item in value.items()
        ]
        described: dict[str, Any] = {kind: items}
        metadata = getattr(value, "_metadata", None)
        if metadata is not None:  # of a module's state dict: the versions of its format
            described["metadata"] = self._value(metadata, "")
        return described


def _number(value: Any) -> Any:
    """A number that JSON does not have as it is."""
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return {"number": value.dtype.name, "value": _number(value.item())}
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(float(value))}
    if isinstance(value, int):
        return value
    raise NoData(value)


def _join_path(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


class Unpacker:
    """Turns JSON and the arrays of a file back into data."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self._known: list[Any] = []

    def value(self, described: Any) -> Any:
        """Return the value that the ``Packer`` described."""
        if isinstance(described, list):
            return self._filled([], described)
        if not isinstance(described, dict):
            return described
        kind, inner = next(iter(described.items()))
        if kind == "again":
            return self._known[inner]
        if kind in _FIXED:
            return _FIXED[kind](self.value(item) for item in inner)
        if kind == "set":
            return self._filled(set(), inner)
        if kind in _DICTS:
            return self._dict(kind, described)
        if kind == "tensor":
            return self._tensor(described)
        if kind == "array":
            return self._new(array_on_storage(described, "array", self.arrays))
        return _scalar(kind, inner, described)

    def _new(self, made: Any) -> Any:
        self._known.append(made)
        return made

    def _filled(self, made: Any, items: list[Any]) -> Any:
        self._new(made)
        add = made.append if type(made) is list else made.add
        for item in items:
            add(self.value(item))
        return made

    def _dict(self, kind: str, described: dict[str, Any]) -> Any:
        made = self._new(_DICTS[kind]())
        for key, item in described[kind]:
            name = self.value(key)
            made[name] = self.value(item)
        if "metadata" in described:
            made._metadata = self.value(described["metadata"])
        return made

    def _tensor(self, described: dict[str, Any]) -> Tensor:
        tensor = Tensor._wrap(array_on_storage(described, "tensor", self.arrays))
        tensor._counter = counter_at_version()  # PyTorch counts that it is given its memory
        grad = described.get("grad", False)
        if described.get("parameter"):
            tensor = Parameter(tensor, requires_grad=grad)
        elif grad:
            tensor.requires_grad_()
        self._new(tensor)
        if "attributes" in described:
            tensor.__dict__.update(self.value(described["attributes"]))
        return tensor


def _scalar(kind: str, inner: Any, described: dict[str, Any]) -> Any:
    """A value that holds no others.

    Raises:
        ValueError: nothing that is known here.
    """
    if kind == "float":
        return float(inner)
    if kind == "number":
        value = described["value"]
        return np.dtype(inner).type(float(value["float"]) if isinstance(value, dict) else value)
    if kind == "dtype":
        return dtypes.dtype_of(inner)
    if kind == "device":
        return devices.device(inner)
    if kind == "bytes":
        return bytes.fromhex(inner)
    raise ValueError(f"this file has a {kind!r}, which is not known here")
