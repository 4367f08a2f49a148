"""Random graphs compute and differentiate the same in every way (see ``random_graphs.py``)."""

from __future__ import annotations

import pytest

from tests.static.random_graphs import ALL, check, random_program


@pytest.mark.parametrize("seed", range(40))
def test_every_way_gives_the_same(seed: int) -> None:
    check(seed)


def test_the_programs_hold_every_step() -> None:
    assert {name for seed in range(40) for name, _ in random_program(seed, more=True)} == set(ALL)
