"""The adapter for the user's real PyTorch: the same events, from a program that imports torch.

``watcher.py`` is the adapter; it hears calls (``calls.py``; of which functions says
``functions.py``, what they are given ``arguments.py``), modules and backward runs (``runs.py``,
one of them ``run.py``, held between nodes by ``live.py``), gives ids to what they speak of
(``identity.py`` and ``tensors.py``; ``tensor_facts.py`` and ``node_facts.py`` ask PyTorch), tells
it, at once or when something is wrong (``telling.py``), and looks up what the op table knows of an
op (``ops.py``). ``diagnosis.py`` says why a backward failed; ``causes.py``, ``second.py``,
``unused.py``, ``unheld.py``, ``refused.py`` and ``absent.py`` find what is wrong; ``fixes.py``,
``histories.py``, ``losses.py`` and ``guards.py`` how to mend it.
``finder.py`` looks at each run for what raises no error, with ``leaks.py`` and ``nans.py``. The
newest calls are kept on a tape (``tape.py``), on which fixes are tried (``trying.py``). Nothing
here imports torch before the user has.
"""
