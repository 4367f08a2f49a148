"""The notebooks of the course: nothing that must be taught is missing, and what they print is true.

Code cells are tagged with what they show. They run here on both engines and print the same, except
cells tagged ``ours``, which use what PyTorch has not or prints otherwise.
"""

from __future__ import annotations

import contextlib
import functools
import io
import re
import warnings
from pathlib import Path
from types import ModuleType

import nbformat
import pytest
import torch
import torch.utils.checkpoint
from nbformat import NotebookNode

import graphwidget
from graphwidget import static, tutorial
from graphwidget.tutorial.answers import ANSWERS
from graphwidget.tutorial.compare import hashed
from graphwidget.tutorial.texts.en import TEXTS
from tests.tutorials.course_answers import computed

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
OURS = [name for name in NOTEBOOKS if name[:2] != "07"]

TOPICS = {
    "the graph; y = (x + w)(w + 1)": "example-A graph print-grad-fn leaf-attributes two-paths",
    "what is a node": "node-edge-readings",
    "gradients of results": "non-leaf-grad retain-grad",
    "the root, trees and water pipes": "root-and-water",
    "(a + b)(b + c) and its backward graph": "example-B backward-graph",
    "l1 to l4": "example-C broadcast",
    "the mean of squares": "example-D",
    "forward and backward of a Function": "function-forward-backward custom-function",
    "attributes of tensors": "attributes requires-grad-rules detach",
    "vectors": "vector-jacobian",
    "rows of a product of matrices": "example-E grad-data-zero no-requires-grad",
    "several losses": "several-losses grad-tensors",
    "derivatives of derivatives": "create-graph higher-order",
    "accumulation and training": "accumulate zero-grad training-loop",
    "buffers are freed": "example-F freed retain-graph example-F2",
    "in place or not": "in-place identity names",
    "versions": "version views data",
    "a saved value is written": "example-G stale error-text",
    "old and new messages": "old-and-new",
    "a harmless write": "harmless-write",
    "leaves are stricter": "leaf-write why-strict",
    "the way out": "example-H no-grad-write",
    "define and run": "example-J symbol session placeholder print-shows-a-name static-training",
    "loops": "example-I static-loop dynamic-loop while-loop",
    "branches": "cond every-branch dynamic-branch",
    "errors of static graphs": "static-errors brick-wall dynamic-errors",
    "how long graphs live; C++ and Python": "lifetimes dynamic-and-static",
    "the two animations": "dynamic-growth static-flow side-by-side",
    "ONNX": "onnx onnx-load",
    "torch.fx": "fx",
    "order, parallel work, no work twice": "order-and-parallel no-work-twice",
    "memory, several machines": "memory memory-plan several-machines",
    "convolutions": "convolution",
}
"""Subjects that must be taught, and the tags of the cells that show it."""

ANSWER = re.compile(r'check\("([^"]+)"')


def read(name: str) -> list[NotebookNode]:
    cells: list[NotebookNode] = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4).cells
    return cells


def tags(cell: NotebookNode) -> list[str]:
    return list(cell.metadata.get("tags", []))


def for_engine(source: str, engine: ModuleType) -> str:
    """The source of a cell without magics, with `torch` bound to an engine."""
    source = re.sub(r"(?m)^%.*$", "", source)
    if engine is torch:
        source = source.replace("import graphwidget as torch", "import torch")
        source = re.sub(r"from graphwidget(?= import nn|\.utils)", "from torch", source)
    return source


@functools.cache
def printed(name: str, engine: ModuleType) -> dict[int, str]:
    """Return what each code cell of a notebook prints or raises, with `torch` bound to an
    engine."""
    static.reset_default_graph()
    space: dict[str, object] = {}
    texts = {}
    for number, cell in enumerate(read(name)):
        if cell.cell_type != "code" or (engine is torch and "ours" in tags(cell)):
            continue
        source = for_engine(cell.source, engine)
        out = io.StringIO()
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(compile(source, f"{name}, cell {number}", "exec"), space)
            except Exception as error:
                if "raises-exception" not in tags(cell):
                    raise
                print(type(error).__name__, error)
        texts[number] = out.getvalue()
    return texts


@pytest.mark.parametrize("name", OURS)
def test_prints_what_pytorch_prints(name: str) -> None:
    ours, theirs = printed(name, graphwidget), printed(name, torch)
    assert {number: ours[number] for number in theirs} == theirs


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_stored_outputs_are_small(name: str) -> None:
    assert (FOLDER / f"{name}.ipynb").stat().st_size <= 400_000


