"""``out=``: a result written into a tensor that the user gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from ..arrays import dtypes
from ..arrays.overlap import check_overlap
from ..arrays.warnings import warn
from ..autograd.function_node import NotImplementedNode
from ..autograd.grad_mode import no_grad
from ..eager.inplace import set_history, write
from ..eager.promote import CAST, CASTS, check_target_type
from ..graph import runtime
from ..graph.tensor import Tensor
from ..optable import TABLE
from .resize import resize_storage
from .return_types import NamedResult, out_result_type

Given = TypeVar("Given", bound=Callable[..., Any])

RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match "
    "the required output shape {}. This behavior is deprecated, and in a future PyTorch release "
    "outputs will not be resized unless they have zero elements. You can explicitly reuse an out "
    "tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
)

CALLED = {
    "square": "pow", "xlog1py": "special_xlog1py", "norm": "linalg_vector_norm",
    "vector_norm": "linalg_vector_norm", "cross": "linalg_cross", "msort": "sort",
    "take_along_dim": "gather", "diag": "diagonal_copy", "true_divide": "div",
    "lu_solve": "linalg_lu_solve",
    **dict.fromkeys(("column_stack", "dstack", "hstack", "vstack"), "cat"),
}  # fmt: skip
"""Functions that PyTorch's errors call by another name."""

ONCE = (
    "angle", "floor_divide", "logical_and", "logical_not", "logical_or", "logical_xor", "logit",
    "mvlgamma",
)  # fmt: skip
"""Functions that work item by item, but write ``out`` by themselves."""

FACTORIES = frozenset((
    "arange", "empty", "eye", "full", "linspace", "logspace", "ones", "rand", "randint", "randn",
    "randperm", "range", "zeros",
))  # fmt: skip
"""Functions that make tensors of nothing: in the type of ``out``, whose size they do not mind."""

RESIZING = frozenset(("empty", "randn"))
"""Factories that resize ``out`` first, which no tensor that requires grad may be."""

COPIES = (
    "alias_copy", "as_strided_copy", "diagonal_copy", "expand_copy", "permute_copy",
    "select_copy", "slice_copy", "squeeze_copy", "t_copy", "transpose_copy", "unfold_copy",
    "unsqueeze_copy", "view_copy",
)  # fmt: skip
"""Views of which a copy is made."""

UNDERIVED = frozenset((
    "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift",
    "bitwise_xor", "conj_physical", "diag", "floor_divide", "gcd", "heaviside", "lcm",
    "log_softmax", "slice_scatter", "softmax", *COPIES,
)) | FACTORIES - RESIZING  # fmt: skip
"""Functions of whose writing into ``out`` PyTorch has no formula: it refuses leaves only, and
gives others a node that refuses backward."""

COUNTED = (
    "The number of elements in the out tensor of shape {} is {} which does not match the computed "
    "number of elements {}. Note that this may occur as a result of rounding error. The out "
    "tensor will be resized to a tensor of shape ({},)."
)

JOINS = (
    "cat", "column_stack", "concat", "concatenate", "dstack", "hstack", "row_stack", "stack",
    "vstack",
)  # fmt: skip
APART = (
    *JOINS, "cross", "gather", "index_select", "kthvalue", "linalg_cross", "masked_select", "take",
    "take_along_dim",
)  # fmt: skip
"""Functions that refuse an ``out`` which shares memory with what they read."""

WRITERS = "index_add", "index_copy", "index_reduce", "scatter", "scatter_add", "scatter_reduce"
"""The same, but ``out`` may be their first argument, which is copied there first."""

IN_STEP = (
    *WRITERS, "addr", "cumprod", "cumsum", "diff", "logcumsumexp", "max", "min", "msort", "renorm",
    "sort", "square", "true_divide",
)  # fmt: skip
"""Functions beside the pointwise ones whose ``out`` may be what they read, but not a part of it."""

TRUTHS = "all", "any"
TRUTH_TYPES = bool, np.uint8
TRUTH = "{name} only supports bool tensor for result, got: {given}"
"""What these functions may write into, and what they say of other types."""

JOINED = "torch.cat(): input types can't be cast to the desired output type {given}"
"""Functions that write one tensor after another, and what they say of types that do not fit."""

