"""Random ops: ``bernoulli``, ``normal``, ``dropout``.

What the caller drew takes the tensor's place, and no gradient passes to it, but for dropout: there
it is a mask, and the gradient passes where that is.
"""

from __future__ import annotations

from ...arrays.memory_order import Array
from ..declare import Namespace, op

F = Namespace()


def replace_by_random(a: Array, drawn: Array) -> Array:
    """Return the drawn numbers."""
    return drawn


def replace_pair_by_random(a: Array, b: Array, drawn: Array) -> Array:
    """Return the drawn numbers."""
    return drawn


for key, node in (
    ("normal.written", "NormalBackward0"), ("uniform.written", "UniformBackward0"),
    ("exponential.written", "ExponentialBackward0"), ("cauchy.written", "CauchyBackward0"),
    ("geometric.written", "GeometricBackward0"), ("log_normal.written", "LogNormalBackward0"),
    ("bernoulli.written", "BernoulliBackward2"), ("random.range", "RandomBackward0"),
    ("random.below", "RandomBackward1"), ("random.written", "RandomBackward2"),
):
    op(f"{key}(self, drawn, /)", replace_by_random, borrows=True, inplace=True, node=node,
       public=False,
       d_self=lambda grad: F.zeros_like(grad),
       text="random numbers", tex=r"\operatorname{{random}}", onnx=None)

op("bernoulli.tensor(self, p, drawn, /)", replace_pair_by_random, borrows=True, inplace=True,
   node="BernoulliBackward1", public=False,
   d_self=lambda grad: F.zeros_like(grad),
   d_p=lambda grad, _p_shape: F.sum_to_size(F.zeros_like(grad), _p_shape),
   text="1 with probability {p}", tex=r"\operatorname{{bernoulli}} {p}", onnx=None)

op("bernoulli(self, drawn, /)", replace_by_random, borrows=True, public=False,
   d_self=lambda grad: F.zeros_like(grad),
   text="bernoulli({self})", tex=r"\operatorname{{bernoulli}} {self}", onnx=None)


op("normal.mean(mean, drawn, /)", replace_by_random, borrows=True,
   node="NormalBackward1", public=False,
   d_mean=lambda grad, mean_shape: F.zeros_of(grad, mean_shape),
   text="normal about {mean}", tex=r"\mathcal{{N}}({mean}, \cdot)", onnx=None)
op("normal.std(std, drawn, /)", replace_by_random, borrows=True,
   node="NormalBackward2", public=False,
   d_std=lambda grad, std_shape: F.zeros_of(grad, std_shape),
   text="normal with deviation {std}", tex=r"\mathcal{{N}}(\cdot, {std})", onnx=None)
op("normal.both(mean, std, drawn, /)", replace_pair_by_random, borrows=True,
   node="NormalBackward3", public=False,
   d_mean=lambda grad, mean_shape: F.zeros_of(grad, mean_shape),
   d_std=lambda grad, std_shape: F.zeros_of(grad, std_shape),
   text="normal about {mean} with deviation {std}", tex=r"\mathcal{{N}}({mean}, {std})",
   onnx=None)
