"""A real kernel for the tests, with the page's side of the widget's messages."""

from __future__ import annotations

import json
import queue
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

TIMEOUT = 120
"""Seconds after which a kernel that does not answer is given up."""
WATCH = "import graphwidget\nimport graphwidget as torch\ngraph = graphwidget.watch()\n"
PROGRAM = """\
w = torch.tensor([1.], requires_grad=True)
x = torch.tensor([2.], requires_grad=True)
a = torch.add(w, x)
b = torch.add(w, 1)
y = torch.mul(a, b)
"""


@dataclass
class Heard:
    """Output of the kernel while a cell ran or a message was answered."""

    outputs: list[dict[str, Any]] = field(default_factory=list)
    custom: list[dict[str, Any]] = field(default_factory=list)  # custom messages to the page
    pauses: list[Any] = field(default_factory=list)  # what was said to wait, oldest first
    states: list[dict[str, Any]] = field(default_factory=list)  # trait updates
    buffers: list[Any] = field(default_factory=list)
    waiting: bool | None = None  # whether commands wait for the running cell, as last said

    @property
    def text(self) -> str:
        """All that was printed."""
        return "".join(o.get("text", "") for o in self.outputs)

    @property
    def events(self) -> list[Any]:
        """Events sent to the page, in order."""
        return [e for m in self.custom if m["type"] == "events" for e in m["events"]]

    @property
    def kinds(self) -> list[str]:
        """The kinds of these events."""
        return [event[0] for event in self.events]


class Kernel:
    """A kernel, one cell or message at a time."""

    def __init__(self, client: BlockingKernelClient) -> None:
        self.client = client
        self.models: list[str] = []  # ids of GraphWidgets, oldest first
        self.subshell: str | None = None

    def run(self, code: str) -> Heard:
        """Run a cell and observe all that it caused."""
        return self.listen(self.client.execute(code, store_history=True))

    def send(self, content: dict[str, Any], model: str | None = None) -> str:
        """A custom message from the page; its id."""
        data = {"method": "custom", "content": content}
        message = self.client.session.msg(
            "comm_msg", {"comm_id": model or self.models[-1], "data": data}
        )
        if self.subshell is not None:
            message["header"]["subshell_id"] = self.subshell
        self.client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def ask(self, content: dict[str, Any], model: str | None = None) -> Heard:
        """A custom message, and all that is observed until the idle kernel has carried it out."""
        self.send(content, model)
        observed = self.wait(lambda so_far: so_far.waiting is False)
        return self.listen(self.client.kernel_info(), observed)

    def listen(self, message: str, observed: Heard | None = None) -> Heard:
        """All output, added to what was ``observed``, until the kernel is idle again."""
        observed = Heard() if observed is None else observed
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            got = self._take(observed, 1)
            if got is None or got["parent_header"].get("msg_id") != message:
                continue
            if got["msg_type"] == "status" and got["content"]["execution_state"] == "idle":
                return observed
        raise TimeoutError("the kernel did not come to rest")

    def wait(self, until: Callable[[Heard], bool]) -> Heard:
        """All output until what was observed suffices."""
        observed = Heard()
        end = time.monotonic() + TIMEOUT
        while not until(observed):
            assert time.monotonic() < end, observed
            self._take(observed, 1)
        return observed

    def open_subshell(self) -> None:
        """Send messages on a subshell from now on, as JupyterLab 4.4 does."""
        message = self.client.session.msg("create_subshell_request", {})
        self.client.control_channel.send(message)
        reply = self.client.control_channel.get_msg(timeout=TIMEOUT)
        self.subshell = reply["content"]["subshell_id"]

    def run_in_control(self, kind: str) -> None:
        """A request on the control channel, which is observed while a cell runs."""
        self.client.control_channel.send(self.client.session.msg(kind, {}))

    def value(self, expression: str) -> Any:
        """Return what an expression gives, by way of JSON."""
        return json.loads(self.run(f"import json; print(json.dumps({expression}))").text)

    def _take(self, observed: Heard, timeout: float) -> dict[str, Any] | None:
        try:
            message: dict[str, Any] = self.client.get_iopub_msg(timeout=timeout)
        except queue.Empty:
            return None
        kind, content = message["msg_type"], message["content"]
        if kind in ("stream", "display_data", "execute_result", "update_display_data", "error"):
            observed.outputs.append({"kind": kind, **content})
        elif kind == "comm_open" and "protocol" in content["data"]["state"]:
            self.models.append(content["comm_id"])
        elif kind == "comm_msg":
            data = content["data"]
            if data.get("method") == "custom" and data["content"]["type"] == "state":
                observed.pauses.append(data["content"]["pause"])
                observed.waiting = data["content"]["waiting"]
            elif data.get("method") == "custom":
                observed.custom.append(data["content"])
            elif data.get("method") == "update":
                observed.states.append(data["state"])
                observed.buffers += message.get("buffers", [])
        return message


RUNS = "the cell runs"


class Gate:
    """A place in a cell that prints ``RUNS`` and waits until the test opens it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"gate-{uuid.uuid4().hex}"
        self.code = f"while not os.path.exists({str(self.path)!r}): time.sleep(0.01)"
        self.cell = f"import os, time; print({RUNS!r})\n{self.code}\n"

    def open(self) -> None:
        self.path.touch()


@contextmanager
def kernel() -> Iterator[Kernel]:
    """A fresh kernel of this environment."""
    manager = KernelManager()
    manager.kernel_spec.argv[0] = sys.executable
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=TIMEOUT)
        yield Kernel(client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
