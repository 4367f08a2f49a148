"""Execution of a graph: each needed operation once, in the order in which they were made.

A *plan* is the list of operations that some symbols need, without those above what is fed. Running
it fills an environment, a dict from symbols to arrays. Loops and branches run the plans of their
regions in environments of their own, which begin with what they capture. Nothing here recurses
over the graph; only over how deep loops lie in each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..optable.declare import ARRAYS
from .errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    OpError,
    while_running,
)
from .graph import Operation, Region
from .inference import symbolic
from .listener import current
from .symbol import Symbol
from .tensor_shape import list_text

Env = dict[Symbol, Any]


class State:
    """State of a session between runs: the variables' values, and the source of random numbers."""

    def __init__(self) -> None:
        self.variables: dict[Operation, np.ndarray] = {}
        self.generators: dict[Operation, np.random.Generator] = {}
        self.plans: dict[Any, list[Operation]] = {}
        self.captures: dict[Any, list[Symbol]] = {}


class Ref:
    """A variable itself, among values: read when something asks for its value."""

    __slots__ = ("operation", "state")

    def __init__(self, state: State, operation: Operation) -> None:
        self.state, self.operation = state, operation

    def read(self, reader: Operation | None = None) -> np.ndarray:
        """Its value now.

        Raises:
            FailedPreconditionError: it has none yet.
        """
        found = self.state.variables.get(self.operation)
        if found is None:
            name = self.operation.name
            text = f"Attempting to use uninitialized value {name}"
            where = "" if reader is not None else f"_retval_{name}_0_0"
            raise while_running(FailedPreconditionError, reader or self.operation, text, where)
        return found


# Which operations ------------------------------------------------------------------------------
def plan(wanted: Iterable[Operation], fed: Iterable[Symbol], region: Region) -> list[Operation]:
    """The operations of a region that these need, in order."""
    given = set(fed)
    found: dict[int, Operation] = {}
    left = list(wanted)
    while left:
        operation = left.pop()
        if operation._id in found or not region_holds(region, operation):
            continue
        if operation.outputs and given.issuperset(operation.outputs):
            continue
        found[operation._id] = operation
        left += operation.control_inputs
        left += (each.op for each in operation.operands if each not in given)
        for inner in operation.regions:
            needed = {each._id for each in plan(outputs_of(inner), inner.inputs, inner)}
            left += (each.op for each in inner.captures(needed) if each not in given)
    return [found[place] for place in sorted(found)]


def outputs_of(region: Region) -> list[Operation]:
    """The operations that give a region's outputs."""
    return [each.op for each in region.outputs]


def region_holds(region: Region, operation: Operation) -> bool:
    """Return whether an operation stands directly in a region."""
    return operation.region is region


def region_plan(state: State, region: Region) -> list[Operation]:
    """The plan for a region's outputs. What they do not need does not run, as in TensorFlow."""
    key = region, len(region.outputs)  # a gradient asks for more of them
    found = state.plans.get(key)
    if found is None:
        found = plan(outputs_of(region), region.inputs, region)
        state.plans[key] = found
    return found


# Running them ------------------------------------------------------------------------------------
def execute(operations: Sequence[Operation], env: Env, state: State) -> None:
    """Run operations; ``env`` holds what was fed and receives what they give."""
    for operation in operations:
        try:
            run = KINDS.get(operation.type) if operation.op is None else run_table_op
            found = run(operation, env, state)  # type: ignore[misc]
        except OpError:
            raise
        except Exception as error:
            raise while_running(
                InvalidArgumentError, operation, words(operation, env, error)
            ) from error
        for symbol, value in zip(operation.outputs, found, strict=True):
            if symbol not in env:  # it may have been fed
                env[symbol] = value
        if current.listener is not None:
            current.listener.computed(operation, [env[each] for each in operation.outputs])


def words(operation: Operation, env: Env, error: Exception) -> str:
    """Return the message of a failure: TensorFlow's for shapes that do not fit, or its own."""
    shapes = [np.shape(env[each]) for each in operation.inputs if each in env]
    if "ZeroDivision" in f"{type(error).__name__}{error}":
        return "Integer division by zero"
    if operation.type == "GatherV2" and isinstance(error, IndexError):
        return out_of_range(operation, env, shapes[0]) or str(error)
    if operation.op is not None and operation.op.pointwise and len(shapes) == 2:
        return f"Incompatible shapes: {list_text(shapes[0])} vs. {list_text(shapes[1])}"
    if operation.type == "MatMul" and len(shapes) == 2:
        return (
            f"Matrix size-incompatible: In[0]: {list_text(shapes[0])}, In[1]: "
            f"{list_text(shapes[1])}"
        )
    return str(error) or type(error).__name__


