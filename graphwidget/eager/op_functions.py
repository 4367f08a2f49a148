"""The function of each op, generated from its declaration: it computes and records the node.

Like ``attrs`` and ``dataclasses``, this writes Python source from a declaration, once for each
op. A record function is flat: it runs the kernel, makes the result and, where a gradient is
wanted, one node: of the class for the inputs that need it.

Every generated function has the module ``runtime`` as its globals.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ..graph import errors, runtime
from ..graph.node import Node, Output, edge_of, save_input, save_output
from ..graph.tensor import Tensor
from ..graph.views import as_view, refresh_for_op
from ..optable.declare import ARRAYS, COMPOSITES, REQUIRED, TABLE, Op, bind
from .compute_source import compute_source, own_name, refresh_source, result_may_be_integer
from .lazy import compile_function, lazy_function
from .node_classes import (
    TENSORS,
    may_broadcast,
    node_class,
    node_class_name,
    target_choices,
    target_slots,
)
from .overridable import ask_source
from .promote import ABSENT, quiet_kernel, quiet_lines


def record_list_input(op: Op) -> Callable[..., Any]:
    """The record function of an op on a list of tensors (``cat``)."""
    class_of, kernel = cache(lambda: node_class(op, op.inputs)), quiet_kernel(op.key)

    names = op.metadata(op.inputs)

    def record(tensors: Any, *args: Any, **params: Any) -> Any:
        tensors = tuple(tensors)
        if args:
            params = {**dict(zip(op.params, args, strict=False)), **params}
        data = kernel([tensor._data for tensor in tensors], **params)
        out = Tensor._wrap(data)
        which = []
        for i, tensor in enumerate(tensors):
            if tensor._view is not None:
                refresh_for_op(tensor)
            if tensor._requires_grad:
                which.append(i)
        node: Any = None
        if which and runtime.mode.enabled:
            if not out._meta.floating:  # a write into them may have asked for gradients
                raise errors.not_differentiable(data.dtype)
            node = class_of()()
            node.start(tuple([edge_of(tensors[i]) for i in which]))
            node.which, node.count, node.unused = tuple(which), len(tensors), ()
            metas = [tensor._meta for tensor in tensors]
            if any(meta.dtype is not out._meta.dtype for meta in metas):
                node.fit = tuple([metas[i] for i in which])
            shapes = {f"_{op.inputs[0]}_shape": tuple([meta.shape for meta in metas])}
            for name in names:
                setattr(node, "p_" + name, params[name] if name in params else shapes[name])
            out._node, out._requires_grad = node, True
        if runtime.observer is not None:
            runtime.observer.called(op, (tensors,), params, (out,), node)
        return out

    return record


def record_several_outputs(op: Op) -> Callable[..., Any]:
    """The record function of an op with several outputs (``max.dim``, ``unbind``)."""
    class_of, kernel = cache(lambda targets: node_class(op, targets)), quiet_kernel(op.key)
    count = len(op.inputs)
    defaults = {name: value for name, value in op.params.items() if value is not REQUIRED}

    def record(*args: Any, **params: Any) -> Any:
        tensors = tuple([ABSENT if tensor is None else tensor for tensor in args[:count]])
        params = {**defaults, **dict(zip(op.params, args[count:], strict=False)), **params}
        found = kernel(*[tensor._data for tensor in tensors], **params)
        shown = found[: len(op.outputs)] if op.kept else found
        outs: tuple[Any, ...] = tuple(
            [None if data is None else Tensor._wrap(data) for data in shown]
        )
        for tensor in tensors:
            if tensor._view is not None:
                refresh_for_op(tensor)
        node: Any = None
        given = dict(zip(op.inputs, tensors, strict=True))
        targets = tuple([name for name in op.derivatives if given[name]._requires_grad])
        if targets and runtime.mode.enabled:
            first = outs[0] if outs else None
            if first is not None and not first._meta.floating:
                raise errors.not_differentiable(first._data.dtype)
            node = class_of(targets)()
            besides = zip(op.kept, found[len(outs) :], strict=True) if op.kept else ()
            given.update((name, Tensor._wrap(data)) for name, data in besides)
            start_node(node, given, outs, params)
        if op.view:
            for nr, out in enumerate(outs):
                as_view(out, tensors[0], op, params, nr)
        if runtime.observer is not None:
            made = tuple([out for out in outs if out is not None])
            runtime.observer.called(op, tensors, params, made, node)
        return outs

    return record


def start_node(
    node: Any, given: Mapping[str, Any], outs: Sequence[Any], params: Mapping[str, Any]
) -> None:
    """Make a node with several outputs part of the graph, and save what it needs: of the tensors
    ``given`` by name, of the outputs and of the metadata."""
    op = node.op
    node.start(tuple([edge_of(given[name]) for name in node.targets]))
    node.metas = [None if out is None else out._meta for out in outs]
    for slot, name, source, what in metadata_slots(node.__class__):
        value = params[name] if name in params else getattr(given[source]._meta, what)
        setattr(node, slot, value)
    for nr, out in enumerate(outs):
        if out is not None and out._meta.floating:
            out._node, out._requires_grad = Output(node, nr), True
    for name in node.saves:
        if name in op.outputs:
            save_output(node, name, outs[op.outputs.index(name)])
        else:
            save_input(node, name, given[name])


@cache
def metadata_slots(cls: Any) -> list[tuple[str, str, str, str]]:
    """The slots for metadata of a node class, each with its name, and with the input and what of
    it is kept there where it is no param (``self_shape``)."""
    pieces = [(name, name.lstrip("_").rpartition("_")) for name in cls.op.metadata(cls.targets)]
    return [("p_" + name, name, source, what) for name, (source, _, what) in pieces]


__all__ = ["TENSORS", "fill_namespace", "node_maker"]


STARTED = "grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()"


def new_node_source(op: Op, targets: tuple[str, ...], indent: str) -> list[str]:
    """Lines that make the node with these targets (outputs are saved later)."""
    lines = [f"node = {node_class_name(op, targets)}()"]
    for slot, name in zip(target_slots(targets), targets, strict=True):
        place = f"{name}._node or ({name}._accumulator or nothing)() or accumulator({name})"
        lines.append(f"node.{slot} = {place}")
    lines.append(f"node.{STARTED}")
    if may_broadcast(op):
        index = [op.inputs.index(name) for name in targets]
        picked = ", ".join(f"fit[{i}]" for i in index)
        lines.append(f"node.fit = None if fit is None else ({picked},)")
    elif "dtype" in op.params and op.name != "to_copy":  # computed in another type: cast back
        metas = ", ".join(f"{name}._meta" for name in targets)
        lines.append(f"node.fit = None if dtype is None else ({metas},)")
    else:
        lines.append("node.fit = None")
    for name in op.saved_by(targets):
        if name in op.inputs:
            counter = f"{name}._counter"  # a tensor without a counter was never written
            version = f"0 if {counter} is None else {counter}.version_to_save"
            lines.append(f"node.saved_{name} = {name}; node.version_{name} = {version}")
        elif name in op.kept:
            lines.append(f"node.saved_{name} = wrap({name}); node.version_{name} = 0")
    lines += [f"node.p_{name} = {metadata_source(op, name)}" for name in op.metadata(targets)]
    return [indent + line for line in lines]


def metadata_source(op: Op, name: str) -> str:
    """The expression for a piece of metadata in a record function."""
    if name in op.params or name in op.hidden:
        return name
    source, _, what = name.lstrip("_").rpartition("_")
    attribute = {
        "shape": "_meta.shape", "strides": "_data.strides", "dtype": "_meta.dtype",
        "dim": "_meta.ndim",
    }[what]  # fmt: skip
    return f"{source}.{attribute}"


def choose_node_source(op: Op, indent: str) -> list[str]:
    """The decision which inputs have an edge, down to the node for these. What the only derivative
    of an op reads is kept in any case, and what has no derivative has an edge to all inputs."""
    if len(op.derivatives) == 1:
        return new_node_source(op, tuple(op.derivatives), indent)
    test = "_requires_grad" if op.node == "NotImplemented" else "_requires_grad is True"

    def descend(left: tuple[str, ...], chosen: tuple[str, ...], indent: str) -> list[str]:
        if not left:
            return (
                new_node_source(op, chosen, indent)
                if chosen
                else [f"{indent}node = edgeless({op.key!r})"]
            )
        name, rest = left[0], left[1:]
        yes = descend(rest, (*chosen, name), indent + "    ")
        no = descend(rest, chosen, indent + "    ")
        return [f"{indent}if {name}.{test}:", *yes, f"{indent}else:", *no]

    return descend(tuple(op.derivatives), (), indent)


def signature_source(op: Op) -> str:
    """The parameters of the record function."""
    params = []
    for name, default in op.params.items():
        params.append(name if default is REQUIRED else f"{name}={default!r}")
    given = REQUIRED in op.params.values()  # then what stands before must be given too
    tensors = [f"{name}=None" if name in op.optional and not given else name for name in op.inputs]
    return ", ".join([*tensors, *params])


def record_source(op: Op, operator: str = "") -> str:
    """The source of the record function of an op with one output and fixed inputs, or of what an
    operator of Python's (``__add__``) calls: the same, which asks for overrides."""
    names = ", ".join(op.inputs)
    params = ", ".join(f"{name!r}: {name}" for name in op.params)
    computed = compute_source(op, operator)
    lines = [f"def record({signature_source(op)}):"]
    if operator:
        lines.append(ask_source(f"OPERATOR{operator}", f"{names},", "{}", "    "))
    lines += quiet_lines(computed, "    ") if op.warns else computed
    lines += [
        "    out = new(Tensor)",
        "    out._data = found; out._meta = meta",
        "    out._counter = out._grad = out._hooks = out._view = out._rec = None",
        "    out._accumulator = None",
    ]
    lines += refresh_source(op, True)
    if op.derivatives:
        wanted = " or ".join(f"{name}._requires_grad" for name in op.derivatives)
        wanted = f"({wanted})" if len(op.derivatives) > 1 else wanted
        wanted += " and (grad_everywhere or grad_mode.enabled)"
        if result_may_be_integer(op):
            lines.append(f"    if {wanted} and meta.floating:")
        else:
            lines.append(f"    if {wanted}:")
            lines.append("        if not meta.floating: raise not_differentiable(found.dtype)")
        lines += choose_node_source(op, "        ")
        lines += ["        out._node = node; out._requires_grad = True"]
        if any(name in d.needs for d in op.derivatives.values() for name in op.outputs):
            conditional = len(op.derivatives) > 1  # one without edges saves nothing
            own = op.outputs[0]
            # The counter is made when the result first needs one: ``counter_of`` finds the node.
            save = f"node.saved_{own} = found; node.counter_{own} = None; node.version_{own} = 0"
            test = "if node.own is not None: " if conditional else ""
            lines.append(f"        {test}{save}")
        lines += ["    else:", "        node = out._node = None; out._requires_grad = False"]
    else:
        lines.append("    node = out._node = None; out._requires_grad = False")
    if op.view:
        lines.append(f"    as_view(out, {op.inputs[0]}, {own_name('OP', op)}, {{{params}}})")
    lines += [
        "    if observer is not None:",
        f"        observer.called({own_name('OP', op)}, ({names},), {{{params}}}, (out,), node)",
        "    return out",
    ]
    return "\n".join(lines)


