"""The golden logs are what the examples record today, and fold to the models beside them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

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


@pytest.mark.parametrize("name", list(make.EXAMPLES))
def test_golden_log_is_current(name: str) -> None:
    stored = (HERE / f"{name}.json").read_text("utf-8")
    assert make.text(make.record(name)) == stored, "run python tests/golden/make.py"


@pytest.mark.parametrize("name", list(make.EXAMPLES))
def test_golden_log_folds_to_its_model(name: str) -> None:
    stored = json.loads((HERE / f"{name}.json").read_text("utf-8"))
    assert fold(read(stored["events"])).to_json() == stored["model"]