def out_of_range(operation: Operation, env: Env, shape: Any) -> str:
    """Return the message that names the index which does not exist."""
    places = np.asarray(env[operation.operands[1]]).reshape(-1)
    count = shape[operation.params.get("dim", 0)]
    wrong = next((each for each in places if not 0 <= each < count), None)
    return "" if wrong is None else f"indices = {wrong} is not in [0, {count})"


def value_of(symbol: Symbol, env: Env, reader: Operation | None = None) -> Any:
    """A symbol's value, a variable's own where it stands for one."""
    found = env[symbol]
    return found.read(reader) if found.__class__ is Ref else found


def settled(value: Any, env: Env) -> Any:
    """Params with what the symbols in them turned out to be."""
    if isinstance(value, Symbol):
        found = value_of(value, env)
        return found.tolist() if found.dtype.kind in "iub" and found.ndim <= 1 else found
    if isinstance(value, (tuple, list)):
        return type(value)(settled(each, env) for each in value)
    return value


def run_table_op(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """Run the op's kernel on the operands."""
    op = operation.op
    assert op is not None
    arrays = [None if each is None else value_of(each, env, operation) for each in operation.inputs]
    params = list(operation.params.values())
    if params and symbolic(params):
        params = [
            tuple(None if each is None else value_of(each, env) for each in value)
            if name == "indices" else shape_like(settled(value, env))
            for name, value in operation.params.items()
        ]  # fmt: skip
    with np.errstate(all="ignore"):
        found = op.kernel(arrays, *params) if op.variadic else op.kernel(*arrays, *params)
    if not op.single or op.kept:
        return [as_array(each) for each in found]
    return (found if found.__class__ is np.ndarray else as_array(found),)


def shape_like(value: Any) -> Any:
    """A list of sizes as the tuple that kernels take."""
    return tuple(value) if isinstance(value, list) else value


def as_array(value: Any) -> Any:
    """numpy's scalars as arrays; what else kernels keep as it is."""
    return np.asarray(value) if isinstance(value, np.generic) else value


# What is no op of the table --------------------------------------------------------------------
def run_placeholder(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """Refuse a placeholder without a value.

    Raises:
        InvalidArgumentError: always.
    """
    symbol = operation.outputs[0]
    shape = f" and shape {list_text(symbol.sizes)}" if symbol.sizes else ""
    text = (
        f"You must feed a value for placeholder tensor '{operation.name}' with dtype "
        f"{symbol.dtype.code}{shape}"
    )
    raise while_running(InvalidArgumentError, operation, text)


def run_constant(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """The constant's array."""
    return (operation.params["value"],)


def run_shape(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """The sizes of a value."""
    (symbol,) = operation.operands
    dtype = operation.outputs[0].dtype.numpy
    return (np.array(np.shape(value_of(symbol, env, operation)), dtype),)


def run_sum_to(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """The sum over what a broadcast stretched."""
    symbol = operation.operands[0]
    shape = tuple(settled(operation.params["shape"], env))
    return (ARRAYS.sum_to_size(value_of(symbol, env, operation), shape),)


def run_variable(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """The variable itself."""
    return (Ref(state, operation),)


def run_read(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """Return a variable's current value; other operands unchanged."""
    return (value_of(operation.operands[0], env, operation),)


def run_assign(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """Give a variable a value, or add to the one it has."""
    target, symbol = operation.operands
    ref: Ref = env[target]
    value = value_of(symbol, env, operation)
    if operation.type == "Assign":
        value = np.array(value)
    else:
        change = np.add if operation.type == "AssignAdd" else np.subtract
        value = change(ref.read(operation), value, out=...)
    value.flags.writeable = False
    state.variables[ref.operation] = value
    return (ref,)


def run_nothing(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """Do nothing: it waits for others."""
    return ()


def run_random(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """New random numbers in each run."""
    generator = state.generators.get(operation)
    if generator is None:
        generator = np.random.default_rng(operation.params["seed"])
        state.generators[operation] = generator
    shape = tuple(settled(operation.params["shape"], env))
    dtype = operation.outputs[0].dtype.numpy
    found = operation.params["draw"](generator, shape)
    return (np.asarray(found).astype(dtype),)


def captured(region: Region) -> list[Symbol]:
    """Return the symbols that a region reads from outside to give its outputs."""
    return region.captures({each._id for each in plan(outputs_of(region), region.inputs, region)})


def inner_env(region: Region, env: Env, state: State) -> Env:
    """Return the environment that a region captures."""
    key = "captures", region, len(region.outputs)
    found = state.captures.get(key)
    if found is None:
        found = state.captures[key] = captured(region)
    return {each: env[each] for each in found}


def run_region(region: Region, captured: Env, given: Sequence[Any], state: State) -> list[Any]:
    """A region's outputs for these inputs; ``captured`` is left as it is."""
    env = dict(captured)
    env.update(zip(region.inputs, given, strict=True))
    if current.listener is not None:
        current.listener.entered(region, given)
    execute(region_plan(state, region), env, state)
    return [value_of(each, env) for each in region.outputs]


def run_while(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """Repeat the body while the condition holds. The last result is the list of what each iteration
    began with, which the gradient walks back."""
    test, body = operation.regions
    outside = [inner_env(region, env, state) for region in (test, body)]
    values = [value_of(each, env, operation) for each in operation.operands]
    history: list[list[Any]] = []
    keep = operation.params["keep"]
    limit = operation.params["maximum_iterations"]
    count = 0
    while (limit is None or count < limit) and run_region(test, outside[0], values, state)[0]:
        found = run_region(body, outside[1], values, state)
        kept = len(operation.outputs) - 1
        if keep[0]:
            history.append([*values, *found[kept:]])
        values = found[:kept]
        count += 1
    return [*values, history]


def run_while_grad(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """Walk a loop's iterations back: from the gradients of an iteration's results to those of its
    initial values, adding up those of captured values."""
    (step,) = operation.regions
    history, *grads = (value_of(each, env, operation) for each in operation.operands)
    outside = inner_env(step, env, state)
    count = operation.params["carried"]
    values, sums = grads[:count], grads[count:]
    for entry in reversed(history):
        found = run_region(step, outside, [*entry, *values], state)
        values, added = found[:count], found[count:]
        sums = [a + b for a, b in zip(sums, added, strict=True)]
    return [*values, *sums]


def run_cond(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """The branch that the first operand chooses."""
    chosen = value_of(operation.operands[0], env, operation)
    if chosen.ndim:
        raise ValueError(f"The pred of a cond must be a scalar, but has shape {chosen.shape}")
    region = operation.regions[0 if chosen else 1]
    return run_region(region, inner_env(region, env, state), (), state)


def run_print(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """Show values, and pass the first on."""
    first, *shown = (value_of(each, env, operation) for each in operation.operands)
    print(operation.params["message"] + "".join(f"[{each}]" for each in shown))
    return (first,)


def run_assert(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """Do nothing if the condition holds.

    Raises:
        InvalidArgumentError: it does not.
    """
    condition, *data = (value_of(each, env, operation) for each in operation.operands)
    if not np.all(condition):
        shown = " ".join(f"[{each}]" for each in data)
        text = f"assertion failed: {shown}"
        raise while_running(InvalidArgumentError, operation, text)
    return ()


KINDS: dict[str, Callable[[Operation, Env, State], Sequence[Any]]] = {
    "Placeholder": run_placeholder, "PlaceholderWithDefault": run_read, "Const": run_constant,
    "Shape": run_shape, "SumTo": run_sum_to,
    "VariableV2": run_variable, "Identity": run_read, "Assign": run_assign,
    "AssignAdd": run_assign, "AssignSub": run_assign, "NoOp": run_nothing, "Random": run_random,
    "While": run_while, "WhileGrad": run_while_grad, "Cond": run_cond, "Print": run_print,
    "Assert": run_assert, "Exit": run_read, "Merge": run_read,
}  # fmt: skip
"""Functions that run the kinds of operations that are no op of the table."""

OURS = frozenset(KINDS) - {"Print"} | {"Argument"}
"""Kinds that neither print nor call what is the user's, as those may that others add."""
