"""Autograd errors: PyTorch's type and text, with notes about what caused them.

The text comes from PyTorch 2.13. The notes are ours: they name the write that broke a backward,
the line it stands on and a way out, so that the exception helps where no picture is shown.
"""

from __future__ import annotations

import linecache
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import dtypes
from ..arrays.dtypes import printed_type
from ..arrays.kernel_errors import WORDS, broadcast_shape, type_name
from ..arrays.warnings import CallSite, call_site
from . import runtime
from .base import NodeBase, TensorBase, dtype_of_grad
from .version import DetachedCounter, WriteRecord

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)
LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
LEAF_VIEW = "a view of a leaf Variable that requires grad is being used in an in-place operation."
STALE = (
    "one of the variables needed for gradient computation has been modified by an inplace "
    "operation: [{type} {shape}]{where} is at version {found}; expected version {expected} "
    "instead. Hint: {hint}"
)
ENABLE_ANOMALY = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
ANOMALY_SHOWS = (
    "the backtrace further above shows the operation that failed to compute its gradient. The "
    "variable in question was changed in there or anywhere later. Good luck!"
)
DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
    "This is not supported, please use out-of-place `.detach()` instead"
)
NOT_A_LEAF = "you can only change requires_grad flags of leaf variables."
USE_DETACH = (
    " If you want to use a computed variable in a subgraph that doesn't require differentiation "
    "use var_no_grad = var.detach()."
)
INFERENCE_GRAD = (
    "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
)
NONLEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
    "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
    "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you "
    "access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
    "github.com/pytorch/pytorch/pull/30531 for more information."
)


@dataclass(frozen=True)
class ErrorFacts:
    """Facts about an autograd error.

    ``kind`` is ``version``, ``leaf``, ``freed``, ``no_grad``, ``none`` or ``other``; ``writes`` are
    the in-place writes that caused it, as far as known, oldest first; ``help`` the plain sentences.
    """

    kind: str
    help: tuple[str, ...]
    node: NodeBase | None = None
    slot: str | None = None
    tensor: TensorBase | None = None
    expected: int | None = None
    found: int | None = None
    writes: tuple[WriteRecord, ...] = ()


def with_notes(error: Exception, facts: ErrorFacts) -> Exception:
    """The error with its facts as attribute ``facts`` and in words as notes."""
    for sentence in facts.help:
        error.add_note(sentence)
    error.facts = facts  # type: ignore[attr-defined]
    return error


def describe_site(site: CallSite | None) -> str:
    """```b[0] = 1000.` (cell 3, line 4)``"""
    if site is None:
        return "a line that was not recorded"
    filename, line = site.code.co_filename, site.line
    text = linecache.getline(filename, line).strip()
    from ..recording.places import cell_of, place_in_words  # loaded for errors alone

    where = place_in_words(cell_of(filename), filename, line)
    return f"`{text}` ({where})" if text else where


def short_node_name(name: str) -> str:
    """``UnbindBackward0`` -> ``Unbind``, ``PowBackward1`` -> ``Pow1``, ``FBackward`` -> ``F``: the
    word in messages. C++ nodes without a number keep their names, and so do those of copies."""
    word, _, number = name.rpartition("Backward")
    if name.startswith("torch::autograd") or not (number.isdigit() or name == word + "Backward"):
        return name
    return word if number == "0" else word + number


def version_error(node: NodeBase, slot: str, tensor: TensorBase, expected: int) -> Exception:
    """The version error for what ``node`` saved in ``slot``."""
    counter = tensor._counter
    assert counter is not None
    if expected.__class__ is int and isinstance(counter, DetachedCounter):
        help = [
            f"{node.name()} saved {slot!r}, which detach_() has cut from its history since.",
            "Way out: use a detached copy of it, x.detach(), and leave x as it is.",
        ]
        return with_notes(
            RuntimeError(DETACHED), ErrorFacts("other", tuple(help), node, slot, tensor)
        )
    found = int(counter.version)
    origin = tensor.grad_fn
    where = ""
    if origin is not None:
        # PyTorch keeps the number of a node's own results only.
        number = tensor.output_nr if origin is node else 0
        where = f", which is output {number} of {short_node_name(origin.name())},"
    message = STALE.format(
        type=printed_type(tensor._data.dtype),
        shape=list(tensor._data.shape),
        where=where,
        found=found,
        expected=expected,
        hint=ANOMALY_SHOWS if runtime.anomaly else ENABLE_ANOMALY,
    )
    writes = tuple(counter.writes_after(expected))
    saver = node.name()
    many = f"{found - expected} times" if found - expected > 1 else "once"
    known = runtime.observer.describe_saved(node, slot) if runtime.observer is not None else None
    name, line = known or ("", "")
    help = [
        f"{saver}{f', made by {line},' if line else ''} saved {name or repr(slot)} at version "
        f"{expected} to use it in backward. Since then it was written in place {many}: it is at "
        f"version {found} and the value that backward needs is gone."
    ]
    help += [
        f"Version {w.version} was written by {describe_site(w.site)}, as {w.op}." for w in writes
    ]
    if found - expected > len(writes):
        help.append(f"{found - expected - len(writes)} earlier writes are not remembered.")
    help.append(
        "Ways out: write out of place (x = x * 2 in place of x *= 2), write before the value is "
        "used, or change a .clone() of it."
    )
    facts = ErrorFacts(
        "version", tuple(help), node, slot, tensor, expected, found, writes
    )  # fmt: skip
    return with_notes(RuntimeError(message), facts)


