"""What a notebook shows of a graph: its table, and its boxes beside it.

A row and its box are one thing: under the mouse, or with the focus, both light up, with the wires
between the box and its neighbours. It is plain HTML with a style sheet and no program, so it works
wherever a notebook is read, without a kernel too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import Any

from .box_layout import Drawing, draw

MOST = 200
"""The most nodes whose boxes are drawn; of larger graphs there is the table alone."""
COLUMNS = ("opcode", "name", "target", "args", "kwargs")
"""What ``print_tabular`` tells of each node."""
LETTER, HEIGHT, MARGIN = 7.3, 30.0, 16.0
LONGEST = 28
"""The letters of a name that fit into a box."""
COLOURS = {
    "placeholder": ("#00694c", "#3ecf9f"), "get_attr": ("#005f96", "#6fbdf0"),
    "call_module": ("#8a3f6c", "#e39cc6"), "call_function": ("#4d5b6c", "#a9b8cb"),
    "call_method": ("#6a5c00", "#d6c34a"), "output": ("#ac4a00", "#f0a36b"),
}  # fmt: skip
"""The colour of each opcode, on a light and on a dark ground."""
STYLE = """
.ID { --text: #1a1d21; --dim: #59636f; --line: #d5dbe1; --wire: #8a9bb0; --lit: #e3f0fa;
  --hot: #0072b2; color: var(--text); display: flex; flex-wrap: wrap; gap: 16px;
  align-items: flex-start; font: 13px/1.45 system-ui, sans-serif; color-scheme: light dark; }
