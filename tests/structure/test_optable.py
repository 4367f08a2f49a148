"""Every op of the table says all that it must."""

from __future__ import annotations

import types

from graphwidget.eager.op_functions import record_source
from graphwidget.graph import runtime
from graphwidget.optable import TABLE
from graphwidget.optable.derivative_text import OF_A_CALL


def names_in(code: types.CodeType) -> set[str]:
    """The global names and attributes a function uses, inner functions included."""
    inner = (names_in(const) for const in code.co_consts if isinstance(const, types.CodeType))
    return set(code.co_names).union(*inner)


def test_every_op_has_a_text_and_a_sign() -> None:
    assert [key for key, op in TABLE.items() if not (op.text and op.sign)] == []
    strange = []
    for key, op in TABLE.items():
        fields = dict.fromkeys([*op.inputs, *op.params, *op.outputs, *OF_A_CALL], "x")
        try:
            op.text.format(**fields)
        except KeyError as error:
            strange.append((key, error))
    assert strange == []


def test_formulas_are_polymorphic() -> None:
    assert [
        key
        for key, op in TABLE.items()
        for derivative in op.derivatives.values()
        if names_in(derivative.formula.__code__) & {"np", "numpy", "kernels"}
    ] == []


def test_a_view_has_a_derivative() -> None:
    views = [op for op in TABLE.values() if op.view]
    assert [op.key for op in views if op.inputs[0] not in op.derivatives] == []


def test_nothing_that_written_functions_need_is_hidden_by_a_param() -> None:
    written = [op for op in TABLE.values() if op.single and not op.variadic]
    needed = set()
    for op in written:
        needed |= names_in(compile(record_source(op), op.key, "exec")) & set(vars(runtime))
    assert "grad_mode" in needed
    for op in written:
        assert needed.isdisjoint([*op.inputs, *op.params]), op.key
