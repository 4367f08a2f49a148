"""FrontEnd: what every widget of this package is for a page, its program and what it is given."""

from __future__ import annotations

import anywidget
import traitlets

from ..exporters import html
from ..recording.events import PROTOCOL
from ..recording.language import chosen

NOT_BUILT = """
export default {{ render({{ el }}) {{ el.textContent = {text!r}; }} }};
"""


def front_end() -> tuple[str, str]:
    """The page's program and its style; one that says what is missing where it was not built."""
    try:
        return html.bundle()
    except FileNotFoundError as error:
        return NOT_BUILT.format(text=str(error)), ""


class FrontEnd(anywidget.AnyWidget):
    """A widget that the front end shows: a packed log of ``count`` events."""

    _esm, _css = front_end()

    count = traitlets.Int(0).tag(sync=True)
    protocol = traitlets.Int(PROTOCOL).tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    packed = traitlets.Bytes(b"").tag(sync=True)

    language = traitlets.Unicode("").tag(sync=True)
    """The language of its page, if one was chosen in the kernel; else empty."""

    past = traitlets.Unicode("").tag(sync=True)
    """Why this widget takes no commands any more: a sentence; empty while it is live."""

    @traitlets.default("language")
    def _chosen_language(self) -> str:
        return chosen()
