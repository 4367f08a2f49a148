"""Programs outside of notebooks: ``python -m graphwidget``, and pytest's ``--graphwidget``."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

BROKEN = """\
import sys
import torch
print("given", sys.argv[1:], __name__)
net = torch.nn.Linear(3, 2)
h = torch.sigmoid(net(torch.randn(5, 3)))
h += 1
h.mean().backward()
"""
SILENT = """\
    w = torch.ones(3, requires_grad=True)
    h = w.exp()
    h.data.mul_(2)
    h.sum().backward()
    assert torch.equal(w.grad, w.exp())
"""
RIGHT = BROKEN.replace("h += 1", "h = h + 1")
NOTHING = "Nothing was found in the graph that explains the error."


ROOT = Path(__file__).parents[2]


def run(folder: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder, capture_output=True, text=True, timeout=600,
        env={
            "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # those of notebooks and pages take seconds
            **env,
        },
    )  # fmt: skip


def test_a_script_that_fails_is_explained_after_its_traceback(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BROKEN)
    done = run(tmp_path, "graphwidget", "--json", "found.json", "train.py", "a", "--b")
    assert done.returncode == 1
    assert done.stdout == "given ['a', '--b'] __main__\n"
    traceback, _, rest = done.stderr.partition("\n\nSaved value overwritten: ")
    assert "modified by an inplace operation" in traceback
    assert "graphwidget/adapters" not in traceback
    assert "handle_torch_function" not in traceback
    assert traceback.count("in backward") == 2  # Tensor's and autograd's, as without us
    assert done.stderr.count("h += 1") == 1
    assert "line 6: h += 1" in rest
    assert "\x1b" not in done.stderr
    assert rest.index("h += 1") < rest.index("h = torch.sigmoid")  # the guilty line first
    (finding,) = json.loads((tmp_path / "found.json").read_text())
    assert finding["kind"] == "stale"
    assert finding["reader"]["line"] == 5
    assert finding["culprit"]["line"] == 6
    assert finding["fix"] == "h = h + 1"
    assert NOTHING not in done.stderr
    assert "train.graph.html" in done.stderr or "has not been built" in done.stderr


def test_a_script_knows_where_it_stands(tmp_path: Path) -> None:
    source = "import os\nos.chdir('/')\nprint(__file__, open(__file__).read(9))\n"
    (tmp_path / "where.py").write_text(source)
    python = [sys.executable, "where.py"]
    plain = subprocess.run(python, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert run(tmp_path, "graphwidget", "where.py").stdout == plain.stdout
    assert str(tmp_path) in plain.stdout


def test_the_exit_status_is_the_scripts(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(RIGHT + "sys.exit(3)\n")
    done = run(tmp_path, "graphwidget", "train.py")
    assert done.returncode == 3
    assert done.stderr == ""
    assert [path.name for path in tmp_path.glob("*.html")] == []


def test_a_fault_of_our_own_is_reported_at_the_end(tmp_path: Path) -> None:
    spoil = (
        "import warnings, torch\nfrom graphwidget.adapters.pytorch.tensors import Tensors\n"
        "warnings.simplefilter('error')\nTensors.current = None\n"
    )
    (tmp_path / "train.py").write_text(spoil + RIGHT)
    done = run(tmp_path, "graphwidget", "train.py")
    assert done.returncode == 0  # the script's own
    assert "after an internal error: TypeError" in done.stderr.splitlines()[-1]


def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    done = run(tmp_path, "graphwidget", "nothing.py")
    assert done.returncode == 2
    assert "there is no file nothing.py" in done.stderr


def test_a_script_without_pytorch_does_not_get_it(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("import sys\nprint('torch' in sys.modules)\n")
    done = run(tmp_path, "graphwidget", "plain.py")
    assert (done.stdout, done.stderr, done.returncode) == ("False\n", "", 0)


def test_a_failure_that_the_graph_does_not_explain(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(RIGHT + "open('nowhere')\n")
    done = run(tmp_path, "graphwidget", "train.py")
    assert done.returncode == 1
    assert NOTHING in done.stderr
    assert "train.graph.html" in done.stderr or "has not been built" in done.stderr


@pytest.mark.parametrize("source", ["1 +\n", "print(1)\n1 / 0\n"])
def test_where_nothing_was_recorded_there_is_no_page(tmp_path: Path, source: str) -> None:
    (tmp_path / "plain.py").write_text(source)
    done = run(tmp_path, "graphwidget", "--page", "here.html", "plain.py")
    assert done.returncode == 1
    assert "No page was written: nothing was recorded." in done.stderr
    assert "The graph is in" not in done.stderr
    assert NOTHING not in done.stderr
    assert list(tmp_path.glob("*.html")) == []


def test_a_page_that_is_asked_for_is_written_though_all_went_well(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(RIGHT)
    done = run(tmp_path, "graphwidget", "--always", "train.py")
    assert done.returncode == 0
    assert "train.graph.html" in done.stderr or "has not been built" in done.stderr


FIXTURES = """\
import pytest
import torch

