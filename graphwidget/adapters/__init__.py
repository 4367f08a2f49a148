"""Adapters: what turns live tensors and graphs into events.

``both.py`` is the adapter of the product: ``native.py``, which hears graphwidget's own engine, and
beside it PyTorch's (``pytorch/``) and that of static graphs (``static.py``, ``passes.py``). What
they hear they write down as raw records: calls (``calls.py``), backward runs (``runs.py``, with
``local.py`` for local derivatives), modules (``modules.py``) and errors (``raised.py``), each where
the program stands (``places.py``) and of whom it speaks (``identity.py``; ``earlier.py`` for what
was made before anybody listened). Before events are made, ``sorting.py`` puts the records into
scopes and turns (``scopes.py``, ``marks.py``), recognises turns that repeat (``repeats.py``), and
lets go of those in the middle (``ring.py``). ``bindings.py`` and ``names.py`` tell what variables
hold.
"""
