# Written by `python -m tests.golden.listing`; do not edit.
# ruff: noqa
# fmt: off
"""What runs for sums, products and products in place: generated when each is first called.

Under each call stands what is compiled for it, under the name of file by which tracebacks call it:
what was compiled for a call before is not compiled again. First come the functions, then the
classes of the nodes that they make.

* ``record`` and ``make_node`` are written by ``eager/op_functions.py``. ``record`` computes the
  result (by the lines of ``eager/compute_source.py``) and, where a gradient is wanted, makes the
  node for its *targets*, that is for the inputs that need one; for operators it leaves strange
  operands to Python. ``make_node`` makes the node alone, for writes in place. Their globals are
  those of ``graph/runtime.py``, where each is explained, and what is the op's own: ``kernel_mul``
  is ``np.multiply``, ``OP_mul`` the declaration, ``number_mul`` the function of ``mul.number``
  (``optable/declare.py`` tells of it). What a ``meta`` has is told in ``graph/meta.py``,
  ``version_to_save`` in ``graph/version.py``, and ``ordered`` in ``arrays/memory_order.py``.
* The classes are written by ``eager/node_classes.py``, one for each choice of targets.
  ``run_arrays`` is what a run of ``backward()`` calls where nothing is hooked or watched; otherwise
  it calls ``backward_arrays``, and ``backward_tensors`` where the derivative is recorded in turn.
  The formulas of the declaration (``d_self=lambda grad, other: grad * other``) stand there
  themselves. ``run_arrays`` gives False where the engine must look after the node: it is hooked, or
  no gradient came and what it saved is to be checked and let go. Gradients without dims are numpy
  scalars, so what was saved becomes one (``[()]``). ``collect`` is called by
  ``autograd/order.py``. Their globals are listed in ``node_class`` of ``eager/node_classes.py``.
* Functions and methods that users call by name are written by ``dispatch/parsed.py``: PyTorch's
  parser of arguments, in front of the written function ``TARGET`` (of ``mul_`` that is what
  ``inplace_method`` of ``eager/inplace.py`` made), or of a record function's body. Properties
  (``requires_grad``, which a write asks for) are written by ``eager/overridable.py``.
"""


# ---- x + w ---------------------------------------------------------------------------------------


# <graphwidget add>
def record(self, other):
    if overridden and (answer := ask(OPERATOR__add__, (self, other,), {})) is not NOBODY: return answer
    kind = other.__class__
    if kind is float or kind is int:
        if derived and grad_mode.deriving: return number_add(self, other)
        self, other = as_tensors(OP_add, (self, other))
    try:
        meta = self._meta
        other._meta
    except AttributeError:
        try:
            self, other = as_tensors(OP_add, (self, other,))
        except TypeError:
            return operator_not_implemented('__add__', self, other)
        meta = self._meta
    if self._view is not None: refresh_for_op(self)
    if other._view is not None: refresh_for_op(other)
    if meta is other._meta:
        found = kernel_add(self._data, other._data) if meta.plain else ordered(kernel_add(self._data, other._data, out=...), (self._data, other._data, )) if meta.repeats else kernel_add(self._data, other._data, out=...)
        fit = None
    elif other.__class__ is Constant and meta.floating:
        found = kernel_add(self._data, other._data, out=..., subok=True)
        if meta.repeats: found = ordered(found, (self._data,))
        fit = None
    else:
        arrays, fit = promote(OP_add, (self, other,))
        found = kernel_add(*arrays, out=..., subok=True)
        found = ordered(found, (self._data, other._data, ))
        meta = meta_of(found)
    out = new(Tensor)
    out._data = found; out._meta = meta
    out._counter = out._grad = out._hooks = out._view = out._rec = None
    out._accumulator = None
    if (self._requires_grad or other._requires_grad) and (grad_everywhere or grad_mode.enabled):
        if not meta.floating: raise not_differentiable(found.dtype)
        if self._requires_grad is True:
            if other._requires_grad is True:
                node = node_add__self_other()
                node.next0 = self._node or (self._accumulator or nothing)() or accumulator(self)
                node.next1 = other._node or (other._accumulator or nothing)() or accumulator(other)
                node.grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()
                node.fit = None if fit is None else (fit[0], fit[1],)
            else:
                node = node_add__self()
                node.next0 = self._node or (self._accumulator or nothing)() or accumulator(self)
                node.grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()
                node.fit = None if fit is None else (fit[0],)
        else:
            if other._requires_grad is True:
                node = node_add__other()
                node.next0 = other._node or (other._accumulator or nothing)() or accumulator(other)
                node.grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()
                node.fit = None if fit is None else (fit[1],)
            else:
                node = edgeless('add')
        out._node = node; out._requires_grad = True
    else:
        node = out._node = None; out._requires_grad = False
    if observer is not None:
        observer.called(OP_add, (self, other,), {}, (out,), node)
    return out


