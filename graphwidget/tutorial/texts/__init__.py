"""Texts of ``check`` and ``copy``: one table per language."""

from __future__ import annotations

from ...recording.language import language
from .en import TEXTS as EN
from .zh import TEXTS as ZH

LANGUAGES = {"en": EN, "zh": ZH}
"""The tables, with the same keys; another language is one more file and one more entry."""


def reader_texts() -> dict[str, str]:
    """Return the table of the reader's language."""
    return LANGUAGES[language()]
