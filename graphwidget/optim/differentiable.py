"""The update rules of SGD and Adam in recorded operations, for `differentiable=True`.

Each writes a parameter and its state in place, by operations that are recorded. The parameter is
no leaf afterwards: gradients flow through the step to the gradient it used, to earlier steps and to
options that are tensors. A rule is given the parameter, its gradient (weight decay and maximizing
are in it), the state and the options. The steps were counted before.
"""

from __future__ import annotations

from typing import Any

from ..eager.op_functions import TENSORS as F
from ..graph.tensor import Tensor
from .optimizer import Group, State


def scalar(option: Any) -> Any:
    """An option that is a number or a tensor with one, as a number or a 0-d tensor."""
    return option.squeeze() if isinstance(option, Tensor) and option.dim() else option


def is_derived(option: Any) -> bool:
    """Whether gradients of an option are wanted."""
    return isinstance(option, Tensor) and option.requires_grad


def sgd(p: Tensor, g: Tensor, state: State, group: Group) -> None:
    """`p -= lr * velocity`."""
    rate, momentum = scalar(group["lr"]), group["momentum"]
    if momentum:
        if state.pop("new", False):
            state["momentum_buffer"] = g.detach().clone()
        else:
            state["momentum_buffer"].mul_(momentum).add_(g, alpha=1 - group["dampening"])
        velocity = state["momentum_buffer"]
        g = g.add(velocity, alpha=momentum) if group["nesterov"] else velocity
    if is_derived(rate):
        p.addcmul_(g, rate, value=-1)
    else:
        p.add_(g, alpha=-rate)


def adam(p: Tensor, g: Tensor, state: State, group: Group) -> None:
    """The mean of the gradients divided by the root of their mean square."""
    first, second = map(scalar, group["betas"])
    mean, square = state["exp_avg"], state["exp_avg_sq"]
    mean.lerp_(g, 1 - (first.to(g.dtype) if isinstance(first, Tensor) else first))
    if is_derived(second):
        square.lerp_(g.square(), weight=1 - second)
    else:
        square.mul_(second).addcmul_(g, g, value=1 - second)
    corrections = [
        1 - beta ** (state["step"].clone() if is_derived(beta) else state["step"])
        for beta in (first, second)
    ]
    down = (scalar(group["lr"]) / corrections[0]).neg()
    if group["amsgrad"]:
        largest = state["max_exp_avg_sq"]
        square = largest.copy_(F.maximum(largest.clone(), square))
    slope = (square.sqrt() / (corrections[1].sqrt() * down)).add_(group["eps"] / down)
    p.addcdiv_(mean.clone(), slope)
