"""The widget without a kernel: what it records, says, steps and exports."""

from __future__ import annotations

import base64
import gc
import json
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest

import graphwidget as torch
from graphwidget.exporters import dot, html, labels
from graphwidget.exporters.digraph import Graph
from graphwidget.graph.listeners import get_observer
from graphwidget.recording.log import unpack
from graphwidget.widget import display

NEEDS_DOT = pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz's dot")
NEEDS_BUNDLE = pytest.mark.skipif(
    not (html.DIST / "widget.js").is_file(), reason="needs the built front end"
)


def two_paths() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    w = torch.tensor([1.0], requires_grad=True)
    x = torch.tensor([2.0], requires_grad=True)
    return w, x, (x + w) * (w + 1)


def test_watch_as_a_context_manager() -> None:
    with torch.watch() as graph:
        _w, _x, y = two_paths()
        y.backward()
    assert get_observer() is None
    assert repr(graph) == "<GraphWidget 3 ops, 5 nodes, backward done>"


def test_watch_within_watch() -> None:
    with torch.watch() as outer:
        with torch.watch() as inner:
            _kept = two_paths()
        assert outer.recording
        _more = torch.ones(1) + 1
    assert repr(inner) == "<GraphWidget 3 ops, 5 nodes>"
    assert repr(outer) == "<GraphWidget 1 op, 0 nodes>"


def test_displayed_in_the_middle_of_a_loop_it_leaves_the_loop_whole() -> None:
    def epochs(graph: torch.GraphWidget, w: torch.Tensor) -> None:
        for _epoch in range(3):
            for batch in range(2):
                loss = (w * batch).sum()
                loss.backward()
                graph._repr_mimebundle_()

    with torch.watch() as graph:
        epochs(graph, torch.ones(2, requires_grad=True))
    loops = [loop for loop in graph.model.loops.values() if loop["count"] > 1]  # not pytest's
    assert [loop["count"] for loop in loops] == [3, 2, 2, 2]
    assert [loop["curves"].get("loss") for loop in loops[1:]] == [[0.0, 2.0]] * 3


def test_watch_as_a_call() -> None:
    first = torch.watch()
    try:
        _kept = torch.ones(1) + 1
        second = torch.watch()
        _more = torch.ones(1) * 1
        assert not first.recording
        assert len(first.model.calls) == len(second.model.calls) == 1
    finally:
        second.stop()
    assert get_observer() is None


def test_an_exception_in_the_block_loses_nothing() -> None:
    graph = torch.watch()

    def program() -> None:
        with graph:
            _kept = two_paths()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        program()
    assert len(graph.model.calls) == 3
    assert unpack(graph.packed)[1]


def test_the_saved_state_is_whole_whoever_asks_for_it() -> None:
    with torch.watch() as graph:
        _kept = two_paths()
    state = graph.get_state()
    assert state["count"] == len(graph.events) == len(unpack(state["packed"])[1]) > 0
    graph.start()
    _more = two_paths()
    graph.stop()
    assert len(unpack(graph.packed)[1]) == len(graph.events) == graph.count > state["count"]


def test_steps_from_code() -> None:
    with torch.watch() as graph:
        w, x, y = two_paths()
        run = graph.step(y)
        assert repr(run) == "<backward run, ready>"
        assert graph.model.runs[list(graph.model.runs)[-1]]["status"] == "running"
        run.next()
        assert [n["state"] for n in graph.model.nodes.values()].count("done") == 1
        assert w.grad is None
        run.next(2)
        assert w.grad is None
        run.finish()
    assert run.over
    assert run.status == "ok"
    assert w.grad is not None
    assert w.grad.item() == 5
    assert x.grad is not None
    assert repr(graph).endswith("backward done>")


def test_the_errors_of_backward_are_those_of_a_step() -> None:
    with torch.watch() as graph:
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        with pytest.raises(RuntimeError, match="implicitly created only for scalar"):
            graph.step(y)
        y.sum().backward()
        with pytest.raises(RuntimeError, match="second time"):
            graph.step(y, torch.ones(2)).finish()
    assert graph.model.errors[-1]["kind"] == "freed"


