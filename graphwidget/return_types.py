"""``torch.return_types``: the types of named results.

That of `max(x, 0)` is `return_types.max`, and where it was written into `out=`,
`return_types.max_out`.
"""

from __future__ import annotations

from .absent import refuse
from .dispatch.out import TYPES as _TYPES
from .dispatch.out import NamedResult as _Named
from .dispatch.out import out_result_type as _written


def __getattr__(name: str) -> type[_Named]:
    kind = _TYPES.get(name)
    if kind is None and name.removesuffix("_out") in _TYPES:
        kind = _written(_TYPES[name.removesuffix("_out")])
    if kind is None:
        return refuse(__name__, name)
    return kind


def __dir__() -> list[str]:
    return [*_TYPES]
