"""Every op of the table says all that it must."""

from __future__ import annotations

import types

import pytest

from graphwidget.eager.op_functions import record_source
from graphwidget.graph import runtime
from graphwidget.optable import TABLE, Op
from graphwidget.optable.derivative_text import OF_A_CALL

every_op = pytest.mark.parametrize("op", TABLE.values(), ids=TABLE.keys())


def names_in(code: types.CodeType) -> set[str]:
    """The global names and attributes a function uses, inner functions included."""
    inner = (names_in(const) for const in code.co_consts if isinstance(const, types.CodeType))
    return set(code.co_names).union(*inner)


@every_op
def test_has_tex_and_a_sign(op: Op) -> None:
    assert op.tex
    assert op.sign
    fields = dict.fromkeys([*op.inputs, *op.params, *op.outputs, *OF_A_CALL], "x")
    for words in (op.text, op.tex):
        words.format(**fields)  # names no stranger


@every_op
def test_formulas_are_polymorphic(op: Op) -> None:
    for derivative in op.derivatives.values():
        assert not names_in(derivative.formula.__code__) & {"np", "numpy", "kernels"}


@every_op
def test_a_view_has_a_derivative(op: Op) -> None:
    if op.view:
        assert op.inputs[0] in op.derivatives


def test_nothing_that_written_functions_need_is_hidden_by_a_param() -> None:
    written = [op for op in TABLE.values() if op.single and not op.variadic]
    needed = set()
    for op in written:
        needed |= names_in(compile(record_source(op), op.key, "exec")) & set(vars(runtime))
    assert "grad_mode" in needed
    for op in written:
        assert needed.isdisjoint([*op.inputs, *op.params]), op.key
