"""``grid_sampler``, which reads images at given points, and ``affine_grid``, which makes points."""

from __future__ import annotations

from typing import Any

from ..declare import Namespace, composite, op
from . import grid_sample_kernels as kernels

F = Namespace()
NEAREST = 1
"""The number of the interpolation that does not change with small moves of its points."""


@composite
def grid_sampler_again(
    some_grads: Any, grad: Any, input: Any, grid: Any, key: Any, options: Any, moving: Any
) -> Any:
    """The gradients of what ``grid_sampler_backward`` was given. The image's is one of the slopes
    along the grid alone; points that stay where they are have none."""
    of_image, of_grid = some_grads
    if options[0] == NEAREST or not moving:
        if of_image is None:
            return None, None, None
        return getattr(F, key)(of_image, grid, *options), None, F.zeros_like(grid)
    of_image = F.zeros_like(input) if of_image is None else of_image
    along = F.zeros_like(grid) if of_grid is None else of_grid
    found = F.grid_sampler_second(of_image, along, grad, input, grid, *options)
    return found[0], None if of_grid is None else found[1], found[2]


def grid_sampler(dims: int) -> None:
    """Declare the sampling of images of so many dims, and its derivative."""
    key = f"grid_sampler_{dims}d"
    options = "interpolation_mode, padding_mode, align_corners"
    op(f"{key}(input, grid, /, {options})", kernels.grid_sampler,
       node=f"GridSampler{dims}DBackward0",
       d_input__grid=lambda grad, input, grid, interpolation_mode, padding_mode, align_corners:
           getattr(F, f"{key}_backward")(
               grad, input, grid, interpolation_mode, padding_mode, align_corners
           ),
       public=False, sign="grid sample", text="{input} at the points {grid}",
       tex=r"{input}({grid})", onnx="GridSample")
    op(f"{key}_backward(grad_output, input, grid, /, {options}) -> grad_input, grad_grid",
       kernels.grid_sampler_backward, node=f"GridSampler{dims}DBackwardBackward0",
       d_grad_output__input__grid=lambda some_grads, grad_output, input, grid,
                                         interpolation_mode, padding_mode, align_corners, targets:
           F.grid_sampler_again(
               some_grads, grad_output, input, grid, key,
               (interpolation_mode, padding_mode, align_corners), "grid" in targets,
           ),
       public=False, sign="grid sample′", text="{grad_output} at the points {grid}",
       tex=r"{grad_output}", onnx=None)


grid_sampler(2)

grid_sampler(3)

op("grid_sampler_second(of_image, of_grid, grad_output, input, grid, /, interpolation_mode, "
   "padding_mode, align_corners) -> grad_output, grad_input, grad_grid",
   kernels.grid_sampler_double_backward, node="NotImplemented",
   d_of_image=lambda grads: F.without_derivative("aten::grid_sampler_2d_backward"),
   d_of_grid=lambda grads: F.without_derivative("aten::grid_sampler_2d_backward"),
   d_grad_output=lambda grads: F.without_derivative("aten::grid_sampler_2d_backward"),
   d_input=lambda grads: F.without_derivative("aten::grid_sampler_2d_backward"),
   d_grid=lambda grads: F.without_derivative("aten::grid_sampler_2d_backward"),
   public=False, sign="grid sample″", text="slopes of {grad_output} at {grid}",
   tex=r"{grad_output}", onnx=None)

op("affine_grid_generator(theta, /, size, align_corners)", kernels.affine_grid,
   d_theta=lambda grad, size, align_corners: F.transpose(F.bmm(
       F.transpose(F.affine_base(grad, size, align_corners), 1, 2),
       F.reshape(grad, (size[0], -1, len(size) - 2))), 1, 2),
   public=False, sign="affine grid", text="the points of an image moved by {theta}",
   tex=r"{theta}", onnx="AffineGrid")

op("affine_base(self, /, size, align_corners)", kernels.affine_base, borrows=True, nograd=True,
   public=False, sign="affine base", text="the points of an image", tex=r"{size}", onnx=None)
