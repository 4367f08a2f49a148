"""Write ``generated.txt``: the code that is generated, and runs, for a sum, a product and a write.

``python -m tests.golden.listing`` writes it again. Python itself is asked what it compiles while
the calls of ``CALLS`` are made, each for the first time in a fresh process, so nothing is listed
but what runs.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TARGET = Path(__file__).with_name("generated.txt")
ROOT = Path(__file__).parents[2]

HEAD = '''\
# Written by `python -m tests.golden.listing`; do not edit.
"""Code that runs for sums, products and products in place: generated when each is first called.

Under each call stands what is compiled for it, under the name of file by which tracebacks call it:
what was compiled for a call before is not compiled again. First come the functions, then the
classes of the nodes that they make.

* ``record`` and ``make_node`` are written by ``eager/op_functions.py``. ``record`` computes the
  result (by the lines of ``eager/compute_source.py``) and, where a gradient is wanted, makes the
  node for its *targets*, that is for the inputs that need one; for operators it leaves strange
  operands to Python. ``make_node`` makes the node alone, for writes in place. Their globals are
  those of ``graph/runtime.py``, where each is explained, and what is the op's own: ``kernel_mul``
  is ``np.multiply``, ``OP_mul`` the declaration, ``number_mul`` the function of ``mul.number``
  (``optable/declare.py`` tells of it). What a ``meta`` has is reported in ``graph/base.py``,
  ``version_to_save`` in ``graph/version.py``, and ``ordered`` in ``arrays/memory_order.py``.
* The classes are written by ``eager/node_classes.py``, one for each choice of targets.
  ``run_arrays`` is what a run of ``backward()`` calls where nothing is hooked or watched; otherwise
  it calls ``backward_arrays``, and ``backward_tensors`` where the derivative is recorded in turn.
  The formulas of the declaration (``d_self=lambda grad, other: grad * other``) stand there
  themselves. ``run_arrays`` gives False where the engine must look after the node: it is hooked, or
  no gradient came and what it saved is to be checked and let go. Gradients without dims are numpy
  scalars, so what was saved becomes one (``[()]``). ``collect`` is called by
  ``autograd/roots.py``. Their globals are listed in ``node_class`` of ``eager/node_classes.py``.
* Functions and methods that users call by name are written by ``dispatch/parsed.py``: PyTorch's
  parser of arguments, in front of the written function ``TARGET`` (of ``mul_`` that is what
  ``inplace_method`` of ``eager/inplace.py`` made), or of a record function's body. Properties
  (``requires_grad``, which a write asks for) are written by ``eager/overridable.py``.
"""
'''

CALLS = ("x + w", "torch.add(x, w)", "x * w", "torch.mul(x, w)", "y.mul_(w)")

PROGRAM = """
import sys
import graphwidget as torch

x, w = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
y = x.detach().clone()

observed = []

def observe(event, args):
    if event == "compile" and str(args[1]).startswith("<graphwidget"):
        source, name = args
        observed.append((name, source.decode() if type(source) is bytes else source))

sys.addaudithook(observe)
for call in sys.argv[1:]:
    print("", "", f"# ---- {call} ".ljust(100, "-"), sep="\\n")
    eval(call)
    observed.sort(key=lambda each: each[0].endswith(" backward>"))
    for name, source in observed:
        print("", "", f"# {name}", source, sep="\\n")
    observed.clear()
"""


def listing() -> str:
    """The whole text of the file."""
    command = [sys.executable, "-c", PROGRAM, *CALLS]
    reported = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return HEAD + reported.stdout


if __name__ == "__main__":
    TARGET.write_text(listing(), "utf-8")
