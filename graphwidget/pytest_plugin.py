"""pytest's option ``--graphwidget``: reports of failures say what is wrong with their graph."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from .adapters.both import Adapter
from .recording.findings import Findings
from .recording.recorder import Recorder

_adapter = pytest.StashKey[Adapter]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.getgroup("graphwidget").addoption(
        "--graphwidget",
        action="store_true",
        help="watch tests that use PyTorch, and explain in reports of failures what is wrong",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Watch each test."""
    if not item.config.getoption("graphwidget"):
        return (yield)
    adapter = item.stash[_adapter] = Adapter(Recorder())
    with adapter.observing():
        try:
            return (yield)
        except Exception as error:
            adapter.raised(error)
            raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Add what was found to the report of a test that failed."""
    report = yield
    adapter = item.stash.get(_adapter, None)
    if adapter is not None and report.when == "call":
        if report.failed:
            findings = Findings(adapter.findings())
            if findings:
                report.sections.append(("what is wrong with the graph", str(findings)))
        del item.stash[_adapter]
    return report