# <graphwidget add backward>
class AddBackward0(Node):
    __slots__ = ('next0', 'next1')
    __module__ = "builtins"
    op = OP
    targets = ('self', 'other')
    next = next_property(('self', 'other'))

    def backward_arrays(node, grad, keep):
        return grad, grad

    def backward_tensors(node, grad, keep):
        mode = runtime.mode
        mode.deriving = runtime.derived = True
        try:
            return grad, grad
        finally: mode.deriving = False

    def run_arrays(node, keep, run, observer):
        if node.hooks is not None: return False
        grad = node.grad
        if grad is None: return observer is None
        node.grad = None
        if observer is not None: observer.node_starts(run, node, (grad,))
        fit = node.fit
        child0 = node.next0
        child1 = node.next1
        found0 = grad
        if fit is not None: found0 = fit_to(found0, fit[0])
        found1 = grad
        if fit is not None: found1 = fit_to(found1, fit[1])
        if observer is not None: observer.node_finishes(run, node, (found0, found1,), False)
        grad = None
        if child0.grad is None: child0.grad = found0
        elif found0 is not None: add_gradient(child0, found0)
        found0 = None
        if child1.grad is None: child1.grad = found1
        elif found1 is not None: add_gradient(child1, found1)
        return True

    def collect(node, mark, order):
        child = node.next0
        if child.mark != mark:
            child.mark = mark
            order.append(child)
            if child.__class__ is AccumulateGrad: child.seq = node.seq - 0.3333333333333333
        elif child.__class__ is AccumulateGrad and node.seq - 0.3333333333333333 < child.seq: child.seq = node.seq - 0.3333333333333333
        child = node.next1
        if child.mark != mark:
            child.mark = mark
            order.append(child)
            if child.__class__ is AccumulateGrad: child.seq = node.seq - 0.6666666666666666
        elif child.__class__ is AccumulateGrad and node.seq - 0.6666666666666666 < child.seq: child.seq = node.seq - 0.6666666666666666


# <graphwidget add backward>
class AddBackward0(Node):
    __slots__ = ('next0',)
    __module__ = "builtins"
    op = OP
    targets = ('self',)
    single = True
    next = next_property(('self',))

    def backward_arrays(node, grad, keep):
        return grad

    def backward_tensors(node, grad, keep):
        mode = runtime.mode
        mode.deriving = runtime.derived = True
        try:
            return grad
        finally: mode.deriving = False

    def run_arrays(node, keep, run, observer):
        if node.hooks is not None: return False
        grad = node.grad
        if grad is None: return observer is None
        node.grad = None
        if observer is not None: observer.node_starts(run, node, (grad,))
        fit = node.fit
        child0 = node.next0
        found0 = grad
        if fit is not None: found0 = fit_to(found0, fit[0])
        if observer is not None: observer.node_finishes(run, node, (found0,), False)
        if child0.grad is None: child0.grad = found0
        elif found0 is not None: add_gradient(child0, found0)
        return True

    def collect(node, mark, order):
        child = node.next0
        if child.mark != mark:
            child.mark = mark
            order.append(child)
            if child.__class__ is AccumulateGrad: child.seq = node.seq - 0.5
        elif child.__class__ is AccumulateGrad and node.seq - 0.5 < child.seq: child.seq = node.seq - 0.5


