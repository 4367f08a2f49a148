"""The TypeScript events are the Python ones."""

from __future__ import annotations

import runpy
from pathlib import Path

JS = Path(__file__).resolve().parents[2] / "js"


def test_events_ts_is_up_to_date() -> None:
    generator = runpy.run_path(str(JS / "generate_events.py"))
    written = (JS / "src" / "log" / "events.ts").read_text(encoding="utf-8")
    assert written == generator["generate"](), "run: python js/generate_events.py"
