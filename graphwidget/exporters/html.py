"""One self-contained page that shows and replays a log offline."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from string import Template

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
const parts = (name) => [...document.getElementsByClassName(name)].map((part) => part.text);
const text = (name) => parts(name).join("");
const state = {
  count: $count, protocol: $protocol, view: {}, packed: text("log"), beside: text("beside"),
};
const model = {  // what anywidget's model is to the front end; nobody answers here
  get: (key) => state[key],
  set: (key, value) => { state[key] = value; },
  save_changes: () => {},
  on: () => {},
  off: () => {},
  send: () => {},
};
const program = new Blob([JSON.parse(text("bundle"))], { type: "text/javascript" });
const url = URL.createObjectURL(program);
const widget = (await import(url)).default;
URL.revokeObjectURL(url);
const context = { model, el: document.getElementById("graph"), offline: true };
await widget.initialize?.(context);
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


def page(
    packed: bytes, count: int, protocol: int, title: str = "graphwidget", beside: bytes = b""
) -> str:
    """The page for a packed log, or for two beside each other. There is no ``<`` in the logs and in
    the program: nothing in them is markup.

    Raises:
        FileNotFoundError: the front end has not been built.
    """
    script, css = bundle()
    return PAGE.substitute(
        title=escape(title).encode("ascii", "xmlcharrefreplace").decode(),
        css=css.replace("</", "<\\/"),
        log=inline("log", packed),
        beside=inline("beside", beside),
        bundle=inline("bundle", json.dumps(script).encode()),
        count=count,
        protocol=protocol,
    )


# So many characters stand in one element: the browser does other things between two, not within.
PART = 200_000


def inline(name: str, packed: bytes) -> str:
    """JSON as it stands in a page: ``<`` comes only inside texts, where it can be escaped."""
    text = packed.decode("utf-8", "replace").replace("<", "\\u003c")
    parts = [text[i : i + PART] for i in range(0, len(text), PART)]
    return "\n".join(
        f'<script type="application/json" class="{name}">{part}</script>' for part in parts
    )
