"""Modules as packages of Python, which can be read, changed and imported again."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import nn
from ..arrays.warnings import warn
from ..nn.module import Module
from ..serialization import save

HEAD = """\
import graphwidget as torch
from math import inf
from math import nan
NoneType = type(None)
from graphwidget import device
from graphwidget.func import pytree
from graphwidget.fx.codegen import Flattening as fx_pytree

from graphwidget.nn import *
"""
"""What generated code and the texts of layers name."""
AS_TEXT = (
    nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d,
)  # fmt: skip
"""The layers whose printed text makes them again."""


def write_folder(module: Module, code: str, folder: str | os.PathLike[str], name: str) -> None:
    """Write a module's package.

    Args:
        code: its ``forward``.
        name: what its class is called there.
    """
    place = Path(folder)
    place.mkdir(exist_ok=True)
    save(module.state_dict(), place / "state_dict.pt")
    pickled: list[str] = []
    made = [*children(module, place, pickled), *tensors(module)]
    made.append(f"self.load_state_dict(torch.load(r'{folder}/state_dict.pt'))")
    start = [f"class {name}(torch.nn.Module):", "    def __init__(self):",
             "        super().__init__()"]  # fmt: skip
    start += [f"        {line}" for line in made]
    body = textwrap.indent(code, "    ", lambda line: bool(line.strip())).removeprefix("    ")
    text = HEAD + "\n".join(start) + f"\n{body}\n"
    (place / "module.py").write_text(text)
    (place / "__init__.py").write_text("from .module import *")
    if pickled:
        warn("Was not able to save the following children modules as reprs -"
             f"saved as pickled files instead: {pickled}")  # fmt: skip


def children(module: Module, place: Path, pickled: list[str]) -> Iterator[str]:
    """The lines that make the children; those that take a pickle get one."""
    for name, child in module.named_children():
        text = repr(child)
        if type(child) in AS_TEXT:
            yield f"setattr(self, '{name}', {text})"
            continue
        file = place / f"{name}.pt"
        save(child, file)
        pickled.append(name)
        seen = " ".join(text.splitlines())
        yield f"setattr(self, '{name}', torch.load(r'{file}', weights_only=False)) # {seen}"


def tensors(module: Module) -> Iterator[str]:
    """The lines that make the module's own buffers and parameters, still without numbers."""
    for name, buffer in module._buffers.items():
        if buffer is not None:
            yield f"self.register_buffer('{name}', {empty(buffer)})"
    for name, parameter in module._parameters.items():
        if parameter is not None:
            yield f"setattr(self, '{name}', torch.nn.Parameter({empty(parameter)}))"


def empty(tensor: Any) -> str:
    """The text that makes a tensor of the same shape and type."""
    return f"torch.empty({list(tensor.shape)}, dtype={tensor.dtype})"
