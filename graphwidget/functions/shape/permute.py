"""``transpose``, ``permute``, ``movedim``, ``adjoint``; ``t_``, ``squeeze_`` change the tensor."""

from __future__ import annotations

from typing import Any

from ...arrays.warnings import warn_once
from ...dispatch.offer import METHODS, offer
from ...eager.inplace import reshape_in_place, reshape_needs_node
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ..dims import checked_dim, checked_dims, shape_args, wrap_dim


@offer()
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; vectors and 0-d tensors as they are."""
    return F.t(at_most_matrix(input, "t"))


def at_most_matrix(tensor: Tensor, name: str) -> Tensor:
    """The tensor, refused when it has more than two dims."""
    if tensor._data.ndim > 2:
        raise RuntimeError(
            f"{name}() expects a tensor with <= 2 dimensions, but self is {tensor._data.ndim}D"
        )
    return tensor


@offer("swapaxes", "swapdims")
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dims exchanged.

    Shapes: any with both dims; their sizes change places.
    """
    ndim = input._data.ndim
    return F.transpose(input, checked_dim(dim0, ndim), checked_dim(dim1, ndim))


@offer()
def permute(input: Tensor, *order: Any, dims: Any = None) -> Tensor:
    """The dims in another order.

    Shapes: any; the sizes in the new order.
    """
    dims = order if dims is None else (dims,)
    order, ndim = shape_args(dims), input._data.ndim
    if len(order) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            "length of the desired ordering of dimensions i.e. input.dim() = "
            f"{ndim} is not equal to len(dims) = {len(order)}"
        )
    if len({wrap_dim(d, ndim) for d in order}) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return F.permute(input, order)


@offer("moveaxis")
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Some dims moved to other places, the others in their order.

    Shapes: any; the sizes in the new order.

    Raises:
        RuntimeError: a dim is named twice, or the lists differ in length (PyTorch's texts).
    """
    start = (source,) if isinstance(source, int) else tuple(source)
    end = (destination,) if isinstance(destination, int) else tuple(destination)
    if len(start) != len(end):
        raise RuntimeError(
            "movedim: Invalid source or destination dims: source "
            f"({list(start)} dims) should contain the same number of dims as destination "
            f"({list(end)} dims)"
        )
    ndim = input._data.ndim
    places: dict[str, list[int]] = {}
    for name, dims in (("source", start), ("destination", end)):
        places[name] = [wrap_dim(dim, ndim) for dim in dims]
        if len(set(places[name])) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(dims)})")
    if not ndim:
        return F.alias(input)
    rest = iter([dim for dim in range(ndim) if dim not in places["source"]])
    there = dict(zip(places["destination"], places["source"], strict=True))
    return F.permute(input, tuple(there[i] if i in there else next(rest) for i in range(ndim)))


@offer()
def adjoint(input: Tensor) -> Tensor:
    """The last two dims exchanged (all numbers are real here); a 0-d tensor as it is.

    Raises:
        RuntimeError: a vector.
    """
    if input._data.ndim == 0:
        warn_once("adjoint() is deprecated on 0-D tensors. " + CONJ)
        return input
    if input._data.ndim == 1:
        raise RuntimeError(
            "tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor."
        )
    return F.transpose(input, -2, -1)


NO_DIMS = "Tensor.{} is deprecated on 0-D tensors. "
SAME = "This function is the identity in these cases."
CONJ = "Consider using x.conj()."


def reversed_dims(self: Tensor) -> Tensor:
    """All dims in reverse order; PyTorch warns, once, where there are not two."""
    ndim = self._data.ndim
    if ndim == 0:
        warn_once(NO_DIMS.format("T") + SAME)
    elif ndim != 2:
        warn_once(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
            "deprecated and it will throw an error in a future release. Consider `x.mT` to "
            "transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to "
            "reverse the dimensions of a tensor."
        )
    return F.permute(self, tuple(reversed(range(self._data.ndim))))


def matrix_transpose(name: str) -> Any:
    """The property that exchanges the last two dims (``mT``, ``mH``)."""

    def getter(self: Tensor) -> Tensor:
        """The last two dims exchanged."""
        if self._data.ndim == 0:
            warn_once(NO_DIMS.format(name) + (CONJ if name == "mH" else SAME))
            return self
        if self._data.ndim < 2:
            raise RuntimeError(
                f"tensor.{name} is only supported on matrices or batches of matrices. Got "
                f"{self._data.ndim}-D tensor."
            )
        return F.transpose(self, -2, -1)

    return property(getter)


def hermitian(self: Tensor) -> Tensor:
    """The transpose of a matrix (all numbers are real here); a 0-d tensor as it is."""
    if self._data.ndim not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {self._data.ndim}-D tensor."
            + (" For batches of matrices, consider using tensor.mH" if self._data.ndim > 2 else "")
        )
    if self._data.ndim == 0:
        warn_once(NO_DIMS.format("H") + CONJ)
        return self
    return F.transpose(self, -2, -1)


METHODS.update(
    T=property(reversed_dims),
    H=property(hermitian),
    mT=matrix_transpose("mT"),
    mH=matrix_transpose("mH"),
)


# In place ---------------------------------------------------------------------------------------
@offer(function=False)
def t_(self: Tensor) -> Tensor:
    """``t``, of this tensor itself."""
    reshape_needs_node(self, "t_")
    return reshape_in_place("t_inplace", at_most_matrix(self, "t_"))


@offer("swapaxes_", "swapdims_", function=False)
def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """``transpose``, of this tensor itself."""
    reshape_needs_node(self, "transpose_")
    ndim = self._data.ndim
    return reshape_in_place(
        "transpose_inplace", self, dim0=checked_dim(dim0, ndim), dim1=checked_dim(dim1, ndim)
    )


@offer(function=False)
def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """``unsqueeze``, of this tensor itself."""
    reshape_needs_node(self, "unsqueeze_")
    return reshape_in_place("unsqueeze_inplace", self, dim=checked_dim(dim, self._data.ndim + 1))


@offer(function=False)
def squeeze_(self: Tensor, dim: Any = None) -> Tensor:
    """``squeeze``, of this tensor itself."""
    reshape_needs_node(self, "squeeze_")
    ndim = self._data.ndim
    if dim is None:
        return reshape_in_place("squeeze_inplace", self)
    if isinstance(dim, int):
        return reshape_in_place("squeeze_inplace.dim", self, dim=checked_dim(dim, ndim))
    return reshape_in_place("squeeze_inplace.dims", self, dim=checked_dims(dim, ndim))
