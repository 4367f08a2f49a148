"""Names that a random program may use besides ``torch``: the text of its first lines."""

from __future__ import annotations

PREAMBLE = '''
seen = []


def note(tag, *values):
    """Remember values as they are now."""
    seen.append((tag, [v if v is None else v.detach().clone() for v in values]))


def put(target, index, value):
    target[index] = value
    return target


class Square(torch.autograd.Function):
    """In the first style: one input, saved."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


class Scaled(torch.autograd.Function):
    """In the second style: a number among the arguments, and the result saved."""

    @staticmethod
    def forward(x, factor):
        return x.exp() * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y, None


class Both(torch.autograd.Function):
    """Two inputs, two outputs; tells what arrives."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x + y, x * y

    @staticmethod
    def backward(ctx, first, second):
        x, y = ctx.saved_tensors
        note("both", first, second)
        return (first + second * y).sum_to_size(x.shape), (first + second * x).sum_to_size(y.shape)


class Lazy(torch.autograd.Function):
    """Two outputs; missing gradients arrive as None."""

    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, first, second):
        note("lazy", first, second)
        found = None
        for factor, grad in ((2, first), (3, second)):
            if grad is not None:
                found = grad * factor if found is None else found + grad * factor
        return found


class Doubled(torch.autograd.Function):
    """Writes its input."""

    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Same(torch.autograd.Function):
    """Returns its input."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return -grad


class Part(torch.autograd.Function):
    """An output without gradient, and one that is a view of the input."""

    @staticmethod
    def forward(ctx, x):
        mask = x > 0
        ctx.mark_non_differentiable(mask)
        ctx.save_for_backward(mask)
        return x * mask, mask

    @staticmethod
    def backward(ctx, grad, nothing):
        return grad * ctx.saved_tensors[0]


class Once(torch.autograd.Function):
    """May be differentiated once only."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0].cos()


class Silent(torch.autograd.Function):
    """Gives no gradient."""

    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, grad):
        return None, None


class Short(torch.autograd.Function):
    """Gives too few gradients."""

    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, grad):
        return grad
'''
