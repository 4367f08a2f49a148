"""What ``check`` and ``copy`` say: one table per language, chosen by the reader's locale."""

from __future__ import annotations

import locale

from .en import TEXTS as EN

LANGUAGES = {"en": EN}
"""The tables; another language is one more file and one more entry."""


def text(key: str, **values: object) -> str:
    """Return the sentence of this key in the reader's language, with values filled in."""
    table = LANGUAGES.get(_language(), EN)
    return table.get(key, EN[key]).format(**values)


def _language() -> str:
    """Return the code of the reader's language, like ``zh``."""
    return (locale.getlocale()[0] or "en").partition("_")[0].lower()
