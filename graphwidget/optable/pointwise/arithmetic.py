"""``add``, ``mul``, ``div``, ``remainder``, ``lerp`` and ``pow``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.kernel_errors import C_WORDS
from ..declare import ARRAYS, Namespace, composite, op
from ..out import PLAIN, POINTWISE
from . import arithmetic_kernels as more
from . import common_kernels as kernels

F = Namespace()  # formulas are bound to their own F; this one is for the eye


def check_no_bools(*dtypes: Any) -> None:
    """PyTorch's refusal to subtract or negate bools.

    Raises:
        RuntimeError: all, or one of two, operands are bools.
    """
    bools = [dtype.kind == "b" for dtype in dtypes]
    if len(bools) == 2 and all(bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    if any(bools):
        what = "Negation, the `-` operator, on" if len(bools) == 1 else (
            "Subtraction, the `-` operator, with"
        )
        raise RuntimeError(
            f"{what} a bool tensor is not supported. If you are trying to invert a mask, use the "
            "`~` or `logical_not()` operator instead."
        )


def check_same_types(first: Any, second: Any, *rest: Any) -> None:
    """PyTorch's refusal to interpolate between types.

    Raises:
        RuntimeError: the second operand's type is not the first's.
    """
    if first != second:
        wanted, found = C_WORDS[first.name], C_WORDS[second.name]
        raise RuntimeError(f"expected dtype {wanted} for `end` but got dtype {found}")


def check_floating_quotient(first: Any, numerator: Any, denominator: Any) -> None:
    """PyTorch's refusal to divide integers in ``addcdiv``.

    Raises:
        RuntimeError: numerator and denominator are integers.
    """
    if numerator.kind != "f" and denominator.kind != "f":
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release "
            "addcdiv will perform a true division of tensor1 and tensor2. The historic addcdiv "
            "behavior can be implemented as (input + value * torch.trunc(tensor1 / tensor2))"
            ".to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for "
            "float inputs. The future addcdiv behavior is just the latter implementation: "
            "(input + value * tensor1 / tensor2), for all dtypes."
        )


# Arithmetic ----------------------------------------------------------------------------------
op("add(self, other, /)", np.add, inplace=True, pointwise=True, numbers="all", warns=False,
   saved_constants={"alpha": 1},
   d_self=lambda grad: grad,
   d_other=lambda grad: grad,
   sign="+", text="{self} + {other}", onnx="Add")

op("add.alpha(self, other, /, alpha)", kernels.scaled_add, inplace=True, pointwise=True,
   numbers="all",
   d_self=lambda grad: grad,
   d_other=lambda grad, alpha: grad if alpha == 1 else grad * alpha,
   sign="+", text="{self} + {alpha} · {other}", onnx=None)

op("sub(self, other, /)", np.subtract, inplace=True, pointwise=True,
   numbers="all", guard=check_no_bools,
   warns=False, saved_constants={"alpha": 1},
   d_self=lambda grad: grad,
   d_other=lambda grad: -grad,
   sign="−", text="{self} − {other}", onnx="Sub")

op("sub.alpha(self, other, /, alpha)", kernels.scaled_subtract, inplace=True, pointwise=True,
   numbers="all",
   guard=check_no_bools,
   d_self=lambda grad: grad,
   d_other=lambda grad, alpha: -grad if alpha == 1 else -grad * alpha,
   sign="−", text="{self} − {alpha} · {other}", onnx=None)

op("rsub(self, /, other, alpha=1)", kernels.reversed_subtract, node="RsubBackward1",
   pointwise=True, guard=check_no_bools, public=False,
   d_self=lambda grad, alpha: -grad if alpha == 1 else -grad * alpha,
   sign="−", text="{other} − {self}", onnx="Sub")

op("rsub.tensor(self, other, /, alpha=1)", kernels.reversed_subtract, pointwise=True,
   guard=check_no_bools, numbers=False, order=("other", "self"),
   d_self=lambda grad, alpha: -grad if alpha == 1 else -grad * alpha,
   d_other=lambda grad: grad,
   sign="−", text="{other} − {self}", onnx="Sub")

op("mul(self, other, /)", np.multiply, inplace=True, also=("multiply",), pointwise=True,
   numbers="all",
   warns=False,
   d_self=lambda grad, other: grad * other,
   d_other=lambda grad, self: grad * self,
   sign="×", text="{self} × {other}", onnx="Mul")

op("div(self, other, /)", np.true_divide, inplace=True, pointwise=True,
   numbers="all", dtype="float",
   d_self=lambda grad, other: grad / other,
   d_other=lambda grad, self, other: -grad * ((self / other) / other),
   sign="÷", text="{self} ÷ {other}", onnx="Div")

op("neg(self, /)", np.negative, inplace=True, also=("negative",), pointwise=True,
   guard=check_no_bools, warns=False, out=PLAIN,
   d_self=lambda grad: -grad,
   sign="−", text="−{self}", onnx="Neg")

op("reciprocal(self, /)", np.reciprocal, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, result: -grad * (result * result),
   sign="1/", text="1 ÷ {self}", onnx="Reciprocal")

op("div.mode(self, other, /, rounding_mode)", more.divide_rounded, inplace=True, pointwise=True,
   numbers="all",
   node="DivBackward2",
   d_self=lambda grad, other, rounding_mode: F.zeros_like(grad),
   d_other=lambda grad, self, other, rounding_mode: F.zeros_like(grad),
   sign="÷", text="{self} ÷ {other}, {rounding_mode}",
   onnx=None)

op("remainder(self, other, /)", more.remainder, inplace=True, pointwise=True,
   node="RemainderBackward1",
   d_self=lambda grad: grad,
   d_other=lambda grad, self, other: -grad * F.div_mode(self, other, "floor"),
   sign="mod", text="{self} mod {other}", onnx="Mod")

op("remainder.number(self, /, other)", more.remainder_number, inplace=True,
   node="RemainderBackward0", pointwise=True,
   d_self=lambda grad: grad,
   sign="mod", text="{self} mod {other}", onnx="Mod")

op("remainder.base(other, /, self)", more.remainder_of, node="NotImplemented", pointwise=True,
   d_other=lambda grad: F.without_derivative("aten::remainder"),
   sign="mod", text="{self} mod {other}", onnx="Mod")

op("fmod(self, other, /)", more.fmod, inplace=True, pointwise=True, node="FmodBackward1",
   numbers=False,
   d_self=lambda grad: grad,
   d_other=lambda grad, self, other: -grad * F.div_mode(self, other, "trunc"),
   sign="fmod", text="{self} fmod {other}",
   onnx=None)

op("fmod.number(self, /, other)", more.fmod_number, inplace=True, pointwise=True,
   d_self=lambda grad: grad,
   sign="fmod", text="{self} fmod {other}",
   onnx=None)


op("floor_divide(self, other, /)", more.floor_divide, pointwise=True,
   numbers="all", node="NotImplemented",
   out=POINTWISE._replace(history="ended"),
   d_self=lambda grad: F.without_derivative("aten::floor_divide"),
   d_other=lambda grad: F.without_derivative("aten::floor_divide"),
   sign="⌊÷⌋", text="⌊{self} ÷ {other}⌋", onnx=None)

op("floor_divide.written(self, other, /)", more.floor_divide, inplace=True, pointwise=True,
   node="NotImplemented", public=False,
   d_self=lambda grad: F.without_derivative("aten::floor_divide_"),
   d_other=lambda grad: F.without_derivative("aten::floor_divide_"),
   sign="⌊÷⌋", text="⌊{self} ÷ {other}⌋", onnx=None)

op("lerp(self, end, weight, /)", more.lerp, out=PLAIN,
   refuses="lerp_kernel_tensor: bool integer", inplace=True,
   pointwise=True, node="LerpBackward1", numbers=False, guard=check_same_types,
   d_self=lambda grad, weight: grad * (1 - weight),
   d_end=lambda grad, weight: grad * weight,
   d_weight=lambda grad, self, end: grad * (end - self),
   text="{self} + {weight} · ({end} − {self})",
   onnx=None)

op("lerp.number(self, end, /, weight)", more.lerp,
   refuses="lerp_kernel_scalar: bool integer", inplace=True,
   pointwise=True, numbers=False, guard=check_same_types,
   d_self=lambda grad, weight: grad * (1 - weight),
   d_end=lambda grad, weight: grad * weight,
   text="{self} + {weight} · ({end} − {self})",
   onnx=None)

op("addcmul(self, tensor1, tensor2, /, value=1)", more.addcmul,
   refuses="addcmul_cpu_out: bool", inplace=True, pointwise=True,
   numbers=False,
   d_self=lambda grad: grad,
   d_tensor1=lambda grad, tensor2, value: grad * (tensor2 * value),
   d_tensor2=lambda grad, tensor1, value: grad * (tensor1 * value),
   text="{self} + {value} · {tensor1} · {tensor2}",
   onnx=None)

op("addcdiv(self, tensor1, tensor2, /, value=1)", more.addcdiv, inplace=True, pointwise=True,
   numbers=False, guard=check_floating_quotient,
   d_self=lambda grad: grad,
   d_tensor1=lambda grad, tensor2, value: grad * (value / tensor2),
   d_tensor2=lambda grad, tensor1, tensor2, value:
       -grad * (value * tensor1 / (tensor2 * tensor2)),
   text="{self} + {value} · {tensor1} ÷ {tensor2}",
   onnx=None)


# Powers --------------------------------------------------------------------------------------
@composite
def pow_backward(grad: Any, self: Any, exponent: Any) -> Any:
    """d self**exponent by self for a number; 0, in C order, where the exponent is 0."""
    if exponent == 0:
        return F.zeros_of(self, self.shape)
    exponent = float(exponent)
    return grad * (exponent * F.pow(self, exponent - 1))


ARRAYS.__dict__["pow_backward"] = kernels.power_backward

op("pow(self, /, exponent)", kernels.power, inplace=True, pointwise=True,
   d_self=lambda grad, self, exponent: F.pow_backward(grad, self, exponent),
   sign="^", text="{self} ^ {exponent}", onnx="Pow")


@composite
def pow_backward_self(grad: Any, self: Any, exponent: Any) -> Any:
    """d self**exponent by self for a tensor exponent."""
    slope = grad * (exponent * F.pow_tensor(self, exponent - 1))
    return F.where(F.eq(exponent, F.zeros_like(exponent)), F.zeros_like(slope), slope)


@composite
def pow_backward_exponent(grad: Any, self: Any, exponent: Any, result: Any) -> Any:
    """d self**exponent by exponent; 0 where self is 0 and the exponent is not negative."""
    zero = F.zeros_like(result)
    flat = F.logical_and(F.eq(self, F.zeros_like(self)), F.ge(exponent, F.zeros_like(exponent)))
    return grad * F.where(flat, zero, result * F.log(self))


op("pow.tensor(self, exponent, /)", kernels.whole_power, inplace=True,
   refuses="pow: bool", pointwise=True, node="PowBackward1",
   d_self=lambda grad, self, exponent: F.pow_backward_self(grad, self, exponent),
   d_exponent=lambda grad, self, exponent, result:
       F.pow_backward_exponent(grad, self, exponent, result),
   sign="^", text="{self} ^ {exponent}", onnx="Pow")


def math_log(number: float) -> float:
    """The natural logarithm of a number; -inf of 0, nan below."""
    return float(np.log(number)) if number > 0 else -math.inf if number == 0 else math.nan


@composite
def pow_backward_base(grad: Any, base: Any, exponent: Any, result: Any) -> Any:
    """d base**exponent by exponent for a number as the base; 0 where that is 0 and the exponent
    is not negative."""
    slope = result * math_log(base)
    if base == 0:
        slope = F.where(F.ge(exponent, F.zeros_like(exponent)), F.zeros_like(result), slope)
    return grad * slope


op("pow.base(exponent, /, self)", kernels.power_of, pointwise=True, node="PowBackward2",
   d_exponent=lambda grad, self, exponent, result:
       F.pow_backward_base(grad, self, exponent, result),
   sign="^", text="{self} ^ {exponent}", onnx="Pow")

# With a number as operand that is in no slot of the node: only PyTorch's own code computes so.
op("mul.number(self, /, other)", more.with_scalar(np.multiply), node="MulBackward1", warns=False,
   d_self=lambda grad, other: grad * other,
   public=False, sign="×", text="{self} × {other}", onnx="Mul")

op("div.number(self, /, other)", more.with_scalar(np.divide), node="DivBackward1",
   d_self=lambda grad, other: grad / other,
   public=False, sign="÷", text="{self} ÷ {other}", onnx="Div")

op("add.number(self, /, other)", more.with_scalar(np.add), node="AddBackward1", warns=False,
   d_self=lambda grad: grad,
   public=False, sign="+", text="{self} + {other}", onnx="Add")

op("sub.number(self, /, other)", more.with_scalar(np.subtract), node="SubBackward1", warns=False,
   d_self=lambda grad: grad,
   public=False, sign="−", text="{self} − {other}", onnx="Sub")