def freed_error(node: NodeBase) -> Exception:
    """The error of a second run through a node whose saved values are gone."""
    help = (
        f"{node.name()} already ran in an earlier backward and its saved values were freed then.",
        "Ways out: run the forward again to build a new graph, add the losses and call backward "
        "once, or call the first backward with retain_graph=True.",
    )
    return with_notes(RuntimeError(FREED), ErrorFacts("freed", help, node))


def no_graph_error(number: int, output: Any) -> Exception:
    """The error of a backward from the root of that number, which no graph leads back from."""
    message = f"element {number} of tensors does not require grad and does not have a grad_fn"
    tensor = output if isinstance(output, runtime.Tensor) else None
    help = (
        "No operation that led to it was recorded: nothing that it was computed from requires "
        "grad, or it was computed under no_grad() or from what detach() or item() gave.",
        "Way out: make what you want the gradient of with requires_grad=True before it is used.",
    )
    error = with_notes(RuntimeError(message), ErrorFacts("no_grad", help, tensor=tensor))
    if runtime.observer is not None:
        runtime.observer.failed(error)
    return error


def leaf_write_error(tensor: TensorBase, op: str, message: str = LEAF) -> Exception:
    """The error of an in-place write to a leaf that requires grad, or to a view of one."""
    help = (
        f"{describe_site(call_site())}, as {op}, would overwrite a leaf whose gradient is wanted. "
        "Nothing was changed.",
        "Ways out: put the write inside 'with torch.no_grad():' (as optimizers do), or compute "
        "a new tensor out of place.",
    )
    error = with_notes(RuntimeError(message), ErrorFacts("leaf", help, tensor=tensor))
    if runtime.observer is not None:
        runtime.observer.failed(error)
    return error


def shape_error(shape: tuple[int, ...], result: tuple[int, ...]) -> RuntimeError:
    """The error of writing what is larger than the tensor it is written to."""
    return RuntimeError(
        f"output with shape {list(shape)} doesn't match the broadcast shape {list(result)}"
    )


def read_only_error(error: ValueError, data: np.ndarray, op: str = "add") -> Exception:
    """The error of a write that numpy refused because the array may not be written."""
    return error if data.flags.writeable else zero_tensor_error(op)


def zero_tensor_error(op: str) -> RuntimeError:
    """The error of a write to zeros without memory."""
    way = "use the materialized zero tensor obtained using .clone() if you want a mutable tensor."
    if op == "copy":
        way = "materialize the tensor using `.clone()`, if you want a mutable zero tensor."
    return RuntimeError(f"ZeroTensors are immutable. Please {way}")


UNFIT = "operands could not be broadcast together with shapes "


def derivative_error(error: BaseException) -> BaseException:
    """The error of a derivative. Where what was saved has got another shape since, numpy's; then
    PyTorch's text."""
    text = str(error)
    if isinstance(error, ValueError) and text.startswith(UNFIT):
        shapes = re.findall(r"\(([\d,]*)\)", text)
        try:
            broadcast_shape([tuple(map(int, filter(None, shape.split(",")))) for shape in shapes])
        except RuntimeError as own:
            return own
    return error


DETACH_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel "
    "(DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP "
    "buckets, and hence detach_() cannot be called on these gradients. To fix this error, please "
    "refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
)


def why_grad_is_none(tensor: TensorBase) -> ErrorFacts:
    """Return the warning that ``.grad`` of a non-leaf is None."""
    help = (
        "This tensor was computed, so it is not a leaf, and backward keeps gradients of leaves "
        "only.",
        "Way out: call .retain_grad() on it before backward.",
    )
    node = getattr(tensor._node, "node", tensor._node)  # grad_fn may raise for a view
    return ErrorFacts("none", help, node=node, tensor=tensor)


def check_grad(tensor: TensorBase, grad: Any) -> None:
    """Refuse what is no gradient of a tensor, when it is assigned.

    Raises:
        TypeError: it is no tensor.
        RuntimeError: it is the tensor itself, or of another type or size.
    """
    if not isinstance(grad, runtime.Tensor):
        raise TypeError(
            f"assigned grad expected to be a Tensor or None but got grad of type {type_name(grad)}"
        )
    if grad is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    wanted = dtype_of_grad(tensor, grad._data.dtype)
    if grad._data.dtype != wanted:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{dtypes.c_type(grad._data.dtype)}' to a "
            f"tensor with grad_dtype '{dtypes.scalar_type(wanted)}'. The gradient must "
            "match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the "
            "tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set "
            "grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
            "downstream systems that assume they match."
        )
    if grad._data.shape != tensor._data.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(grad._data.shape)}' to a tensor of "
            f"size '{list(tensor._data.shape)}'. Please ensure that the gradient and the tensor "
            "are the same size"
        )


def not_differentiable(dtype: Any) -> RuntimeError:
    """PyTorch's error for a history of integers (its operands have one: a write into integers
    may ask for gradients)."""
    return RuntimeError(f"Autograd not support dtype: {WORDS[dtype.name]}")


class OutOfMemoryError(RuntimeError):
    """PyTorch's error for a device without free memory; never raised here."""


class AcceleratorError(RuntimeError):
    """PyTorch's error for failures of a device; never raised here."""


OutOfMemoryError.__module__ = AcceleratorError.__module__ = "torch"
