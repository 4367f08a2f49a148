"""For every test: on CI nothing is skipped silently, and numbers are computed alike everywhere."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator

import pytest

from tests import extent

# Before PyTorch is imported. Its kernels differ in the last bits: random normals and sums are those
# of AVX2, whatever more the processor knows.
os.environ["ATEN_CPU_CAPABILITY"] = "avx2"
# One thread each, kernels included: on arrays as small as the tests' the threads of a BLAS mostly
# wait for each other, and busily, which on two cores that are in use makes a step ten times slower.
for library in ("OMP", "OPENBLAS"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="every case, as before a release")


def pytest_configure(config: pytest.Config) -> None:
    extent.FULL = config.getoption("--full")


ON_CI = os.environ.get("CI", "").lower() in {"true", "1"}


def _forbid_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if ON_CI and report.outcome == "skipped" and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {report.longrepr}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _forbid_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _forbid_skip(report)
    return report


@pytest.fixture(scope="module", autouse=True)
def _only_new_objects_are_looked_at() -> None:
    """Tens of thousands of tests and their reports are millions of objects, which stay: whoever
    looks through all objects, the collector first of all, need not look at them."""
    gc.collect()
    gc.freeze()