# <graphwidget add backward>
class AddBackward0(Node):
    __slots__ = ('next0',)
    __module__ = "builtins"
    op = OP
    targets = ('other',)
    single = True
    next = next_property(('other',))

    def backward_arrays(node, grad, keep):
        return grad

    def backward_tensors(node, grad, keep):
        mode = runtime.mode
        mode.deriving = runtime.derived = True
        try:
            return grad
        finally: mode.deriving = False

    def run_arrays(node, keep, run, observer):
        if node.hooks is not None: return False
        grad = node.grad
        if grad is None: return observer is None
        node.grad = None
        if observer is not None: observer.node_starts(run, node, (grad,))
        fit = node.fit
        child0 = node.next0
        found0 = grad
        if fit is not None: found0 = fit_to(found0, fit[0])
        if observer is not None: observer.node_finishes(run, node, (found0,), False)
        if child0.grad is None: child0.grad = found0
        elif found0 is not None: add_gradient(child0, found0)
        return True

    def collect(node, mark, order):
        child = node.next0
        if child.mark != mark:
            child.mark = mark
            order.append(child)
            if child.__class__ is AccumulateGrad: child.seq = node.seq - 0.5
        elif child.__class__ is AccumulateGrad and node.seq - 0.5 < child.seq: child.seq = node.seq - 0.5


# ---- torch.add(x, w) -----------------------------------------------------------------------------


# <graphwidget add>
def add(input=torch_add_MISSING, other=torch_add_MISSING, /, *more, **named):
    if overridden and (answer := ask(torch_add_FUNCTION, (*(each for each in (input, other, *more,) if each is not torch_add_MISSING),), named)) is not NOBODY: return answer
    alpha = torch_add_DEFAULT_alpha
    out = torch_add_DEFAULT_out
    spelled = named
    if named:
        spelled = named.copy()
        if 'input' in named and input is torch_add_MISSING: input = named.pop('input')
        if 'other' in named and other is torch_add_MISSING: other = named.pop('other')
        if 'alpha' in named: alpha = named.pop('alpha')
        if 'out' in named: out = named.pop('out')
    if named or more: return torch_add_PARSED.unusual((input, other, *more,), spelled, named)
    if other.__class__ not in torch_add_CLASSES_other or spelled and 'alpha' in spelled and alpha.__class__ not in torch_add_CLASSES_alpha:
        torch_add_PARSED.check((input, other, *more,), spelled, named)
        if isinstance(other, torch_add_NUMBERS_other): other = other.item()
        if isinstance(alpha, torch_add_NUMBERS_alpha): alpha = alpha.item()
    try:
        if out is not None: return torch_add_INTO('add', torch_add_OUT, out, torch_add_TARGET, input, other, alpha=alpha)
        return torch_add_TARGET(input, other, alpha=alpha)
    except Exception:
        if torch_add_PARSED.has_undeclared_override((input, other, *more,), spelled, named): return torch_add_PARSED.again((input, other, *more,), spelled, named)
        torch_add_PARSED.check((input, other, *more,), spelled, named)
        raise


