"""A page's messages reach a busy kernel, with kernels of all kinds played by the test."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from graphwidget.widget import subshell


class Socket:
    """The control thread's way to the thread that makes subshells."""

    def __init__(self) -> None:
        self.made = 0

    def send_json(self, request: Any) -> None:
        assert request == {"type": "create"}
        self.made += 1

    def recv_json(self) -> Any:
        return json.loads(f'{{"status": "ok", "subshell_id": "own-{self.made}"}}')


class Loop:
    """A loop that calls at once."""

    def add_callback(self, callback: Callable[[], None]) -> None:
        callback()


class Namespace:
    """An object with the attributes given."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


def busy_kernel(socket: Any) -> Any:
    """Return what of an ipykernel 7 is used."""
    manager = Namespace(control_to_shell_channel=Namespace(from_socket=socket))
    return Namespace(
        _supports_kernel_subshells=True,
        shell_channel_thread=Namespace(manager=manager),
        control_thread=Namespace(io_loop=Loop()),
    )


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Sets the kernel in which the widget runs."""
    monkeypatch.setattr(subshell, "_own", {})
    return lambda kernel: monkeypatch.setattr(subshell, "kernel", lambda: kernel)


def test_where_messages_wait_for_the_cell(running: Callable[[Any], None]) -> None:
    for kernel in (None, Namespace(), Namespace(_supports_kernel_subshells=False)):
        running(kernel)
        assert not subshell.route(Namespace(_reply_subshell_for=None))


def test_where_the_page_names_its_subshell(running: Callable[[Any], None]) -> None:
    socket = Socket()
    running(busy_kernel(socket))
    assert subshell.route(Namespace())
    assert socket.made == 0


def test_where_the_comm_is_asked_it_names_the_one_that_all_comms_share(
    running: Callable[[Any], None],
) -> None:
    socket = Socket()
    running(busy_kernel(socket))
    comms = [Namespace(_reply_subshell_for=lambda _data, of_page: of_page) for _ in range(3)]
    for comm in comms:
        assert subshell.route(comm)
        assert comm._reply_subshell_for({"content": {}}, "of the page") == "own-1"
        assert comm._reply_subshell_for({}, None) == "own-1"
    assert socket.made == 1


def test_another_inside_than_those_known_is_left_alone(running: Callable[[Any], None]) -> None:
    kernel = busy_kernel(None)
    del kernel.shell_channel_thread
    running(kernel)
    comm = Namespace(_reply_subshell_for="theirs")
    assert not subshell.route(comm)
    assert comm._reply_subshell_for == "theirs"
