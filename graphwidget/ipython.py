"""The notebook extension: ``%load_ext graphwidget`` draws the graph under every cell that follows.

Each cell that computes something gets a widget of its own. It starts from what was alive before
the cell and shows what the cell did, so that a notebook reads in order from top to bottom; the
newest one is live."""

from __future__ import annotations

import sys
from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class

from .adapters.composite import Adapter
from .adapters.names import named
from .graph import runtime
from .graph.base import RunBase
from .recording import events as ev
from .recording.language import TABLES, chosen, say, set_language
from .recording.recorder import Recorder
from .widget.graph import GraphWidget
from .widget.recorded import Recorded
from .widget.tracebacks import shorten_tracebacks
from .widget.watching import is_cell, next_cell, running_cell, tell_error, watch

LOADED = (
    "The graph of each cell is drawn under it from here on; %graph off stops this.\n"
    "To keep the graphs in the saved notebook: Settings > Save Widget State Automatically."
)
ON = "Graphs are recorded and drawn under the cells from here on."
OFF = "Recording is off; %graph on draws graphs again."
PAUSING = (
    "Each backward() pauses before its first node, while its cell runs; the buttons of the picture "
    "step it. %graph pause off ends this; interrupting the kernel stops the run."
)
NOT_PAUSING = "backward() no longer pauses."
GUESSING = (
    "Pictures of the cells from here on begin before their first step and ask for each step before "
    "they show it. %graph guess off ends this."
)
NOT_GUESSING = "Pictures of the cells from here on show their steps without a question."
USAGE = "%graph takes on, off, pause on|off, guess on|off or language en|zh; %graph alone toggles."
SPEAKING = "Pictures and messages are in English from here on."
IN_TERMINAL = (
    "A terminal draws no graphs. graph = graphwidget.watch() records what follows, and "
    'graph.to_html("graph.html") writes its picture as a page; graphwidget.explain() and the notes '
    "under errors say what went wrong."
)
PAST = "This is the graph of an earlier cell. The live graph is below a later cell."

COMPUTED = (ev.Op, ev.Write, ev.Backward, ev.Grad, ev.Flag, ev.Error)
"""Events that show a cell's picture at once; a cell that only makes values is shown at its end."""


