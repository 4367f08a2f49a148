"""Interpolation: other numbers of points along the last dims."""

from __future__ import annotations

import inspect
from typing import Any

from ..declare import Formula, Namespace, op
from . import interpolation_kernels as kernels

F = Namespace()

SCALES = {1: ("scales",), 2: ("scales_h", "scales_w"), 3: ("scales_d", "scales_h", "scales_w")}
"""PyTorch's name of the factor of each dim."""


def formula(function: Formula, *names: str) -> Formula:
    """A formula of any number of parameters, with names for them."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in names]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function


def interpolation(name: str, node: str, mode: str, dims: int, kernel: str) -> None:
    """Declare an interpolation and its derivative, which is one too.

    Args:
        kernel: what PyTorch calls the kernel that knows floats only, and the bytes of pictures.
    """
    aligning = not mode.startswith("nearest")
    names = ("output_size", *(("align_corners",) if aligning else ()), *SCALES[dims])
    key, back = f"upsample_{name}", f"upsample_{name}_backward"

    def resample(a: Any, size: Any, *given: Any) -> Any:
        return kernels.resample(a, mode, size, aligning and given[0], given[-dims:])

    def resample_backward(grad: Any, shape: Any, size: Any, *given: Any) -> Any:
        return kernels.resample_backward(
            grad, shape, mode, size, aligning and given[0], given[-dims:]
        )

    op(f"{key}(self, /, {', '.join(names)})", resample, node=f"Upsample{node}Backward0",
       refuses=f"{kernel}: bool integer" if aligning and dims != 2 else f"{kernel}: bool number",
       d_self=formula(lambda grad, *given: getattr(F, back)(grad, *given),
                      "grad", "self_shape", *names),
       public=False, sign="resample", text="{self} with {output_size} points",
       tex=r"\operatorname{{resample}} {self}", onnx="Resize")

    op(f"{back}(grad_output, /, shape, {', '.join(names)})", resample_backward,
       node=f"Upsample{node}BackwardBackward0",
       d_grad_output=formula(lambda grad, *given: getattr(F, key)(grad, *given), "grad", *names),
       public=False, sign="resample′", text="{grad_output} back to {shape}", tex=r"{grad_output}",
       onnx=None)


WEIGHTS = "compute_indices_weights"

for _dims in (1, 2, 3):
    _kernel = "upsample_nearest2d_channels_last" if _dims == 2 else f"{WEIGHTS}_nearest"
    interpolation(f"nearest{_dims}d", f"Nearest{_dims}D", "nearest", _dims, _kernel)
    interpolation(
        f"nearest_exact{_dims}d", f"NearestExact{_dims}D", "nearest-exact", _dims, _kernel
    )

interpolation("linear1d", "Linear1D", "linear", 1, f"{WEIGHTS}_linear")

interpolation("bilinear2d", "Bilinear2D", "linear", 2, "upsample_bilinear2d_channels_last")

interpolation("trilinear3d", "Trilinear3D", "linear", 3, f"{WEIGHTS}_linear")

interpolation("bicubic2d", "Bicubic2D", "cubic", 2, f"{WEIGHTS}_cubic")
