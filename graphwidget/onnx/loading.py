"""``load``: an ONNX file as a static graph that runs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..static.add_operation import make_constant
from ..static.dtypes import TYPES, as_dtype
from ..static.graph import VALID_NAME, Graph
from ..static.session import Session
from ..static.symbol import Spec, Symbol
from . import control, readers
from .errors import LoadError, onnx_package
from .nodes import LARGEST, Node, build

_ = readers, control  # importing them registers how operators are read


OLDEST = 13
"""The oldest opset that is read."""


class Model:
    """A file as a static graph: ``graph``, and its ``inputs`` and ``outputs`` by name."""

    def __init__(self, graph: Graph, inputs: dict[str, Symbol], outputs: dict[str, Symbol]) -> None:
        self.graph, self.inputs, self.outputs = graph, inputs, outputs
        self._session = Session(graph=graph)

    def run(self, feeds: Mapping[str, Any], fetches: Sequence[str] | None = None) -> list[Any]:
        """The outputs, or those of these names, for inputs by name.

        Raises:
            ValueError: a name is no input or output.
        """
        for name in feeds:
            if name not in self.inputs:
                known = ", ".join(self.inputs)
                raise ValueError(f"'{name}' is no input of the model; its inputs are {known}")
        wanted = list(self.outputs if fetches is None else fetches)
        for name in wanted:
            if name not in self.outputs:
                raise ValueError(f"'{name}' is no output of the model")
        given = {self.inputs[name]: value for name, value in feeds.items()}
        found = self._session.run([self.outputs[name] for name in wanted], given)
        return [np.asarray(each) for each in found]

    def __call__(self, *inputs: Any) -> Any:
        """The outputs for inputs in their order: one alone, or a list."""
        found = self.run(dict(zip(self.inputs, inputs, strict=True)))
        return found[0] if len(found) == 1 else found

    def __repr__(self) -> str:
        return f"<onnx.Model {list(self.inputs)} -> {list(self.outputs)}>"


def load(f: Any) -> Model:
    """Read an ONNX file as a static graph.

    Args:
        f: a path, a file open for reading bytes, or a model of the package onnx.

    Raises:
        LoadError: the file is malformed or has what is not known here; the message names the node.
        ImportError: the package onnx is not installed.
    """
    onnx = onnx_package()
    folder: Path | None = None
    if isinstance(f, (str, os.PathLike)):
        folder = Path(f).resolve().parent
        data = Path(f).read_bytes()
    elif hasattr(f, "read"):
        data = f.read()
    else:
        data = f.SerializeToString()
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except Exception as error:
        raise LoadError(f"this is no ONNX file: {error}") from None
    if not model.HasField("graph") or not model.opset_import:
        raise LoadError("this is no ONNX file: there is no graph in it")
    check_names(model.graph)
    try:
        return Reader(onnx, model, folder).model()
    except LoadError:
        raise
    except Exception as error:
        raise LoadError(f"the file is malformed: {error or type(error).__name__}") from error


def check_names(graph: Any) -> None:
    """Check that all names in a graph are text, as they are not where bytes have got lost.

    Raises:
        LoadError: one is not.
    """
    for kind in ("initializer", "input", "output", "value_info"):
        for place, each in enumerate(getattr(graph, kind)):
            if isinstance(each.name, bytes):
                raise LoadError(f"the name of {kind} {place} is no text: {each.name!r}")
    for place, node in enumerate(graph.node):
        names = [node.name, node.op_type, node.domain, *node.input, *node.output]
        names += [each.name for each in node.attribute]
        wrong = next((each for each in names if isinstance(each, bytes)), None)
        if wrong is not None:
            raise LoadError(
                f"node {place} ({node.op_type!s}) has a name that is no text: {wrong!r}"
            )
        for each in node.attribute:
            for inner in (each.g, *each.graphs):
                check_names(inner)


class Reader:
    """Reads one file."""

    def __init__(self, onnx: Any, proto: Any, folder: Path | None) -> None:
        self.onnx, self.proto, self.folder = onnx, proto, folder
        self.opset = max(
            (each.version for each in proto.opset_import if each.domain in ("", "ai.onnx")),
            default=1,
        )
        if self.opset < OLDEST:
            raise LoadError(
                f"the file is of opset {self.opset}; those from {OLDEST} on are read, and "
                "onnx.version_converter makes them of older ones"
            )
        self.hints: dict[str, tuple[Any, Any]] = {}

    def model(self) -> Model:
        """The whole graph."""
        try:
            inferred = self.onnx.shape_inference.infer_shapes(self.proto)
        except Exception:  # without it, less is known of results
            inferred = self.proto
        proto, graph = self.proto.graph, Graph()
        for each in (*inferred.graph.value_info, *proto.output):
            self.hints[each.name] = self.described(each)
        env: dict[str, Symbol] = {}
        inputs: dict[str, Symbol] = {}
        with graph.as_default():
            self.constants(proto, env)
            for each in proto.input:
                if each.name in env:
                    continue
                dtype, sizes = self.described(each)
                if dtype is None:
                    raise LoadError(f"input '{each.name}' has a type that is not known here")
                name = each.name if VALID_NAME.match(each.name) else "input"
                made = graph.create("Placeholder", (), [Spec(as_dtype(dtype), sizes)], name=name)
                env[each.name] = inputs[each.name] = made.outputs[0]
            self.nodes(proto, env)
            outputs = {}
            for each in proto.output:
                if each.name not in env:
                    raise LoadError(f"output '{each.name}' is given by no node")
                outputs[each.name] = env[each.name]
        return Model(graph, inputs, outputs)

    def described(self, info: Any) -> tuple[Any, Any]:
        """The type and sizes of a value, None where they are unknown."""
        if not info.type.HasField("tensor_type"):
            return None, None
        tensor = info.type.tensor_type
        try:
            dtype = np.dtype(self.onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type))
        except (KeyError, TypeError, ValueError):
            return None, None
        sizes = None
        if tensor.HasField("shape"):
            sizes = tuple(
                each.dim_value if each.HasField("dim_value") and each.dim_value >= 0 else None
                for each in tensor.shape.dim
            )
        return (dtype if dtype.name in TYPES else None), sizes

    def constants(self, proto: Any, env: dict[str, Symbol]) -> None:
        """The initialisers of a graph."""
        for each in proto.initializer:
            name = each.name if VALID_NAME.match(each.name) else None
            env[each.name] = make_constant(self.array(each, f"initializer '{each.name}'"), name)

    def array(self, tensor: Any, where: str) -> np.ndarray:
        """A tensor of the file.

        Raises:
            LoadError: it is malformed, of an unknown type, or lies outside the file's folder.
        """
        dims = list(tensor.dims)
        count = int(np.prod([int(each) for each in dims], dtype=object)) if dims else 1
        if any(each < 0 for each in dims) or count > LARGEST:
            raise LoadError(f"{where} claims the shape {dims}")
        try:
            external = tensor.data_location == self.onnx.TensorProto.EXTERNAL
            found = self.outside(tensor, where) if external else self.onnx.numpy_helper.to_array(
                tensor)  # fmt: skip
        except LoadError:
            raise
        except Exception as error:
            raise LoadError(f"{where} is malformed: {error}") from None
        if found.dtype.name not in TYPES:
            raise LoadError(f"{where} has the type {found.dtype.name}, which is not known here")
        return np.array(found)

    def outside(self, tensor: Any, where: str) -> np.ndarray:
        """A tensor in a file beside this one, and nowhere else."""
        data = {each.key: each.value for each in tensor.external_data}
        if self.folder is None:
            raise LoadError(f"{where} lies in another file, and this one has no folder")
        path = (self.folder / data.get("location", "")).resolve()
        if not path.is_relative_to(self.folder) or not path.is_file():
            raise LoadError(f"{where} lies in {data.get('location')!r}, not in the file's folder")
        dtype = np.dtype(self.onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type))
        count = int(np.prod(list(tensor.dims)))
        start = int(data.get("offset", 0))
        found = np.fromfile(path, dtype.newbyteorder("<"), count, offset=start)
        return found.astype(dtype).reshape(tuple(tensor.dims))

    def nodes(self, proto: Any, env: dict[str, Symbol]) -> None:
        """The nodes of a graph, in order.

        Raises:
            LoadError: one reads what nothing before it gives, or cannot be read.
        """
        for each in proto.node:
            if each.domain not in ("", "ai.onnx"):
                type = f"{each.domain}.{each.op_type}"
                raise LoadError(f"node '{each.name}': the operator {type} is not known here")
            node = Node(each, {})
            node.attributes = {a.name: self.attribute(a, node) for a in each.attribute}
            for name in each.input:
                if name and name not in env:
                    raise LoadError(f"{node} reads '{name}', which no node before it gives")
            self.check_operands(node)
            inputs = [env[name] if name else None for name in each.input]
            if node.type in control.CONTROL:
                found = control.CONTROL[node.type](self, node, inputs, env)
            else:
                hints = [self.hints.get(name, (None, None)) for name in each.output]
                found = build(node, inputs, hints)
            if len(found) < len([name for name in each.output if name]):
                raise LoadError(f"{node} has more outputs than are known here")
            env.update((name, s) for name, s in zip(each.output, found, strict=False) if name)

    def check_operands(self, node: Node) -> None:
        """Check that a node has as many operands as its operator takes, and lacks none that it
        needs.

        Raises:
            LoadError: it does not.
        """
        try:
            schema = self.onnx.defs.get_schema(node.type, self.opset)
        except Exception:  # unknown operators are refused where they are read
            return
        count, least, most = len(node.inputs), schema.min_input, schema.max_input
        if not least <= count <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            wanted = f"at least {least}" if most > 1000 else wanted
            raise LoadError(f"{node} has {count} operands, where {node.type} takes {wanted}")
        single = self.onnx.defs.OpSchema.FormalParameterOption.Single
        for formal, name in zip(schema.inputs, node.inputs, strict=False):
            if not name and formal.option == single:
                raise LoadError(f"{node} lacks its operand {formal.name}")
        for name, attribute in schema.attributes.items():
            if attribute.required and name not in node.attributes:
                raise LoadError(f"{node} lacks its attribute {name}")

    def attribute(self, attribute: Any, node: Node) -> Any:
        """An attribute as Python's: texts, numbers, lists, arrays, types for ``to``, graphs."""
        kinds = self.onnx.AttributeProto
        if attribute.type == kinds.GRAPH:
            return attribute.g
        if attribute.type == kinds.TENSOR:
            return self.array(attribute.t, f"{node}: attribute '{attribute.name}'")
        if attribute.name in ("to", "dtype") and attribute.type == kinds.INT:
            try:
                return np.dtype(self.onnx.helper.tensor_dtype_to_np_dtype(attribute.i))
            except (KeyError, TypeError):
                raise LoadError(f"{node}: there is no type {attribute.i}") from None
        try:
            found = self.onnx.helper.get_attribute_value(attribute)
        except Exception as error:
            raise LoadError(f"{node}: attribute '{attribute.name}': {error}") from None
        if isinstance(found, bytes):
            return found.decode(errors="replace")
        if attribute.type in (kinds.INTS, kinds.FLOATS, kinds.STRINGS):
            found = list(found)
        if attribute.type == kinds.STRINGS:
            return [each.decode(errors="replace") for each in found]
        return found
