"""Fixtures of the browser tests: one JupyterLab for all, a fresh notebook or page for each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, Playwright, expect

from tests.browser.lab import CELL_MS, Lab, Notebook, chromium
from tests.browser.pages import Event, Show, page_of
from tests.browser.picture import Picture, at_rest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

WATCH = """\
import graphwidget
import graphwidget as torch
graph = graphwidget.watch()
graph"""

PATIENCE = """\
import graphwidget.widget.pausing
graphwidget.widget.pausing.PATIENCE = graphwidget.widget.pausing.SILENCE = 60.0
"""
"""The kernel waits for a page that is slow."""

OpenNotebook = Callable[..., Notebook]
Screenshot = Callable[[Notebook, str], None]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser_type_launch_args(
    browser_type_launch_args: dict[str, Any], playwright: Playwright
) -> dict[str, Any]:
    """pytest-playwright's launch arguments, with the Chromium of this machine."""
    path = chromium() or playwright.chromium.executable_path
    if not os.path.exists(path):
        pytest.skip("no Chromium: install one, or set CHROMIUM to its path")
    return browser_type_launch_args | {"executable_path": path, "args": FLAGS}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return browser_context_args | {"viewport": {"width": 1280, "height": 900}}


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """The JupyterLab server."""
    server = Lab(tmp_path_factory.mktemp("lab"))
    yield server
    server.stop()


@contextmanager
def quiet(page: Page) -> Iterator[None]:
    """A time in which an uncaught JavaScript error on the page fails the test.

    Jupyter Notebook throws one of its own while it loads its settings, whatever it shows.
    """
    errors: list[str] = []

    def observe(error: Error) -> None:
        if "/static/notebook/notebook_core" not in (error.stack or "").partition("\n")[2][:200]:
            errors.append(str(error))

    page.on("pageerror", observe)
    page.set_default_timeout(CELL_MS)
    expect.set_options(timeout=CELL_MS)
    yield
    page.remove_listener("pageerror", observe)
    assert errors == [], "uncaught errors on the page"


class Kept:
    """A page that one test leaves for the next: making one, and loading JupyterLab into it, is
    most of a test's work. Of a test that failed it is closed."""

    def __init__(self) -> None:
        self._page: Page | None = None

    @contextmanager
    def page(self, request: pytest.FixtureRequest, clear: Callable[[Page], None]) -> Iterator[Page]:
        page, self._page = self._page, None
        if page is None:
            browser: Browser = request.getfixturevalue("browser")
            options = request.getfixturevalue("browser_context_args")
            page = browser.new_context(**options).new_page()
        failed = request.session.testsfailed
        with quiet(page):
            yield page
        if request.session.testsfailed > failed:
            page.context.close()
            return
        clear(page)
        page.emulate_media(color_scheme="null", reduced_motion="null")
        page.mouse.move(0, 0)
        self._page = page


@pytest.fixture(scope="session")
def of_replays() -> Kept:
    return Kept()


@pytest.fixture(scope="session")
def of_notebooks() -> Kept:
    return Kept()


@pytest.fixture
def quiet_page(
    of_replays: Kept, browser_context_args: dict[str, Any], request: pytest.FixtureRequest
) -> Iterator[Page]:
    """An empty page on which an uncaught JavaScript error fails the test."""

    def clear(page: Page) -> None:
        for other in page.context.pages:
            if other != page:
                other.close()
        page.goto("about:blank")
        page.context.set_offline(False)
        page.set_viewport_size(browser_context_args["viewport"])

    with of_replays.page(request, clear) as page:
        yield page


@pytest.fixture
def lab_page(of_notebooks: Kept, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page with JupyterLab, or an empty one in which the test opens it."""

    def clear(page: Page) -> None:
        for other in page.context.pages:
            if other != page:
                other.close()
        page.evaluate("drive.clear()")

    # JupyterLab itself complains of what was still asked of a kernel that is shut down then
    with of_notebooks.page(request, clear) as page:
        yield page


@pytest.fixture
def notebook(lab: Lab, lab_page: Page) -> OpenNotebook:
    """Opens a fresh notebook made of the given cells, with a fresh kernel, in a kept JupyterLab."""
    return lambda cells, **metadata: Notebook(lab, lab_page, lab.write(cells, metadata))


@pytest.fixture
def show(quiet_page: Page, tmp_path: Path) -> Show:
    """Opens a page that replays events, in a window of some size."""

    def show_page(
        events: list[Event], width: int = 960, height: int = 800, first: int = 0
    ) -> Picture:
        file = tmp_path / "page.html"
        file.write_text(page_of(events, first), "utf-8")
        quiet_page.set_viewport_size({"width": width, "height": height})
        quiet_page.goto(file.as_uri())
        root = quiet_page.get_by_test_id("graphwidget")
        expect(root.get_by_test_id("value").first).to_be_attached()
        return Picture(root)

    return show_page


@pytest.fixture
def screenshot(tmp_path_factory: pytest.TempPathFactory) -> Screenshot:
    """Keeps a picture of the page for people to look at, in $SCREENSHOTS or a temporary folder."""
    chosen = os.environ.get("SCREENSHOTS")
    folder = Path(chosen) if chosen else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)

    def take(book: Notebook, name: str) -> None:
        book.page.mouse.move(0, 0)
        at_rest(book.page)
        book.page.screenshot(path=folder / f"{name}.png")

    return take