def test_a_graph_that_nobody_holds_records_no_more() -> None:
    torch.watch()
    gc.collect()
    assert get_observer() is None
    graph = torch.watch()
    gc.collect()
    assert graph.recording
    del graph
    gc.collect()
    assert get_observer() is None


def test_a_pause_without_a_page_runs_through(capsys: pytest.CaptureFixture[str]) -> None:
    with torch.watch() as graph:
        graph.pause()
        w, _x, y = two_paths()
        y.backward()
        (w * 1).backward()
    assert w.grad is not None
    assert w.grad.item() == 6
    assert capsys.readouterr().out.count("without a pause") == 1
    (w * 1).backward()
    assert capsys.readouterr().out == ""


@NEEDS_BUNDLE
def test_the_exported_page_stands_alone(tmp_path: Path) -> None:
    with torch.watch() as graph:
        names = {"</script><script>alert(1)</script>": torch.ones(1) + 1}
        graph.bind([("", name, tensor) for name, tensor in names.items()])
    path = graph.to_html(tmp_path / "graph.html", title="<b>")
    page = path.read_text("utf-8")
    assert "<script>alert(1)" not in page
    assert "<title>&lt;b&gt;</title>" in page
    outside = page.split('class="bundle"')[0]
    assert not re.search(r"""(src|href)=|https?://""", outside.replace("<!doctype", ""))
    log = re.search(r'class="log">([^<]*)<', page)
    assert log is not None
    assert next(iter(names)) in zlib.decompress(base64.b64decode(log.group(1))).decode()


def test_a_missing_bundle_says_how_to_build_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(html, "DIST", tmp_path)
    with pytest.raises(FileNotFoundError, match="make"):
        html.bundle()


def words(source: str) -> str:
    """A Graphviz source without the faces of its labels."""
    return re.sub(r"</?(?:B|FONT)\b[^>]*>", "", source.replace("<BR/>", "\n"))


def test_the_line_of_words_says_how_many_iterations_it_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("graphwidget.adapters.iterations.BUDGET", 2_000)
    x = torch.ones(2, requires_grad=True)
    with torch.watch() as graph:
        for turn in range(300):
            (x * turn).sum().backward()
    loop = next(iter(graph.model.loops.values()))
    reported = len(loop["iterations"])
    assert 2 * reported == len(graph.model.calls)
    assert f"{reported} of 300 iterations, backward done>" in repr(graph)
    with torch.watch() as short:
        for turn in range(3):
            (x * turn).sum()
    assert "iterations" not in repr(short)


def test_graphviz_of_a_recorded_tensor() -> None:
    with torch.watch():
        _w, _x, y = two_paths()
        y.backward()
        source = torch.to_graphviz(y).source
    assert "MulBackward0" in source
    assert "w\n(1,) float32\n[1.]\nrequires grad\ngrad [5.]" in words(source)


def test_graphviz_of_a_tensor_that_nobody_recorded() -> None:
    _w, _x, y = two_paths()
    source = torch.to_graphviz(y).source
    assert source.count("AddBackward0") == 2
    assert source.count("MulBackward0") == 1


def test_graphviz_of_a_widget_shows_the_hazard() -> None:
    with torch.watch() as graph:
        a = torch.tensor([1.0, 3.0], requires_grad=True)
        b = a + 2
        _loss = (b * b).mean()
        b[0] = 1000.0
        source = torch.to_graphviz(graph).source
    assert "other and self were saved at v0, this wrote v1" in source
    assert "requires grad, v1" in source
    (writer,) = re.findall(r"(\w+) \[label=<(?:\[0\] = 1000|fill_|copy_)", words(source))
    (reader,) = re.findall(r"(\w+) \[label=<×", words(source))
    assert f"{writer} -> {reader} [label=" in source


