"""A real JupyterLab in a real Chromium: the server, and one open notebook."""

from __future__ import annotations

import ast
import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
import psutil
from nbformat.sign import NotebookNotary
from playwright.sync_api import Locator, Page, expect

from tests.browser.picture import Picture

DRIVE = Path(__file__).with_name("drive.js").read_text()
MISSING = "model not found"
START_SECONDS = 120
CELL_MS = 120_000


def chromium() -> str | None:
    """The Chromium to drive, or None for the one Playwright installed itself."""
    names = [os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"]
    return next((path for name in names if name and (path := shutil.which(name))), None)


class Lab:
    """A JupyterLab server on a free port, its files and settings in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "notebooks"
        self.root.mkdir(parents=True)
        self._numbers = itertools.count(1)
        self._set(folder, "notification", {"fetchNews": "false", "checkForUpdates": False})
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self._log = (folder / "lab.log").open("wb")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *self._options(port)],
            env=os.environ | self._folders(folder),
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        try:
            self._wait(folder / "lab.log")
        except BaseException:
            self.stop()
            raise

    def _options(self, port: int) -> list[str]:
        # Loopback and tests only, hence no token; the demo keeps Jupyter's own protection.
        return [
            "--no-browser",
            "--allow-root",
            "--ip=127.0.0.1",
            f"--port={port}",
            "--ServerApp.port_retries=0",
            "--IdentityProvider.token=",
            "--ServerApp.password=",
            "--ServerApp.disable_check_xsrf=True",
            f"--ServerApp.root_dir={self.root}",
            "--LabApp.expose_app_in_browser=True",
            "--JupyterNotebookApp.expose_app_in_browser=True",
            "--LabApp.news_url=",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            "--LabApp.extension_manager=readonly",
        ]

    @staticmethod
    def _set(folder: Path, plugin: str, settings: dict[str, Any]) -> None:
        file = folder / f"settings/@jupyterlab/apputils-extension/{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings))

    @staticmethod
    def _folders(folder: Path) -> dict[str, str]:
        names = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "IPYTHONDIR": "ipython",
        }
        return {name: str(folder / place) for name, place in names.items()}

    def _wait(self, log: Path) -> None:
        deadline = time.monotonic() + START_SECONDS
        while self._process.poll() is None and time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{self.url}/api/status", timeout=5).close()
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-4000:]}")

    def stop(self) -> None:
        """End the server and its kernels."""
        server = psutil.Process(self._process.pid) if self._process.poll() is None else None
        family = [server, *server.children(recursive=True)] if server else []
        for process in family:
            process.terminate()
        for process in psutil.wait_procs(family, timeout=5)[1]:
            process.kill()
        self._log.close()

    def trust(self, notebook: nbformat.NotebookNode) -> None:
        """Sign a notebook as `jupyter trust` does: what is not signed shows no widgets."""
        NotebookNotary(data_dir=str(self.root.parent / "data")).sign(notebook)

    def write(self, cells: Sequence[str], metadata: dict[str, Any] | None = None) -> str:
        """A notebook of these code cells in the server's folder; gives its file name."""
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(source) for source in cells],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}}
            | (metadata or {}),
        )
        name = f"test{next(self._numbers)}.ipynb"
        nbformat.write(notebook, self.root / name)
        return name


