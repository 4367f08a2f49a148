"""``export``: a function, module or static graph as an ONNX file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..static.graph import Graph, Operation
from ..static.nest import flatten
from ..static.runner import plan
from ..static.symbol import Symbol
from .dynamic import Sizes, axes_by_name, record_sizes
from .errors import OnnxExporterError, onnx_package
from .programs import Program, of_function, of_graph
from .value import Value
from .writer import Writer

IR_VERSION = 8
OPSET = 17
NEWEST = 20
"""The newest opset whose operators are written as they are defined there."""


def export(
    model: Any,
    args: Any = (),
    f: Any = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    verbose: bool | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    export_params: bool = True,
    keep_initializers_as_inputs: bool = False,
    dynamic_axes: Mapping[str, Any] | None = None,
    do_constant_folding: bool = True,
    dynamo: bool = True,
    external_data: bool = True,
    optimize: bool = True,
    training: Any = None,
) -> Any:
    """Write a function, a module (as in ``eval()``) or a static graph as an ONNX file.

    Of a ``static.Graph`` the outputs are the symbols that ``output_names`` names, or all that
    nothing reads; symbols can be given too. Its variables must have values in the session around.
    In-place writes become new values. Where Python looks at values, the export is refused.

    Args:
        args: example arguments, with which the function is recorded.
        f: a path, or a file open for bytes; None: the model is returned.
        dynamic_axes: which sizes may differ when the file runs: ``{"x": {0: "batch"}}``.
        opset_version: 17 to 20.
        export_params: False leaves the parameters' values out; they are inputs then.
        keep_initializers_as_inputs: let parameters be fed as well.
        verbose, do_constant_folding, dynamo, external_data, optimize, training: taken as PyTorch's
            function does, without effect.

    Raises:
        OnnxExporterError: there is no such file; the message names the operation and its line.
        ImportError: the package onnx is not installed.
    """
    onnx = onnx_package()
    opset = OPSET if opset_version is None else int(opset_version)
    if not OPSET <= opset <= NEWEST:
        raise ValueError(f"opset_version must be {OPSET} to {NEWEST}, not {opset_version}")
    static = isinstance(model, Graph) or any(isinstance(each, Symbol) for each in flatten(model))
    given = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    sizes: Sizes | None = None
    if static:
        program = of_graph(model, output_names)
        named = renamed(program, input_names)
        axes = axes_by_name(named, dynamic_axes, output_names)
        check_open(named, axes)
    else:
        program = of_function(model, given, kwargs or {})
        named = renamed(program, input_names)
        axes = axes_by_name(named, dynamic_axes, output_names)
        sizes = record_sizes(model, given, kwargs or {}, program, named, axes) if axes else None
    if not program.outputs:
        raise OnnxExporterError("there is no tensor among the results")
    names = output_list(program, output_names)
    made = written(
        onnx, program, named, names, opset, axes, sizes, export_params, keep_initializers_as_inputs
    )
    if f is None:
        return made
    if isinstance(f, (str, os.PathLike)):
        with open(f, "wb") as file:
            file.write(made.SerializeToString())
    else:
        f.write(made.SerializeToString())
    return None


def renamed(program: Program, names: Sequence[str] | None) -> dict[str, Symbol]:
    """The inputs by the names that the user wants.

    Raises:
        ValueError: there are more names than inputs.
    """
    symbols = list(program.inputs.values())
    given = list(names or ())
    if len(given) > len(symbols):
        raise ValueError(f"{len(given)} input_names were given for {len(symbols)} inputs")
    rest = list(program.inputs)[len(given) :]
    return dict(zip([*given, *rest], symbols, strict=True))


def output_list(program: Program, names: Sequence[str] | None) -> list[str]:
    """The names of the outputs.

    Raises:
        ValueError: there are more names than outputs.
    """
    count = len(program.outputs)
    given = list(names or ())
    if len(given) > count:
        raise ValueError(f"{len(given)} output_names were given for {count} outputs")
    usual = ["output"] if count == 1 else [f"output_{i}" for i in range(count)]
    return [*given, *usual[len(given) :]]


def check_open(inputs: Mapping[str, Symbol], axes: Mapping[tuple[str, int], str]) -> None:
    """Check that a static graph's placeholders leave the dynamic axes open.

    Raises:
        ValueError: one has a fixed size.
    """
    for name, axis in axes:
        sizes = inputs[name].sizes if name in inputs else None
        if sizes is not None and sizes[axis] is not None:
            raise ValueError(
                f"dim {axis} of placeholder '{name}' has the size {sizes[axis]}; give it None"
            )


def written(
    onnx: Any, program: Program, inputs: Mapping[str, Symbol], names: Sequence[str], opset: int,
    axes: Mapping[tuple[str, int], str], sizes: Sizes | None, export_params: bool, keep: bool,
) -> Any:  # fmt: skip
    """The model, checked."""
    w = Writer(onnx, opset)
    env: dict[Symbol, Value] = {}
    for name in (*inputs, *names):
        w.unique(name)
    for name, symbol in inputs.items():
        env[symbol] = Value(w, name, symbol.dtype.numpy, symbol.sizes)
    infos = [info(w, each, axes) for each in env.values()]
    operations = needed(program)
    read = {symbol for each in operations for symbol in every_operand(each)}
    for symbol, (name, array) in program.parameters.items():
        if symbol not in read and symbol not in program.outputs:
            continue
        value = Value(w, w.unique(name), array.dtype, array.shape)
        env[symbol] = value
        if export_params:
            w.initializers.append(onnx.numpy_helper.from_array(array, value.name))
        if keep or not export_params:
            infos.append(w.info(value))
    for name, symbol in zip(names, program.outputs, strict=True):
        if symbol.op.type not in ("Const", "Placeholder") and symbol not in w.preferred:
            w.preferred[symbol] = name
            w.names[name] -= 1
    if sizes is not None:
        sizes.apply(w, env)
    w.write(operations, env)
    outputs = []
    for name, symbol in zip(names, program.outputs, strict=True):
        value = env[symbol]
        found = value if value.name == name else w.called(value, name)
        outputs.append(info(w, found, axes))
    title = program.graph.root.operations[-1].name if program.graph.root.operations else "graph"
    prune(w, names)
    graph = onnx.helper.make_graph(w.nodes, title, infos, outputs, w.initializers)
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", opset)], producer_name="graphwidget",
        ir_version=IR_VERSION,
    )  # fmt: skip
    try:
        onnx.checker.check_model(model)
    except onnx.checker.ValidationError as error:
        raise OnnxExporterError(f"the file would not be valid: {error}") from error
    return model


def prune(w: Writer, outputs: Sequence[str]) -> None:
    """Leave out nodes and constants that no output needs."""
    wanted = set(outputs)
    kept = []
    for node in reversed(w.nodes):
        if wanted.intersection(node.output):
            kept.append(node)
            wanted.update(names_read(node))
    w.nodes[:] = reversed(kept)
    w.initializers[:] = [each for each in w.initializers if each.name in wanted]


def names_read(node: Any) -> list[str]:
    """The values that a node reads, in its subgraphs too."""
    inside = [
        name for attribute in node.attribute for each in attribute.g.node
        for name in names_read(each)
    ]  # fmt: skip
    return [*node.input, *inside]


def needed(program: Program) -> list[Operation]:
    """The operations that the outputs need, and the guards on the way."""
    given = [*program.inputs.values(), *program.parameters]
    roots = [each.op for each in program.outputs]
    roots += [each for each in program.graph.root.operations if each.type == "Guard"]
    return plan(roots, given, program.graph.root)


def every_operand(operation: Operation) -> list[Symbol]:
    """Return the symbols that an operation reads, inside its regions too."""
    inside = [each for region in operation.regions for each in region.captures()]
    return [*operation.operands, *inside]


def info(w: Writer, value: Value, axes: Mapping[tuple[str, int], str]) -> Any:
    """A value's type and shape, its dynamic sizes by name."""
    sizes = None if value.sizes is None else [
        axes.get((value.name, i), size) for i, size in enumerate(value.sizes)
    ]  # fmt: skip
    return w.info(Value(w, value.name, value.dtype, None), sizes)
