"""Statements about flags, gradients, hooks, backward passes and custom Functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fuzz.writer import Writer
from tests.fuzz.writes import folded

if TYPE_CHECKING:
    Base = Writer
else:
    Base = object


def wants_grad(tensor: Any) -> bool:
    return bool(tensor.requires_grad)


def plain(tensor: Any) -> bool:
    """A tensor that may have a hook: PyTorch crashes when a view with one gets a new history."""
    return bool(tensor.requires_grad) and not tensor._is_view()


class Passes(Base):
    """The statement kinds about autograd itself."""

    hooked = ""
    """The tensor that last got a hook; it is likely to get another."""

    def flag(self) -> str:
        source = self.pick(lambda t: t.requires_grad if self.chance(0.8) else True)
        detach = self.get(source)._is_view() or self.node(source) is None
        return str(self.some([
            f"{source}.retain_grad()", f"{source}.retain_grad()", f"{source}.requires_grad_()",
            f"{source}.requires_grad = False",
            # A computed tensor that somebody saved may not be detached in place.
            f"{source}.detach_()" if detach else f"{source}.detach()",
            f"{source}.requires_grad_(False)",
        ]))  # fmt: skip

    def backward(self) -> str:
        source = self.pick(wants_grad)
        keep = self.some(["", "retain_graph=True", "retain_graph=True", "create_graph=True"])
        if self.chance(0.12):
            inputs = self.some([[source], [self.pick(wants_grad)],
                                [self.pick(wants_grad), self.pick(wants_grad)]])  # fmt: skip
            keep = ", ".join(filter(None, [keep, f"inputs=[{', '.join(inputs)}]"]))
        if self.chance(0.08):
            other = self.pick(wants_grad)
            comma = ", " if keep else ""
            return f"torch.autograd.backward([{source}.sum(), {other}.mean()]{comma}{keep})"
        if self.get(source).numel() == 1 and self.chance(0.8):
            return f"{source}.backward({keep})"
        if self.chance(0.5):
            return f"{source}.sum().backward({keep})"
        if self.chance(0.1):
            return f"{source}.backward({keep})"
        comma = ", " if keep else ""
        weight = self.some(["torch.ones_like", "torch.zeros_like", "torch.ones_like"])
        return f"{source}.backward({weight}({source}){comma}{keep})"

    def differentiate(self) -> str:
        output, source = self.pick(wants_grad), self.pick(wants_grad)
        extra = self.some(["", ", create_graph=True", ", retain_graph=True, allow_unused=True",
                           ", create_graph=True, allow_unused=True",
                           ", materialize_grads=True", ", retain_graph=False"])  # fmt: skip
        if self.chance(0.2):
            inputs = f"[{source}, {self.pick(wants_grad)}]"
            outputs = f"[{output}.sum(), {self.pick(wants_grad)}.sum()]"
            weights = ", [torch.tensor(2.), None]" if self.chance(0.3) else ""
            return f"{self.target()} = torch.autograd.grad({outputs}, {inputs}{weights}{extra})"
        if "create" not in extra:
            # A buffer of PyTorch's own may be a view of it: only its numbers are compared.
            form = f"torch.autograd.grad({output}.sum(), {source}{extra})[0].clone()"
            return f"{self.target()} = {form}"
        return f"({self.target()},) = torch.autograd.grad({output}.sum(), {source}{extra})"

    def penalty(self) -> str:
        """A gradient of a gradient."""
        output, source = self.pick(wants_grad), self.pick(wants_grad)
        name = self.target()
        self.add(f"({name},) = torch.autograd.grad({output}.sum(), {source}, create_graph=True)")
        if name not in self.machine.tensors or not self.get(name).requires_grad:
            return "pass"
        return f"({name} ** 2).sum().backward({self.some(['', 'retain_graph=True'])})"

    def gradient(self) -> str:
        source = self.pick(wants_grad)
        return str(self.some([
            f"{source}.grad = None", f"{source}.grad.zero_()", f"{source}.grad",
            f"{self.target()} = {source}.grad", f"{source}.grad = torch.ones_like({source})",
            f"{source}.grad.mul_(0.5)", f"del {source}.grad",
            f"with torch.no_grad():\n    {source} -= 0.1 * {source}.grad",
            f"{source}.data = {source}.data * 0.5",
            f"{source}.data.{'abs()' if folded(self.get(source)) else 'mul_(0.5)'}",
        ]))  # fmt: skip

    def hook(self) -> str:
        names = [name for name, t in self.machine.tensors.items() if plain(t)]
        if not names:
            return self.factory()
        source = self.hooked if self.hooked in names and self.chance(0.3) else self.some(names)
        self.hooked = source
        handle = f"h{self.random.randint(1, 3)}"
        leaf = self.node(source) is None
        result = self.some(["g * 2", "None", "g + 1", f"note('{source}', g)"])
        forms = [f"{source}.register_hook(lambda g: {result})"] * 3
        if leaf:
            forms += [
                f"{source}.register_post_accumulate_grad_hook(lambda p: note('post', p.grad))",
                f"{source}.register_post_accumulate_grad_hook(lambda p: setattr(p, 'grad', None))",
            ]
        else:
            forms += [
                f"{source}.grad_fn.register_hook(lambda gi, go: note('node', *gi, *go))",
                f"{source}.grad_fn.register_prehook(lambda go: note('pre', *go))",
                f"{source}.grad_fn.register_prehook(lambda go: tuple("
                "g if g is None else g * 2 for g in go))",
            ]
        if self.chance(0.1):
            return (
                f"{handle} = torch.autograd.graph.register_multi_grad_hook(({source}, "
                f"{self.some(names)}), lambda gs: note('multi', *gs))"
            )
        if self.chance(0.15):
            return f"{handle}.remove()"
        return f"{handle} = {self.some(forms)}"

    def function(self) -> str:
        """A custom Function's call."""
        first = self.pick(lambda t: t.is_floating_point())
        second = self.fitting(first)
        if second not in self.machine.tensors:
            second = first
        target = self.target()
        single = self.some([
            f"Square.apply({first})", f"Scaled.apply({first}, 0.5)", f"Same.apply({first})",
                f"Once.apply({first})",
            f"Both.apply({first}, {second})[{self.some('01')}]",
            f"Lazy.apply({first})[{self.some('01')}]", f"Part.apply({first})[0]",
            f"Silent.apply({first}, {second})", f"Short.apply({first}, {second})",
            f"Doubled.apply({first})", f"Doubled.apply({first} * 1)",
        ])  # fmt: skip
        if self.chance(0.2):
            other = self.target()
            return f"{target}, {other} = Both.apply({first}, {second})"
        return f"{target} = {single}"

    def inspect(self) -> str:
        """Return what a node says of itself."""
        # A derivative's node may save other things.
        inner = (None, *self.machine.derived)
        source = self.pick(lambda t: not self.broken(t) and t.grad_fn not in inner)
        if self.broken(self.get(source)) or self.node(source) in inner:
            return self.factory()
        node = self.get(source).grad_fn
        names = [n for n in dir(node) if n.startswith("_saved_")]
        if not any(each for each, _ in node.next_functions):
            names = []  # nobody reads what is saved where nothing is to be derived
        if names and self.chance(0.6):
            return f"i = {source}.grad_fn.{self.some(names)}"
        return f"i = sorted(n for n in dir({source}.grad_fn) if n.startswith('_saved_'))"

    def forget(self) -> str:
        names = list(self.machine.tensors)
        return f"del {self.some(names)}" if len(names) > 3 else self.factory()

    def convert(self) -> str:
        source = self.pick()
        form = self.some(
            [
                "double()",
                "float()",
                "double()",
                "float()",
                "half()",
                "long()",
                "bool()",
                "int()",
                "to(torch.float64)",
                "type(torch.float32)",
            ]
        )
        return f"{self.target()} = {source}.{form}"
