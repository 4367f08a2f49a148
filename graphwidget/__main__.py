"""``python -m graphwidget script.py [args]``: run a script watched, and explain its faults.

Prints what was found after the script's own traceback and writes one page with the graph of the
step that failed. The exit status is the script's.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import shutil
import sys
import textwrap
import traceback
from collections.abc import Sequence
from typing import Any

from .adapters.composite import Adapter
from .recording.findings import Findings
from .recording.language import say
from .recording.recorder import Recorder
from .widget.tracebacks import of_user

BOLD, PLAIN, CODE = "\x1b[1;31m", "\x1b[0m", "\x1b[32m"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script that the arguments name; its exit status."""
    given = _parse(sys.argv[1:] if arguments is None else arguments)
    adapter = Adapter(Recorder())
    sys.argv = [given.script, *given.args]
    sys.path[0] = os.path.dirname(os.path.abspath(given.script))
    status, failed, crashed = 0, False, False
    try:
        with adapter.observing():
            runpy.run_path(os.path.abspath(given.script), run_name="__main__")
    except SystemExit as end:
        status = _status(end.code)
    except BaseException as error:
        status, failed, crashed = 1, True, isinstance(error, Exception)
        adapter.raised(error)
        _print(error, Findings(adapter.findings()))
    findings = Findings(adapter.findings(over=True))
    _tell(findings)
    adapter.drain()
    recorded = bool(adapter.recorder.latest().values)
    if crashed and recorded and not findings:
        _print_line("Nothing was found in the graph that explains the error.")
    for fault in adapter.faults:
        _print_line("{fault}; what the script did after that was not seen.", fault=fault)
    if given.json is not None:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump([each.as_json() for each in findings], file, indent=2)
    if not recorded:
        if given.page or given.always:
            _print_line("No page was written: nothing was recorded.")
    elif failed or given.page or given.always:
        _write_page(adapter, given.page or f"{_stem(given.script)}.graph.html")
    return status


def _parse(arguments: Sequence[str]) -> Any:
    command = os.path.basename(sys.argv[0])
    parser = argparse.ArgumentParser(
        "python -m graphwidget" if command == "__main__.py" else command,
        description=say("Run a PyTorch script and say what is wrong with it."),
        usage="%(prog)s [-h] [--json FILE] [--page FILE] [--always] script [args ...]",
    )
    parser.add_argument("--json", metavar="FILE", help=say("write what was found there as JSON"))
    parser.add_argument("--page", metavar="FILE", help=say("write the page there, failed or not"))
    parser.add_argument(
        "--always", action="store_true", help=say("write SCRIPT.graph.html if all went well")
    )
    parser.add_argument("script", nargs="?", help=say("the script, and then what it is given"))
    parser.add_argument("args", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.script is None:
        parser.error(say("a script is required"))
    if not os.path.isfile(given.script):
        parser.error(say("there is no file {script}", script=given.script))
    return given


def _print_line(text: str, **places: object) -> None:
    print(f"\n{say(text, **places)}", file=sys.stderr)


def _status(code: Any) -> int:
    if code is None or isinstance(code, int):
        return code or 0
    print(code, file=sys.stderr)
    return 1


def _stem(script: str) -> str:
    return os.path.splitext(os.path.basename(script))[0]


def _print(error: BaseException, findings: Findings) -> None:
    """The script's own traceback; what was found follows it, and is no note of the error here."""
    trace = of_user(error.__traceback__)
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith("<frozen runpy"):
        trace = trace.tb_next
    explained = {line for each in findings for line in each.lines()}
    notes = getattr(error, "__notes__", [])
    notes[:] = [each for each in notes if each not in explained]
    traceback.print_exception(type(error), error, trace)


def _tell(findings: Findings) -> None:
    coloured = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    look = (BOLD, PLAIN, CODE) if coloured else ("", "", "")
    width = shutil.get_terminal_size().columns
    for finding in findings:
        text, *rest = finding.lines(*look)
        if sys.stderr.isatty():
            text = textwrap.fill(text, max(width, 40), break_long_words=False)
        print("\n" + "\n".join([text, *rest]), file=sys.stderr)


def _write_page(adapter: Adapter, path: str) -> None:
    from .widget.pages import write

    try:
        write(adapter, path, title=os.path.basename(path))
    except (OSError, ValueError) as error:
        _print_line("No page was written: {error}", error=error)
    else:
        _print_line("The graph is in {path}", path=path)


if __name__ == "__main__":
    sys.exit(main())
