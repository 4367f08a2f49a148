"""``tf.train``: optimizers, which add to the graph what changes the variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .add_operation import emit, make_constant
from .convert import convert_to_tensor
from .differentiate import gradients
from .dtypes import int64
from .graph import get_default_graph
from .symbol import Symbol
from .variables import (
    GraphKeys,
    Variable,
    assign,
    assign_add,
    assign_sub,
    group,
    trainable_variables,
)

GradsAndVars = list[tuple[Symbol | None, Variable]]


class Optimizer:
    """Adds to the graph the gradients of a loss, and what they change."""

    slots: tuple[str, ...] = ()

    def __init__(self, name: str) -> None:
        self.name = name
        self._slots: dict[tuple[str, Variable], Variable] = {}

    def get_name(self) -> str:
        """The name."""
        return self.name

    def minimize(
        self, loss: Any, global_step: Variable | None = None, var_list: Any = None,
        gate_gradients: Any = 1, aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False, name: str | None = None, grad_loss: Any = None,
    ) -> Any:  # fmt: skip
        """An operation that takes one step down.

        Raises:
            ValueError: no variable has a gradient (TensorFlow's text).
        """
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(grad is None for grad, _ in pairs):
            shown = [str(variable) for _, variable in pairs]
            listed = ", ".join(f'"{each}"' for each in shown)
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not "
                f"support gradients, between variables [{listed}] and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(self, loss: Any, var_list: Any = None, gate_gradients: Any = 1,
                          aggregation_method: Any = None,
                          colocate_gradients_with_ops: bool = False,
                          grad_loss: Any = None) -> GradsAndVars:  # fmt: skip
        """The gradient of each variable, and the variable."""
        variables: Sequence[Variable] = (
            trainable_variables()
            if var_list is None
            else (list(var_list) if isinstance(var_list, (list, tuple)) else [var_list])
        )
        if not variables:
            raise ValueError("No variables to optimize.")
        found = gradients(loss, variables, None if grad_loss is None else [grad_loss])
        return list(zip(found, variables, strict=True))

    def apply_gradients(self, grads_and_vars: Any, global_step: Variable | None = None,
                        name: str | None = None) -> Any:  # fmt: skip
        """An operation that changes the variables by gradients."""
        pairs = [(grad, each) for grad, each in grads_and_vars if grad is not None]
        if not pairs:
            raise ValueError(f"No gradients provided for any variable: {list(grads_and_vars)}.")
        graph = get_default_graph()
        for _, variable in pairs:
            self.create_slots(variable)
        with graph.name_scope(name or self.name) as scope:
            self.prepare()
            updates = []
            for grad, variable in pairs:
                with graph.name_scope(f"update_{variable.op.name}"):
                    updates.append(self.apply(convert_to_tensor(grad), variable))
            updates += self.finish(updates)
            if global_step is None:
                return group(*updates, name=scope)
            with graph.control_dependencies([group(*updates, name="update")]):
                return assign_add(global_step, 1, name=scope).op

    # What the kinds differ in ------------------------------------------------------------------
    def create_slots(self, variable: Variable) -> None:
        """Make the variables that accompany one."""
        for place, slot in enumerate(self.slots):
            if (slot, variable) not in self._slots:
                graph = get_default_graph()
                with graph.name_scope(None):
                    name = f"{variable.op.name}/{self.name}" + ("" if not place else f"_{place}")
                    zero = np.zeros(variable.shape.as_list(), variable.dtype.numpy)  # type: ignore[arg-type]
                    made = Variable(zero, trainable=False, name=name)
                self._slots[slot, variable] = made

    def get_slot(self, variable: Variable, name: str) -> Variable | None:
        """A variable that accompanies another."""
        return self._slots.get((name, variable))

    def prepare(self) -> None:
        """Make what all variables share."""

    def apply(self, grad: Symbol, variable: Variable) -> Symbol:
        """An assignment that changes one variable."""
        raise NotImplementedError

    def finish(self, updates: Sequence[Any]) -> list[Any]:
        """Return the further operations of a step."""
        return []


def scaled(value: Any, by: Any) -> Symbol:
    """A product, the factor in the type of what is scaled."""
    symbol = convert_to_tensor(value)
    factor = by if isinstance(by, Symbol) else make_constant(np.array(by, symbol.dtype.numpy))
    return emit("mul", (symbol, factor))[0]


class GradientDescentOptimizer(Optimizer):
    """v ← v − rate · gradient."""

    def __init__(self, learning_rate: Any, use_locking: bool = False,
                 name: str = "GradientDescent") -> None:  # fmt: skip
        super().__init__(name)
        self.rate = learning_rate

    def apply(self, grad: Symbol, variable: Variable) -> Symbol:
        """An assignment that changes one variable."""
        rate = rate_of(self.rate)
        return assign_sub(variable, scaled(grad, rate), name="ApplyGradientDescent")


def rate_of(rate: Any) -> Any:
    """A learning rate: a number, or a symbol."""
    rate = rate() if callable(rate) else rate
    return getattr(rate, "_as_graph_tensor", lambda: rate)()


class AdamOptimizer(Optimizer):
    """Adam: steps of the gradients' running mean over the root of their running squares."""

    slots = ("m", "v")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-08,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(name)
        self.rate, self.betas, self.epsilon = learning_rate, (beta1, beta2), epsilon
        self.powers: list[Variable] = []

    def create_slots(self, variable: Variable) -> None:
        """Create the slots after the powers of beta, which come first."""
        if not self.powers:
            with get_default_graph().name_scope(None):
                self.powers = [
                    Variable(np.float32(beta), trainable=False, name=f"beta{place}_power")
                    for place, beta in enumerate(self.betas, 1)
                ]
        super().create_slots(variable)

    def apply(self, grad: Symbol, variable: Variable) -> Symbol:
        """An assignment that changes one variable."""
        dtype = grad.dtype.numpy
        one = make_constant(np.array(1, dtype))
        means = []
        for slot, beta, value in (("m", self.betas[0], grad),
                                  ("v", self.betas[1], emit("mul", (grad, grad))[0])):  # fmt: skip
            held = self._slots[slot, variable]
            old, new = scaled(held.value(), beta), scaled(value, 1 - beta)
            means.append(assign(held, emit("add", (old, new))[0]))
        first, second = (
            emit("to_copy", (each.value(),), {"dtype": dtype})[0] for each in self.powers
        )
        root = emit("sqrt", (emit("sub", (one, second))[0],))[0]
        scale = emit("div", (root, emit("sub", (one, first))[0]))[0]
        rate = scaled(scale, rate_of(self.rate))
        moved = [emit("alias", (each.op.inputs[1],))[0] for each in means]
        small = make_constant(np.array(self.epsilon, dtype))
        below = emit("add", (emit("sqrt", (moved[1],))[0], small))[0]
        with get_default_graph().control_dependencies(means):
            step = emit("div", (emit("mul", (rate, moved[0]))[0], below))[0]
            return assign_sub(variable, step, name="ApplyAdam")

    def finish(self, updates: Sequence[Any]) -> list[Any]:
        """The powers of beta rise, after all have read them."""
        with get_default_graph().control_dependencies(updates):
            return [
                assign(power, scaled(power.value(), beta))
                for power, beta in zip(self.powers, self.betas, strict=True)
            ]


def get_or_create_global_step() -> Variable:
    """The variable that counts steps."""
    graph = get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if found:
        return found[0]  # type: ignore[no-any-return]
    made = Variable(np.int64(0), trainable=False, name="global_step", dtype=int64)
    graph.add_to_collection(GraphKeys.GLOBAL_STEP, made)
    return made


__all__ = [
    "AdamOptimizer", "GradientDescentOptimizer", "Optimizer",
    "get_or_create_global_step",
]  # fmt: skip
