"""A broken program as its fix mends it."""

from __future__ import annotations

import ast
import re
import textwrap

from graphwidget.recording.findings import Finding


def mended(source: str, finding: Finding) -> str:
    """The program with a fix where it belongs: in the place of the guilty statement, or where the
    marks at the ends of its lines say."""
    lines, fix = source.splitlines(), finding.fix.splitlines()
    marks = [re.search(r"  # (after |before )?line (\d+)$", each) for each in fix]
    if marks[0] and marks[0][1]:
        at = int(marks[0][2])
        begins = at if marks[0][1] == "before " else _first(source, at)
        at = at - 1 if marks[0][1] == "before " else at
        lines[at:at] = [_margin(lines[begins - 1]) + each for each in fix]
        return "\n".join(lines)
    for nr, mark in enumerate(marks):  # of lines that stand elsewhere
        if mark:
            first, last = _statement(source, int(mark[2]))
            stays = _margin(lines[first - 1]) + fix[nr].strip() if marks[0] else ""
            lines[first - 1 : last] = [stays, *[""] * (last - first)]
    if not marks[0]:
        assert finding.culprit is not None
        first, last = _statement(source, finding.culprit.line)
        lines[first - 1 : last] = [textwrap.indent(finding.fix, _margin(lines[first - 1]))]
    return "\n".join(lines)


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _statement(source: str, line: int) -> tuple[int, int]:
    """The first and the last line of the smallest statement that a line is part of."""
    spans = [
        (node.lineno, node.end_lineno or 0)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.stmt) and not hasattr(node, "body")
    ]
    return [(line, line), *(span for span in spans if span[0] <= line <= span[1])][-1]


def _first(source: str, end: int) -> int:
    """Return where the largest statement begins that ends at a line."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    return min(node.lineno for node in nodes if node.end_lineno == end)
