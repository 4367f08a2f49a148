"""The ``torch.layout`` objects: tensors are always strided, the others exist as names only."""

from __future__ import annotations

from typing import Any


class layout:
    """Layout of a tensor in memory: `torch.strided` is the only one that tensors have here."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> Any:
        return named_layout, (self._name,)


def named_layout(name: str) -> layout:
    """The one of this name, for pickles and copies."""
    return LAYOUTS[name]


LAYOUTS = {
    name: layout(name)
    for name in (
        "strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged",
        "_mkldnn",
    )
}  # fmt: skip
strided = LAYOUTS["strided"]


def require_strided(asked: layout | None) -> None:
    """Refuse to make a tensor of another layout.

    Raises:
        NotImplementedError: it is one.
    """
    if asked is not None and asked is not strided:
        raise NotImplementedError(
            f"graphwidget has dense (strided) tensors only, none of the layout {asked}."
        )