# <graphwidget add>
def record(self, other):
    kind = other.__class__
    if kind is float or kind is int:
        if derived and grad_mode.deriving: return number_add(self, other)
        self, other = as_tensors(OP_add, (self, other))
    try:
        meta = self._meta
        other._meta
    except AttributeError:
        self, other = as_tensors(OP_add, (self, other,))
        meta = self._meta
    if self._view is not None: refresh_for_op(self)
    if other._view is not None: refresh_for_op(other)
    if meta is other._meta:
        found = kernel_add(self._data, other._data) if meta.plain else ordered(kernel_add(self._data, other._data, out=...), (self._data, other._data, )) if meta.repeats else kernel_add(self._data, other._data, out=...)
        fit = None
    elif other.__class__ is Constant and meta.floating:
        found = kernel_add(self._data, other._data, out=..., subok=True)
        if meta.repeats: found = ordered(found, (self._data,))
        fit = None
    else:
        arrays, fit = promote(OP_add, (self, other,))
        found = kernel_add(*arrays, out=..., subok=True)
        found = ordered(found, (self._data, other._data, ))
        meta = meta_of(found)
    out = new(Tensor)
    out._data = found; out._meta = meta
    out._counter = out._grad = out._hooks = out._view = out._rec = None
    out._accumulator = None
    if (self._requires_grad or other._requires_grad) and (grad_everywhere or grad_mode.enabled):
        if not meta.floating: raise not_differentiable(found.dtype)
        if self._requires_grad is True:
            if other._requires_grad is True:
                node = node_add__self_other()
                node.next0 = self._node or (self._accumulator or nothing)() or accumulator(self)
                node.next1 = other._node or (other._accumulator or nothing)() or accumulator(other)
                node.grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()
                node.fit = None if fit is None else (fit[0], fit[1],)
            else:
                node = node_add__self()
                node.next0 = self._node or (self._accumulator or nothing)() or accumulator(self)
                node.grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()
                node.fit = None if fit is None else (fit[0],)
        else:
            if other._requires_grad is True:
                node = node_add__other()
                node.next0 = other._node or (other._accumulator or nothing)() or accumulator(other)
                node.grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()
                node.fit = None if fit is None else (fit[1],)
            else:
                node = edgeless('add')
        out._node = node; out._requires_grad = True
    else:
        node = out._node = None; out._requires_grad = False
    if observer is not None:
        observer.called(OP_add, (self, other,), {}, (out,), node)
    return out


# ---- x * w ---------------------------------------------------------------------------------------


# <graphwidget mul>
def record(self, other):
    if overridden and (answer := ask(OPERATOR__mul__, (self, other,), {})) is not NOBODY: return answer
    kind = other.__class__
    if kind is float or kind is int:
        if derived and grad_mode.deriving: return number_mul(self, other)
        self, other = as_tensors(OP_mul, (self, other))
    try:
        meta = self._meta
        other._meta
    except AttributeError:
        try:
            self, other = as_tensors(OP_mul, (self, other,))
        except TypeError:
            return operator_not_implemented('__mul__', self, other)
        meta = self._meta
    if self._view is not None: refresh_for_op(self)
    if other._view is not None: refresh_for_op(other)
    if meta is other._meta:
        found = kernel_mul(self._data, other._data) if meta.plain else ordered(kernel_mul(self._data, other._data, out=...), (self._data, other._data, )) if meta.repeats else kernel_mul(self._data, other._data, out=...)
        fit = None
    elif other.__class__ is Constant and meta.floating:
        found = kernel_mul(self._data, other._data, out=..., subok=True)
        if meta.repeats: found = ordered(found, (self._data,))
        fit = None
    else:
        arrays, fit = promote(OP_mul, (self, other,))
        found = kernel_mul(*arrays, out=..., subok=True)
        found = ordered(found, (self._data, other._data, ))
        meta = meta_of(found)
    out = new(Tensor)
    out._data = found; out._meta = meta
    out._counter = out._grad = out._hooks = out._view = out._rec = None
    out._accumulator = None
    if (self._requires_grad or other._requires_grad) and (grad_everywhere or grad_mode.enabled):
        if not meta.floating: raise not_differentiable(found.dtype)
        if self._requires_grad is True:
            if other._requires_grad is True:
                node = node_mul__self_other()
                node.next0 = self._node or (self._accumulator or nothing)() or accumulator(self)
                node.next1 = other._node or (other._accumulator or nothing)() or accumulator(other)
                node.grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()
                node.fit = None if fit is None else (fit[0], fit[1],)
                node.saved_other = other; node.version_other = 0 if other._counter is None else other._counter.version_to_save
                node.saved_self = self; node.version_self = 0 if self._counter is None else self._counter.version_to_save
            else:
                node = node_mul__self()
                node.next0 = self._node or (self._accumulator or nothing)() or accumulator(self)
                node.grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()
                node.fit = None if fit is None else (fit[0],)
                node.saved_other = other; node.version_other = 0 if other._counter is None else other._counter.version_to_save
        else:
            if other._requires_grad is True:
                node = node_mul__other()
                node.next0 = other._node or (other._accumulator or nothing)() or accumulator(other)
                node.grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()
                node.fit = None if fit is None else (fit[1],)
                node.saved_self = self; node.version_self = 0 if self._counter is None else self._counter.version_to_save
            else:
                node = edgeless('mul')
        out._node = node; out._requires_grad = True
    else:
        node = out._node = None; out._requires_grad = False
    if observer is not None:
        observer.called(OP_mul, (self, other,), {}, (out,), node)
    return out


