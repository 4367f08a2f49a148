"""pytest's option ``--graphwidget``: reports of failures explain what is wrong with their graph.

An entry point loads this module into every run of pytest, so what it needs loads with the option.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

_adapter = pytest.StashKey[Any]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.getgroup("graphwidget").addoption(
        "--graphwidget",
        action="store_true",
        help="watch tests that use PyTorch, and explain in reports of failures what is wrong",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    """Watch the fixtures of each test."""
    if item.config.getoption("graphwidget"):
        from .adapters.composite import Adapter
        from .recording.recorder import Recorder

        item.stash[_adapter] = Adapter(Recorder())
    return (yield from _watched(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Watch the test itself, in the same recording."""
    return (yield from _watched(item))


def _watched(item: pytest.Item) -> Generator[None, Any, Any]:
    adapter = item.stash.get(_adapter, None)
    if adapter is None:
        return (yield)
    with adapter.observing():
        try:
            return (yield)
        except Exception as error:
            from .widget.tracebacks import leave_out_own

            adapter.raised(error)
            leave_out_own(error)
            raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, Any, Any]:
    """Add to the report of a test that failed what was found and does not stand under the error."""
    report = yield
    adapter = item.stash.get(_adapter, None)
    if adapter is not None and (report.failed or report.when == "call"):
        error = None if call.excinfo is None else call.excinfo.value
        notes = "\n".join(getattr(error, "__notes__", ()))
        findings = [str(each) for each in adapter.findings(over=True)] if report.failed else []
        texts = [text for text in findings if text not in notes]
        if texts:
            report.sections.append(("what is wrong with the graph", "\n\n".join(texts)))
        del item.stash[_adapter]
    return report
