"""A fix that is typed in runs, from the first iteration on, and computes what was meant."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tests.adapters.meant import MEANT
from tests.adapters.mending import mended
from tests.adapters.test_diagnosis import run


def plainly(source: str) -> dict[str, Any]:
    """The names of a program that runs to its end."""
    names: dict[str, Any] = {"torch": torch, "__name__": "__main__"}
    torch.manual_seed(0)
    exec(compile(source, "<plain>", "exec"), names)
    return names


def values(names: dict[str, Any], wanted: str) -> list[Any]:
    return [eval(each, names) for each in wanted.split(", ")]


@pytest.mark.parametrize("name", MEANT)
def test_what_is_typed_in_computes_what_was_meant(name: str) -> None:
    wanted = MEANT[name]
    findings, _, _ = run(wanted.source, name)
    assert [each.kind for each in findings] == [wanted.kind]
    (finding,) = findings
    assert finding.fix
    fixed = mended(wanted.source, finding)
    found, error, names = run(fixed, f"{name}, fixed")
    assert (error, found) == (None, []), fixed
    for one, other in zip(
        values(names, wanted.same), values(plainly(wanted.intended), wanted.same), strict=True
    ):
        assert (one is None) == (other is None), fixed
        if one is not None:
            torch.testing.assert_close(one, other)