# <graphwidget mul backward>
class MulBackward0(Node):
    __slots__ = ('saved_other', 'version_other', 'saved_self', 'version_self', 'next0', 'next1')
    __module__ = "builtins"
    op = OP
    targets = ('self', 'other')
    saves = ('other', 'self')
    next = next_property(('self', 'other'))

    def backward_arrays(node, grad, keep):
        other = node.saved_other
        if other is None: raise freed_error(node)
        counter = other._counter
        if counter is not None and counter.version != node.version_other:
            raise version_error(node, 'other', *node.unpack('other'))
        other = other._data
        self = node.saved_self
        if self is None: raise freed_error(node)
        counter = self._counter
        if counter is not None and counter.version != node.version_self:
            raise version_error(node, 'self', *node.unpack('self'))
        self = self._data
        if not keep: node.saved_other = node.saved_self = None
        return (grad * other), (grad * self)

    def backward_tensors(node, grad, keep):
        other = node.saved_other
        if other is None: raise freed_error(node)
        counter = other._counter
        if counter is not None and counter.version != node.version_other:
            raise version_error(node, 'other', *node.unpack('other'))
        if other.__class__ is Packed: other = node.unpack('other')[0]
        self = node.saved_self
        if self is None: raise freed_error(node)
        counter = self._counter
        if counter is not None and counter.version != node.version_self:
            raise version_error(node, 'self', *node.unpack('self'))
        if self.__class__ is Packed: self = node.unpack('self')[0]
        if not keep: node.saved_other = node.saved_self = None
        mode = runtime.mode
        mode.deriving = runtime.derived = True
        try:
            return (grad * other), (grad * self)
        finally: mode.deriving = False

    def run_arrays(node, keep, run, observer):
        if node.hooks is not None: return False
        grad = node.grad
        if grad is None: return False
        node.grad = None
        if observer is not None: observer.node_starts(run, node, (grad,))
        other = node.saved_other
        if other is None: raise freed_error(node)
        counter = other._counter
        if counter is not None and counter.version != node.version_other:
            raise version_error(node, 'other', *node.unpack('other'))
        other = other._data
        self = node.saved_self
        if self is None: raise freed_error(node)
        counter = self._counter
        if counter is not None and counter.version != node.version_self:
            raise version_error(node, 'self', *node.unpack('self'))
        self = self._data
        if not keep: node.saved_other = node.saved_self = None
        if grad.__class__ is not ndarray: other = other[()]; self = self[()]
        fit = node.fit
        child0 = node.next0
        child1 = node.next1
        found0 = (grad * other)
        if fit is not None: found0 = fit_to(found0, fit[0])
        found1 = (grad * self)
        if fit is not None: found1 = fit_to(found1, fit[1])
        if observer is not None: observer.node_finishes(run, node, (found0, found1,), not keep)
        grad = None
        if child0.grad is None: child0.grad = found0
        elif found0 is not None: add_gradient(child0, found0)
        found0 = None
        if child1.grad is None: child1.grad = found1
        elif found1 is not None: add_gradient(child1, found1)
        return True

    def collect(node, mark, order):
        child = node.next0
        if child.mark != mark:
            child.mark = mark
            order.append(child)
            if child.__class__ is AccumulateGrad: child.seq = node.seq - 0.3333333333333333
        elif child.__class__ is AccumulateGrad and node.seq - 0.3333333333333333 < child.seq: child.seq = node.seq - 0.3333333333333333
        child = node.next1
        if child.mark != mark:
            child.mark = mark
            order.append(child)
            if child.__class__ is AccumulateGrad: child.seq = node.seq - 0.6666666666666666
        elif child.__class__ is AccumulateGrad and node.seq - 0.6666666666666666 < child.seq: child.seq = node.seq - 0.6666666666666666