def make_node_source(op: Op) -> str:
    """The source of ``make_node(inputs..., params..., fit)``: the node, for in-place writes."""
    lines = [f"def make_node({', '.join([*op.inputs, *op.params, 'fit'])}):"]
    wanted = " or ".join(f"{name}._requires_grad" for name in op.derivatives)
    lines += [
        f"    if not ({wanted}): return None",
        *choose_node_source(op, "    "),
        "    return node",
    ]
    return "\n".join(lines)


# When it is first used --------------------------------------------------------------------------
# Writing and compiling the functions of all ops would take most of a second. Each is therefore a
# stub until it is called; then it takes over the written one's code and stays the same object.


def one_line_docstring(op: Op) -> str:
    """Return the docstring of an op's functions."""
    return f"``{op.text.replace('{', '').replace('}', '')}``; node {op.node}."


def lazy_op_function(what: str, op: Op) -> Callable[..., Any]:
    """A function of an op (``record`` or ``make_node``), not written yet."""
    function = lazy_function(op.name, build_op_function, op_signature, op.kernel, what, op.key)
    function.__module__ = "graphwidget"
    function.__doc__ = one_line_docstring(op)
    return function  # type: ignore[no-any-return]


def op_signature(_: str, key: str) -> inspect.Signature:
    """The signature of an op's functions."""
    return TABLE[key].signature()


