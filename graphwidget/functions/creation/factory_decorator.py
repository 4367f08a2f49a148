"""``@factory``: the options that all factories share (``dtype=``, ``requires_grad=`` ...)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec

import numpy as np

from ...arrays import devices
from ...arrays.memory_formats import check_format, require_strided, to_format
from ...dispatch.offer import offer
from ...dispatch.parser import refusal
from ...graph import runtime
from ...graph.tensor import Tensor
from ...optable.out import Out
from ..dims import shape_args

Own = ParamSpec("Own")

FACTORY = Out("own", history="ended")
"""Kind of ``out=`` that a factory takes."""

OPTIONS: dict[str, tuple[str, Any]] = {
    "layout": ("Any", None),
    "device": ("Any", None),
    "pin_memory": ("bool", False),
    "requires_grad": ("bool", False),
    "memory_format": ("Any", None),
}
"""The options of factories that concern no numbers: type and default."""


GRADLESS = "Only Tensors of floating point and complex dtype can require gradients"


def factory(
    *, out: Out | bool = False, like: bool = False
) -> Callable[[Callable[Own, np.ndarray]], Callable[..., Tensor]]:
    """Offer a function that gives numbers as a factory: it takes the options of factories, and
    gives the numbers as a new leaf.

    Args:
        out: what its ``out=`` may be.
        like: its first argument is the tensor whose likeness it makes; only such factories take
            ``memory_format``.
    """
    options = [
        inspect.Parameter(
            option, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
        )
        for option, (annotation, default) in OPTIONS.items()
        if like or option != "memory_format"
    ]

    def decorate(numbers: Callable[Own, np.ndarray]) -> Callable[..., Tensor]:
        name = numbers.__name__

        @functools.wraps(numbers)
        def make(
            *args: Any,
            device: Any = None,
            layout: Any = None,
            requires_grad: bool = False,
            **named: Any,
        ) -> Tensor:
            devices.require_cpu(device)
            require_strided(layout)
            order = named.pop("memory_format", None) if like else None
            check_format(name, order)
            if named:
                for option in options:
                    named.pop(option.name, None)  # they change nothing on a CPU
            if runtime.drawing is None:
                data = to_format(numbers(*args, **named), order)
            else:
                data = runtime.drawing(lambda: to_format(numbers(*args, **named), order))
            return new_leaf(data, requires_grad, name)

        own = inspect.signature(numbers)
        make.__signature__ = own.replace(  # type: ignore[attr-defined]
            parameters=[*own.parameters.values(), *options], return_annotation="Tensor"
        )
        return offer(method=False, out=out)(make)

    return decorate


def new_leaf(data: Any, requires_grad: bool = False, name: str = "tensor") -> Tensor:
    """A new leaf around an array, made by the factory of this name.

    Raises:
        TypeError: ``requires_grad`` is no bool.
        RuntimeError: gradients are wanted of integers.
    """
    if requires_grad.__class__ is not bool and requires_grad is not None:
        kind = type(requires_grad).__name__
        raise TypeError(f"{name}(): argument 'requires_grad' must be bool, not {kind}")
    out = Tensor._wrap(data)
    if requires_grad:
        if not out._meta.floating:
            raise RuntimeError(GRADLESS)
        out._requires_grad = True
    if runtime.observer is not None:
        runtime.observer.made(out)
    return out


def shape_from(name: str, args: tuple[Any, ...], size: Any = None) -> tuple[int, ...]:
    """``(2, 3)`` or ``((2, 3),)`` or ``size=`` as a shape.

    Raises:
        TypeError: what is no shape (the text of PyTorch's parser, also for factories that layers
            call).
        RuntimeError: negative sizes.
    """
    if size is not None:
        args = (size,)
    try:
        shape = shape_args(args)
    except TypeError as error:
        raise refusal("torch", name, args, {}) or error from None
    for length in shape:
        if length < 0:
            if name == "zeros":
                raise RuntimeError("zeros: Dimension size must be non-negative.")
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {length}: {list(shape)}"
            )
    return shape