# <graphwidget mul backward>
class MulBackward0(Node):
    __slots__ = ('saved_other', 'version_other', 'next0')
    __module__ = "builtins"
    op = OP
    targets = ('self',)
    saves = ('other',)
    single = True
    next = next_property(('self',))

    def backward_arrays(node, grad, keep):
        other = node.saved_other
        if other is None: raise freed_error(node)
        counter = other._counter
        if counter is not None and counter.version != node.version_other:
            raise version_error(node, 'other', *node.unpack('other'))
        other = other._data
        if not keep: node.saved_other = None
        return (grad * other)

    def backward_tensors(node, grad, keep):
        other = node.saved_other
        if other is None: raise freed_error(node)
        counter = other._counter
        if counter is not None and counter.version != node.version_other:
            raise version_error(node, 'other', *node.unpack('other'))
        if other.__class__ is Packed: other = node.unpack('other')[0]
        if not keep: node.saved_other = None
        mode = runtime.mode
        mode.deriving = runtime.derived = True
        try:
            return (grad * other)
        finally: mode.deriving = False

    def run_arrays(node, keep, run, observer):
        if node.hooks is not None: return False
        grad = node.grad
        if grad is None: return False
        node.grad = None
        if observer is not None: observer.node_starts(run, node, (grad,))
        other = node.saved_other
        if other is None: raise freed_error(node)
        counter = other._counter
        if counter is not None and counter.version != node.version_other:
            raise version_error(node, 'other', *node.unpack('other'))
        other = other._data
        if not keep: node.saved_other = None
        if grad.__class__ is not ndarray: other = other[()]
        fit = node.fit
        child0 = node.next0
        found0 = (grad * other)
        if fit is not None: found0 = fit_to(found0, fit[0])
        if observer is not None: observer.node_finishes(run, node, (found0,), not keep)
        if child0.grad is None: child0.grad = found0
        elif found0 is not None: add_gradient(child0, found0)
        return True

    def collect(node, mark, order):
        child = node.next0
        if child.mark != mark:
            child.mark = mark
            order.append(child)
            if child.__class__ is AccumulateGrad: child.seq = node.seq - 0.5
        elif child.__class__ is AccumulateGrad and node.seq - 0.5 < child.seq: child.seq = node.seq - 0.5


