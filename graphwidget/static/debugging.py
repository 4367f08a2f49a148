"""``tf.Print`` and ``tf.Assert``: what shows values in a run, or fails by them."""

from __future__ import annotations

from typing import Any

from .convert import convert_to_tensor
from .graph import Operation, get_default_graph
from .symbol import Spec, Symbol


def Print(input_: Any, data: Any, message: str = "", first_n: Any = None,
          summarize: Any = None, name: str | None = None) -> Symbol:  # fmt: skip
    """The same value, which shows others whenever it is computed."""
    symbol = convert_to_tensor(input_)
    shown = [convert_to_tensor(each) for each in data]
    spec = Spec(symbol.dtype.base_dtype, symbol.sizes)
    made = get_default_graph().create(
        "Print", (symbol, *shown), [spec], params={"message": message}, name=name or "Print"
    )
    return made.outputs[0]


def Assert(condition: Any, data: Any, summarize: Any = None, name: str | None = None) -> Operation:
    """An operation that fails, showing values, where a condition does not hold."""
    parts = [convert_to_tensor(each) for each in (condition, *data)]
    return get_default_graph().create("Assert", parts, (), name=name or "Assert")
