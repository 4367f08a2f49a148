"""For tests of what holds on both engines: run a program on either and get what was recorded."""

from __future__ import annotations

import linecache
from typing import Any

import torch

import graphwidget
from graphwidget.adapters.native import NativeAdapter
from graphwidget.adapters.pytorch.watcher import TorchAdapter
from graphwidget.recording.fold import Model
from graphwidget.recording.recorder import Recorder


def _run(source: str, adapter: Any, library: Any) -> tuple[Model, dict[str, Any]]:
    """Run a program with `library` as torch, an error being part of it."""
    filename = f"<program {hash(source)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace: dict[str, Any] = {"torch": library}
    try:
        with adapter.observing():
            exec(compile(source, filename, "exec"), namespace)
    except RuntimeError as error:
        namespace["error"] = error
    adapter.bind(("", name, x) for name, x in namespace.items() if isinstance(x, library.Tensor))
    adapter.drain()
    return adapter.recorder.log.model(), namespace


def real(source: str) -> tuple[Model, dict[str, Any]]:
    return _run(source, TorchAdapter(Recorder()), torch)


def native(source: str) -> tuple[Model, dict[str, Any]]:
    return _run(source, NativeAdapter(Recorder()), graphwidget)
