"""One self-contained page that shows and replays a log offline."""

from __future__ import annotations

import zlib
from base64 import b64encode
from html import escape
from pathlib import Path
from string import Template

from .page_log import compressed

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
  count: $count, protocol: $protocol, view: {},
  packed: await text("log"), beside: $has_beside ? await text("beside") : "",
};
const model = {  // what anywidget's model is to the front end; nobody answers here
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
const context = { model, el: document.getElementById("graph"), offline: true };
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
    packed: bytes, count: int, protocol: int, title: str = "graphwidget", beside: bytes = b""
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
    )


# So many characters stand in one element: the browser does other things between two, not within.
PART = 200_000


def inline(name: str, content: bytes) -> str:
    """Compressed bytes as they stand in a page."""
    text = b64encode(content).decode()
    parts = [text[i : i + PART] for i in range(0, len(text), PART)]
    return "\n".join(f'<script type="text/plain" class="{name}">{part}</script>' for part in parts)
