"""The notebook extension: ``%load_ext graphwidget`` draws the graph under every cell that follows.

Each cell that computes something gets a widget of its own. It starts from what was alive before
the cell and shows what the cell did, so that a notebook read from top to bottom tells the story
in order; the newest one is live.
"""

from __future__ import annotations

from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import display

from .adapters.native import NativeAdapter
from .recording import events as ev
from .recording.recorder import Recorder
from .widget.graph import GraphWidget
from .widget.watching import is_cell, next_cell

LOADED = (
    "graphwidget draws the graph under each cell from here on (%graph hides it). To keep the "
    "graphs in the saved notebook: Settings > Save Widget State Automatically."
)
SHOWING = "The graph is drawn under each cell again."
HIDDEN = "The graph is not drawn any more; %graph shows it again."
PAST = "This is the graph as an earlier cell left it. The live one is below a later cell."

WORTH_SHOWING = (ev.Op, ev.Value, ev.Write, ev.Backward, ev.Grad, ev.Flag, ev.Error)


class Extension:
    """What the extension does between loading and unloading."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.shown = True
        self.graph: GraphWidget | None = None  # the newest that is displayed
        self._adapter: NativeAdapter | None = None  # the one that records
        self._start = 0  # time at which the running cell began to do something
        self._hooks = (("pre_run_cell", self._begins), ("post_run_cell", self._ends))
        for name, hook in self._hooks:
            shell.events.register(name, hook)

    def unload(self) -> None:
        """Remove all hooks and record no more."""
        for name, hook in self._hooks:
            self.shell.events.unregister(name, hook)
        if self._adapter is not None:
            self._adapter.stop()
            self._adapter.on_pulse = None

    # Cells ---------------------------------------------------------------------------------
    def _begins(self, info: Any) -> None:
        if not is_cell(info) or not self.shown:
            return
        before = self._adapter
        self._adapter = NativeAdapter(Recorder()) if before is None else before.fork()
        self._record(info.raw_cell or "")

    def _record(self, source: str) -> None:
        adapter = self._adapter
        assert adapter is not None
        adapter.on_pulse = self._pulse
        adapter.recorder.cell(next_cell(self.shell), source)
        adapter.drain()
        self._start = adapter.recorder.log.count
        adapter.start()

    def _ends(self, _result: Any) -> None:
        adapter = self._adapter
        if adapter is None or not adapter.active:
            return
        early = self._displayed()
        if not early:
            self._look(still=True)
        if self.graph is None:
            return
        if not self._displayed():
            self._adapter = self.graph.adapter  # nothing happened: the old picture stays live
            self._adapter.start()
        self.graph.flush(final=True)
        if early and self.shown:
            self.graph.refresh_still()

    def _displayed(self) -> bool:
        return self.graph is not None and self.graph.adapter is self._adapter

    def _pulse(self, wait: float) -> None:
        if not wait:
            self._look(still=False)

    def _look(self, still: bool) -> None:
        """Show the graph as soon as the running cell has done something."""
        adapter = self._adapter
        assert adapter is not None
        adapter.drain()
        since = adapter.recorder.log.since(self._start)[1]
        if any(isinstance(event, WORTH_SHOWING) for event in since):
            self._display(adapter, still)

    def _display(self, adapter: NativeAdapter, still: bool) -> None:
        if self.graph is not None:
            self.graph.frozen = PAST
        self.graph = GraphWidget(adapter)
        self.graph.namespace = self.shell.user_ns
        self.graph.show(still)

    # Magics --------------------------------------------------------------------------------
    def toggle(self, line: str) -> None:
        """``%graph``: hide the pictures, or show them again, at once and under later cells."""
        wanted = {"on": True, "off": False, "": not self.shown}.get(line.strip())
        if wanted is None:
            print("%graph takes on or off, or nothing to change it.")
            return
        self.shown = wanted
        if not wanted:
            print(HIDDEN)
        elif self.graph is not None:
            display(self.graph)  # type: ignore[no-untyped-call]
        else:
            print(SHOWING)

    def one_cell(self, cell: str) -> None:
        """``%%graph``: the graph of this cell alone."""
        outer, shown = self._adapter, self.shown
        graph = GraphWidget()
        graph.namespace = self.shell.user_ns
        graph.recorder.cell(next_cell(self.shell) - 1, cell)
        self.shown = False  # the hooks of the inner run are not ours
        try:
            with graph.adapter.observing():
                graph.show(still=False)
                self.shell.run_cell(cell, store_history=False)
        finally:
            self.shown = shown
            graph.flush(final=True)
            graph.refresh_still()
            self._adapter = outer


@magics_class
class GraphMagics(Magics):
    """``%graph`` and ``%%graph``."""

    def __init__(self, shell: Any, extension: Extension) -> None:
        super().__init__(shell)
        self.extension = extension

    @line_cell_magic
    def graph(self, line: str, cell: str | None = None) -> None:
        """``%graph`` shows or hides the live graph; ``%%graph`` draws one cell's graph."""
        if cell is None:
            self.extension.toggle(line)
        else:
            self.extension.one_cell(cell)


_loaded: Extension | None = None


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext graphwidget``."""
    global _loaded
    if _loaded is not None:
        _loaded.unload()
    _loaded = Extension(shell)
    shell.register_magics(GraphMagics(shell, _loaded))
    print(LOADED)


def unload_ipython_extension(shell: Any) -> None:
    """Called by ``%unload_ext graphwidget``."""
    global _loaded
    if _loaded is not None:
        _loaded.unload()
        _loaded = None
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("graph", None)