@pytest.mark.parametrize("name", OURS)
def test_stored_outputs_are_of_these_cells(name: str) -> None:
    ours = printed(name, graphwidget)
    for number, cell in enumerate(read(name)):
        if cell.cell_type == "code" and "%" not in cell.source:
            stored = "".join(o.text for o in cell.outputs if o.get("name") == "stdout")
            assert stored == ours[number] or "raises-exception" in tags(cell), number


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_form(name: str) -> None:
    cells = read(name)
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert re.search(r"\*\*Time:\*\* \d+ minutes", cells[0].source)
    assert "After this you can" in cells[0].source
    for part in ("## Can you now ...", "## Exercises", "## New terms", "| English | 中文 |"):
        assert part in text
    assert text.count("<details>") == text.count("</details>") > 0
    assert max(len(cell.source.splitlines()) for cell in cells if cell.cell_type == "code") <= 25


def test_nothing_that_must_be_taught_is_missing() -> None:
    shown = {tag for name in NOTEBOOKS for cell in read(name) for tag in tags(cell)}
    wanted = {tag for words in TOPICS.values() for tag in words.split()}
    assert wanted - shown == set()


def test_every_question_has_an_answer_and_a_hint() -> None:
    asked = [
        question
        for name in NOTEBOOKS
        for cell in read(name) if cell.cell_type == "code"
        for question in ANSWER.findall(cell.source)
    ]  # fmt: skip
    assert sorted(asked) == sorted(ANSWERS)
    hints = {key.removeprefix("hint ") for key in TEXTS if key.startswith("hint ")}
    assert hints == set(ANSWERS)
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("engine", [graphwidget, torch], ids=["ours", "theirs"])
def test_answers(engine: ModuleType) -> None:
    found = {question: hashed(question, answer) for question, answer in computed(engine).items()}
    assert found == ANSWERS


def said(question: object, answer: object, capsys: pytest.CaptureFixture[str]) -> str:
    tutorial.check(question, answer)  # type: ignore[arg-type]  # readers type anything
    return capsys.readouterr().out


RIGHT = [
    ("04.1", -24),
    ("04.1", -24.0009),
    ("04.1", "-24"),
    ("04.1", graphwidget.tensor([-24.0], requires_grad=True)),
    ("04.1", torch.tensor(-24.0)),
    ("04.8", (0.02, 0.1, 0.24)),
    ("04.8", "[0.02, 0.1, 0.24]"),
    ("04.3", "yes"),
    ("04.10", [False, False, True, True]),
    ("00.1c", ["x", "W"]),
    ("04.7", "Sigmoid relu tanh"),
    ("06.8", [[12000, 1], [4000, 2]]),
]
OTHER = [
    ("04.1", 24, "✗"),
    ("04.1", -24.003, "✗"),
    ("04.1", [1, 2], "✗"),
    ("04.1", float("nan"), "✗"),
    ("04.8", [0.1, 0.02, 0.24], "✗"),
    ("04.1", True, "a number"),
    ("04.1", "minus 24", "a number"),
    ("04.1", 10**400, "cannot be compared"),
    ("04.1", None, "None is not an answer"),
    ("04.1", object, "cannot be compared"),
    ("04.1", torch.empty(2, device="meta"), "cannot be compared"),
    ("04.3", 3, "True or False"),
    ("04.1b", 3, "a text"),
    ("04.1", ..., "dots"),
    ("9.9", 1, "no question"),
    (["04.1"], 1, "no question"),
]


@pytest.mark.parametrize(("question", "answer"), RIGHT, ids=repr)
def test_right(question: str, answer: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(question, answer, capsys).startswith("✓")


@pytest.mark.parametrize(("question", "answer", "words"), OTHER, ids=repr)
def test_not_right(
    question: object, answer: object, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = said(question, answer, capsys)
    assert words in text
    assert "✓" not in text


def test_a_list_that_holds_itself(capsys: pytest.CaptureFixture[str]) -> None:
    endless: list[object] = []
    endless.append(endless)
    assert "cannot be compared" in said("04.1", endless, capsys)


def test_copies_the_course_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tutorial.copy(tmp_path / "course")
    assert (tmp_path / "course" / "images" / "labelled.png").is_file()
    assert (tmp_path / "course" / "04_training_a_network.ipynb").is_file()
    tutorial.copy(tmp_path / "course")
    assert "has files already" in capsys.readouterr().out
