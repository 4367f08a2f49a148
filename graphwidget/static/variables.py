"""Variables: what keeps its value between runs, in the session that runs it.

A variable is four operations: itself (``v``, of a ``_ref`` type), its initial value, ``v/Assign``
which gives it that, and ``v/read``, what it holds when something asks.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

from .convert import convert_to_tensor, ref_spec
from .dtypes import DType
from .graph import Graph, Operation, get_default_graph
from .listener import default_session
from .operators import operators
from .symbol import Spec, Symbol
from .tensor_shape import TensorShape, list_text, merged

GLOBAL, TRAINABLE, LOCAL = "variables", "trainable_variables", "local_variables"


class GraphKeys:
    """The names of collections."""

    GLOBAL_VARIABLES = GLOBAL
    TRAINABLE_VARIABLES = TRAINABLE
    LOCAL_VARIABLES = LOCAL
    GLOBAL_STEP = "global_step"
    LOSSES = "losses"
    REGULARIZATION_LOSSES = "regularization_losses"
    SUMMARIES = "summaries"


class Variable:
    """A value that operations change, such as a weight."""

    def __init__(
        self, initial_value: Any = None, trainable: bool = True, collections: Any = None,
        validate_shape: bool = True, name: str | None = None, dtype: Any = None,
        ignore_name_scope: bool = False,
    ) -> None:  # fmt: skip
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        graph = get_default_graph()
        # Made outside what is being built conditionally: it is there whatever happens.
        root = None if ignore_name_scope else "keep"
        with graph.entering(graph.root), _scope(graph, root), \
                graph.name_scope(name or "Variable") as scope:  # fmt: skip
            value = initial_value() if callable(initial_value) else initial_value
            self.initial_value = convert_to_tensor(value, dtype, name="initial_value")
            made = graph.create("VariableV2", (), [ref_spec(self.initial_value)], name=scope)
            self.ref = made.outputs[0]
            self.initializer = _assign("Assign", self.ref, self.initial_value, "Assign").op
            spec = Spec(self.initial_value.dtype.base_dtype, self.ref.sizes)
            self._read = graph.create("Identity", (self.ref,), [spec], name="read").outputs[0]
        self.trainable = trainable
        names = [GLOBAL] if collections is None else list(collections)
        for each in [*names, *([TRAINABLE] if trainable else [])]:
            graph.add_to_collection(each, self)

    def _as_graph_tensor(self) -> Symbol:
        return self._read

    def _as_graph_element(self) -> Symbol:
        return self.ref

    # What it is ----------------------------------------------------------------------------
    @property
    def op(self) -> Operation:
        """The operation that is the variable itself."""
        return self.ref.op  # type: ignore[no-any-return]

    @property
    def name(self) -> str:
        """``v:0``."""
        return self.ref.name

    @property
    def graph(self) -> Graph:
        """The graph that it belongs to."""
        return self.ref.op.graph  # type: ignore[no-any-return]

    @property
    def dtype(self) -> DType:
        """The type, as that of a variable itself."""
        return self.ref.dtype

    @property
    def shape(self) -> TensorShape:
        """Its shape."""
        return self.ref.shape

    @property
    def device(self) -> str:
        """Always empty."""
        return ""

    def get_shape(self) -> TensorShape:
        """Its shape."""
        return self.ref.shape

    def value(self) -> Symbol:
        """Return the value."""
        return self._read

    def read_value(self) -> Symbol:
        """Return the value at the time when the operation made here runs."""
        spec = Spec(self.dtype.base_dtype, self.ref.sizes)
        return self.graph.create("Identity", (self.ref,), [spec], name="read").outputs[0]

    def initialized_value(self) -> Symbol:
        """Its initial value, which is known before it has one."""
        return self.initial_value

    # What changes it -----------------------------------------------------------------------
    def assign(self, value: Any, use_locking: bool = False, name: str | None = None,
               read_value: bool = True) -> Symbol:  # fmt: skip
        """An operation that gives it a value."""
        return assign(self, value, name=name)

    def assign_add(self, delta: Any, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> Symbol:  # fmt: skip
        """An operation that adds to it."""
        return assign_add(self, delta, name=name)

    def assign_sub(self, delta: Any, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> Symbol:  # fmt: skip
        """An operation that subtracts from it."""
        return assign_sub(self, delta, name=name)

    def load(self, value: Any, session: Any = None) -> None:
        """Give it a value at once, in a session."""
        found = session or default_session()
        found.run(self.initializer, {self.initial_value: value})

    def eval(self, session: Any = None) -> Any:
        """Return the value, in the default session or another."""
        return self._read.eval(session=session)

    def __iter__(self) -> Any:
        return iter(self._read)

    def __str__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    __repr__ = __str__


def _scope(graph: Graph, root: str | None) -> Any:
    return graph.name_scope(None) if root is None else contextlib.nullcontext()


def _through_value(operator: Callable[..., Any]) -> Callable[..., Any]:
    """An operator of symbols, for variables: it works on what they hold."""
    return lambda self, *others: operator(self._read, *others)


for _name, _operator in operators().items():
    setattr(Variable, _name, _through_value(_operator))


# Assigning ---------------------------------------------------------------------------------------
def _assign(type: str, ref: Symbol, value: Any, name: str | None) -> Symbol:
    graph = ref.graph
    with graph.name_scope(name or type) as scope:
        try:
            symbol = convert_to_tensor(
                value, None if isinstance(value, Symbol) else ref.dtype.base_dtype, name="value"
            )
        except TypeError as error:
            raise TypeError(
                f"Expected {ref.dtype.base_dtype.name} passed to parameter 'value' of op '{type}', "
                f"got {value!r} of type '{value.__class__.__name__}' instead. Error: {error}"
            ) from None
        if symbol.dtype.base_dtype != ref.dtype.base_dtype:
            raise TypeError(
                f"Input 'value' of '{type}' Op has type {symbol.dtype.base_dtype.name} that does "
                f"not match type {ref.dtype.base_dtype.name} of argument 'ref'."
            )
        if merged(ref.sizes, symbol.sizes) is False:
            raise ValueError(_misfit(type, scope[:-1], ref, symbol))
        return graph.create(type, (ref, symbol), [ref.spec], name=scope).outputs[0]  # type: ignore[no-any-return]


def _misfit(type: str, name: str, ref: Symbol, value: Symbol) -> str:
    one, two = ref.sizes or (), value.sizes or ()
    what = (
        f"Shapes must be equal rank, but are {len(one)} and {len(two)}"
        if len(one) != len(two)
        else next(
            f"Dimension {i} in both shapes must be equal, but are {a} and {b}. Shapes are "
            f"{list_text(one)} and {list_text(two)}."
            for i, (a, b) in enumerate(zip(one, two, strict=True)) if a != b
        )
    )  # fmt: skip
    flags = "use_locking=true, validate_shape=true" if type == "Assign" else "use_locking=false"
    return (
        f"{what} for '{{{{node {name}}}}} = {type}[T=DT_{ref.dtype.code.upper()}, {flags}]"
        f"({ref.op.name}, {value.op.name})' with input shapes: {list_text(one)}, {list_text(two)}."
    )


def itself(ref: Any) -> Symbol:
    """The variable itself, of a Variable or of what an assignment gave."""
    found = getattr(ref, "ref", ref)
    assert isinstance(found, Symbol)
    return found


def assign(ref: Any, value: Any, validate_shape: bool = True, use_locking: bool = True,
           name: str | None = None) -> Symbol:  # fmt: skip
    """An operation that gives a variable a value, and gives the variable."""
    return _assign("Assign", itself(ref), value, name)


def assign_add(ref: Any, value: Any, use_locking: bool = False, name: str | None = None) -> Symbol:
    """An operation that adds to a variable, and gives the variable."""
    return _assign("AssignAdd", itself(ref), value, name)


def assign_sub(ref: Any, value: Any, use_locking: bool = False, name: str | None = None) -> Symbol:
    """An operation that subtracts from a variable, and gives the variable."""
    return _assign("AssignSub", itself(ref), value, name)


# All of them -------------------------------------------------------------------------------------
def global_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the graph."""
    return get_default_graph().get_collection(GLOBAL, scope)


def trainable_variables(scope: str | None = None) -> list[Variable]:
    """Return the variables that optimizers change."""
    return get_default_graph().get_collection(TRAINABLE, scope)


all_variables = global_variables


def group(*inputs: Any, name: str | None = None) -> Operation:
    """An operation that does nothing but wait until all of these ran."""
    graph = get_default_graph()
    flat = [each for given in inputs
            for each in (given if isinstance(given, (list, tuple)) else [given])]  # fmt: skip
    with graph.control_dependencies(flat):
        return graph.create("NoOp", (), (), name=name or "group_deps")


def no_op(name: str | None = None) -> Operation:
    """An operation that does nothing."""
    return get_default_graph().create("NoOp", (), (), name=name or "NoOp")


def variables_initializer(var_list: Iterable[Variable], name: str = "init") -> Operation:
    """An operation that gives variables their initial values."""
    return group(*(each.initializer for each in var_list), name=name)


def global_variables_initializer() -> Operation:
    """An operation that gives all variables their initial values."""
    return variables_initializer(global_variables())


initialize_all_variables = global_variables_initializer


def local_variables_initializer() -> Operation:
    """An operation that gives all local variables their initial values."""
    return variables_initializer(get_default_graph().get_collection(LOCAL))