def build_op_function(_: Any, what: str, key: str) -> types.FunctionType:
    """A function of an op."""
    op = TABLE[key]
    provide_names(op)
    source = make_node_source(op) if what == "make_node" else record_source(op)
    return compile_function(source, key, runtime.__dict__)


def provide_names(op: Op) -> None:
    """Put among the globals what the functions of an op find there: itself, its kernel, its node
    classes."""
    if own_name("OP", op) not in runtime.__dict__:
        runtime.__dict__[own_name("kernel", op)] = op.kernel
        for targets in target_choices(op):
            runtime.__dict__[node_class_name(op, targets)] = node_class(op, targets)
        runtime.__dict__[own_name("OP", op)] = op


def record_body(record: Any) -> list[str] | None:
    """The lines of a record function, without the first, for others that do the same; None for
    what is no such function."""
    op = RECORDED.get(record)
    if op is None:
        return None
    provide_names(op)
    return record_source(op).split("\n")[1:]


def operator(name: str, key: str) -> Callable[..., Any]:
    """Return the function that Python's operator of a name (``__add__``) calls."""
    op = TABLE[key]

    def write(_: Any) -> types.FunctionType:
        provide_names(op)
        return compile_function(record_source(op, name), key, runtime.__dict__)

    made = runtime.__dict__[f"OPERATOR{name}"] = lazy_function(name, write, op.signature, op.kernel)
    made.__module__, made.__doc__ = "graphwidget", one_line_docstring(op)
    return made  # type: ignore[no-any-return]


