"""``torch.func``: ``grad``, ``vjp``, ``jvp`` and ``linearize``.

Each computes with the graph that autograd records and gives results without it, unless they also
depend on tensors outside that require grad: then they stay differentiable by those. That is how
transforms nest. There is no forward mode: ``jvp`` runs backward twice, ``jacfwd`` is ``jacrev``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autograd.backward import grad as gradients
from ..autograd.grad_mode import enable_grad, inference_mode
from ..autograd.roots import leaves_of
from ..eager.op_functions import TENSORS as F
from ..graph import runtime
from ..graph.saved_hooks import disable_saved_tensors_hooks
from ..graph.tensor import Tensor
from .pytree import Spec, tree_flatten, tree_map, tree_unflatten

NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an "
    "issue with your use case."
)


def without_saved_hooks(transform: Callable[..., Any]) -> Callable[..., Any]:
    """A reverse-mode transform that refuses ``saved_tensors_hooks``, around it or inside of it, as
    PyTorch's do.

    Raises:
        RuntimeError: PyTorch's text.
    """

    @functools.wraps(transform)
    def refusing(*args: Any, **kwargs: Any) -> Any:
        with disable_saved_tensors_hooks(NO_HOOKS):
            return transform(*args, **kwargs)

    return refusing


Function = Callable[..., Any]
Leaves = list[Tensor]


def record_inside() -> Any:
    """Record, whatever the caller's mode is: PyTorch's transforms heed only what a function itself
    turns off."""
    return inference_mode(False) if runtime.mode.inference else enable_grad()


# The arguments to derive by -----------------------------------------------------------------------
def argument_places(argnums: Any, args: tuple[Any, ...]) -> tuple[int, ...]:
    """The places of arguments, counted from the start; None for all.

    Raises:
        RuntimeError: no places, or not of these arguments (PyTorch's texts).
    """
    if argnums is None:
        return tuple(range(len(args)))
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    for place in (argnums,) if isinstance(argnums, int) else argnums:
        if not isinstance(place, int):
            raise RuntimeError(f"argnum must be int, got: {type(place)}")
        if not -len(args) <= place < len(args):
            raise RuntimeError(f"Got argnum={place}, but only {len(args)} positional inputs")
    if isinstance(argnums, int):
        return (argnums % len(args),)
    places = tuple(place % len(args) for place in argnums)
    if not places:
        raise RuntimeError("argnums must be non-empty")
    if len(set(places)) < len(places):
        raise RuntimeError(f"argnums elements must be unique, got {places}")
    return places


def create_differentiable(tensor: Any) -> Tensor:
    """The same values to derive by, connected to the given tensor only if that requires grad.

    Raises:
        ValueError: it is no tensor.
    """
    if not isinstance(tensor, Tensor):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(tensor)}")
    if tensor.requires_grad:
        return F.alias(tensor)
    return not_inference(tensor)._detached().requires_grad_()


def not_inference(tensor: Tensor) -> Tensor:
    """The tensor, or a copy that may be recorded of one that was made in inference mode."""
    return F.clone(tensor) if tensor.is_inference() else tensor


class Inputs:
    """The arguments of one call: ``args`` with fresh tensors in the chosen places, which are
    listed in ``tensors``; ``spec`` is their nest."""

    def __init__(self, args: tuple[Any, ...], argnums: Any) -> None:
        places = argument_places(argnums, args)
        with record_inside():
            values, nests = [], []
            for place in places:
                found, spec = tree_flatten(args[place])
                values.append([create_differentiable(each) for each in found])
                nests.append(spec)
        made = dict(zip(places, map(tree_unflatten, values, nests), strict=True))
        self.args = tuple(made.get(place, arg) for place, arg in enumerate(args))
        self.tensors: Leaves = [each for part in values for each in part]
        self.spec = nests[0] if isinstance(argnums, int) else Spec(tuple, tuple(nests))
        self.own = {each for each in self.tensors if each.is_leaf}

    def finished(self, tree: Any) -> Any:
        """Results as users get them: with a history only if it leads to other leaves than ours, and
        they record."""
        return tree_map(self.released, tree)

    def released(self, value: Any) -> Any:
        """One result.

        Raises:
            RuntimeError: it is no tensor (PyTorch's text).
        """
        if not isinstance(value, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(value)}")
        if not value.requires_grad:
            return value
        outside = runtime.mode.enabled and leaves_of(value) - self.own
        return value if outside else value.detach()


def gradients_or_zeros(
    outputs: Sequence[Tensor], by: Sequence[Tensor], cotangents: Any, rows: bool = False
) -> tuple[Tensor, ...]:
    """Gradients that may be derived again; zeros where nothing depends on a tensor."""
    pairs = [
        (output, cotangent)
        for output, cotangent in zip(outputs, cotangents, strict=True)
        if output.requires_grad
    ]
    lead = cotangents[0]._data.shape[:1] if rows else ()
    zeros = tuple(Tensor._wrap(np.zeros(lead + x._data.shape, x._data.dtype)) for x in by)
    if not pairs:
        return zeros
    with record_inside():
        found: tuple[Tensor, ...] = gradients(
            [output for output, _ in pairs], list(by), [not_inference(each) for _, each in pairs],
            create_graph=True, allow_unused=True, is_grads_batched=rows,
        )  # fmt: skip
    return tuple(z if each is None else each for each, z in zip(found, zeros, strict=True))


def call_function(
    func: Function, inputs: Inputs, name: str, has_aux: bool = False, **kwargs: Any
) -> tuple[Any, Any]:
    """Return the result of a function, and its auxiliary result if it has one.

    Raises:
        RuntimeError: not two results where it has (PyTorch's text).
    """
    with record_inside():
        found = func(*inputs.args, **kwargs)
    if not has_aux:
        return found, None
    if not (isinstance(found, tuple) and len(found) == 2):
        raise RuntimeError(
            f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return found


# Gradients ----------------------------------------------------------------------------------------
def grad_and_value(
    func: Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Function:
    """A function that gives the gradient of ``func``, which gives one number, and its value.

    Args:
        argnums: by which positional arguments (nests of tensors); a tuple gives a tuple.
        has_aux: ``func`` gives (output, aux) and the result is (gradient, (output, aux)).

    Raises:
        RuntimeError: the output is no 0-d tensor.
    """
    name = "grad_and_value(f)(*args)"

    @without_saved_hooks
    @functools.wraps(func)
    def derived(*args: Any, **kwargs: Any) -> Any:
        inputs = Inputs(args, argnums)
        output, aux = call_function(func, inputs, name, has_aux, **kwargs)
        if not isinstance(output, Tensor):
            raise RuntimeError(f"{name}: Expected f(*args) to return a Tensor, got {type(output)}")
        if output.ndim:
            raise RuntimeError(
                f"{name}: Expected f(*args) to return a scalar Tensor, got tensor with "
                f"{output.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
            )
        found = gradients_or_zeros([output], inputs.tensors, [F.ones_like(output.detach())])
        slope = inputs.finished(tree_unflatten(found, inputs.spec))
        value = inputs.finished(output)
        return slope, (value, inputs.finished(aux)) if has_aux else value

    return derived


def grad(func: Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Function:
    """A function that gives the gradient of ``func``, which gives one number.

    Args:
        argnums: by which positional arguments (nests of tensors); a tuple gives a tuple.
        has_aux: ``func`` gives (output, aux) and the result is (gradient, aux).

    Raises:
        RuntimeError: the output is no 0-d tensor.
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def derived(*args: Any, **kwargs: Any) -> Any:
        slope, value = both(*args, **kwargs)
        return (slope, value[1]) if has_aux else slope

    return derived


# Products with Jacobians --------------------------------------------------------------------------
def check_tensors(outputs: list[Any], name: str) -> Leaves:
    """The outputs of a function.

    Raises:
        RuntimeError: there are none, or one is no tensor (PyTorch's texts).
    """
    if not outputs or outputs == [None]:
        raise RuntimeError(
            f"{name}: Expected f to be a function that has non-empty output (got output = "
            f"{outputs})"
        )
    for each in outputs:
        if not isinstance(each, Tensor):
            raise RuntimeError(
                f"{name}: expected f(*primals) to return only tensors, got unsupported type "
                f"{type(each)}"
            )
    return outputs


def check_floats(outputs: Leaves) -> Leaves:
    """Outputs that have derivatives.

    Raises:
        RuntimeError: one is of integers (PyTorch's text).
    """
    for each in outputs:
        if not each.is_floating_point():
            raise RuntimeError(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got "
                f"Tensor with dtype {each.dtype}"
            )
    return outputs


@without_saved_hooks
def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """The output of ``func`` and the function that multiplies its Jacobian from the left.

    Returns:
        (output, vjp_fn), with ``has_aux`` (output, vjp_fn, aux); vjp_fn takes one cotangent for
        each output and gives the products by each primal.

    Raises:
        RuntimeError: outputs or cotangents that do not fit.
    """
    name = "vjp(f, *primals)"
    inputs = Inputs(primals, None)
    output, aux = call_function(func, inputs, name, has_aux)
    outputs, spec = tree_flatten(output)
    check_floats(check_tensors(outputs, name))

    def vjp_fn(
        cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None
    ) -> Any:  # fmt: skip
        """The products of the cotangents and the Jacobian, by each primal."""
        given, shape = tree_flatten(cotangents)
        if shape != spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of "
                f"outputs to the function. cotangents: {shape}, primal output: {spec}"
            )
        return inputs.finished(
            tree_unflatten(gradients_or_zeros(outputs, inputs.tensors, given), inputs.spec)
        )

    found = inputs.finished(output), vjp_fn
    return (*found, inputs.finished(aux)) if has_aux else found


def jvp(
    func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> Any:
    """The output of ``func`` and the product of its Jacobian with the tangents.

    Two backwards compute it: the product from the left is linear in its cotangent, and the
    derivative by that is the product from the right (J. Townsend, 2017).

    Raises:
        RuntimeError: primals that are no tuple, or tangents unlike them.
    """
    name = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{name}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    inputs = Inputs(primals, None)
    ways, spec = tree_flatten(tangents)
    if spec != inputs.spec:
        raise RuntimeError(
            f"{name}: Expected primals and tangents to have the same python structure. For "
            "example, if primals is a tuple of 3 tensors, tangents also must be. Got primals with "
            f"structure {inputs.spec} and tangents with structure {spec}"
        )
    for tensor, way in zip(inputs.tensors, ways, strict=True):
        if tensor._data.shape != way._data.shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the "
                "original Tensor, this is not supported. Tensor is of size "
                f"{list(tensor._data.shape)} while the given forward gradient is of size "
                f"{list(way._data.shape)}."
            )
    output, aux = call_function(func, inputs, name, has_aux)
    outputs, shape = tree_flatten(output)
    check_tensors(outputs, name)
    products = jacobian_products(outputs, inputs.tensors, ways)
    found = inputs.finished(output), inputs.finished(tree_unflatten(products, shape))
    return (*found, inputs.finished(aux)) if has_aux else found


def jacobian_products(outputs: Leaves, by: Leaves, ways: Leaves) -> Leaves:
    """The products of a Jacobian with directions, one for each output."""
    with record_inside():
        dummies = [F.zeros_like(output.detach()).requires_grad_() for output in outputs]
    found = gradients_or_zeros(outputs, by, dummies)
    pairs = [(each, way) for each, way in zip(found, ways, strict=True) if each.requires_grad]
    if not pairs:
        return [F.zeros_like(output.detach()) for output in outputs]
    return list(
        gradients_or_zeros([pair[0] for pair in pairs], dummies, [pair[1] for pair in pairs])
    )


UNLIKE_PRIMAL = (
    "tangent:{0} with {1} {2} in flattened pytree doesn't match the {1} {3} of the corresponding "
    "primal."
)


def linearize(func: Function, *primals: Any) -> tuple[Any, Function]:
    """The output of ``func`` and the function that multiplies its Jacobian from the right."""
    inputs = Inputs(primals, None)
    name = "linearize(f, *primals)"
    output, _ = call_function(func, inputs, name)
    outputs, shape = tree_flatten(output)
    check_tensors(outputs, name)

    def jvp_fn(*tangents: Any) -> Any:
        """The product of the Jacobian with the tangents.

        Raises:
            RuntimeError: one has another shape or type than its primal.
        """
        ways, _ = tree_flatten(tangents)
        for place, (way, primal) in enumerate(zip(ways, inputs.tensors, strict=False)):
            for what in ("shape", "dtype"):
                found, wanted = getattr(way, what), getattr(primal, what)
                if found != wanted:
                    raise RuntimeError(UNLIKE_PRIMAL.format(place, what, found, wanted))
        return inputs.finished(
            tree_unflatten(jacobian_products(outputs, inputs.tensors, ways), shape)
        )

    return inputs.finished(output), jvp_fn
