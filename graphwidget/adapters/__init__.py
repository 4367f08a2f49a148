"""Adapters: what turns live tensors and graphs into events.

``both.py`` is the adapter of the product. It is made of three, each of which hears one kind of
program and writes down what it hears as raw records:

- ``native.py``: graphwidget's own engine. ``heard_ops.py`` hears its ops, ``heard_scopes.py`` the
  modules and steps that its program enters, ``backward_runs.py`` its backward runs (with
  ``local_derivatives.py``), and ``raised_calls.py`` the calls that raise.
- ``pytorch/``: the user's PyTorch (``imported_torch.py`` says whether there is one).
- ``static_graphs.py``: graphs of ``graphwidget.static``, and ``static_passes.py`` what passes make
  of them.

The words of this room: to *hear* is to notice what a program does, to *meet* a tensor or a node is
to see it for the first time, and to *tell* is to write down a record or an event of it.

Of each record they note where the program stood (``position_finder.py``, ``module_paths.py``) and
of whom it speaks (``identity.py``; ``earlier_calls.py`` tells what was made before anybody
listened). Before events are made, ``sorting.py`` puts the records into scopes and turns of loops
(``scopes.py``, ``scope_marks.py``), and ``iterations.py`` drops those for which there is no room.
``call_events.py`` makes events of calls, ``bindings.py`` and
``names.py`` tell what variables hold, ``optimizer_steps.py`` says how steps of optimizers are told,
and ``error_words.py`` has the words that errors need.

How an op in a notebook's cell becomes a card, in the order in which the files are to be read:
``heard_ops.py`` hears the op (``called``) and notes a raw record; now and then (``native.py``,
``_beat``) somebody may look. For the first picture of a cell that is ``ipython.py``, which began
the recording with the cell and displays a widget as soon as there is something to see (``_look``);
from then on it is ``widget/log_widget.py``, which drains the recorder: ``recording/recorder.py``
has the records put in order (``sorting.py``) and told (``call_events.py``), ``recording/log.py``
keeps the events, and their rows are sent. In ``js/src``, ``index.ts`` joins the page to the kernel,
``kernel/protocol.ts`` hears, ``store/receiver.ts`` takes in (``log/reader.ts`` checks what came),
``log/timeline.ts`` folds (``log/fold.ts``), and ``store/derived.ts`` has the chain from model to
picture: ``graph/plan.ts`` (what is drawn), ``graph/graph.ts`` (the cards are made in
``graph/cards.ts``), ``scene/pictures.ts`` with ``layout/layout.ts``, ``scene/fitting.ts`` (which
groups are closed so that it fits), ``scene/scene.ts``, ``view/stage.tsx``, ``view/picture.tsx``,
and at last ``view/card.tsx``.
"""