def test_graphviz_has_the_signs_and_titles_of_the_picture() -> None:
    with torch.watch() as graph:
        a = torch.tensor([2.0, 3.0], requires_grad=True)
        b = torch.tensor([6.0, 4.0], requires_grad=True)
        q = 3 * a**3 - b**2
        graph.bind([("", "a", a), ("", "b", b), ("", "Q", q)])
        q.sum().backward()
        drawn = torch.to_graphviz(graph)
    titles = re.findall(r"\[label=<([^\n>]+)", words(drawn.source))
    assert {"a", "b", "Q", "a ^ 3", "b ^ 2", "(a ^ 3) × 3", "Σ Q"} <= set(titles)
    assert {"^ 3", "^ 2", "× 3", "−", "Σ"} <= set(titles)
    assert repr(drawn) == "<graph of 7 values and 5 operations>"


def test_graphviz_takes_names_as_text() -> None:
    with torch.watch() as graph:
        kept = [torch.ones(1) + 1]  # a variable's own name would be the better one
        graph.bind([("", "  <b>\\N\n\x1b&", kept[0])])
        picture = torch.to_graphviz(graph)
    assert "&#160;&#160;&lt;b&gt;\\N\ufffd\ufffd&amp;" in picture.source
    if dot.has_dot():
        assert b"&lt;b&gt;" in picture.pipe(format="svg")


def test_graphviz_has_the_colours_of_the_widget() -> None:
    css = (Path(__file__).parents[2] / "js/style/theme.css").read_text("utf-8")
    light = css.partition('.gw[data-theme="dark"]')[0]
    theme = dict(re.findall(r"--gw-([\w-]+):(?: var\([\w-]+,)? (#\w{6})", light))
    assert {name: theme[name] for name in labels.COLOURS} == labels.COLOURS


def test_graphviz_is_of_a_public_class_and_says_its_direction_once() -> None:
    drawn = torch.to_graphviz(torch.ones(2, requires_grad=True).exp())
    assert type(drawn) is Graph
    assert drawn.source.count("rankdir=LR") == drawn.source.count("rankdir") == 1
    long = torch.ones(2, requires_grad=True)
    for _ in range(9):
        long = long.exp()
    source = torch.to_graphviz(long).source
    assert source.count("rankdir=TB") == source.count("rankdir") == 1


def test_graphviz_of_anything_else() -> None:
    with pytest.raises(TypeError, match="not int"):
        torch.to_graphviz(3)


def test_without_dot_the_message_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    _w, _x, y = two_paths()
    picture = torch.to_graphviz(y)
    monkeypatch.setattr(dot.shutil, "which", lambda _name: None)
    with pytest.raises(RuntimeError, match="apt install graphviz"):
        picture.render("never")
    assert "apt install graphviz" in picture._repr_mimebundle_()["text/plain"]


@NEEDS_DOT
def test_pictures_render() -> None:
    _w, _x, y = two_paths()
    assert torch.to_graphviz(y).pipe(format="svg").startswith(b"<?xml")
    with torch.watch() as graph:
        _kept = two_paths()
    data, _metadata = graph._repr_mimebundle_()
    assert data["text/plain"] == "<GraphWidget 3 ops, 5 nodes>"
    html = display.still(graph.model, repr(graph))["text/html"]
    image = re.search(r'src="data:image/svg\+xml;base64,([^"]*)"', html)
    assert image is not None
    picture = ElementTree.fromstring(base64.b64decode(image.group(1)))
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    assert picture.attrib["width"].endswith("px")
    assert "w" in {text.strip() for text in picture.itertext()}


def test_a_recording_that_outlives_the_program_says_nothing() -> None:
    code = (
        "import builtins, torch, graphwidget; builtins.kept = graphwidget.watch(); "
        "y = (torch.ones(3, requires_grad=True) * 2).sum(); y.backward()"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (out.stdout, out.stderr) == ("", "")


def test_importing_graphwidget_loads_no_widget() -> None:
    code = (
        "import sys, graphwidget, json; print(json.dumps([m for m in sys.modules if "
        "m.split('.')[0] in ('ipywidgets', 'anywidget', 'IPython', 'graphviz', 'traitlets')]))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout) == []
