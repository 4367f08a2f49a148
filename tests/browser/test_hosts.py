"""The same widget where JupyterLab is not: Jupyter Notebook 7, and marimo."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WATCH
from tests.browser.lab import START_SECONDS, Lab, Notebook
from tests.browser.picture import Picture
from tests.browser.test_stepping import TWO_PATHS


def steps_backward(picture: Picture) -> None:
    """The picture is live: the kernel's engine runs from its button, node by node."""
    picture.expect_names({"w", "x", "a", "b", "y"})
    picture.card("y").click()
    picture.press("backward")
    expect(picture.state).to_have_text("paused in backward")
    for _ in range(5):  # mul, two adds, two leaves
        at, _ = picture.steps()
        picture.press("next")
        expect(picture.count).not_to_have_text(f"{at} / {at}")
    expect(picture.state).to_have_text("latest")
    card = picture.seen().card("w")
    assert (card["numbers"], card["grad"]) == ("[1.]", "[5.]")


def test_notebook_7(lab: Lab, quiet_page: Page) -> None:
    book = Notebook(lab, quiet_page, lab.write([WATCH, TWO_PATHS]), app="notebooks")
    book.run()
    assert quiet_page.locator("#jp-MainMenu").count() == 1  # of the classic page, not of a Lab
    steps_backward(book.picture(0))


MARIMO = """\
import marimo

app = marimo.App()


@app.cell
def _():
    import graphwidget
    import graphwidget as torch

    graph = graphwidget.watch()
    w = torch.tensor([1.], requires_grad=True)
    x = torch.tensor([2.], requires_grad=True)
    a = x + w
    b = w + 1
    y = a * b
    graph.flush()
    graph
    return
"""


@pytest.fixture
def marimo(tmp_path: Path) -> Iterator[str]:
    """The address of a marimo server that runs one notebook as an app."""
    (tmp_path / "app.py").write_text(MARIMO)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "marimo", "run", "app.py", "--headless", f"--port={port}"]
    log = (tmp_path / "log").open("wb")
    server = subprocess.Popen(
        [*command, "--no-token"],
        cwd=tmp_path,
        env=os.environ | {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)},
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                urllib.request.urlopen(f"{address}/health", timeout=5).close()
                break
            except OSError:
                words = (tmp_path / "log").read_text()
                assert server.poll() is None, f"marimo ended: {words}"
                assert time.monotonic() < deadline, f"marimo did not start: {words}"
                time.sleep(0.1)
        yield address
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(START_SECONDS)
        log.close()


def test_marimo(marimo: str, quiet_page: Page) -> None:
    quiet_page.goto(marimo)
    root = quiet_page.get_by_test_id("graphwidget")
    expect(root).to_be_visible()
    steps_backward(Picture(root))
