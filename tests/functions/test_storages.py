"""Storages, what moves tensors from one to another, copies and pickles."""

from __future__ import annotations

from pathlib import Path

import pytest

import graphwidget as gw
from tests.compare_engines import both, programs, source

PROGRAMS = programs((Path(__file__).parent / "storages.txt").read_text())


@pytest.mark.parametrize(("title", "text"), PROGRAMS, ids=[title[:40] for title, _ in PROGRAMS])
def test_storages(title: str, text: str) -> None:
    both(source(text))


def test_a_storage_cannot_shrink_below_what_is_shown() -> None:
    x = gw.arange(6.0)
    y = x[:2]
    with pytest.raises(RuntimeError, match=r"cannot resize a storage to 8 bytes while a tensor"):
        x.untyped_storage().resize_(8)
    x.resize_(2)
    x.untyped_storage().resize_(8)
    assert (x.tolist(), y.tolist()) == ([0.0, 1.0], [0.0, 1.0])
    assert x.data_ptr() == y.data_ptr()


def test_growth_leaves_nothing_behind() -> None:
    x = gw.zeros(2, 3)
    views = [x[0], x.t(), x.detach(), x.view(6)[4:]]
    memory = x.untyped_storage()
    x.resize_(40)
    x[:6] = gw.arange(6.0)
    assert [each.tolist() for each in views] == [
        [0.0, 1.0, 2.0], [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]],
        [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], [4.0, 5.0],
    ]  # fmt: skip
    assert memory.nbytes() == 160
    assert memory.data_ptr() == x.data_ptr() == views[1].data_ptr()
