"""Extent of the tests: ``make test-all`` runs them with ``--full``, before a release."""

FULL = False
"""Set by ``tests/conftest.py`` before tests are collected."""


def chosen(usual: int, full: int) -> int:
    """Return how many random cases are tried."""
    return full if FULL else usual
