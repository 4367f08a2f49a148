"""One self-contained page that shows and replays a log offline, compressed to a size limit."""

from __future__ import annotations

import json
import os
import zlib
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from ..recording import events as ev
from ..recording.fold import fold
from ..recording.language import chosen
from ..recording.log import read, thin

# A packed log as it stands in a page -------------------------------------------------------------

DIGITS = 5
"""The significant digits of numbers in a log that would be too large otherwise; four are drawn."""

LINE = 256
"""Events in a line of the log: the page parses line by line."""

TRIES = 6

Row = Sequence[Any]


def compressed(packed: bytes, most: int) -> bytes:
    """The log, compressed to at most ``most`` bytes where that is possible: if need be its numbers
    are rounded, then its oldest events give way to a snapshot. The page says both."""
    content = _content(packed)
    if content is None:
        return zlib.compress(packed)
    first, rows = int(content["first"]), content["events"]
    small = zlib.compress(_text(first, rows, {}))
    if len(small) <= most:
        return small
    rows = [_rounded(row) for row in rows]
    end = first + len(rows)
    for _ in range(TRIES):
        small = zlib.compress(_text(first, rows, {"digits": DIGITS}))
        kept = int(len(rows) * 0.9 * most / len(small))
        if len(small) <= most or kept == 0:
            break
        rows = _shortened(rows, kept)
        first = end - len(rows)
    return small


def _content(packed: bytes) -> dict[str, Any] | None:
    """The parsed log, unless it is none of this protocol: then the page says so."""
    try:
        content = json.loads(packed)
    except ValueError:
        return None
    if not isinstance(content, dict) or content.get("protocol") != ev.PROTOCOL:
        return None
    rows = content.get("events")
    if not isinstance(content.get("first"), int) or not isinstance(rows, list):
        return None
    known = all(isinstance(row, list) and row and row[0] in ev.KINDS for row in rows)
    return content if known else None


def _text(first: int, rows: Sequence[Row], more: dict[str, Any]) -> bytes:
    """The log as JSON. Ids mostly count up: a column of ids holds the difference to the row of its
    kind before, which is the same small number again and again."""
    columns = _id_columns(rows)
    last = {kind: [0] * len(places) for kind, places in columns.items()}
    relative = []
    for row in rows:
        places, before = columns[row[0]], last[row[0]]
        row = list(row)
        for i, place in enumerate(places):
            value = row[place]
            if value is not None:
                row[place], before[i] = value - before[i], value
        relative.append(row)
    head = {"protocol": ev.PROTOCOL, "first": first, "count": len(rows), **more}
    head["columns"] = {kind: places for kind, places in columns.items() if places}
    lines = (relative[i : i + LINE] for i in range(0, len(relative), LINE))
    text = ",\n".join(_json(line)[1:-1] for line in lines)
    return f'{_json(head)[:-1]},"events":[\n{text}\n]}}'.encode("ascii")


def _json(content: Any) -> str:
    return json.dumps(content, separators=(",", ":"))


def _id_columns(rows: Sequence[Row]) -> dict[str, list[int]]:
    """For each kind of event the columns that hold integers, or None, in all of its rows."""
    columns: dict[str, set[int]] = {}
    for row in rows:
        here = {i for i, value in enumerate(row) if value is None or type(value) is int}
        known = columns.get(row[0])
        columns[row[0]] = here if known is None else known & here
    return {kind: sorted(places) for kind, places in columns.items()}


def _rounded(content: Any) -> Any:
    if type(content) is float:
        return float(f"{content:.{DIGITS}g}")
    if type(content) is list:
        return [_rounded(item) for item in content]
    if type(content) is dict:
        return {key: _rounded(item) for key, item in content.items()}
    return content


def _shortened(rows: Sequence[Row], kept: int) -> list[Row]:
    """The newest events; a snapshot stands for all others."""
    dropped = len(rows) - kept
    model = fold(read(rows[:dropped]))
    snapshot = ["snapshot", *ev.Snapshot(model.time, thin(model))]
    return [json.loads(json.dumps(snapshot)), *rows[dropped:]]


# -------------------------------------------------------------------------------------------------
DIST = Path(__file__).parent.parent / "widget" / "dist"

MISSING = (
    "graphwidget's front end has not been built ({path} is missing). In a clone, run 'make' or "
    "'pip install .'."
)

PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
html, body { height: 100%; margin: 0; }
body { font-family: system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { body { background: #111; color: #eee; } }
#graph { margin: 1rem; }
#graph .gw { max-height: calc(100vh - 2rem); }
@media screen { #graph .gw { height: calc(100vh - 2rem); --gw-place: var(--gw-first); } }
.framed { overflow: hidden; }
.framed #graph { margin: 0; }
.framed #graph .gw { height: 100vh; max-height: 100vh; border: 0; border-radius: 0; }
$css
</style>
</head>
<body>
<div id="graph"></div>
<noscript>This graph is drawn by JavaScript, which is switched off.</noscript>
$log
$beside
$bundle
<script type="module">
document.documentElement.classList.toggle("framed", window !== window.parent);
const bytes = ({ text }) => {
  const letters = atob(text);
  const found = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) found[i] = letters.charCodeAt(i);
  return found;
};
const text = (name) => {
  const parts = new Blob([...document.getElementsByClassName(name)].map(bytes));
  return new Response(parts.stream().pipeThrough(new DecompressionStream("deflate"))).text();
};
const state = {
  count: $count, protocol: $protocol, view: $view, language: "$language",
  packed: await text("log"), beside: $has_beside ? await text("beside") : "",
};
const model = {  // in place of anywidget's model; there is no kernel
  get: (key) => state[key],
  set: (key, value) => { state[key] = value; },
  save_changes: () => {},
  on: () => {},
  off: () => {},
  send: () => {},
};
const program = new Blob([await text("bundle")], { type: "text/javascript" });
const url = URL.createObjectURL(program);
const widget = (await import(url)).default;
URL.revokeObjectURL(url);
const context = { model, el: document.getElementById("graph"), offline: true, address: true };
const pause = () => new Promise((done) => setTimeout(done));  // so that no task is long
await pause();
await widget.initialize?.(context);
await pause();
await widget.render(context);
</script>
</body>
</html>
""")


def bundle() -> tuple[str, str]:
    """The built front end: its JavaScript and its CSS.

    Raises:
        FileNotFoundError: it has not been built; the message says how to.
    """
    script, css = DIST / "widget.js", DIST / "widget.css"
    if not script.is_file():
        raise FileNotFoundError(MISSING.format(path=script.name))
    return script.read_text("utf-8"), css.read_text("utf-8") if css.is_file() else ""


MOST = 3_000_000
"""The most bytes of a page."""


def page(
    packed: bytes,
    count: int,
    protocol: int,
    title: str = "graphwidget",
    beside: bytes = b"",
    guess: bool = False,
) -> str:
    """The page for a packed log, or for two beside each other; at most 3 MB, if need be with fewer
    digits and without the oldest steps, which the page says.

    Raises:
        FileNotFoundError: the front end has not been built.
    """
    script, css = bundle()
    program = inline("bundle", zlib.compress(script.encode(), 9))
    room = (MOST - len(PAGE.template) - len(css) - len(program)) * 3 // 4 - 4096
    right = compressed(beside, room // 2) if beside else b""
    left = compressed(packed, room - len(right))
    return PAGE.substitute(
        title=escape(title).encode("ascii", "xmlcharrefreplace").decode(),
        css=css.replace("</", "<\\/"),
        log=inline("log", left),
        beside=inline("beside", right),
        has_beside="true" if right else "false",
        bundle=program,
        count=count,
        protocol=protocol,
        view=json.dumps({"guess": guess}),
        language=chosen(),
    )


def write(path: str | Path, text: str) -> Path:
    """Write a page whole or not at all: what was there stays until the new one is complete."""
    target = Path(path)
    if target.exists() and not target.is_file():  # a device or a pipe
        target.write_text(text, "utf-8")
        return target
    whole = target.resolve()
    part = whole.with_name(f".{whole.name}.{os.getpid()}")
    try:
        part.write_text(text, "utf-8")
        os.replace(part, whole)
    finally:
        part.unlink(missing_ok=True)
    return target


# So many characters stand in one element: the browser does other things between two, not within.
PART = 200_000


def inline(name: str, content: bytes) -> str:
    """Compressed bytes as they stand in a page."""
    text = b64encode(content).decode()
    parts = [text[i : i + PART] for i in range(0, len(text), PART)]
    return "\n".join(f'<script type="text/plain" class="{name}">{part}</script>' for part in parts)
