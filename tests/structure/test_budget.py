"""Each room has a budget of lines and files: one that needs more changes this table on purpose.

Counted are ``.py`` and ``.pyi``. The whole aims at 90,000 lines in 540 files, its tests at 40,000.
"""

from __future__ import annotations

from tests.structure.tree import PACKAGE, ROOT, files

BUDGET = {
    "adapters": (18_100, 96),
    "functions": (9_590, 49),
    "optable": (9_620, 43),
    "nn": (8_550, 40),
    "static": (7_370, 35),
    "onnx": (3_970, 26),
    "graph": (3_480, 14),
    "autograd": (3_560, 14),
    "fx": (3_000, 16),
    "recording": (3_400, 19),
    "dispatch": (2_050, 9),
    "optim": (2_010, 13),
    "eager": (2_000, 9),
    "arrays": (1_500, 11),
    "widget": (1_920, 16),
    "tracing": (1_520, 7),
    "": (1_840, 16),
    "utils": (1_120, 9),
    "exporters": (1_210, 7),
    "func": (1_000, 6),
    "distributions": (690, 8),
    "serialization": (630, 4),
    "tutorial": (730, 7),
    "testing": (240, 2),
}
"""Lines and files of each room; "" is what lies beside the rooms."""
TESTS = 40_000
"""Lines of all tests, programs and benchmarks."""


def test_every_room_keeps_its_budget() -> None:
    used: dict[str, tuple[int, int]] = {}
    for path in files(".py", ".pyi", under=PACKAGE):
        parts = path.relative_to(PACKAGE).parts
        room = parts[0] if len(parts) > 1 else ""
        lines, count = used.get(room, (0, 0))
        used[room] = lines + path.read_text("utf-8").count("\n"), count + 1
    assert used.keys() == BUDGET.keys()
    over = {
        room: f"{spent} of {BUDGET[room]}"
        for room, spent in used.items()
        if spent[0] > BUDGET[room][0] or spent[1] > BUDGET[room][1]
    }
    assert over == {}, "lines, files"


def test_the_tests_keep_theirs() -> None:
    lines = (path.read_text("utf-8").count("\n") for path in files(".py", under=ROOT / "tests"))
    assert sum(lines) <= TESTS
