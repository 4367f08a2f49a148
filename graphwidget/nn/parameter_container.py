"""``ParameterList`` and ``ParameterDict``."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, KeysView, Mapping
from typing import Any, SupportsIndex, TypeVar

from ..absent import AbsentMethod
from ..graph.tensor import Tensor
from .container import check_pair
from .module import Module
from .parameter import Parameter

__all__ = ["ParameterDict", "ParameterList"]

List = TypeVar("List", bound="ParameterList")


def _as_parameter(value: Any) -> Any:
    """Tensors become parameters, other things stay."""
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        return Parameter(value)
    return value


def _format_member(key: object, value: Any, kind: str) -> str:
    """A member in the repr."""
    if not isinstance(value, Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    word = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(map(str, value.shape))
    return f"  ({key}): {word} containing: [{kind} of size {size}]"


class ParameterList(Module):
    """A list of parameters that the module holding it knows of; tensors become parameters."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _name_at(self, index: SupportsIndex) -> str:
        place = operator.index(index)
        if not -len(self) <= place < len(self):
            raise IndexError(f"index {place} is out of range")
        return str(place % len(self))

    def __getitem__(self, idx: SupportsIndex | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(list(self)[idx])
        return getattr(self, self._name_at(idx))

    def __setitem__(self, idx: SupportsIndex, param: Any) -> None:
        setattr(self, self._name_at(idx), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[place] for place in range(len(self)))

    def __iadd__(self: List, parameters: Iterable[Any]) -> List:
        return self.extend(parameters)

    def append(self: List, value: Any) -> List:
        """Add one at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self: List, values: Iterable[Any]) -> List:
        """Add several at the end.

        Raises:
            TypeError: what is given is not iterable, or a tensor.
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                "ParameterList.extend should be called with an iterable, but got "
                + type(values).__name__
            )
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """A line for each member."""
        return "\n".join(
            _format_member(place, value, repr(getattr(value, "dtype", None)))
            for place, value in enumerate(self)
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dict of parameters that the module holding it knows of; tensors become parameters."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, _check_key(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, _check_key(key), _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, _check_key(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def pop(self, key: str) -> Any:
        """Take a member out and return it."""
        value = self[key]
        del self[key]
        return value

    def get(self, key: str, default: Any = None) -> Any:
        """The member under a name, or the default."""
        return self[key] if key in self._keys else default

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The names with their members."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """The members."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add members from a mapping (a plain dict's in sorted order) or from pairs.

        Raises:
            TypeError: neither of these.
            ValueError: an item is no pair.
        """
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but "
                f"got {type(parameters).__name__}"
            )
        if isinstance(parameters, OrderedDict | ParameterDict):
            pairs: Iterable[Any] = parameters.items()
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items())
        else:
            pairs = parameters
        for place, pair in enumerate(pairs):
            check_pair("ParameterDict", place, pair)
            self[pair[0]] = pair[1]

    def extra_repr(self) -> str:
        """A line for each member."""
        return "\n".join(
            _format_member(key, value, value.type() if isinstance(value, Tensor) else "")
            for key, value in self.items()
        )

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")


for _name in ("copy", "setdefault", "clear", "popitem", "fromkeys"):
    setattr(ParameterDict, _name, AbsentMethod(_name, "torch.nn.ParameterDict"))


def _check_key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(
            "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
            f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
        )
    return key