class Notebook:
    """One notebook open in one page of the server's. Cells are counted from 0.

    On a page that holds JupyterLab already it is opened there, as by a double click on its file.
    """

    def __init__(self, lab: Lab, page: Page, name: str, app: str = "doc/tree") -> None:
        self.lab, self.page, self.name = lab, page, name
        if page.url == "about:blank":
            page.add_init_script(DRIVE)
            page.goto(f"{lab.url}/{app}/{name}")
            self._ready()
        else:
            page.evaluate("path => drive.open(path)", name)

    def _ready(self) -> None:
        self.page.wait_for_function("window.drive !== undefined")
        self.page.evaluate("drive.ready()")

    def run(self, *indexes: int) -> None:
        """Run these cells, or all of them, and wait until the kernel is idle."""
        if not indexes:
            self.page.evaluate("drive.runAll()")
        for index in indexes:
            self.page.evaluate("i => drive.runCell(i)", index)

    def start(self, index: int) -> None:
        """Start a cell and do not wait for it."""
        self.page.evaluate("i => { drive.start(i); }", index)

    def finish(self) -> None:
        """Wait for the cell that `start` began."""
        self.page.evaluate("drive.finish()")

    def type(self, source: str) -> int:
        """Append a cell, run it, and give its number."""
        index = int(self.page.evaluate("s => drive.addCell(s)", source))
        self.run(index)
        return index

    def ask(self, expression: str, code: str = "") -> Any:
        """A Python expression's value in the kernel (anything JSON can carry)."""
        text = self.page.evaluate("([c, e]) => drive.ask(c, e)", [code, expression])
        return json.loads(ast.literal_eval(text))

    def outputs(self, index: int) -> list[dict[str, Any]]:
        """A cell's outputs in nbformat's form."""
        found: list[dict[str, Any]] = self.page.evaluate("i => drive.outputs(i)", index)
        return found

    def text(self, index: int) -> str:
        """Return what a cell printed, returned and raised, as plain text, without its warnings."""
        parts = []
        for output in self.outputs(index):
            if output["output_type"] == "stream":
                parts.append(output["text"] if output["name"] == "stdout" else "")
            elif output["output_type"] == "error":
                parts.append(f"{output['ename']}: {output['evalue']}")
            else:
                parts.append(output["data"].get("text/plain", ""))
        text = ""
        for part in map("".join, parts):  # what was printed may come in pieces
            text += part if not text or text.endswith("\n") else f"\n{part}"
        return text

    def warnings(self, index: int) -> str:
        """Return what a cell wrote to stderr."""
        return "".join(
            "".join(output["text"])
            for output in self.outputs(index)
            if output.get("name") == "stderr"
        )

    def cell(self, index: int) -> Locator:
        """A cell's element on the page."""
        return self.page.locator(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{index}"]')

    def shown(self, index: int, test_id: str = "graphwidget") -> Locator:
        """Parts of the widgets in a cell's output, waited for.

        Where the kernel connects while JupyterLab restores a notebook, its widget manager may say
        too early that all widgets are there, and never show them; then the page is loaded again.
        """
        cell = self.cell(index)
        parts, missing = cell.get_by_test_id(test_id), cell.get_by_text(MISSING)
        for _ in range(3):
            expect(parts.or_(missing).first).to_be_attached()
            if not missing.count():
                break
            self.reload(save=False)
        return parts

    def picture(self, index: int, nth: int = 0) -> Picture:
        """The graph in a cell's output, the `nth` of them, waited for."""
        root = self.shown(index).nth(nth)
        expect(root).to_be_visible()
        root.scroll_into_view_if_needed()  # what is far out of sight is not drawn
        return Picture(root)

    def reload(self, *, save: bool = True) -> None:
        """Save, and reload the page; the kernel lives on."""
        if save:
            self.save()
        self.page.reload()
        self._ready()

    def restart(self) -> None:
        """Restart the kernel."""
        self.page.evaluate("drive.restart()")

    def save(self) -> nbformat.NotebookNode:
        """Save, and read the file back."""
        self.page.evaluate("drive.save()")
        return nbformat.read(self.lab.root / self.name, as_version=4)

    def theme(self, name: str) -> None:
        """Change the theme: "light" or "dark"."""
        self.page.evaluate("n => drive.theme(n)", f"JupyterLab {name.title()}")
        expect(self.page.locator("body")).to_have_attribute(
            "data-jp-theme-light", "true" if name == "light" else "false"
        )
