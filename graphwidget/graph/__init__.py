"""What is remembered: tensors, the nodes that made them, versions, views and saved values.

To read the heart of the package in one sitting, in this order:

1. ``graph/base.py``               the data model on one page
2. ``graph/tensor.py``             what a tensor is, and what concerns its gradient
3. ``graph/version.py``            how often a storage was written, and by which lines
4. ``graph/node.py``               what a ``grad_fn`` is
5. ``graph/saved.py``              what nodes keep for backward, and how it is checked when read
6. ``graph/views.py``              how views find the right history after a write
7. ``eager/inplace.py``            a write in place: check, make the node, write, count, rebase
8. ``autograd/backward.py``        what users call, with PyTorch's checks
9. ``autograd/order.py``           which nodes run, and in which order
10. ``autograd/engine.py``         the run, a generator: backward() exhausts it, the widget holds it
11. ``graph/input_buffers.py``     where gradients wait for their node, and how several are added
12. ``autograd/accumulate_grad.py``  how ``.grad`` gets its value

Four journeys, file by file:

* ``x * w``: ``functions/tensor/operators.py`` names the function of each operator; what runs is
  generated from the declaration in ``optable/pointwise/arithmetic.py`` and stands in
  ``tests/golden/generated.py``; ``eager/promote.py`` joins what has not one shape and type.
  (``eager/op_functions.py`` writes the function, ``eager/node_classes.py`` the node.)
* ``y.backward()``, attached to Tensor by ``functions/tensor/attach_methods.py``, is
  ``tensor_backward`` of ``autograd/backward.py``; then ``autograd/roots.py`` (checks),
  ``autograd/engine.py``, ``autograd/order.py``, ``graph/input_buffers.py`` (the roots' gradients),
  each node's ``run_arrays``, which is generated (see ``tests/golden/generated.py``) and gives to
  the next ones, ``AccumulateGrad`` of ``graph/node.py``, and ``autograd/accumulate_grad.py``. Where
  a node is hooked or watched the engine does it step by step, with ``autograd/hooks.py``.
* ``v.mul_(2)`` on a view: ``eager/inplace.py`` tells the whole story and calls, in this order,
  ``eager/promote.py`` (operands), ``graph/views.py`` (may it be written), ``arrays/overlap.py``,
  the generated ``make_node``, ``graph/version.py`` (count) and ``graph/views.py`` (rebase).
* The error when such a write changed what a node had saved: the node's generated ``run_arrays``
  (``tests/golden/generated.py``; ``eager/node_classes.py`` writes it) compares the version that it
  noted with ``graph/version.py``'s count, and raises what ``version_error`` of ``graph/errors.py``
  makes; that names the writes which ``graph/version.py`` remembers.
"""