IN_ITS_TYPE = ("sum", "prod", "nansum", "cumsum", "cumprod")
"""Reductions that calculate in the type of ``out``, unless ``dtype`` is given."""

WANTED = "Expected out tensor to have dtype {c_result}, but got {c_given} instead"
FOUND = "expected scalar_type {result} but found {given}"
ALIKE = (
    "Expected the dtype for input and out to match, but got {result} for input's dtype and "
    "{given} for out's dtype."
)
EXACT = {
    **dict.fromkeys(
        ("abs", "ceil", "clamp", "clamp_max", "clamp_min", "floor", "frac", "lerp", "neg",
         "round", "sgn", "sign", "trunc", "bitwise_not"),
        "Found dtype {given} but expected {result}",
    ),
    **dict.fromkeys(
        ("addmm", "addmv", "aminmax", "argmax", "argmin", "avg_pool2d", "avg_pool3d", "baddbmm",
         "bmm", "cholesky", "cholesky_ex", "cross", "det", "diag", "eigh", "eigvalsh", "gather",
         "index_add", "index_copy", "index_reduce", "inv", "inv_ex", "inverse", "isin", "linear",
         "log_softmax", "lu_factor", "lu_factor_ex", "lu_solve", "lu_unpack", "matmul", "max",
         "min", "mm", "msort", "norm", "qr", "renorm", "scatter", "scatter_add", "scatter_reduce",
         "slogdet", "softmax", "solve", "solve_ex", "sort", "svdvals", "take_along_dim", "topk",
         "tril", "triu", "vector_norm"), WANTED,
    ),
    **dict.fromkeys(COPIES, WANTED),
    **dict.fromkeys(("amax", "amin"), ALIKE),
    **dict.fromkeys(
        ("quantile", "nanquantile"), "quantile() out tensor must be same dtype as the input tensor"
    ),
    **dict.fromkeys(
        ("hardshrink", "softplus", "softshrink"), "Found dtype {given} but expected {result}"
    ),
    "addbmm": "self and mat2 must have the same dtype, but got {given} and {result}",
    "mv": "addmv input tensors must have the same dtype, but got {given}, {result}, and {result}",
    **dict.fromkeys(("cummax", "cummin", "diff", "logcumsumexp"), FOUND),
    **dict.fromkeys(
        ("isneginf", "isposinf", "signbit"), "{name} does not support non-boolean outputs."
    ),
    "float_power": "the output given to {name} has dtype {given} but the operation's result "
                   "requires dtype {result}",
    **dict.fromkeys(
        ("dot", "vdot"), "result dtype {given} does not match input dtype {result}"
    ),
    **dict.fromkeys(
        ("inner", "tensordot"), "tensordot: Expected the output tensor to have dtype {result}, "
                                "but got an output tensor with dtype {given}",
    ),
    "kthvalue": "output values must be of same type as input",
    "mode": "expected scalar type '{result}' but got '{given}' for values output",
    "median": "Expected tensor for 'values' to have the same type as tensor for argument #2 "
              "'self'; but type torch.{given}Tensor does not equal torch.{result}Tensor (while "
              "checking arguments for median)",
    "multinomial": "multinomial expects Long tensor out, got: {given}",
    "nonzero": "nonzero: Expected out tensor to have scalar type Long but got scalar type{given}",
    "heaviside": "heaviside is not yet implemented for tensors with different dtypes.",
    "index_select": "index_select(): self and result must have the same scalar type",
    "take": "take(): self and out expected to have the same dtype, but got self.dtype = {result} "
            "and out.dtype = {given}",
    "masked_select": "masked_select(): self and result must have the same scalar type",
    "nan_to_num": "nan_to_num: dtype of out: {given} should be same as input: {result}",
    "where": "Expected out type to be {result} but got {given}",
}  # fmt: skip
"""Functions whose ``out`` must have the result's type, and what they say where it has not."""

EXACT_GIVEN = {
    **dict.fromkeys(("sum", "prod", "mean", "cumsum", "cumprod"), WANTED),
    "nansum": "nansum: provided dtype must match dtype of result. Got {given} and {result}.",
}
"""The same, where ``dtype`` is given."""

COLUMNS: dict[Callable[..., Any], bool] = {}
"""Functions that lay an empty ``out`` out column by column, as LAPACK does; True for those that
do so with one of another size, too."""