@pytest.fixture
def hidden():
    return torch.sigmoid(torch.nn.Linear(3, 2)(torch.randn(5, 3)))

@pytest.fixture
def broken(hidden):
    hidden *= 3
    hidden.mean().backward()

def test_written(hidden):
    hidden += 1
    hidden.mean().backward()

def test_in_a_fixture(broken):
    pass

def test_kept():
    net, kept = torch.nn.Linear(3, 2), []
    for _ in range(20):
        kept.append(net(torch.randn(5, 3)).mean())
    assert len(kept) == 0
"""


def test_fixtures_are_watched_too_and_what_is_reported_when_all_is_over(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(FIXTURES)
    plugin = ("-p", "graphwidget.pytest_plugin", "-p", "no:cacheprovider", "-q")
    done = run(tmp_path, "pytest", *plugin, "--graphwidget", "test_it.py")
    needed = "needed by  test_it.py, line 6: return torch.sigmoid("
    _, failures = done.stdout.split("= FAILURES =")
    errors, _ = done.stdout.split("= FAILURES =")
    assert needed in failures
    assert needed in errors
    assert "caused by  test_it.py, line 10: hidden *= 3" in errors
    assert "Graphs pile up: kept keeps the graph of every iteration alive" in failures


def test_failing_tests_are_explained_in_their_report(tmp_path: Path) -> None:
    body = "".join(f"    {line}\n" for line in BROKEN.splitlines()[3:])
    (tmp_path / "test_it.py").write_text(
        f"import torch\n\ndef test_error():\n{body}\n\ndef test_silent():\n{SILENT}"
    )
    installed = tmp_path / "site" / "graphwidget_as_installed-0.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: graphwidget-as-installed\n")
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = (f"{name} = {module}" for name, module in declared["pytest11"].items())
    (installed / "entry_points.txt").write_text("\n".join(["[pytest11]", *lines]))
    site = {"PYTHONPATH": f"{ROOT}:{installed.parent}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": ""}
    others = [f"-pno:{name}" for name in ("playwright", "nbval", "anyio", "hypothesispytest")]
    done = run(tmp_path, "pytest", "-q", *others, "--graphwidget", "test_it.py", **site)
    assert done.stdout.count("caused by  test_it.py, line 6: h += 1") == 1
    _, _, apart = done.stdout.partition("what is wrong with the graph")
    assert "h.data.mul_(2)" in apart  # no error of PyTorch's says so
    plugin = ("-p", "graphwidget.pytest_plugin", "-q")  # named, too
    plain = run(tmp_path, "pytest", *plugin, *others, "test_it.py", **site)
    assert "2 failed" in plain.stdout
    assert "caused by" not in plain.stdout
    assert "what is wrong with the graph" not in plain.stdout
