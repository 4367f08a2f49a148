"""Texts of ``check`` and ``copy``: one table per language, chosen by the reader's locale."""

from __future__ import annotations

import locale
import os
import re

from .en import TEXTS as EN
from .zh import TEXTS as ZH

LANGUAGES = {"en": EN, "zh": ZH}
"""The tables, with the same keys; another language is one more file and one more entry."""


def reader_texts() -> dict[str, str]:
    """Return the table of the reader's language, or the English one."""
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next(filter(None, named), None) or locale.getlocale()[0] or "en"
    code = "zh" if name.startswith("Chinese") else re.split("[^a-z]", name)[0]  # Windows
    return LANGUAGES.get(code, EN)
