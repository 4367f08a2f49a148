"""Docstrings generated from the op table: formula, shapes, dtypes, gradient and errors of each op.

What the editor shows for ``torch.exp`` is read off its declaration, so that no help text can
differ from what is computed. Only the texts of derivatives are read from a file,
``gradients.txt``: to write all of them takes a tenth of the package's import. It is made from the
formulas by ``python -m tests.structure.stubs``.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Sequence
from functools import cache

from ..optable import TABLE, Op

PATH = os.path.join(os.path.dirname(__file__), "gradients.txt")

BROADCAST = "Shapes: of any shape each; they are broadcast together."
KEPT = "Shapes: of any shape; the result has the same."
DTYPES = {
    "same": "Dtypes: the operands' common one.",
    "float": "Dtypes: floating; integers and bools become the default dtype.",
    "bool": "Dtypes: any; the result is bool.",
}
REDUCED = "Shapes: any; the dims go (all, when none is named), or keep size 1 with ``keepdim``."
NOT_BROADCASTABLE = "Raises RuntimeError where the shapes cannot be broadcast."
OUT = "\n\nout: a tensor to write the result into; no gradients then."
IN_PLACE = """\
Its version rises by one; views of it and of its base see the change."""
NOT_WRITABLE = """\
Raises RuntimeError, and changes nothing, on a leaf that requires grad while grad mode
is on, on views that may not be written, where the result does not fit in shape or dtype."""
NO_SUCH_DIM = "Raises IndexError where the tensor has no such dim."
NO_GRADIENT = "Gradient: none; the result never requires grad."

OF_A_CALL = {
    "reduced": "mean of ", "over_n": " ÷ n", "weighted": "", "pos_weighted": "",
    "logits_slope": "(σ({self}) − {target})",
}  # fmt: skip
"""Formulas of losses that depend on the call's options, with their defaults."""


def formula_text(text: str, first: str) -> str:
    """A formula of the table as users read it: ``self`` by the name that the function gives it."""
    for name, shown in [*OF_A_CALL.items(), ("self", first), ("grad", "grad")]:
        text = text.replace("{" + name + "}", shown)
    return text.replace("{", "").replace("}", "")


def op_docstring(op: Op, first: str = "input") -> str:
    """The docstring of an op that is offered as it is."""
    lines = [f"``{formula_text(op.text, first)}``" + (", item by item." if op.pointwise else ".")]
    if op.pointwise:
        lines += ["", BROADCAST if len(op.inputs) > 1 else KEPT, DTYPES[op.dtype]]
    elif op.view:
        lines += ["", "A view: it shares memory and version with its base."]
    return "\n".join([*lines, *gradient_lines([op], first), *error_lines(op)])


def error_lines(op: Op) -> list[str]:
    """Lines on what the op raises."""
    lines = []
    if op.pointwise and len(op.inputs) > 1:
        lines.append(NOT_BROADCASTABLE)
    if op.guard is not None:
        lines.append("Raises RuntimeError for dtypes that it refuses.")
    return ["", *lines] if lines else []


def gradient_lines(ops: Iterable[Op], first: str = "input") -> list[str]:
    """Lines on the derivatives and nodes of ops, after an empty one."""
    lines: list[str] = []
    for op in ops:
        if op.nograd:
            lines += [] if NO_GRADIENT in lines else [NO_GRADIENT]
            continue
        parts = [
            f"``{formula_text(text, first)}``" + (f" to {each}" if len(op.inputs) > 1 else "")
            for each in op.derivatives
            if (text := gradient(op, each))
        ]
        shown = formula_text("; ".join(parts), first).replace(" to self", f" to {first}")
        lines.append(f"Gradient ({op.node}): {shown}." if shown else f"Gradient: {op.node}.")
    return ["", *lines] if lines else []


@cache
def gradients() -> dict[str, str]:
    """The derivatives as text, by ``<op> <input>``."""
    with open(PATH, encoding="utf-8") as file:
        lines = [line.partition(": ") for line in file.read().splitlines() if line[:1] != "#"]
    return {place: text for place, _, text in lines}


def gradient(op: Op, target: str) -> str:
    """The derivative of an op by one input, times the incoming gradient."""
    known = gradients().get(f"{op.key} {target}")
    if known is None:  # declared since the file was made
        from ..optable import derivative_text

        return derivative_text.vjp_text(op, target)
    return known


@cache
def ops_by_name() -> dict[str, list[Op]]:
    """The ops of the table under the name of the function that records them."""
    found: dict[str, list[Op]] = {}
    for op in TABLE.values():
        if not op.key.endswith("_inplace"):
            found.setdefault(op.name, []).append(op)
    return found


def ops_named(name: str) -> list[Op]:
    """The ops of the table that a function of this name may record."""
    return ops_by_name().get(name, [])


def function_docstring(doc: str | None, name: str, parameters: Sequence[str]) -> str | None:
    """The docstring of a hand-written function, with what the ops of its name and its parameters
    describe shapes, errors and gradients."""
    if doc is None:
        return None
    doc = dedent(doc)
    if "Gradient" in doc:
        return doc
    ops = ops_named(name)
    shapes, raised = [], []
    if name in TABLE and TABLE[name].pointwise:
        several = any(len(op.inputs) > 1 for op in ops)
        shapes = [BROADCAST if several else KEPT]
        raised = [NOT_BROADCASTABLE] if several else []
    if "keepdim" in parameters:
        shapes.append(REDUCED)
    if "dim" in parameters:
        raised.append(NO_SUCH_DIM)
    if name.endswith("_") and doc.endswith("written into this tensor."):
        shapes, raised = [IN_PLACE], [NOT_WRITABLE]
    parts = [
        shapes if "Shapes:" not in doc else [],
        raised if "Raises" not in doc else [],
        gradient_lines(ops)[1:],
    ]
    added = ["\n".join(lines) for lines in parts if lines]
    return "\n\n".join([doc, *added])


def inplace_docstring(op: Op) -> str:
    """The docstring of an in-place method."""
    first = f"``{formula_text(op.text, 'self')}``, written into this tensor, which is returned."
    return "\n".join([first, "", IN_PLACE, *gradient_lines([op], "self"), "", NOT_WRITABLE])


def out_docstring(doc: str | None) -> str:
    """The docstring of a function that takes ``out=``."""
    return dedent(doc or "") + OUT


def dedent(doc: str) -> str:
    """A docstring without the indentation of its lines; most have only one."""
    return inspect.cleandoc(doc) if "\n    " in doc else doc