def column_major_out(resized: bool = True) -> Callable[[Given], Given]:
    """Note that a function lays ``out`` out column by column."""

    def note(function: Given) -> Given:
        COLUMNS[function] = resized
        return function

    return note


def write_into_out(
    name: str, out: Any, target: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """Call ``target`` and write its result into ``out`` (a tensor, or a tuple of them).

    Raises:
        RuntimeError: a gradient would be needed, or the result's dtype cannot be cast to that of
            ``out``. Nothing was changed then.
    """
    outs = tuple(out) if isinstance(out, (tuple, list)) else (out,)
    for each in outs:
        if not isinstance(each, Tensor):
            kind = type(each).__name__
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {kind}")
    if name in FACTORIES and outs[0] is out:
        return fill_out(name, outs[0], target, *args, **kwargs)
    recorded = check_gradient(name, (*args, *kwargs.values()), outs)
    if name in CASTS:
        check_target_type(name, outs[0]._data.dtype, *(x._data.dtype for x in tensors_in(args)))
    check_apart(name, outs[0]._data, [each._data for each in tensors_in(args)])
    exact = EXACT.get(name) if is_exact(name, args) else None
    if kwargs.get("dtype") is not None:
        exact = EXACT_GIVEN.get(name, exact)
    elif name in IN_ITS_TYPE:
        kwargs["dtype"] = outs[0].dtype
    with no_grad():
        found = target(*args, **kwargs)
    single = isinstance(found, Tensor)
    if single != isinstance(out, Tensor):
        wanted = "Tensor" if single else "tuple of Tensors"
        raise TypeError(f"{name}(): argument 'out' must be {wanted}, not {type(out).__name__}")
    results = (found,) if single else tuple(found)
    for each, result in zip(outs, results, strict=True):
        check_type(name, each._data.dtype, result._data.dtype, exact)
    with no_grad():
        for each, result in zip(outs, results, strict=True):
            twice = each._data.dtype != computation_dtype(name, args, result, each)
            write_result(name, target, each, result, 2 if twice else 1)
    if recorded:
        refuse_backward(name, recorded, outs[0])
    if single:
        return out
    return (
        out_result_type(type(found))(outs) if isinstance(found, NamedResult) else type(found)(outs)
    )


def fill_out(
    name: str, out: Tensor, target: Callable[..., Any], *args: Any, **kwargs: Any
) -> Tensor:
    """Write what a factory makes into ``out``, in its type.

    Raises:
        RuntimeError: ``out`` requires grad, or another type was asked for.
    """
    own, asked = out.dtype, kwargs.get("dtype")
    if asked is not None and asked is not own:
        words = (dtypes.scalar_type(each.numpy) for each in (asked, own))
        raise RuntimeError("dtype {} does not match dtype of out parameter ({})".format(*words))
    if out.requires_grad and name in RESIZING:
        raise RuntimeError("cannot resize variables that require grad")
    recorded = check_gradient(name, (), (out,))
    wants_grad = kwargs.pop("requires_grad", False)
    with no_grad():
        result = target(*args, **kwargs | {"dtype": own})
        if name == "arange" and out._data.size:
            size, count = out._data.size, result._data.size
            if size == count:  # whatever its shape
                result = result.reshape(out._data.shape)
            else:
                shape = list(out._data.shape)
                warn(COUNTED.format(shape, size, count, count))
        write_result(name, target, out, result, 0)
    if recorded:
        refuse_backward(name, recorded, out)
    return out.requires_grad_(wants_grad) if out.is_leaf else out


def check_gradient(name: str, given: Any, outs: tuple[Tensor, ...]) -> list[Tensor]:
    """The tensors that require grad where the write gets a node; there is none where no gradient
    is wanted, or none would come from such a function.

    Raises:
        RuntimeError: PyTorch does not record such a write (its text).
    """
    wanting = [each for each in tensors_in((given, outs)) if each.requires_grad]
    if not wanting or not runtime.grad_enabled() or has_no_gradient(name):
        return []
    if name in UNDERIVED and not any(each.is_leaf and each.requires_grad for each in outs):
        return wanting
    called = ("aten::" if name in UNDERIVED else "") + CALLED.get(name, name)
    raise RuntimeError(
        f"{called}(): functions with out=... arguments don't support automatic differentiation, "
        "but one of the arguments requires grad."
    )


def refuse_backward(name: str, wanting: list[Tensor], out: Tensor) -> None:
    """Give ``out`` a node that refuses backward, on all that would get a gradient."""
    if out._meta.floating:
        set_history(out, NotImplementedNode("aten::" + CALLED.get(name, name), wanting))


def check_apart(name: str, out: np.ndarray, read: list[np.ndarray]) -> None:
    """RuntimeError if a function must not write into what it reads, or into parts of it."""
    if name in IN_STEP or is_pointwise(name):
        check_overlap(out, read)
    if name in APART or name in WRITERS:
        check_overlap(out, read[name in WRITERS :], whole=True)


def is_pointwise(name: str) -> bool:
    """Whether PyTorch computes a function item by item."""
    return name in TABLE and TABLE[name].pointwise


def has_no_gradient(name: str) -> bool:
    """Whether PyTorch asks nobody for a gradient: comparisons, logic, what it does not derive."""
    op = TABLE.get(name)
    if op is None or not op.nograd:
        return False
    return op.dtype in ("bool", "float") or name in ("all", "any")


def is_exact(name: str, args: tuple[Any, ...]) -> bool:
    """Whether this form of a function is the one that wants its ``out`` of the same type."""
    if name == "diff":  # differences are written by a loop over items, copies by their own kernel
        return args[1:2] == (0,)
    tensors = any(isinstance(arg, Tensor) for arg in args[2 if name == "lerp" else 1 :])
    if name == "lerp":
        return tensors
    return not (tensors and name in ("clamp", "clamp_max", "clamp_min", "max", "min"))


def check_type(name: str, given: np.dtype[Any], result: np.dtype[Any], exact: str | None) -> None:
    """Refuse an ``out`` whose type the result cannot be cast to, or that PyTorch wants equal.

    Raises:
        RuntimeError, TypeError: PyTorch's texts, which differ by function.
    """
    text = exact if given != result else None
    if name in TRUTHS:
        text = None if given in TRUTH_TYPES else TRUTH
    elif text is None and not dtypes.can_cast(result, given):
        text = JOINED if name in JOINS else CAST
    if text is not None:
        raise (TypeError if text is JOINED else RuntimeError)(text.format(
            name=name, result=dtypes.scalar_type(result), given=dtypes.scalar_type(given),
            c_result=dtypes.c_type(result), c_given=dtypes.c_type(given),
        ))  # fmt: skip


def computation_dtype(name: str, args: Sequence[Any], result: Tensor, out: Tensor) -> np.dtype[Any]:
    """The type in which PyTorch's loop over items computes. If it is not that of ``out``, the loop
    fills a tensor of its own first, and ``out`` is resized (and warned of) twice. Comparisons
    write bools as they are; other functions have no such loop."""
    op = TABLE.get(CALLED.get(name, name))
    iterated = name in ("outer", "square", "true_divide") or (op is not None and op.pointwise)
    if not iterated or name in ONCE or (name == "pow" and not isinstance(args[0], Tensor)):
        return out._data.dtype
    if op is not None and op.dtype == "bool" and out._data.dtype != bool:
        given = [arg._data if isinstance(arg, Tensor) else arg for arg in args]
        return dtypes.result_type(*given)
    return out._data.dtype if op is not None and op.dtype == "bool" else result._data.dtype


def write_result(
    name: str, target: Callable[..., Any], out: Tensor, result: Tensor, times: int
) -> None:  # fmt: skip
    """Write a result into ``out``, resized where it must be, with so many warnings; its version
    rises."""
    if out._data.shape != result._data.shape:
        shapes = list(out._data.shape), list(result._data.shape)
        for _ in range(times if out._data.size else 0):
            warn(RESIZED.format(*shapes))
        turned = COLUMNS.get(target, False) if out._data.size else target in COLUMNS
        order: Any = "K" if turned or is_pointwise(name) else "C"
        like = np.empty_like(result._data, out._data.dtype, order)
        out._replace_memory(resize_storage(out._data, like.shape, like.strides))
    write(TABLE["copy"], out, (result,), {})


def tensors_in(values: Iterable[Any]) -> Iterator[Tensor]:
    """The tensors among arguments, lists included."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)
