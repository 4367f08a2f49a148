"""The language in which graphwidget speaks to its reader; PyTorch's messages stay English."""

from __future__ import annotations

import locale
import os
import re

from .zh import TEXTS as ZH

TABLES: dict[str, dict[str, str]] = {"en": {}, "zh": ZH}
"""Translations by the English text; another language is one more table."""

_chosen: str | None = None
_of_page: str | None = None


def set_language(code: str | None) -> None:
    """Speak this language (``"en"`` or ``"zh"``) from now on, also in pictures that are shown from
    now on; None goes back to the reader's: a page's is that of JupyterLab or of the browser, the
    kernel's that of its locale.

    Raises:
        ValueError: there are no texts in this language.
    """
    global _chosen
    if code is not None and code not in TABLES:
        raise ValueError(f"the languages are {', '.join(TABLES)}, not {code!r}")
    _chosen = code


def page_speaks(code: object) -> None:
    """Speak the language of a page that a graph is shown in, unless another was chosen."""
    global _of_page
    if isinstance(code, str) and code in TABLES:
        _of_page = code


def chosen() -> str:
    """Return the language that was chosen; empty if none was."""
    return _chosen or ""


def language() -> str:
    """Return the language to speak: what was chosen, else that of the page, if one is open, else
    that of the locale, else English."""
    if _chosen or _of_page:
        return _chosen or _of_page or ""
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next(filter(None, named), None) or locale.getlocale()[0] or "en"
    code = "zh" if name.startswith("Chinese") else re.split("[^a-z]", name)[0]  # Windows
    return code if code in TABLES else "en"


def say(text: str, /, **places: object) -> str:
    """Return a sentence in the reader's language. ``text`` is the English one; what stands in
    braces there is filled in."""
    return TABLES[language()].get(text, text).format(**places)
