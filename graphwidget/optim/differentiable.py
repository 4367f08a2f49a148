"""The optimizers' update rules in recorded operations, for `differentiable=True`.

Each changes a parameter, which is no leaf then, and its state in place, so that gradients of what
is computed from it flow on through the step: to the gradient it took, to the steps before, and to
options that are tensors. A rule is given the parameter, its gradient (weight decay and maximizing
are in it), the state and the options. The steps were counted before.
"""

from __future__ import annotations

from typing import Any

from ..eager.op_functions import TENSORS as F
from ..functions.reduction.reductions import amax
from ..functions.shape.joins import cat
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


def _means(g: Tensor, state: State, first: Any, second: Any) -> tuple[Tensor, Tensor]:
    """The means of the gradients and of their squares, moved on."""
    mean, square = state["exp_avg"], state["exp_avg_sq"]
    weight = 1 - (first.to(g.dtype) if isinstance(first, Tensor) else first)
    mean.lerp_(g, weight)
    if is_derived(second):
        square.lerp_(g.square(), weight=1 - second)
    else:
        square.mul_(second).addcmul_(g, g, value=1 - second)
    return mean, square


def adam(p: Tensor, g: Tensor, state: State, group: Group) -> None:
    """The mean of the gradients divided by the root of their mean square."""
    first, second = map(scalar, group["betas"])
    mean, square = _means(g, state, first, second)
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


def nadam(p: Tensor, g: Tensor, state: State, group: Group) -> None:
    """Adam that looks ahead along its momentum."""
    rate, (first, second), step = scalar(group["lr"]), group["betas"], state["step"].item()
    mu, following = (
        first * (1.0 - 0.5 * (0.96 ** (at * group["momentum_decay"]))) for at in (step, step + 1)
    )
    product = state["mu_product"]
    product *= mu
    mean, square = _means(g, state, first, second)
    root = square.div(1 - second**step).sqrt().add(group["eps"])
    p.addcdiv_(g * (-rate * (1.0 - mu) / (1.0 - product)), root)
    p.addcdiv_(mean * (-rate * following / (1.0 - product * following)), root)


def radam(p: Tensor, g: Tensor, state: State, group: Group) -> None:
    """Plain momentum in the first steps, rectified Adam later."""
    rate, (first, second), step = scalar(group["lr"]), group["betas"], state["step"].item()
    mean, square = _means(g, state, first, second)
    correction, limit = 1 - second**step, 2 / (1 - second) - 1
    length = limit - 2 * step * (second**step) / correction
    along = mean / (1 - first**step) * rate
    if length > 5.0:
        shrunk = (length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)
        along = along * (correction**0.5 / square.sqrt().add(group["eps"])) * shrunk**0.5
    p.add_(along, alpha=-1.0)


def adamax(p: Tensor, g: Tensor, state: State, group: Group) -> None:
    """The mean of the gradients divided by the largest of the fading ones."""
    first, second = group["betas"]
    mean, largest = state["exp_avg"], state["exp_inf"]
    mean.lerp_(g, 1 - first)
    sizes = largest.mul_(second).unsqueeze(0), g.abs().add_(group["eps"]).unsqueeze_(0)
    largest.copy_(amax(cat(sizes, 0), 0))
    rate = scalar(group["lr"]) / (1 - first ** state["step"].item())
    p.addcdiv_(mean, largest, value=-rate)


def adagrad(p: Tensor, g: Tensor, state: State, group: Group) -> None:
    """The gradient divided by the root of the sum of squares of all so far."""
    rate = scalar(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
    total = state["sum"].addcmul_(g, g, value=1)
    p.addcdiv_(g, total.sqrt() + group["eps"], value=-rate)


def adadelta(p: Tensor, g: Tensor, state: State, group: Group) -> None:
    """The gradient times the ratio of the sizes of steps and gradients."""
    keep, eps = group["rho"], group["eps"]
    square, steps = state["square_avg"], state["acc_delta"]
    square.mul_(keep).addcmul_(g, g, value=1 - keep)
    root = square.add(eps).sqrt_()
    delta = steps.add(eps).sqrt_().clone().div_(root).mul_(g)
    steps.mul_(keep).addcmul_(delta, delta, value=1 - keep)
    p.add_(delta, alpha=-scalar(group["lr"]))


def rmsprop(p: Tensor, g: Tensor, state: State, group: Group) -> None:
    """The gradient divided by the root of the mean square, or of the variance when centered."""
    rate, keep = scalar(group["lr"]), group["alpha"]
    square = state["square_avg"].mul_(keep).addcmul_(g, g, value=1 - keep)
    if group["centered"]:
        mean = state["grad_avg"].lerp_(g, 1 - keep)
        root = square.addcmul(mean, mean, value=-1).sqrt_()
    else:
        root = square.sqrt()
    root = root.add(group["eps"])
    if group["momentum"] > 0:
        velocity = state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(g, root)
        p.add_(velocity, alpha=-rate)
    else:
        p.addcdiv_(g, root, value=-rate)


def asgd(p: Tensor, g: Tensor, state: State, group: Group) -> None:
    """The plain step with a rate that falls, and the average of the parameters."""
    rate, decay, step = scalar(group["lr"]), group["lambd"], state["step"].item()
    eta, mu, mean = state["eta"], state["mu"], state["ax"]
    p.mul_(1 - decay * eta.item())
    p.add_(g, alpha=-eta.item())
    if mu.item() == 1:
        mean.copy_(p)
    else:
        mean.add_(p.sub(mean).mul_(mu))
    eta.copy_(eta.new_tensor(rate / ((1 + decay * rate * step) ** group["alpha"])))
    mu.copy_(mu.new_tensor(1 / max(1, step - group["t0"])))


def rprop(p: Tensor, g: Tensor, state: State, group: Group) -> None:
    """Steps by the sign of the gradient, longer while it stays and shorter when it turns."""
    (shrink, grow), before = group["etas"], state["prev"]
    factor = g.mul(before.clone()).sign()
    for place, value in ((factor.gt(0), grow), (factor.lt(0), shrink), (factor.eq(0), 1)):
        factor[place] = value
    size = state["step_size"].mul_(factor).clamp_(*group["step_sizes"])
    g = g.clone()
    g[factor.eq(shrink)] = 0
    p.addcmul_(g.sign(), size, value=-1)
    before.copy_(g)
