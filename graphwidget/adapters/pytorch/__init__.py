"""The adapter for the user's real PyTorch: the same events, from a program that imports torch.

``watcher.py`` is the adapter. Nothing here imports torch before the user has.

- **Observing.** ``observed_calls.py`` observes calls of the functions of ``observed_functions.py``
  (``mode_stack.py`` installs it in PyTorch, ``arguments.py`` records the arguments of a call,
  ``call_facts.py`` its results, ``writes.py`` its writes, ``raised_calls.py`` a call that raised);
  ``modules_and_steps.py`` observes modules and optimizers; ``engine_entry.py`` observes the
  engine, ``backward_run.py`` is one run of it, ``node_hooks.py`` observes its nodes
  (``reachable_nodes.py`` finds them), ``live.py`` holds it between nodes. ``positions.py`` says
  where the program stands, and ``warned_lines.py`` lets PyTorch's warnings say it too.
- **Knowing.** ``identity.py`` and ``tensors.py`` give ids; ``tensor_facts.py``, ``node_facts.py``
  and ``saved_tensors.py`` ask PyTorch; ``ops.py`` and ``view_writes.py`` ask the op table;
  ``earlier_calls.py`` reads graphs made before recording began.
- **Recording.** ``call_recorder.py`` makes records of observed calls, at once or (``diagnose()``)
  when something is wrong; until then ``tape.py`` keeps the newest calls. ``run_context.py`` is what
  each backward run is given, and has the functions that make events of its records.
- **Finding what is wrong.** ``backward_errors.py`` says which node an error is about;
  ``stale_values.py``, ``second_backward.py`` (with ``carried_state.py``, ``partly_detached.py``),
  ``no_graph.py``, ``unreached_inputs.py`` and ``refused_calls.py`` say why. ``run_checks.py`` looks
  at each run for what raises no error, with ``unused_parameters.py``, ``without_optimizer.py``,
  ``none_gradients.py``, ``leaks.py`` and ``nans.py``.
- **Mending it.** ``fixes.py``, ``history_fixes.py``, ``loss_fixes.py`` and ``domain_fixes.py``
  change the user's lines (``lines.py`` and ``graph_paths.py`` find them, ``statements.py`` reads
  them), ``fix_trials.py`` tries what they propose.

How the error of a value that was written in place is explained, in the order in which the files are
to be read: ``observed_calls.py`` observes the write and ``call_facts.py`` records it, ``writes.py``
finds it by the versions before and after, ``tape.py`` stores it (``Call``, ``Write``), and
``call_recorder.py`` makes its event, which has the line (``_emit``), upon which
``recording/fold.py`` marks what had been saved as stale (``_write``). ``engine_entry.py``, which
stands around the engine, catches the error; ``failed`` of ``backward_run.py`` finds the node that
raised it, ``backward_errors.py`` the saved value, ``stale_values.py`` who wrote that and the way
out (with ``lines.py`` and ``fixes.py``), which ``fix_trials.py`` tries. What was found becomes
notes of the error (``recording/findings.py``).
"""
