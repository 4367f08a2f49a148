"""``Symbol``, TensorFlow's ``tf.Tensor``: what stands for a value before there is one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .dtypes import DType
from .errors import ADVICE, OperatorNotAllowedInGraphError
from .listener import default_session
from .tensor_shape import Sizes, TensorShape, list_text, merged, shape_text


class Spec(NamedTuple):
    """Type and shape of a result, as far as they are known before it is computed.

    ``known`` are its values, where they are a matter of sizes: computed twice, once with each
    unknown size of a placeholder taken for one number, once for another (see ``inference.py``).
    """

    dtype: DType
    sizes: Sizes | None
    known: tuple[np.ndarray, np.ndarray] | None = None


class Symbol:
    """One result of an operation: a value that exists only while the graph runs.

    Printing shows what it stands for, ``Tensor("Mul_4:0", shape=(), dtype=float32)``.
    """

    __slots__ = ("__weakref__", "dtype", "known", "op", "sizes", "value_index")
    __array_priority__ = 100  # numpy operands leave binary operators to us

    def __init__(self, op: Any, value_index: int, spec: Spec) -> None:
        self.op = op
        self.value_index = value_index
        self.dtype, self.sizes, self.known = spec

    @property
    def spec(self) -> Spec:
        """Type and shape, as far as they are known."""
        return Spec(self.dtype, self.sizes, self.known)

    @property
    def name(self) -> str:
        """``Mul_4:0``: the operation's name and which of its results this is."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def graph(self) -> Any:
        """The graph that it belongs to."""
        return self.op.graph

    @property
    def device(self) -> str:
        """Always empty: wherever numpy computes."""
        return ""

    @property
    def shape(self) -> TensorShape:
        """Shape, as far as it is known."""
        return TensorShape(self.sizes)

    def get_shape(self) -> TensorShape:
        """Return the shape, as far as it is known."""
        return TensorShape(self.sizes)

    def set_shape(self, shape: Any) -> None:
        """Set what is known of its shape.

        Raises:
            ValueError: it cannot be.
        """
        given = TensorShape(shape).sizes
        found = merged(self.sizes, given)
        if found is False:
            assert self.sizes is not None
            assert given is not None
            if len(self.sizes) != len(given):
                raise ValueError(
                    f"Shapes must be equal rank, but are {len(self.sizes)} and {len(given)}"
                )
            place, (old, new) = next(
                (i, pair) for i, pair in enumerate(zip(self.sizes, given, strict=True))
                if None not in pair and pair[0] != pair[1]
            )  # fmt: skip
            raise ValueError(
                f"Dimension {place} in both shapes must be equal, but are {old} and {new}. Shapes "
                f"are {list_text(self.sizes)} and {list_text(given)}."
            )
        self.sizes = found

    def consumers(self) -> list[Any]:
        """The operations that read it."""
        return [each for each in self.graph.operations if self in each.operands]

    def eval(self, feed_dict: Mapping[Any, Any] | None = None, session: Any = None) -> Any:
        """Its value, in the default session or another.

        Raises:
            ValueError: there is no session.
        """
        found = session or default_session()
        if found is None:
            raise ValueError(
                "Cannot evaluate tensor using `eval()`: No default session is registered. Use "
                "`with sess.as_default()` or pass an explicit session to `eval(session=sess)`"
            )
        return found.run(self, feed_dict)

    # What Python cannot do with it ------------------------------------------------------------
    def __bool__(self) -> bool:
        raise OperatorNotAllowedInGraphError(
            "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed." + ADVICE
        )

    def __iter__(self) -> Any:
        raise OperatorNotAllowedInGraphError(
            "Iterating over a symbolic `tf.Tensor` is not allowed." + ADVICE
        )

    def __len__(self) -> int:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` "
            "rather than `len(x)` for shape information."
        )

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may "
            "indicate that you're trying to pass a Tensor to a NumPy call, which is not supported."
        )

    def __str__(self) -> str:
        shape = "" if self.sizes is None else f", shape={shape_text(self.sizes)}"
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        shape = "<unknown>" if self.sizes is None else shape_text(self.sizes)
        return f"<tf.Tensor '{self.name}' shape={shape} dtype={self.dtype.name}>"
