"""JAX on the CPU. Chains and scalars run op by op, as the other engines run them; steps that are
the same every time are compiled (before they are timed), as JAX's users do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tests.benchmarks import data

Step = Callable[[], Sequence[Any]]

array = np.asarray


def ready(found: Any) -> Any:
    """JAX computes behind the caller's back; time it to the end."""
    return jax.block_until_ready(found)


def chain(body: Callable[[Any, Any], Any], turns: int) -> Step:
    x, seed = jnp.asarray(data.small()), jnp.ones((2, 2))

    def total(x: Any) -> Any:
        y = x
        for _ in range(turns):
            y = body(y, x)
        return y

    def step() -> Sequence[Any]:
        y, backward = jax.vjp(total, x)
        return ready((y, *backward(seed)))

    return step


def mlp_loss(parameters: Any, inputs: Any, targets: Any) -> Any:
    hidden = inputs
    for weight, bias in parameters[:-1]:
        hidden = jnp.maximum(hidden @ weight.T + bias, 0)
    weight, bias = parameters[-1]
    return jnp.mean((hidden @ weight.T + bias - targets) ** 2)


def mlp() -> Step:
    inputs, targets = (jnp.asarray(each) for each in data.batch())
    parameters = [(jnp.asarray(w), jnp.asarray(b)) for w, b in data.layers()]

    @jax.jit
    def one(parameters: Any) -> Any:
        loss, grads = jax.value_and_grad(mlp_loss)(parameters, inputs, targets)
        return loss, grads, jax.tree.map(lambda p, g: p - data.RATE * g, parameters, grads)

    def step() -> Sequence[Any]:
        nonlocal parameters
        loss, grads, parameters = ready(one(parameters))
        return loss, *(each for pair in grads for each in pair)

    return step


def compiled(function: Callable[..., Any], *operands: Any) -> Step:
    """The step that calls a compiled function."""
    run, given = jax.jit(function), [jnp.asarray(each) for each in operands]
    return lambda: ready(run(*given))


def elementwise(x: Any) -> Any:
    y = x
    for _ in range(3):
        y = (jnp.tanh(y * x) + x) * 0.5
        y = jnp.maximum(y - 0.1, 0) + jax.nn.sigmoid(y)
    return jnp.mean(y)


def product(a: Any, b: Any) -> Any:
    loss, grads = jax.value_and_grad(lambda a, b: (a @ b).sum(), (0, 1))(a, b)
    return loss, *grads


def hessian() -> Step:
    matrix, point = data.hessian()

    def function(x: Any, matrix: Any) -> Any:
        return jnp.exp(jnp.tanh(matrix @ x)).sum()

    def step() -> Sequence[Any]:
        with jax.enable_x64(True):
            return (run(jnp.asarray(point), jnp.asarray(matrix)),)

    run = jax.jit(jax.hessian(function))
    return step


ROWS: dict[str, Callable[[], Step]] = {
    "chain add": lambda: chain(lambda y, x: y + x, data.CHAIN),
    "chain mul": lambda: chain(lambda y, x: y * x, data.CHAIN),
    "chain mix": lambda: chain(lambda y, x: jnp.exp(jnp.tanh((y + x) * x)) - x, data.CHAIN // 5),
    "MLP, SGD": mlp,
    "1e6 elementwise": lambda: compiled(jax.value_and_grad(elementwise), data.large()),
    "1024 matmul": lambda: compiled(product, *data.matrices()),
    "Hessian of 64-d": hessian,
}
