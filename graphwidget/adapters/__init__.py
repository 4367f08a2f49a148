"""Adapters from live tensors and graphs to events.

``composite.py`` is the adapter of the product. It joins three, each of which observes one kind of
program and records what it does:

- ``native.py``: graphwidget's own engine. ``observed_ops.py`` observes its ops,
  ``observed_scopes.py`` modules and steps, ``backward_runs.py`` backward runs (with
  ``local_derivatives.py``), and ``raised_calls.py`` the calls that raise.
- ``pytorch/``: the user's PyTorch (``imported_torch.py`` says whether there is one).
- ``static_graphs.py``: graphs of ``graphwidget.static``, and ``static_passes.py`` what passes make
  of them.

Each record has the position of the program (``position_finder.py``, ``module_paths.py``) and the
ids of values and nodes (``identity.py``; ``earlier_calls.py`` for those made before recording
began). Before events are made, ``sorting.py`` puts the records into scopes and iterations of loops
(``scopes.py``, ``scope_marks.py``), and ``iterations.py`` drops those for which there is no room.
``call_events.py`` makes events of calls, ``bindings.py`` and
``names.py`` find the names of values, ``optimizer_steps.py`` records the steps of optimizers, and
``error_words.py`` has the texts of errors.

How an op in a notebook's cell becomes a card, in the order in which the files are to be read:
``observed_ops.py`` observes the op (``called``) and adds a record; now and then (``native.py``,
``_beat``) observers are called. For the first picture of a cell that is ``ipython.py``, which began
the recording with the cell and displays a widget as soon as there is something to see (``_look``);
from then on it is ``widget/log_widget.py``, which drains the recorder: ``recording/recorder.py``
has the records put in order (``sorting.py``) and emitted (``call_events.py``), ``recording/log.py``
keeps the events, and their rows are sent. In ``js/src``, ``index.ts`` joins the page to the kernel,
``kernel/protocol.ts`` receives, ``store/receiver.ts`` takes in (``log/reader.ts`` checks it),
``log/timeline.ts`` folds (``log/fold.ts``), and ``store/derived.ts`` has the chain from model to
picture: ``graph/plan.ts`` (what is drawn), ``graph/graph.ts`` (the cards are made in
``graph/draw/cards.ts``), ``scene/pictures.ts`` with ``layout/layout.ts``, ``scene/fitting.ts``
(which groups are closed so that it fits), ``scene/scene.ts``, ``view/stage/stage.tsx``,
``view/stage/picture.tsx``, and at last ``view/card/card.tsx``.
"""
