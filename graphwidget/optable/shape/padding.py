"""``pad``: with one number, or by the items at the border."""

from __future__ import annotations

from ..declare import Namespace, op
from . import padding_kernels as kernels

F = Namespace()

op("constant_pad_nd(self, /, pad, value=0)", kernels.constant_pad,
   node="ConstantPadNdBackward0",
   d_self=lambda grad, pad: F.constant_pad_nd(grad, tuple(-size for size in pad), 0),
   sign="pad", text="{self} with {pad} more items", tex=r"\operatorname{{pad}} {self}", onnx="Pad")


def declare_border_pad(rule: str, count: int) -> None:
    """Padding of the last ``count`` dims with items from inside, and its derivative."""
    name, node = f"{rule}_pad{count}d", f"{rule.capitalize()}Pad{count}D"
    op(f"{name}(self, /, padding)",
       lambda a, padding: kernels.border_pad(a, padding, rule), refuses=f"{name}: bool",
       node=f"{node}Backward0",
       d_self=lambda grad, self, padding: getattr(F, f"{name}_backward")(grad, self, padding),
       public=False,
       sign="pad", text="{self} with {padding} more items", tex=r"\operatorname{{pad}} {self}",
       onnx="Pad")
    op(f"{name}_backward(grad_output, self, /, padding)",
       lambda grad, a, padding: kernels.border_pad_backward(grad, a, padding, rule),
       node=f"{node}BackwardBackward0",
       d_grad_output=lambda grad, padding: getattr(F, name)(grad, padding),
       d_self=lambda grad: F.zeros_like(grad),
       public=False,
       sign="pad'", text="{grad_output}, added inside", tex=r"{grad_output}", onnx=None)


for _rule in kernels.RULES:
    for _count in (1, 2, 3):
        declare_border_pad(_rule, _count)
