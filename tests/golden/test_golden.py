"""The golden logs are what the examples record today, and fold to the models beside them."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from graphwidget.recording.fold import fold
from graphwidget.recording.log import read

HERE = Path(__file__).parent


def _make() -> ModuleType:
    spec = importlib.util.spec_from_file_location("golden_make", HERE / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = _make()


def alike(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal, their fractions but for float32's last bits:
    processors add the terms of a product in different orders."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-7)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(map(alike, one.values(), other.values()))
    return type(one) is type(other) and bool(one == other)


@pytest.mark.parametrize("name", list(make.EXAMPLES))
def test_golden_log_is_current(name: str) -> None:
    stored = json.loads((HERE / f"{name}.json").read_text("utf-8"))
    found = json.loads(make.text(make.record(name)))
    for now, before in zip(found["events"], stored["events"], strict=True):
        assert alike(now, before), f"run python tests/golden/make.py: {now} was {before}"
    assert alike(found, stored), "run python tests/golden/make.py"


@pytest.mark.parametrize("name", list(make.EXAMPLES))
def test_golden_log_folds_to_its_model(name: str) -> None:
    stored = json.loads((HERE / f"{name}.json").read_text("utf-8"))
    assert fold(read(stored["events"])).to_json() == stored["model"]
