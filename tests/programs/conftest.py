"""The browser's fixtures, and the pages of all programs, which run once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import browser_context_args, browser_type_launch_args

__all__ = ["browser_context_args", "browser_type_launch_args"]

Results = dict[str, Any]
"""Of each program what ``run.py`` has found, and its page."""


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Return what came of all programs."""
    folder: Path = tmp_path_factory.mktemp("programs")
    command = [sys.executable, "-m", "tests.programs.run", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr[-3000:]
    found: Results = json.loads((folder / "results.json").read_text("utf-8"))
    for name, result in found.items():
        result["page"] = (folder / f"{name}.html").as_uri()
    return found
