"""The listing of generated code is what is generated today."""

from __future__ import annotations

from tests.golden.listing import TARGET, listing


def test_the_listing_is_what_runs() -> None:
    assert TARGET.read_text("utf-8") == listing(), "run python -m tests.golden.listing"