# <graphwidget mul backward>
class MulBackward0(Node):
    __slots__ = ('saved_self', 'version_self', 'next0')
    __module__ = "builtins"
    op = OP
    targets = ('other',)
    saves = ('self',)
    single = True
    next = next_property(('other',))

    def backward_arrays(node, grad, keep):
        self = node.saved_self
        if self is None: raise freed_error(node)
        counter = self._counter
        if counter is not None and counter.version != node.version_self:
            raise version_error(node, 'self', *node.unpack('self'))
        self = self._data
        if not keep: node.saved_self = None
        return (grad * self)

    def backward_tensors(node, grad, keep):
        self = node.saved_self
        if self is None: raise freed_error(node)
        counter = self._counter
        if counter is not None and counter.version != node.version_self:
            raise version_error(node, 'self', *node.unpack('self'))
        if self.__class__ is Packed: self = node.unpack('self')[0]
        if not keep: node.saved_self = None
        mode = runtime.mode
        mode.deriving = runtime.derived = True
        try:
            return (grad * self)
        finally: mode.deriving = False

    def run_arrays(node, keep, run, observer):
        if node.hooks is not None: return False
        grad = node.grad
        if grad is None: return False
        node.grad = None
        if observer is not None: observer.node_starts(run, node, (grad,))
        self = node.saved_self
        if self is None: raise freed_error(node)
        counter = self._counter
        if counter is not None and counter.version != node.version_self:
            raise version_error(node, 'self', *node.unpack('self'))
        self = self._data
        if not keep: node.saved_self = None
        if grad.__class__ is not ndarray: self = self[()]
        fit = node.fit
        child0 = node.next0
        found0 = (grad * self)
        if fit is not None: found0 = fit_to(found0, fit[0])
        if observer is not None: observer.node_finishes(run, node, (found0,), not keep)
        if child0.grad is None: child0.grad = found0
        elif found0 is not None: add_gradient(child0, found0)
        return True

    def collect(node, mark, order):
        child = node.next0
        if child.mark != mark:
            child.mark = mark
            order.append(child)
            if child.__class__ is AccumulateGrad: child.seq = node.seq - 0.5
        elif child.__class__ is AccumulateGrad and node.seq - 0.5 < child.seq: child.seq = node.seq - 0.5


# ---- torch.mul(x, w) -----------------------------------------------------------------------------


# <graphwidget mul>
def mul(input=torch_mul_MISSING, other=torch_mul_MISSING, *more, out=None):
    if overridden and (answer := ask(torch_mul_FUNCTION, (*(each for each in (input, other, *more,) if each is not torch_mul_MISSING),), {})) is not NOBODY: return answer
    if more: return torch_mul_PARSED.unusual((input, other, *more,))
    try:
        if out is not None: return torch_mul_INTO('mul', torch_mul_OUT, out, torch_mul_TARGET, input, other)
        self = input
        kind = other.__class__
        if kind is float or kind is int:
            if derived and grad_mode.deriving: return number_mul(self, other)
            self, other = as_tensors(OP_mul, (self, other))
        try:
            meta = self._meta
            other._meta
        except AttributeError:
            self, other = as_tensors(OP_mul, (self, other,))
            meta = self._meta
        if self._view is not None: refresh_for_op(self)
        if other._view is not None: refresh_for_op(other)
        if meta is other._meta:
            found = kernel_mul(self._data, other._data) if meta.plain else ordered(kernel_mul(self._data, other._data, out=...), (self._data, other._data, )) if meta.repeats else kernel_mul(self._data, other._data, out=...)
            fit = None
        elif other.__class__ is Constant and meta.floating:
            found = kernel_mul(self._data, other._data, out=..., subok=True)
            if meta.repeats: found = ordered(found, (self._data,))
            fit = None
        else:
            arrays, fit = promote(OP_mul, (self, other,))
            found = kernel_mul(*arrays, out=..., subok=True)
            found = ordered(found, (self._data, other._data, ))
            meta = meta_of(found)
        out = new(Tensor)
        out._data = found; out._meta = meta
        out._counter = out._grad = out._hooks = out._view = out._rec = None
        out._accumulator = None
        if (self._requires_grad or other._requires_grad) and (grad_everywhere or grad_mode.enabled):
            if not meta.floating: raise not_differentiable(found.dtype)
            if self._requires_grad is True:
                if other._requires_grad is True:
                    node = node_mul__self_other()
                    node.next0 = self._node or (self._accumulator or nothing)() or accumulator(self)
                    node.next1 = other._node or (other._accumulator or nothing)() or accumulator(other)
                    node.grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()
                    node.fit = None if fit is None else (fit[0], fit[1],)
                    node.saved_other = other; node.version_other = 0 if other._counter is None else other._counter.version_to_save
                    node.saved_self = self; node.version_self = 0 if self._counter is None else self._counter.version_to_save
                else:
                    node = node_mul__self()
                    node.next0 = self._node or (self._accumulator or nothing)() or accumulator(self)
                    node.grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()
                    node.fit = None if fit is None else (fit[0],)
                    node.saved_other = other; node.version_other = 0 if other._counter is None else other._counter.version_to_save
            else:
                if other._requires_grad is True:
                    node = node_mul__other()
                    node.next0 = other._node or (other._accumulator or nothing)() or accumulator(other)
                    node.grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()
                    node.fit = None if fit is None else (fit[1],)
                    node.saved_self = self; node.version_self = 0 if self._counter is None else self._counter.version_to_save
                else:
                    node = edgeless('mul')
            out._node = node; out._requires_grad = True
        else:
            node = out._node = None; out._requires_grad = False
        if observer is not None:
            observer.called(OP_mul, (self, other,), {}, (out,), node)
        return out
    except Exception:
        if torch_mul_PARSED.has_undeclared_override((input, other, *more,)): return torch_mul_PARSED.again((input, other, *more,))
        torch_mul_PARSED.check((input, other, *more,))
        raise


