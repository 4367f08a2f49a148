"""Random programs over views and in-place writes show the same on both engines, and the machine
that compares them is sharp enough to find faults that are planted on purpose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from graphwidget.core import engine, errors, hot, inplace, tensor, version, views
from graphwidget.optable import TABLE
from tests.core.machine import Step, replay, shrink
from tests.core.programs import write

PROGRAMS = 2_000
TRIED = 400
"""How many programs may be needed to find a planted fault."""


class Library:
    """The programs by number, each written when it is first asked for."""

    def __init__(self) -> None:
        self.written: dict[int, list[Step]] = {}

    def __getitem__(self, seed: int) -> list[Step]:
        if seed not in self.written:
            self.written[seed] = write(seed)
        return self.written[seed]


@pytest.fixture(scope="module")
def library() -> Library:
    return Library()


class Coverage:
    """An observer that counts the ops it hears of; whatever else happens is ignored."""

    def __init__(self) -> None:
        self.ops: Counter[str] = Counter()

    def called(self, op: Any, *rest: Any) -> None:
        self.ops[op.key] += 1

    def wrote(self, op: Any, *rest: Any) -> None:
        self.ops[op.key + "_"] += 1

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *args: None


@pytest.fixture
def coverage() -> Iterator[Coverage]:
    before, watching = hot.observer, Coverage()
    hot.observer = watching  # type: ignore[assignment]
    yield watching
    hot.observer = before


EXPECTED = {
    "add", "sub", "mul", "div", "pow", "neg", "exp", "log", "sqrt", "tanh", "sigmoid", "relu",
    "abs",
    "maximum", "where", "masked_fill", "clone", "sum", "sum.dim", "mean", "mean.dim", "max", "min",
    "max.dim", "mm", "mv", "dot", "view", "t", "transpose", "permute", "unsqueeze", "squeeze",
    "expand", "select", "slice", "alias", "diagonal", "unbind", "split", "cat", "stack", "index",
    "add_", "sub_", "mul_", "div_", "exp_", "tanh_", "sigmoid_", "relu_", "neg_", "zero_", "sqrt_",
    "abs_", "pow_", "copy_", "fill_", "fill.tensor_", "index_put_", "masked_fill_", "detach",
}  # fmt: skip


def test_no_program_differs(library: Library, coverage: Coverage) -> None:
    for seed in range(PROGRAMS):
        # The engine spells out its common path for when nobody watches: half the programs take it.
        hot.observer = coverage if seed % 2 else None  # type: ignore[assignment]
        if replay(library[seed]):
            short = shrink(library[seed])
            lines = [*(step.text for step in short), "", *replay(short)]
            pytest.fail(f"program {seed}:\n" + "\n".join(lines))
    print(f"\nops in {PROGRAMS} programs:", dict(coverage.ops.most_common()))
    assert set(coverage.ops) >= EXPECTED


# ------------------------------------------------------------------------------ planted faults
# Each changes one rule of the core that a careless edit could break.


def no_version_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Backward trusts stale values."""
    monkeypatch.setattr(version, "bump", lambda tensor, op: None)
    monkeypatch.setattr(inplace, "bump", lambda tensor, op: None)


def counter_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A view counts its writes alone."""

    def as_view(out: Any, source: Any, op: Any, params: Any, nr: int = 0) -> None:
        tensor.as_view(out, source, op, params, nr)
        out._counter = version.VersionCounter()

    monkeypatch.setattr(hot, "as_view", as_view)


def views_not_regenerated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A view keeps its history when its base is written."""
    monkeypatch.setattr(hot, "refresh", lambda view: None)
    monkeypatch.setattr(tensor, "refresh", lambda view: None)


def leaves_may_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is refused."""
    monkeypatch.setattr(inplace, "check_writable", lambda tensor, op: None)


def base_not_rebased(monkeypatch: pytest.MonkeyPatch) -> None:
    """A write through a view does not reach the base's history."""
    monkeypatch.setattr(inplace, "rebase", lambda view, info, function: None)


def slice_gradient_passes_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    """CopySlices forgets to send the slice's gradient through the write."""

    def backward(self: Any, grad: Any, keep: bool) -> Any:
        function = self._function(keep)
        found = function.backward_arrays(np.array(grad), True) if not self.passes else grad
        found = found if isinstance(found, tuple) else (found,)
        return (found + (None,) * len(self.next))[: len(self.next)]

    monkeypatch.setattr(views.CopySlices, "backward_arrays", backward)


def old_value_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """An in-place op saves what it overwrites by reference."""
    monkeypatch.setattr(inplace, "keep_old", lambda node, op, tensor: None)


def gradients_replace_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second backward overwrites the first one's gradient."""
    real = engine.accumulate

    def overwrite(variable: Any, grad: Any, create: bool) -> None:
        variable._grad = None
        real(variable, grad, create)

    monkeypatch.setattr(engine, "accumulate", overwrite)


def nodes_not_released(monkeypatch: pytest.MonkeyPatch) -> None:
    """Backward keeps what it should free."""
    real = engine.Run.__init__

    def keep(self: Any, *args: Any, **kwargs: Any) -> None:
        real(self, *args, **kwargs)
        self.retain_graph = True

    monkeypatch.setattr(engine.Run, "__init__", keep)


def wrong_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    """The derivative of tanh has lost its square."""
    names = [name for name in hot.__dict__ if name.startswith("node_tanh__")]
    assert names
    assert "tanh" in TABLE
    for name in names:

        def backward(node: Any, grad: Any, keep: bool) -> Any:
            saved = node.saved_result
            if saved is None:
                raise errors.freed(node)
            if not keep:
                node.saved_result = None
            return grad * (1 - saved[0])

        monkeypatch.setattr(hot.__dict__[name], "backward_arrays", backward)


FAULTS = (
    no_version_check, counter_not_shared, views_not_regenerated, leaves_may_be_written,
    base_not_rebased, slice_gradient_passes_unchanged, old_value_not_kept,
    gradients_replace_each_other, nodes_not_released, wrong_formula,
)  # fmt: skip


@pytest.mark.parametrize("plant", FAULTS, ids=lambda plant: plant.__name__)
def test_planted_fault_is_found(
    plant: Callable[[pytest.MonkeyPatch], None],
    library: Library,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plant(monkeypatch)
    found = next((seed for seed in range(TRIED) if replay(library[seed])), None)
    assert found is not None, f"{plant.__doc__} Nobody noticed."
