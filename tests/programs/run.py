"""Runs each real program plain and watched: ``python -m tests.programs.run FOLDER``.

Writes a page for each, and ``results.json``: whether all tensors that the program's variables and
modules hold are the same to the bit, and what went wrong in the recording.
"""

from __future__ import annotations

import json
import os
import random
import sys
import types
import warnings
from pathlib import Path
from typing import Any

os.environ |= {"TRANSFORMERS_VERBOSITY": "error", "TQDM_DISABLE": "1"}
import torch

import graphwidget

SCRIPTS = Path(__file__).parent / "scripts"


def run(path: Path, watched: bool) -> tuple[dict[str, Any], Any]:
    """The program's variables at its end, and its graph."""
    main = types.ModuleType("__main__")
    main.__file__ = str(path)
    sys.modules["__main__"], before = main, sys.modules["__main__"]
    code = compile(path.read_text("utf-8"), str(path), "exec")
    random.seed(0)
    graph = graphwidget.watch() if watched else None
    try:
        if graph is not None:
            graph.namespace = vars(main)
        exec(code, vars(main))
    finally:
        sys.modules["__main__"] = before
        if graph is not None:
            graph.stop()
    return vars(main), graph


def tensors(space: dict[str, Any]) -> dict[str, torch.Tensor]:
    """All that variables and modules hold."""
    found: dict[str, torch.Tensor] = {}
    for name, value in space.items():
        if isinstance(value, torch.nn.Module):
            found |= {f"{name}.{key}": each for key, each in value.state_dict().items()}
        elif isinstance(value, torch.Tensor):
            found[name] = value.detach()
    return {name: each.cpu() for name, each in found.items()}


def same(plain: dict[str, Any], watched: dict[str, Any]) -> bool:
    """Return whether both runs ended with the same numbers, to the bit."""
    one, other = tensors(plain), tensors(watched)
    return (
        bool(one)
        and one.keys() == other.keys()
        and all(torch.equal(one[name], other[name]) for name in one)
    )


def main(folder: Path) -> None:
    """Run them all."""
    torch.set_num_threads(1)
    results: dict[str, Any] = {}
    for path in sorted(SCRIPTS.glob("*.py")):
        plain, _none = run(path, watched=False)
        watched, graph = run(path, watched=True)
        page = folder / f"{path.stem}.html"
        graph.to_html(str(page))
        results[path.stem] = {
            "same": same(plain, watched),
            "faults": graph.adapter.faults,
            "bytes": page.stat().st_size,
        }
    (folder / "results.json").write_text(json.dumps(results), "utf-8")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]))