def alias_as(cls: type[Tensor], tensor: Tensor) -> Any:
    """``alias`` as an instance of a class of tensors: the same memory and history."""
    op = TABLE["alias"]
    if tensor._view is not None:
        refresh_for_op(tensor)
    out: Any = runtime.new(cls)
    out._set_data(op.kernel(tensor._data))
    node = node_maker("alias")(tensor, None) if runtime.mode.enabled else None
    if node is not None:
        out._node, out._requires_grad = node, True
    as_view(out, tensor, op, {})
    if runtime.observer is not None:
        runtime.observer.called(op, (tensor,), {}, (out,), node)
    return out


RECORDED: dict[Any, Op] = {}
"""The ops of written record functions."""


@cache
def node_maker(key: str) -> Callable[..., Node | None]:
    """For in-place writes: the function that makes an op's node."""
    return lazy_op_function("make_node", TABLE[key])


def fill_namespace() -> None:
    """Fill ``TENSORS`` (``F`` on Tensors) from the whole table."""
    for op in TABLE.values():
        if op.variadic or not op.single:
            record = (record_list_input if op.variadic else record_several_outputs)(op)
            record.__name__ = record.__qualname__ = op.name
            record.__signature__ = op.signature()  # type: ignore[attr-defined]
        else:
            record = lazy_op_function("record", op)
            RECORDED[record] = op
        TENSORS.__dict__[op.key.replace(".", "_")] = record
    for name, function in COMPOSITES.items():
        ARRAYS.__dict__.setdefault(name, bind(function, ARRAYS))
        TENSORS.__dict__[name] = bind(function, TENSORS)
    for key in TABLE:
        if key.endswith(".number"):
            record = TENSORS.__dict__[key.replace(".", "_")]
            runtime.__dict__[f"number_{key.partition('.')[0]}"] = record


fill_namespace()