.ID > div { overflow: auto; max-height: 560px; flex: 1 1 240px; }
.ID > div:has(table) { flex-grow: 2; flex-basis: 400px; }
.ID table { border-collapse: collapse; color: inherit;
  font: 12px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
.ID :is(th, td) { text-align: left; padding: 2px 10px 2px 6px; vertical-align: top;
  border-bottom: 1px solid var(--line); max-width: 26em; overflow-wrap: anywhere; }
.ID th { color: var(--dim); font-weight: normal; }
.ID td:first-child { color: var(--op); }
.ID td:nth-child(-n + 3) { white-space: nowrap; }
.ID tr[data-n], .ID g[data-n] { cursor: default; outline: none; }
.ID rect { fill: none; stroke: var(--op); stroke-width: 1.5px; }
.ID text { fill: currentColor; text-anchor: middle; dominant-baseline: central;
  font: 12px ui-monospace, "DejaVu Sans Mono", monospace; }
.ID path { fill: none; stroke: var(--wire); stroke-width: 1.5px; }
"""
LIT = """
.ID:has([data-n="N"]:is(:hover, :focus)) tr[data-n="N"] { background: var(--lit); }
.ID:has([data-n="N"]:is(:hover, :focus)) g[data-n="N"] rect { fill: var(--lit);
  stroke: var(--hot); stroke-width: 2.5px; }
.ID:has([data-n="N"]:is(:hover, :focus)) :is([data-from="N"], [data-to="N"]) {
  stroke: var(--hot); stroke-width: 2.5px; }
"""
DARK = """--text: #eceff2; --dim: #a3adb8; --line: #39414a; --wire: #6d7f95; --lit: #17364c;
  --hot: #6fbdf0;"""


def html(graph: Any) -> str:
    """The table and the boxes of a graph, linked."""
    nodes, cells = list(graph.nodes), rows(graph)
    place = {node: i for i, node in enumerate(nodes)}
    reads = [
        [place[each] for each in node.all_input_nodes if place.get(each, i) < i]
        for i, node in enumerate(nodes)
    ]
    name = f"gw-fx-{hashlib.sha1(repr((cells, reads)).encode()).hexdigest()[:8]}"
    parts = [f'<div class="{name}">', f"<style>{sheet(name, len(nodes))}</style>", table(cells)]
    if 0 < len(nodes) <= MOST:
        parts.append(boxes(cells, reads))
    return "\n".join([*parts, "</div>"])


def rows(graph: Any) -> list[list[str]]:
    """What ``print_tabular`` prints of each node, with targets by their names."""
    return [
        [node.op, node.name, str(node._pretty_print_target(node.target)), str(node.args),
         str(node.kwargs)]
        for node in graph.nodes
    ]  # fmt: skip


def sheet(name: str, count: int) -> str:
    """The style sheet of one picture; each node's rows and boxes light up together."""
    light = "\n".join(f'.{name} [data-op="{op}"] {{ --op: {one}; }}'
                      for op, (one, _) in COLOURS.items())  # fmt: skip
    dark = f".{name} {{ {DARK} }}\n" + "\n".join(
        f'.{name} [data-op="{op}"] {{ --op: {two}; }}' for op, (_, two) in COLOURS.items()
    )
    jupyter = dark.replace(f".{name}", f'[data-jp-theme-light="false"] .{name}')
    system = dark.replace(f".{name}", f"body:not([data-jp-theme-light]) .{name}")
    text = STYLE.replace("ID", name) + light
    text += f"\n{jupyter}\n@media (prefers-color-scheme: dark) {{\n{system}\n}}"
    lit = LIT.replace("ID", name)
    return text + "".join(lit.replace('"N"', f'"{n}"') for n in range(min(count, MOST)))


def table(rows: Sequence[Sequence[str]]) -> str:
    """The rows under the names of their columns."""
    head = "".join(f"<th>{each}</th>" for each in COLUMNS)
    body = "\n".join(
        f'<tr tabindex="0" data-n="{n}" data-op="{row[0]}">'
        + "".join(f"<td>{escape(each)}</td>" for each in row) + "</tr>"
        for n, row in enumerate(rows)
    )  # fmt: skip
    return f"<div><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>"


def boxes(rows: Sequence[Sequence[str]], reads: Sequence[Sequence[int]]) -> str:
    """The nodes as boxes, joined by wires."""
    names = [name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for _, name, *_ in rows]
    widths = [len(name) * LETTER + 2 * 11 for name in names]
    drawing = draw(widths, reads)
    width, height = drawing.width + 2 * MARGIN, drawing.height + HEIGHT + 2 * MARGIN
    parts = [wire(drawing, *ends) for ends in drawing.wires]
    for n, (name, row) in enumerate(zip(names, rows, strict=True)):
        x, y = drawing.boxes[n]
        round_ = 15 if row[0].startswith("call") else 4
        parts.append(
            f'<g tabindex="0" data-n="{n}" data-op="{row[0]}"><title>{escape(" ".join(row[:3]))}'
            f'</title><rect x="{x - widths[n] / 2:.1f}" y="{y - HEIGHT / 2:.1f}" '
            f'width="{widths[n]:.1f}" height="{HEIGHT}" rx="{round_}" pointer-events="all"/>'
            f'<text x="{x:.1f}" y="{y:.1f}">{escape(name)}</text></g>'
        )
    view = f"{-MARGIN:.0f} {-HEIGHT / 2 - MARGIN:.0f} {width:.0f} {height:.0f}"
    return (
        f'<div><svg role="img" aria-label="The graph as boxes" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="{view}">\n' + "\n".join(parts) + "\n</svg></div>"
    )


def wire(drawing: Drawing, source: int, target: int) -> str:
    """A wire from the lower edge of a box to the upper edge of another."""
    points = drawing.wires[source, target]
    first, last = points[0], points[-1]
    ends = [(first[0], first[1] + HEIGHT / 2), *points[1:-1], (last[0], last[1] - HEIGHT / 2)]
    text = f"M{ends[0][0]:.1f},{ends[0][1]:.1f}"
    for (x, y), (u, v) in pairwise(ends):
        middle = (y + v) / 2
        text += f" C{x:.1f},{middle:.1f} {u:.1f},{middle:.1f} {u:.1f},{v:.1f}"
    return f'<path data-from="{source}" data-to="{target}" d="{text}"/>'
