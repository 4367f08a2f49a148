"""Runs notebooks again and stores their outputs: `python -m tests.notebooks FILE...`.

Each file keeps what a reader without a kernel can use (text, static pictures, errors). What only a
live page can use, and what names the machine it ran on, is taken out.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
LIVE = "application/vnd.jupyter.widget-view+json"
STILL, LARGEST_STILL = "image/png", 60_000  # in base64; larger ones cannot be read anyway
SCRATCH = re.compile(r"\S*/ipykernel_\d+/\d+\.py")


def anonymous(text: str) -> str:
    """The text without the paths of this machine."""
    return SCRATCH.sub("<cell>", text.replace(f"{ROOT}/", "")).replace(sys.prefix, "<python>")


def tidy(output: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """One output as it is stored."""
    if "data" in output:
        output.data.pop(LIVE, None)
        if len(output.data.get(STILL, "")) > LARGEST_STILL:
            del output.data[STILL]
    if "text" in output:
        output.text = anonymous(output.text)
    if "traceback" in output:
        output.traceback = [anonymous(line) for line in output.traceback]
        output.evalue = anonymous(output.evalue)
    return output


def joined(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """The outputs with what was printed in a row in one piece: how it is cut differs by chance."""
    kept: list[nbformat.NotebookNode] = []
    for output in outputs:
        if kept and "text" in output and kept[-1].get("name") == output.name:
            kept[-1].text += output.text
        else:
            kept.append(output)
    return kept


def run(path: Path) -> None:
    """Execute one notebook in place."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, store_widget_state=False, resources={"metadata": {"path": path.parent}}
    )
    client.execute()
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{number:02}"
        if cell.cell_type == "code":
            cell.metadata.pop("execution", None)  # times of day
            cell.outputs = joined([tidy(output) for output in cell.outputs])
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        run(Path(argument))
