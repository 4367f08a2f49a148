"""Statements about what comes with autograd: modes as decorators, hooks on what nodes save,
functional derivatives, modules and optimizers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fuzz.passes import wants_grad
from tests.fuzz.writer import Writer

if TYPE_CHECKING:
    Base = Writer
else:
    Base = object

PACKING = [
    "lambda x: (note('pack', x), x)[1], lambda x: (note('unpack', x), x)[1]",
    "lambda x: x.detach().clone(), lambda x: x",
    "lambda x: x.detach() * 2, lambda x: x / 2",
    "lambda x: x.detach().numpy(), lambda x: torch.from_numpy(x)",
]
FUNCTIONS = ["x ** 2", "x.exp() * x", "(x * 3).sin()", "x.sum() * x", "x[:1] ** 3", "x * 2", "x"]
OPTIMIZERS = [
    "SGD({}, lr=0.1)", "SGD({}, lr=0.1, momentum=0.9)", "Adam({}, lr=0.1)", "AdamW({}, lr=0.1)",
    "RMSprop({}, lr=0.1)", "Adagrad({}, lr=0.1)", "SGD({}, lr=0.1, weight_decay=0.1)",
]  # fmt: skip


def moderate(tensor: Any) -> bool:
    """A floating vector or scalar: its Jacobian is small."""
    return bool(tensor.is_floating_point()) and tensor.ndim < 2


class Features(Base):
    """The statement kinds of what is built on autograd."""

    def mode(self) -> str:
        """Another mode, as a decorator or a block."""
        source, target = self.pick(), self.target()
        form = self.some(["x * 2", "x.exp()", "x + 1", "x.clone()", "x.view(-1)", "x"])
        mode = self.some(["no_grad", "enable_grad", "inference_mode", "set_grad_enabled"])
        if mode == "inference_mode":  # only looked at: PyTorch counts writes at random then
            form, target = "x.exp() * 2", "i"
        call = f"{mode}({self.some(['True', 'False'])})" if "set" in mode else f"{mode}()"
        if self.chance(0.5):
            return f"{target} = torch.{call}(lambda x: {form})({source})"
        return f"with torch.{call}:\n    {target} = {form.replace('x', source, 1)}"

    def packed(self) -> str:
        """An op whose node packs what it saves."""
        first, target = self.pick(wants_grad), self.target()
        form = self.some(["{} * {}", "{}.exp()", "{} ** 2", "{}.tanh()", "{}.sum()", "{} / 2"])
        made = form.replace("{}", first)
        hooks = self.some(PACKING)
        self.add(f"with torch.autograd.graph.saved_tensors_hooks({hooks}):\n    {target} = {made}")
        if target in self.machine.tensors and self.get(target).requires_grad:
            return f"{target}.sum().backward({self.some(['', 'retain_graph=True'])})"
        return "pass"

    def batched(self) -> str:
        """Several gradients in one call. The graph is new: hooks would see PyTorch's batches."""
        source, target = self.pick(moderate), self.target()
        self.add(f"{target} = {source}.detach().clone().requires_grad_()")
        if target not in self.machine.tensors:
            return "pass"
        made = str(self.some(FUNCTIONS)).replace("x", target).replace(f"e{target}p", "exp")
        size = self.get(target).numel()
        eye = f"torch.eye({size}, dtype={target}.dtype).reshape({size}, *{target}.shape)"
        extra = self.some(["", ", allow_unused=True", ", retain_graph=True"])
        form = f"torch.autograd.grad({made}, {target}, {eye}, is_grads_batched=True{extra})"
        return f"({self.target()},) = {form}"

    def functional(self) -> str:
        """A derivative of a function of one tensor."""
        source, target = self.pick(moderate), self.target()
        function, scalar = f"lambda x: {self.some(FUNCTIONS)}", self.chance(0.4)
        if scalar:
            function = f"lambda x: ({function[10:]}).sum()"
        extra = self.some(["", "", ", create_graph=True"])
        call = self.some(["jacobian({}, {}{})", "vjp({}, {}{})[0]", "jvp({}, {}, {1}{})[1]"])
        if scalar:
            call = self.some(["hessian({}, {}{})", "jacobian({}, {}{})", "hvp({}, {}, {1}{})[1]",
                              "vjp({}, {}{})[1]", "vhp({}, {}, {1}{})[1]"])  # fmt: skip
        call = call.replace("{1}", f"torch.ones_like({source})").format(function, source, extra)
        # Derivatives are added up in PyTorch's own order: only the numbers are compared.
        return f"{target} = torch.autograd.functional.{call}.detach().clone()"

    def module(self) -> str:
        """A module with parameters of its own, run and perhaps trained for a step."""
        source = self.pick(lambda t: t.is_floating_point() and t.ndim == 2 and t.numel() > 0)
        tensor = self.get(source)
        if not tensor.numel():
            return self.factory()
        size = tensor.shape[-1] if tensor.ndim else 1
        made = self.some([
            f"Linear({size}, 2)", f"Linear({size}, 2, bias=False)", f"BatchNorm1d({size})",
            f"Sequential(torch.nn.Linear({size}, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))",
            f"LayerNorm({size})", "Conv1d(1, 2, 1)", "Tanh()", "Flatten(0)", "Dropout(0.0)",
        ])  # fmt: skip
        seed = self.random.randint(0, 9)
        self.add(f"torch.manual_seed({seed})\nm = torch.nn.{made}.to({source}.dtype)")
        target = self.target()
        given = f"{source}[:, None]" if "Conv" in made else source
        self.add(f"{target} = m({given})")
        if target not in self.machine.tensors or not self.get(target).requires_grad:
            return "pass"
        if self.chance(0.5):
            self.add(f"{target}.pow(2).sum().backward()")
            return "i = [p.grad.clone() for p in m.parameters()]"
        self.add(f"optimizer = torch.optim.{self.some(OPTIMIZERS).format('m.parameters()')}")
        # Of what a norm gives, the mean is rounding alone: so would be the bias's gradient of the
        # mean square, which Adam divides by itself.
        self.add(f"({target} + {target}.pow(2)).mean().backward()\noptimizer.step()")
        return "i = [p.detach() for p in m.parameters()]"

    def trained(self) -> str:
        """A step of an optimizer on variables."""
        names = [
            n
            for n, t in self.machine.tensors.items()
            if not self.broken(t) and t.requires_grad and t.is_leaf
        ]
        if not names:
            return self.factory()
        name = self.some(names)
        self.add(f"optimizer = torch.optim.{self.some(OPTIMIZERS).format(f'[{name}]')}")
        step = self.some(["optimizer.step()", "optimizer.zero_grad()",
                          "optimizer.step()\noptimizer.zero_grad(set_to_none=False)"])  # fmt: skip
        return f"({name} ** 2).sum().backward()\n{step}"
