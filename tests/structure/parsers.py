"""The signatures that PyTorch's parser of arguments knows, from its own generator of bindings.

``python -m tests.structure.parsers`` writes ``graphwidget/dispatch/signatures.txt`` anew: the table
is made, never edited. What PyTorch binds by hand is below, and is looked for in its library.
"""

from __future__ import annotations

import inspect
import textwrap
from functools import cache
from pathlib import Path
from typing import Any

import torch
import torchgen
from torchgen.gen import parse_native_yaml
from torchgen.packaged.autograd import gen_python_functions as bindings

from graphwidget.dispatch.offer import FUNCTIONS, METHODS, SPACES
from graphwidget.dispatch.signatures import NOTHING, PATH, as_method
from graphwidget.functions.tensor.attach_methods import OWN
from graphwidget.nn import functional
from graphwidget.nn.functional.resampling import INTERPOLATING, bound_name

SECTIONS = {
    "torch": bindings.is_py_torch_function,
    "nn": bindings.is_py_nn_function,
    "linalg": bindings.is_py_linalg_function,
    "special": bindings.is_py_special_function,
    "Tensor": bindings.is_py_variable_method,
}

KIND = "*, MemoryFormat? memory_format=None"
CONVERSIONS = ("bfloat16", "bool", "byte", "cdouble", "cfloat", "char", "cpu", "double", "float",
               "half", "int", "long", "short")  # fmt: skip
QUESTIONS = ("data_ptr", "dim", "element_size", "get_device", "item", "ndimension", "nelement",
             "numel", "retain_grad", "storage_offset", "tolist")  # fmt: skip
LAYOUTS = ("contiguous", "is_contiguous")
BY_HAND: dict[str, dict[str, list[str]]] = {
    "torch": {
        "as_tensor": ["PyObject* data, *, ScalarType dtype=None, Device? device=None"],
        "asarray": ["PyObject* obj, *, ScalarType? dtype=None, Device? device=None, "
                    "bool? copy=None, bool? requires_grad=None"],
        "frombuffer": ["PyObject* buffer, *, ScalarType dtype, int64_t count=-1, "
                       "int64_t offset=0, bool requires_grad=False"],
        "get_device": ["Tensor input"],
        "nonzero": ["Tensor input, *, bool as_tuple=False, Tensor out=None"],
        "numel": ["Tensor input"],
        "range": ["Scalar start, Scalar end, Scalar step=1, *, Tensor out=None, "
                  "ScalarType dtype=None, Layout layout=torch.strided, Device device=None, "
                  "bool requires_grad=False"],
        "tensor": ["PyObject* data, *, ScalarType dtype=None, Device? device=None, "
                   "bool pin_memory=False, bool requires_grad=False"],
    },
    "Tensor": {
        **{name: [KIND] for name in CONVERSIONS},
        **{name: ["*, MemoryFormat memory_format=contiguous_format"] for name in LAYOUTS},
        **{name: [""] for name in QUESTIONS},
        "copy_": ["Tensor other, bool non_blocking=False",
                  "Tensor other, bool async=False|deprecated"],
        "cuda": ["Device? device=None, bool non_blocking=False, " + KIND,
                 "Device? device=None, bool async=False, " + KIND + "|deprecated"],
        "map_": ["Tensor other, PyObject* callable"],
        "map2_": ["Tensor x, Tensor y, PyObject* callable"],
        "new_tensor": ["PyObject* data, *, ScalarType dtype=None, Device? device=None, "
                       "bool requires_grad=False"],
        "nonzero": ["", "*, bool as_tuple"],
        "numpy": ["*, bool force=False"],
        "requires_grad_": ["bool requires_grad=True"],
        "size": ["int64_t? dim=None"],
        "stride": ["int64_t? dim=None"],
        "to": ["Device device=None, ScalarType dtype=None, bool non_blocking=False, "
               "bool copy=False, " + KIND,
               "ScalarType dtype, bool non_blocking=False, bool copy=False, " + KIND,
               "Tensor tensor, bool non_blocking=False, bool copy=False, " + KIND],
        "type": ["PyObject* dtype=None, bool non_blocking=False, " + KIND,
                 "PyObject* dtype=None, bool async=False, " + KIND + "|deprecated"],
    },
}  # fmt: skip
"""Signatures that PyTorch binds by hand, by section and name."""

OWNERS = {
    "torch": torch,
    "Tensor": torch.Tensor,
    "nn": torch._C._nn,
}


