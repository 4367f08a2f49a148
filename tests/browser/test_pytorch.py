"""The user's real PyTorch in JupyterLab: the same pictures, the guilty line, the engine held."""

from __future__ import annotations

import re

import torch
from playwright.sync_api import expect

from tests.browser.conftest import PATIENCE, OpenNotebook
from tests.browser.pages import Show, replayed
from tests.browser.test_stepping import TWO_PATHS

LOAD = "import torch\n%load_ext graphwidget"
WATCH = "import torch\nimport graphwidget\ngraph = graphwidget.watch()\ngraph"
GRADS = "[None if t.grad is None else t.grad.tolist() for t in (w, x)]"


def test_a_stale_value_is_red_and_explained(notebook: OpenNotebook) -> None:
    lines = "a = torch.tensor([1., 3.], requires_grad=True)\nb = a + 2\nloss = (b * b).mean()"
    book = notebook([WATCH, f"{lines}\nb[0] = 1000.", "loss.backward()"])
    book.run(0, 1)
    picture = book.picture(0)
    expect(picture.hazard).to_contain_text("loss = (b * b).mean()")
    expect(picture.hazard).to_contain_text("b[0] = 1000.")
    assert "stale" in picture.seen().slots
    book.run(2)
    expect(picture.error).to_contain_text("MulBackward0")
    assert "b[0] = 1000." in "".join(book.outputs(2)[0]["traceback"])
    found = "[(e.kind, e.reader.text, e.culprit.text) for e in graphwidget.explain()]"
    assert book.ask(found) == [["stale", "loss = (b * b).mean()", "b[0] = 1000."]]


def test_buttons_advance_pytorchs_own_engine(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, TWO_PATHS, "run = graph.step(y)"])
    book.run()
    picture = book.picture(0)
    expect(picture.state).to_have_text("paused in backward")
    assert book.ask(GRADS) == [None, None]
    for done in range(1, 6):
        picture.press("next")
        book.page.wait_for_function(
            "([p, n]) => Number(p.textContent.split('/')[1]) >= n",
            arg=[picture.count.element_handle(), done],
        )
    assert book.ask(GRADS) == [[5.0], [2.0]]
    assert book.ask("run.status") == "ok"


def test_backward_waits_in_its_running_cell(notebook: OpenNotebook) -> None:
    book = notebook(
        [f"{LOAD}\n%graph pause on\n{PATIENCE}", TWO_PATHS, "y.backward()\nprint('over', w.grad)"]
    )
    book.run(0, 1)
    book.start(2)
    picture = book.picture(2)
    bar = picture.root.get_by_test_id("run-bar")
    expect(bar).to_contain_text("running cell")
    picture.take_step()
    expect(picture.step).to_contain_text("MulBackward0")
    assert "over" not in book.text(2)
    picture.press("run-end")
    book.finish()
    assert "over tensor([5.])" in book.text(2)
    expect(bar).to_have_count(0)


GAN = """\
G, D = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(D.parameters(), lr=0.1)
fake = G(torch.randn(5, 2))
score = D(fake)
score.mean().backward(retain_graph=True)
optimizer.step()
loss = -score.mean()
loss.backward()"""


def test_the_step_that_came_too_early_is_drawn(notebook: OpenNotebook) -> None:
    book = notebook(
        [LOAD, GAN, GAN.replace("optimizer.step()", "optimizer.step()\nscore = D(fake)")]
    )
    book.run(0, 1)
    picture = book.picture(1)
    expect(picture.error).to_contain_text("optimizer.step()")
    expect(picture.error).to_contain_text("score = D(fake)")
    [reported] = [o["traceback"] for o in book.outputs(1) if o["output_type"] == "error"]
    assert "optimizer.step()" in "".join(reported)
    assert "_engine_run_backward" not in "".join(reported)  # that is no line of the user's
    seen = picture.seen()
    assert seen.stale == 1
    assert "SGD_" in seen.op_names
    kinds = "[each.kind for each in graphwidget.explain()]"
    assert book.ask(kinds, "import graphwidget") == ["stale"]
    book.run(2)
    assert book.ask(kinds, "import graphwidget") == []  # a backward that goes well closes the case


def test_the_leaf_that_may_not_be_written_is_red(show: Show) -> None:
    lines = "bias = torch.zeros(3, requires_grad=True)\nbias.fill_(1.)"
    picture = replayed(show, lines, library=torch)
    expect(picture.error).to_contain_text("bias is a leaf that requires grad")
    expect(picture.error).to_contain_text("with torch.no_grad():")
    expect(picture.card("bias")).to_have_class(re.compile(r"\bgw-wrong\b"))


CLIPPED = """\
for step in range(3):
    loss = (net(x) ** 2).mean()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)"""


def test_what_a_library_does_with_gradients_is_one_box(notebook: OpenNotebook) -> None:
    setup = "net, x = torch.nn.Linear(2, 3), torch.ones(4, 2)"
    book = notebook([f"{LOAD}\n{setup}", CLIPPED])
    book.run()
    picture = book.picture(1)
    picture.expect_names({"loss", "norm"})
    box = picture.root.get_by_test_id("group").filter(has_text="clip_grad_norm_()")
    expect(box).to_contain_text("line 4")
    assert not {"(3, 2)", "(3,)"} & picture.seen().names  # gradients are inside
    assert not any("norm" in op for op in picture.seen().op_names)
    expect(picture.root.get_by_test_id("iteration-words")).to_contain_text("norm ")
