"""Inputs that a checkpoint keeps to compute its part of the graph again, and writes into them.

No node of the graph saves these inputs: only PyTorch's error and the writes show which it was.
"""

from __future__ import annotations

import re

import torch.utils.checkpoint

from ...recording.findings import Place
from ...recording.fold import Model, Row
from ..raised_calls import entries_of
from .backward_errors import VERSIONS
from .lines import way_to

CALLED = re.compile(r"checkpoint\w*\(")


def overwritten_input(model: Model, error: BaseException) -> tuple[Row, Row, Place | None] | None:
    """The input of a checkpoint that was written since, as a node and its slot would have it,
    and the line that called the checkpoint; None if the error is of nothing like it."""
    own = torch.utils.checkpoint.__file__
    found = VERSIONS.search(str(error))
    if found is None or all(x.tb_frame.f_code.co_filename != own for x in entries_of(error)):
        return None
    version, expected = int(found[2]), int(found[3])
    for number, storage in reversed(model.storages.items()):
        writes = [each for each in storage["writes"] if each["version"] > expected]
        saved = model.values.get(writes[0]["before"]) if writes else None
        if saved is None or storage["version"] != version:
            continue
        if saved["leaf"] and saved["requires_grad"]:  # a parameter, which is reported elsewhere
            continue
        if str(list(saved["summary"][0])) != found[1]:
            continue
        slot = {"slot": "input", "value": saved["value"], "storage": number, "version": expected}
        slot["stale"] = [each["time"] for each in writes]
        node = {"name": "checkpoint", "node": None, "call": None}
        return node, slot, _caller(model, writes[0]["time"])
    return None


def _caller(model: Model, before: int) -> Place | None:
    """The line of the last checkpoint before that time."""
    for call in reversed(model.calls.values()):
        if call["time"] < before:
            for _what, place in way_to(model, call["call"]):
                if CALLED.search(place.text):
                    return place
    return None