# ---- y.mul_(w) -----------------------------------------------------------------------------------


# <graphwidget mul_>
def mul_(self=Tensor_mul__MISSING, other=Tensor_mul__MISSING, /, *more, **named):
    if overridden and (answer := ask(Tensor_mul__FUNCTION, (*(each for each in (self, other, *more,) if each is not Tensor_mul__MISSING),), named)) is not NOBODY: return answer
    spelled = named
    if named:
        spelled = named.copy()
        if 'other' in named and other is Tensor_mul__MISSING: other = named.pop('other')
    if named or more: return Tensor_mul__PARSED.unusual((self, other, *more,), spelled, named)
    try:
        return Tensor_mul__TARGET(self, other)
    except Exception:
        if Tensor_mul__PARSED.has_undeclared_override((self, other, *more,), spelled, named): return Tensor_mul__PARSED.again((self, other, *more,), spelled, named)
        Tensor_mul__PARSED.check((self, other, *more,), spelled, named)
        raise


# <graphwidget requires_grad>
def requires_grad(self):
    if overridden and (answer := ask(Tensor_requires_grad_get_FUNCTION, (self, ), {})) is not NOBODY: return answer
    try:
        return Tensor_requires_grad_get_TARGET(self)
    except Exception:
        if has_undeclared_override((self, )): return Tensor_requires_grad_get_FUNCTION(self)
        raise


# <graphwidget mul>
def make_node(self, other, fit):
    if not (self._requires_grad or other._requires_grad): return None
    if self._requires_grad is True:
        if other._requires_grad is True:
            node = node_mul__self_other()
            node.next0 = self._node or (self._accumulator or nothing)() or accumulator(self)
            node.next1 = other._node or (other._accumulator or nothing)() or accumulator(other)
            node.grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()
            node.fit = None if fit is None else (fit[0], fit[1],)
            node.saved_other = other; node.version_other = 0 if other._counter is None else other._counter.version_to_save
            node.saved_self = self; node.version_self = 0 if self._counter is None else self._counter.version_to_save
        else:
            node = node_mul__self()
            node.next0 = self._node or (self._accumulator or nothing)() or accumulator(self)
            node.grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()
            node.fit = None if fit is None else (fit[0],)
            node.saved_other = other; node.version_other = 0 if other._counter is None else other._counter.version_to_save
    else:
        if other._requires_grad is True:
            node = node_mul__other()
            node.next0 = other._node or (other._accumulator or nothing)() or accumulator(other)
            node.grad = node.hooks = node._rec = None; node.mark = 0; node.seq = next_sequence()
            node.fit = None if fit is None else (fit[1],)
            node.saved_self = self; node.version_self = 0 if self._counter is None else self._counter.version_to_save
        else:
            node = edgeless('mul')
    return node
