"""The graph: tensors, the nodes that made them, versions, views and saved values.

To read the heart of the package in one sitting, in this order:

1. ``graph/base.py``               the data model on one page
2. ``graph/runtime.py``            what rooms below call of rooms above, and where each stands
3. ``graph/version.py``            how often a storage was written, and by which lines
4. ``graph/node.py``               what a ``grad_fn`` is
5. ``graph/saved.py``              what nodes keep for backward, and how it is checked when read
6. ``graph/views.py``              how views find the right history after a write
7. ``graph/tensor.py``             what a tensor is, and what concerns its gradient
8. ``eager/inplace.py``            a write in place: check, make the node, write, count, rebase
9. ``autograd/backward.py``        what users call; ``autograd/roots.py`` has PyTorch's checks
10. ``autograd/roots.py``          which nodes run, and in which order
11. ``graph/input_buffers.py``     where gradients wait for their node, and how several are added
12. ``autograd/engine.py``         the run, a generator: backward() exhausts it, the widget holds it
13. ``autograd/accumulate_grad.py``  how ``.grad`` gets its value

Four journeys. Each file is to be read once, in the order in which it is named here; those in
parentheses give more detail.

* ``x * w``: ``functions/tensor/operators.py`` names the op of each operator (its last table, which
  ``functions/tensor/attach_methods.py`` puts on the class); operators need no parser of arguments,
  so nothing of ``dispatch/`` comes in between. The op is declared in
  ``optable/pointwise/arithmetic.py``; what runs is generated from that by
  ``eager/op_functions.py`` (the lines that compute: by ``eager/compute_source.py``), and stands in
  ``tests/golden/generated.txt`` (``record`` under ``x * w``). ``graph/runtime.py`` lists its
  globals; of these, ``eager/promote.py`` joins what has not one shape and type, and
  ``accumulator`` of ``graph/node.py`` gives a leaf its ``AccumulateGrad``. (The 1 of ``w + 1``
  becomes a ``Constant`` of ``eager/promote.py``. ``eager/node_classes.py`` writes the class
  of the node.)
* ``y.backward()`` is ``tensor_backward`` of ``autograd/backward.py``; then ``autograd/roots.py``
  (checks), ``graph/node.py`` (targets: ``Node``, ``Output``, ``AccumulateGrad``, ``target_of``),
  ``autograd/roots.py``, ``graph/input_buffers.py`` (where gradients wait), ``autograd/engine.py``
  (``finish``, ``_begin``, ``_steps``), each node's ``run_arrays``, which is generated (see
  ``tests/golden/generated.txt``) and gives to the next ones. The last are ``AccumulateGrad``s,
  whose ``run_arrays`` (seen in ``graph/node.py``) does nothing but call
  ``autograd/accumulate_grad.py``. (``functions/tensor/attach_methods.py`` makes it a method.
  Where a node is hooked or watched the engine does it step by step, with ``autograd/hooks.py``.)
* ``v.mul_(2)`` on a view. (``v = x[0]`` is one: ``functions/indexing/getitem.py`` takes the
  subscript apart, and the generated ``record`` of ``select`` gives its result a ``View``.)
  ``eager/inplace.py`` makes the method (``inplace_method``, at its end) and has the whole algorithm
  (``write``). What it calls: ``eager/promote.py`` (operands),
  ``arrays/memory_order.py``, the generated ``make_node`` (``tests/golden/generated.txt``, under
  ``y.mul_(w)``), ``graph/version.py`` (``bump``), ``graph/node.py`` (what any node has), and
  ``graph/views.py`` (``check_writable`` first of all; last ``rebase``, then ``refresh``), whose
  ``CopySlices`` leads on to an output of the written op (``output_edge`` of ``graph/saved.py``).
  Whoever
  asks for the gradient of another view of that base makes its history anew first: ``refreshed``
  of ``autograd/roots.py``, which the checks of ``autograd/roots.py`` call.
* The error when such a write changed what a node had saved: in ``tests/golden/generated.txt``,
  ``record`` keeps the version of what it saves and ``run_arrays`` compares it with the counter of
  ``graph/version.py``, which views share and which remembers the latest writes; ``unpack`` of
  ``graph/saved.py`` gives the tensor and the version that was kept, and ``version_error`` of
  ``graph/errors.py`` makes of them the error that names those writes.
"""
