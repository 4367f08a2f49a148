"""Random programs show the same on both engines, and the machine that compares them is sharp enough
to find faults that are planted on purpose."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphwidget.optable import TABLE
from tests.extent import FULL, chosen
from tests.fuzz.faults import FAULTS
from tests.fuzz.machine import Step, replay
from tests.fuzz.sampled import KEYS
from tests.fuzz.seeds import Report, minimal, never_ran, run, shard, summary, write

PROGRAMS = chosen(500, full=4_000)
"""Programs that are tried. ``python -m tests.fuzz.machine FROM TO`` tries others, and one number
alone prints that program, shrunk."""
TRIED = 500
"""Programs tried to find a planted fault."""


@pytest.fixture(scope="module")
def report() -> Report:
    """Return what the programs showed."""
    return run(0, PROGRAMS, None if FULL else 1)  # other tests run meanwhile


def test_no_program_differs(report: Report) -> None:
    print("\n" + summary(report))
    assert not (FULL and never_ran(report))
    if report.differences:
        first, *_ = found = sorted(report.differences)
        pytest.fail(f"{summary(report)}: {found}; {first} is\n{minimal(first)}")


def test_every_op_of_the_table_is_in_the_programs() -> None:
    """Statements are made from the samples, and every op of the table has samples."""
    assert {key for key in TABLE if key not in KEYS} == set()


@pytest.fixture(scope="module")
def library(report: Report) -> list[list[Step]]:
    """Programs that show the same as long as no fault is planted."""
    return [write(seed) for seed in range(TRIED) if seed not in report.differences]


def test_faults_are_many_and_different() -> None:
    assert len({plant.__name__ for plant in FAULTS}) == len(FAULTS) >= 30


class Compared(pytest.MonkeyPatch):
    """A patch whose functions must take what those take whose place they take: else a fault is
    found because it cannot be called."""

    def setattr(self, owner: Any, name: Any, made: Any, raising: bool = True) -> None:  # type: ignore[override]
        real = inspect.signature(getattr(owner, name)).parameters.values()
        own = inspect.signature(made).parameters.values()
        names = [each.name for each in real if each.kind not in SEVERAL]
        mine = [each.name for each in own if each.kind not in SEVERAL]
        assert mine == names[: len(mine)]
        assert len(mine) == len(names) or any(each.kind in SEVERAL for each in own)


SEVERAL = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD


@pytest.mark.parametrize("plant", FAULTS, ids=lambda plant: plant.__name__)
def test_planted_functions_can_be_called(plant: Callable[[pytest.MonkeyPatch], None]) -> None:
    plant(Compared())


@pytest.mark.parametrize("plant", FAULTS, ids=lambda plant: plant.__name__)
def test_planted_fault_is_found(
    plant: Callable[[pytest.MonkeyPatch], None],
    library: list[list[Step]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plant(monkeypatch)
    tried = next((i for i, steps in enumerate(library, 1) if replay(steps)), None)
    assert tried is not None, f"{plant.__doc__} Nobody noticed in {len(library)} programs."
    print(f"found by program {tried}")


def test_programs_do_not_depend_on_the_process() -> None:
    again = shard(range(3))
    assert again.statements == sum(len(write(seed)) for seed in range(3))
    assert Path(__file__).parent.name == "fuzz"