class Extension:
    """Hooks of the extension between loading and unloading."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.shown = True
        self.guess = False  # whether pictures ask before they show
        self.graph: GraphWidget | None = None  # the newest that is displayed
        self._adapter: Adapter | None = None  # the one that records
        self._before: Adapter | None = None  # the one that recorded before this cell
        self._recordings = 0  # how many had been shown when the running cell began
        self._start = 0  # time at which the running cell began to do something
        self._hooks = (("pre_run_cell", self._begins), ("post_run_cell", self._ends))
        for name, hook in self._hooks:
            shell.events.register(name, hook)
        self._told: BaseException | None = None  # the error of a cell that the graph knows
        self._lengthen_tracebacks = shorten_tracebacks(shell, self._fails)
        cell = running_cell(shell)
        if cell is not None:
            self._begin(*cell)

    def unload(self) -> None:
        """Remove all hooks and record no more."""
        for name, hook in self._hooks:
            self.shell.events.unregister(name, hook)
        self._lengthen_tracebacks()
        self.pause(False)
        if self._adapter is not None:
            self._adapter.stop()
            self._adapter.on_pulse = self._adapter.on_asked = None

    # Cells ---------------------------------------------------------------------------------
    def _begins(self, info: Any) -> None:
        if is_cell(info) and self.shown:
            self._begin(next_cell(self.shell), info.raw_cell or "")

    def _begin(self, count: int, text: str) -> None:
        """Record what the cell does from here on."""
        before = self._before = self._adapter
        adapter = self._adapter = Adapter(Recorder()) if before is None else before.fork()
        adapter.on_pulse, adapter.on_asked = self._pulse, self._bind
        adapter.recorder.cell(count, text)
        adapter.drain()
        self._start = adapter.recorder.log.count
        self._recordings = Recorded.shown
        adapter.start()

    def _ends(self, result: Any) -> None:
        adapter = self._adapter
        if adapter is None or not adapter.active:
            return
        if self._told is None or getattr(result, "error_in_exec", None) is not self._told:
            tell_error(adapter, result)
        self._told = None
        if not self._displayed():
            if adapter.awaits_result:
                self._bind()
            adapter.settle()  # what is shown now is all that there will be
            self._look(COMPUTED, over=True)
        if not self._displayed() and Recorded.shown == self._recordings and self._made():
            self._display(GraphWidget(adapter), over=True)
        if self._displayed():
            assert self.graph is not None
            self.graph.end_cell()
        elif self._before is not None:  # nothing happened: the old picture stays live
            self._adapter = self._before
            self._adapter.start()

    def _fails(self, error: BaseException) -> None:
        """The running cell fails: its picture stands above the traceback, as if it had come while
        the cell ran."""
        adapter = self._adapter
        if adapter is None or not adapter.active or self._displayed():
            return
        if isinstance(error, Exception):  # an interrupt is no error
            self._told = error
            adapter.raised(error)
        self._look(COMPUTED)

    def _displayed(self) -> bool:
        return self.graph is not None and self.graph.adapter is self._adapter

    def _made(self) -> bool:
        """Return whether the cell that is over made values and gave them names."""
        adapter = self._adapter
        assert adapter is not None
        if adapter.recorder.untouched:
            return False
        self._bind()
        adapter.drain()
        log = adapter.recorder.log
        return all(log.has((kind,), self._start) for kind in (ev.Value, ev.Name))

    def _bind(self) -> None:
        if self._adapter is not None:
            self._adapter.bind(named(self.shell.user_ns))

    def _pulse(self, wait: float) -> None:
        if not wait:
            self._look(COMPUTED)

    def _look(self, kinds: tuple[type[Any], ...], over: bool = False) -> None:
        """Show the graph as soon as the running cell, or the one that is ``over``, has done
        something of these kinds."""
        adapter = self._adapter
        assert adapter is not None
        adapter.drain(live=not over)
        if adapter.recorder.log.has(kinds, self._start):
            self._display(GraphWidget(adapter), over)

    def _display(self, graph: GraphWidget, over: bool = False) -> None:
        if self.graph is not None:
            self.graph.past = say(PAST)
        self.graph = graph
        graph.namespace = self.shell.user_ns
        graph.view = {"guess": self.guess}
        graph.show(over)

    # Magics --------------------------------------------------------------------------------
    def command(self, line: str) -> None:
        """``%graph``: record and draw, or not; pause runs, or not; the language."""
        words = line.split()
        if words in (["pause", "on"], ["pause", "off"]):
            self.pause(words[1] == "on")
            print(say(PAUSING if words[1] == "on" else NOT_PAUSING))
        elif words in (["guess", "on"], ["guess", "off"]):
            self.guess = words[1] == "on"
            print(say(GUESSING if self.guess else NOT_GUESSING))
        elif words in ([], ["on"], ["off"]):
            self.show(not self.shown if not words else words == ["on"])
            print(say(ON if self.shown else OFF))
        elif len(words) == 2 and words[0] == "language" and words[1] in TABLES:
            set_language(words[1])
            if self.graph is not None:
                self.graph.language = chosen()
            print(say(SPEAKING))
        else:
            print(say(USAGE))

    def show(self, on: bool) -> None:
        """Record and draw from the next cell on, or stop it here and now."""
        self.shown = on
        if on or self._adapter is None:
            return
        self._adapter.stop()
        if not self._displayed():
            self._adapter = self._before

    def pause(self, on: bool) -> None:
        """Hold each backward run that a cell begins for the picture under it."""
        if on:
            runtime.drive = self._drive
        elif runtime.drive == self._drive:
            runtime.drive = None

    def _drive(self, run: RunBase) -> None:
        __tracebackhide__ = True
        adapter = self._adapter
        if adapter is not None and adapter.active and not self._displayed():
            self._display(GraphWidget(adapter))
        if self.graph is not None and self.graph.recording:
            self.graph.hold(run)

    def one_cell(self, cell: str) -> None:
        """``%%graph``: the graph of this cell alone."""
        shown, self.shown = self.shown, False  # the hooks of the inner run are not ours
        graph = GraphWidget()
        graph.recorder.cell(next_cell(self.shell) - 1, cell)
        try:
            with graph.adapter.observing():
                self._display(graph)
                result = self.shell.run_cell(cell, store_history=False)
                tell_error(graph.adapter, result)
        finally:
            self.shown = shown
            graph.end_cell()


@magics_class
class GraphMagics(Magics):
    """``%graph`` and ``%%graph``."""

    def __init__(self, shell: Any, extension: Extension) -> None:
        super().__init__(shell)
        self.extension = extension

    @line_cell_magic
    def graph(self, line: str, cell: str | None = None) -> None:
        """Run a command.

        ``%graph on|off`` draws graphs or not; ``%graph pause on|off`` lets backward wait for the
        picture in its running cell; ``%graph guess on|off`` asks for each step before it is shown;
        ``%%graph`` draws one cell's graph.
        """
        if cell is None:
            self.extension.command(line)
        else:
            self.extension.one_cell(cell)


class InTerminal:
    """Hooks of the extension where no widget can be drawn: it records, so that errors carry their
    notes and ``explain()`` answers."""

    def __init__(self, shell: Any) -> None:
        self.graph = watch()
        self._lengthen_tracebacks = shorten_tracebacks(shell, self._fails)

    def unload(self) -> None:
        """Record no more."""
        self._lengthen_tracebacks()
        self.graph.stop()

    def _fails(self, error: BaseException) -> None:
        if self.graph.recording and isinstance(error, Exception):
            self.graph.adapter.raised(error)


_loaded: Extension | InTerminal | None = None


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext graphwidget``."""
    global _loaded
    if _loaded is not None:
        _loaded.unload()
    if _is_terminal(shell):
        _loaded = InTerminal(shell)
        print(say(IN_TERMINAL))
        return
    _loaded = Extension(shell)
    shell.register_magics(GraphMagics(shell, _loaded))
    print(say(LOADED))


def _is_terminal(shell: Any) -> bool:
    terminal = sys.modules.get("IPython.terminal.interactiveshell")
    return terminal is not None and isinstance(shell, terminal.TerminalInteractiveShell)


def unload_ipython_extension(shell: Any) -> None:
    """Called by ``%unload_ext graphwidget``."""
    global _loaded
    if _loaded is not None:
        _loaded.unload()
        _loaded = None
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("graph", None)
