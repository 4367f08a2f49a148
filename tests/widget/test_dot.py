"""The ``dot`` that is kept running: its pictures are those of one that is not."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphwidget.exporters import dot
from graphwidget.exporters.dot import KeptDot
from graphwidget.exporters.graphviz import digraph
from tests.adapters.record_native import record

PROGRAMS = (
    "x = torch.ones(2, requires_grad=True)\ny = (x * 3).sum()\ny.backward()\n",
    "a = torch.ones(1, requires_grad=True)\nb = a.exp()\n",
    "net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())\ny = net(torch.ones(1, 2))",
)


@pytest.fixture
def kept() -> Iterator[KeptDot]:
    found = KeptDot()
    yield found
    found.end()


def drawn_alone(source: str) -> bytes:
    ran = subprocess.run(["dot", "-Tsvg"], input=source.encode(), capture_output=True, check=True)
    return ran.stdout


def test_each_picture_is_what_a_dot_of_its_own_draws(kept: KeptDot) -> None:
    sources = [digraph(record(program).model).source for program in PROGRAMS]
    for source in (*sources, *sources):
        assert kept.svg(source) == drawn_alone(source)


def test_a_large_drawing_goes_through_the_pipes(kept: KeptDot) -> None:
    words = "word " * 30
    source = "digraph {" + "".join(f'n{nr} [label="{words}"];' for nr in range(1_000)) + "}"
    assert len(source) > 1 << 16
    assert kept.svg(source) == drawn_alone(source)


def test_a_drawing_that_is_wrong_gives_none_and_spoils_no_other(kept: KeptDot) -> None:
    assert kept.svg("digraph { a -> }") is None
    assert kept.svg("digraph { a -> b }") == drawn_alone("digraph { a -> b }")


def test_one_that_has_died_is_replaced(kept: KeptDot) -> None:
    assert kept.svg("digraph { a }") == drawn_alone("digraph { a }")
    process = kept.process
    assert process is not None
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert kept.svg("digraph { b }") == drawn_alone("digraph { b }")


def test_an_interrupted_drawing_is_nobodys_else(
    kept: KeptDot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_given: object) -> None:
        raise KeyboardInterrupt

    assert kept.svg("digraph { a }")
    with monkeypatch.context() as patch:
        patch.setattr("select.select", interrupted)
        with pytest.raises(KeyboardInterrupt):
            kept.svg("digraph { b }")
    assert kept.svg("digraph { c }") == drawn_alone("digraph { c }")


def test_one_that_keeps_its_pictures_to_itself_is_not_asked_again(
    kept: KeptDot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = tmp_path / "dot"
    silent.write_text("#!/bin/sh\ncat > /dev/null\n")
    silent.chmod(silent.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(dot, "WAIT", 0.2)
    assert kept.svg("digraph { a }") is None
    monkeypatch.undo()
    assert kept.svg("digraph { a }") is None
    assert kept.process is None


def test_a_forked_process_has_one_of_its_own_and_none_outlives_its_program() -> None:
    program = """
        import os
        from graphwidget.exporters.dot import kept_dot

        kept_dot.svg("digraph { a }")
        mine = kept_dot.process.pid
        if not os.fork():
            assert kept_dot.svg("digraph { b }")
            assert kept_dot.process.pid != mine
            print(kept_dot.process.pid, flush=True)
            os._exit(0)
        os.wait()
        assert kept_dot.svg("digraph { c }") and kept_dot.process.pid == mine
        print(mine)
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60
    )
    assert not ran.returncode, ran.stderr
    for line in ran.stdout.split():
        until = time.monotonic() + 10
        while _runs_dot(int(line)):
            assert time.monotonic() < until
            time.sleep(0.01)


def _runs_dot(number: int) -> bool:
    try:
        fields = Path(f"/proc/{number}/stat").read_text().split()
    except OSError:
        return False
    return fields[1] == "(dot)" and fields[2] != "Z"
