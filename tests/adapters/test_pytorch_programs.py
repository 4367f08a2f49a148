"""Random programs on the real PyTorch do the same watched as unwatched, bit for bit, and of each
stale value that stops a backward the writes are named."""

from __future__ import annotations

import warnings

import pytest
import torch

from graphwidget.adapters.pytorch.watcher import TorchAdapter
from graphwidget.recording.recorder import Recorder
from tests.extent import chosen
from tests.fuzz.machine import observe, runnable
from tests.fuzz.seeds import write

PROGRAMS = chosen(60, full=400)
CHUNK = 20


@pytest.fixture(autouse=True)
def _warnings_of_once_in_a_process_have_been_given() -> None:
    one = torch.ones(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.add(one, 1, one)  # type: ignore[call-overload]  # deprecated


@pytest.mark.parametrize("first", range(0, PROGRAMS, CHUNK))
def test_watching_changes_nothing_and_names_the_writes(first: int) -> None:
    for seed in range(first, first + CHUNK):
        steps = write(seed)
        adapter = TorchAdapter(Recorder())
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a fault of the adapter is a warning
            with adapter.observing():
                again = observe(steps)
        adapter.drain()
        assert repr(again) == repr(steps), runnable(steps)
        for error in adapter.recorder.log.model().errors:
            if "modified by an inplace operation" in error["message"]:
                assert error["kind"] == "version", runnable(steps)
                assert error["writes"], runnable(steps)
                assert error["expected"] < error["found"], runnable(steps)