@cache
def generated() -> dict[tuple[str, str], list[str]]:
    """The signatures of what PyTorch's generator binds, by section and name."""
    packaged = Path(torchgen.__file__).parent / "packaged"
    native = packaged / "ATen" / "native"
    ops = parse_native_yaml(
        str(native / "native_functions.yaml"), str(native / "tags.yaml")
    ).native_functions
    ops = [op for op in ops if bindings.should_generate_py_binding(op)]
    found = {}
    for section, belongs in SECTIONS.items():
        method = section == "Tensor"
        deprecated = str(packaged / "autograd" / "deprecated.yaml")
        pairs = bindings.load_signatures(ops, deprecated, method=method)
        for name, overloads in bindings.group_filter_overloads(pairs, belongs).items():
            groups = bindings.group_overloads(overloads, symint=True)
            found[section, str(name)] = [
                inside(group.signature.signature_str(symint=True)) for group in groups
            ]
    return found


def inside(signature: str) -> str:
    """Return what stands in the parentheses of a signature, and its mark."""
    inner, _, mark = signature.partition("(")[2].rpartition(")")
    for space in ("c10::", "::std::", "std::"):
        inner = inner.replace(space, "")
    return inner + mark


def known(section: str, name: str) -> list[str]:
    """The signatures of PyTorch's function; none when it is not bound by a parser."""
    if section == "_VF":
        return generated().get(("torch", name)) or generated().get(("nn", name), [])
    owner: Any = OWNERS.get(section)
    owner = owner or getattr(torch, section)
    short = name.removeprefix(section + "_")
    function = getattr(owner, short, None)
    if function is None or inspect.isfunction(function):
        return []
    return BY_HAND.get(section, {}).get(name) or generated().get((section, name), [])


BEHIND = (
    "_unique2", "cross_entropy_loss", "dropout", "einsum", "embedding", "embedding_renorm_",
    "empty_like",
    "feature_dropout", "im2col", "max_pool1d", "max_pool2d", "max_pool3d", "nll_loss_nd", "split",
    "split_with_sizes", "unique_dim",
)  # fmt: skip
"""Functions that PyTorch's functions in Python call (see ``dispatch/delegates.py``)."""


def names(section: str) -> list[str]:
    """Return what both packages may offer in a section, by the names that PyTorch's errors use."""
    layers = {name for name in dir(functional) if callable(getattr(functional, name))}
    layers |= {bound_name(key) for keys in INTERPOLATING.values() for key in keys}
    if section == "_VF":
        return list(BEHIND)
    if section == "torch":
        return sorted({*FUNCTIONS, *layers})
    if section == "nn":
        return sorted({*layers, *(name + "_" for name in layers), "log_sigmoid"})  # fmt: skip
    if section == "Tensor":
        return sorted(name for name in {*METHODS, *OWN} if not name.startswith("__"))
    return [f"{section}_{name}" for name in sorted(SPACES[section])]


def table() -> str:
    """The text of the table."""
    parts = [
        "# The signatures by which PyTorch's parser of arguments knows its functions, in order.",
        "# Made by tests/structure/parsers.py; do not edit. Methods are listed where they differ",
        "# from what dispatch/signatures.py derives from the function.",
    ]
    functions = {name: known("torch", name) for name in names("torch")}
    methods: dict[str, list[str]] = {}
    for section in (*SECTIONS, "_VF"):
        groups: dict[tuple[str, ...], list[str]] = {}
        for name in names(section):
            found = known(section, name)
            if section == "Tensor":
                derived = as_method(functions.get(name, []))
                if name.endswith("_") and not derived:
                    derived = methods.get(name[:-1], [])
                methods[name] = found
                if derived == found:
                    continue
            elif not found:
                continue
            groups.setdefault(tuple(found), []).append(name)
        parts.append(f"\n[{section}]")
        for signatures, who in groups.items():
            parts += textwrap.wrap(" ".join(who), 100)
            parts += [written(each) for each in signatures] or [NOTHING]
    return "\n".join(parts) + "\n"


def written(inner: str) -> str:
    """A line of the table."""
    inner, bar, mark = inner.partition("|")
    return f"    ({inner}){bar}{mark}"


def in_library() -> set[str]:
    """The signatures by hand that PyTorch's library does not contain."""
    library = Path(torch.__file__).parent / "lib" / "libtorch_python.so"
    content = library.read_bytes()
    return {
        f"{section}.{name}({inner})"
        for section, each in BY_HAND.items()
        for name, signatures in each.items()
        for inner in signatures
        if inner and f"{name}({inner.partition('|')[0]})".encode() not in content
    }


def main() -> None:
    """Write the table."""
    Path(PATH).write_text(table())


if __name__ == "__main__":
    main()
