"""Random programs in the manner of tutorials: short training loops, gradients changed by hand,
hooks, penalties, custom Functions, targets, running averages, shared weights.

They are written by another hand than ``programs``: each is a handful of idioms with random sizes,
numbers and details, on variables that carry the names people give them.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.machine import Step
from tests.fuzz.writer import Writer

ACTIVATIONS = ["torch.tanh({})", "torch.relu({})", "{}.sigmoid()", "torch.nn.functional.relu({})",
               "{}.clamp(min=0)", "torch.nn.functional.softplus({})", "{}.exp() / (1 + {}.exp())",
               "torch.nn.functional.leaky_relu({}, 0.1)", "{} * torch.sigmoid({})"]  # fmt: skip
LOSSES = ["((pred - target) ** 2).mean()", "torch.nn.functional.mse_loss(pred, target)",
          "(pred - target).abs().sum()", "(pred - target).pow(2).sum() / len(target)",
          "torch.nn.functional.mse_loss(pred, target, reduction='sum')",
          "((pred - target) ** 2).mean() + 0.01 * (w1 ** 2).sum()"]  # fmt: skip


class Tutorial(Writer):
    """One program made of idioms."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.network()
        for _ in range(self.random.randint(2, 6)):
            self.some(self.idioms())()
        self.add("pass", check=True)

    def idioms(self) -> list[Callable[[], None]]:
        return [
            self.training, self.training, self.slices, self.clipping, self.average, self.penalty,
            self.hooks, self.functions, self.targets, self.tying, self.inspection, self.history,
            self.hessian, self.masks, self.recurrence, self.writes_between, self.freezing,
        ]  # fmt: skip

    def values(self, *shape: int, grad: bool = True, dtype: str = "") -> str:
        """A tensor of small numbers as text."""
        count = 1
        for size in shape:
            count *= size
        numbers = [self.some([-1.5, -1.0, -0.5, -0.25, 0.25, 0.5, 1.0, 2.0]) for _ in range(count)]
        flag = ", requires_grad=True" if grad else ""
        kind = f", dtype=torch.{dtype}" if dtype else ""
        shaped = f".reshape({', '.join(map(str, shape))})" if len(shape) > 1 else ""
        if grad and shaped:
            return f"torch.tensor({numbers}{kind}){shaped}.requires_grad_()"
        return f"torch.tensor({numbers}{kind}{flag}){shaped}"

    def lines(self, *texts: str) -> None:
        for text in texts:
            self.add(text)

    def block(self, *texts: str) -> None:
        """Several statements as one, as in a loop's body."""
        self.add("\n".join(texts))

    # ------------------------------------------------------------------------------ idioms

    def network(self) -> None:
        self.n, self.i, self.h, self.o = (self.random.randint(1, 3) for _ in range(4))
        kind = self.some(["float64", "float64", "float32", ""])
        self.kind = kind
        self.lines(
            f"x = {self.values(self.n, self.i, grad=self.chance(0.2), dtype=kind)}",
            f"target = {self.values(self.n, self.o, grad=False, dtype=kind)}",
            f"w1 = {self.values(self.i, self.h, dtype=kind)}",
            f"b1 = {self.values(self.h, dtype=kind)}",
            f"w2 = {self.values(self.h, self.o, dtype=kind)}",
        )

    def forward(self) -> list[str]:
        activation = str(self.some(ACTIVATIONS)).replace("{}", "hidden")
        first = self.some(["x @ w1 + b1", "x.mm(w1) + b1", "torch.matmul(x, w1).add(b1)",
                           "torch.nn.functional.linear(x, w1.t(), b1)",
                           "torch.addmm(b1, x, w1)"])  # fmt: skip
        return [f"hidden = {first}", f"out = {activation}",
                f"pred = {self.some(['out @ w2', 'out.mm(w2)', '(out @ w2).tanh()'])}",
                f"loss = {self.some(LOSSES)}"]  # fmt: skip

    def training(self) -> None:
        step = self.some([
            ["with torch.no_grad():", "    for p in (w1, b1, w2):", "        p -= 0.1 * p.grad",
             "        p.grad = None"],
            ["with torch.no_grad():", "    for p in (w1, b1, w2):",
             "        p.sub_(p.grad, alpha=0.05)", "        p.grad.zero_()"],
            ["for p in (w1, b1, w2):", "    p.data -= 0.1 * p.grad.data",
             "    p.grad.data.zero_()"],
            ["for p in (w1, b1, w2):", "    p.data.add_(p.grad, alpha=-0.05)", "    p.grad = None"],
        ])  # fmt: skip
        optimizer = self.some([
            "torch.optim.SGD([w1, b1, w2], lr=0.1)",
            "torch.optim.SGD([w1, b1, w2], lr=0.05, momentum=0.9)",
            "torch.optim.SGD([w1, b1, w2], lr=0.05, momentum=0.9, nesterov=True)",
            "torch.optim.SGD([{'params': [w1]}, {'params': [b1, w2], 'lr': 0.01}], lr=0.1, "
            "weight_decay=0.1)",
        ])  # fmt: skip
        by_hand = self.chance(0.5)
        if not by_hand:
            self.add(f"optimizer = {optimizer}")
        forward = self.forward()
        for _ in range(self.random.randint(1, 3)):
            if not by_hand:
                self.add("optimizer.zero_grad()")
            if self.chance(0.5):
                self.block(*forward)
            else:
                self.lines(*forward)
            if self.chance(0.2):
                self.add("hidden.retain_grad()")
            self.add("loss.backward()")
            self.add("\n".join(step) if by_hand else "optimizer.step()")
        if self.chance(0.2):
            self.add("loss.backward()")  # a second time

    def slices(self) -> None:
        self.add(f"a = {self.values(3, 2, dtype=self.kind)}")
        self.lines(
            f"c = {self.some(['a * 2', 'a.clone()', 'a + 0', 'a.exp()', 'torch.zeros(3, 2)'])}",
            f"c[{self.some(['0', '1:', ':, 0', '0, 1', '-1', '::2', '[0, 2]', 'c > 0'])}] "
            f"{self.some(['=', '*=', '+='])} {self.some(['0.5', 'a[0, 0]', 'a.sum()', '2'])}",
            f"r = {self.some(['c[0]', 'c[1:]', 'c.t()', 'c.view(-1)', 'c[:, 1]'])}",
            f"r.{self.some(['mul_(2)', 'add_(a[0, 1])', 'zero_()', 'exp_()', 'fill_(0.5)'])}",
            "c.sum().backward()" if self.chance(0.6) else "(c ** 2).sum().backward()",
            "g = a.grad",
        )

    def clipping(self) -> None:
        self.block(*self.forward(), "loss.backward()")
        self.add("total = torch.stack([p.grad.pow(2).sum() for p in (w1, b1, w2)]).sum().sqrt()")
        self.block("scale = 0.5 / (total + 1e-6)", "if scale < 1:",
                   "    for p in (w1, b1, w2):", "        p.grad.mul_(scale)")  # fmt: skip
        if self.chance(0.4):
            self.add("norm = torch.nn.utils.clip_grad_norm_([w1, b1, w2], 0.3)")
        if self.chance(0.4):
            self.add("for p in (w1, b1, w2):\n    p.grad.data.clamp_(-0.1, 0.1)")

    def average(self) -> None:
        self.lines("mean = torch.zeros_like(w1)", "ema = w1.detach().clone()")
        for _ in range(2):
            self.block("with torch.no_grad():", "    mean.mul_(0.9).add_(0.1 * w1)",
                       f"    ema {self.some(['*= 0.9', '-= 0.1 * (ema - w1)', '.copy_(w1)'])}"
                       .replace("ema .", "ema."))  # fmt: skip
        self.lines("y = (w1 * mean).sum()", "y.backward()")
        if self.chance(0.3):
            self.add("mean = 0.9 * mean + 0.1 * w1")

    def penalty(self) -> None:
        self.add(f"z = {self.values(self.n, self.i, dtype=self.kind)}")
        self.add(f"score = {self.some(['(z @ w1).tanh().sum()', '(z @ w1).pow(3).sum()'])}")
        self.add("(gz,) = torch.autograd.grad(score, z, create_graph=True)")
        self.add(f"gp = {self.some(['(gz.norm(2, dim=1) - 1).pow(2).mean()', '(gz ** 2).sum()'])}")
        self.add(self.some(["gp.backward()", "(score + gp).backward()",
                            "g = torch.autograd.grad(gp, w1)"]))  # fmt: skip

    def hooks(self) -> None:
        self.add("h = w1 * 2")
        first, second = self.some([("g * 2", "g + 1"), ("g.clamp(-1, 1)", "None"), ("-g", "g * 3")])
        self.lines(
            f"h1 = h.register_hook(lambda g: {first})",
            f"h2 = h.register_hook(lambda g: {second})",
            "h3 = h.register_hook(lambda g: note('h', g))",
        )
        if self.chance(0.5):
            self.add("h.retain_grad()")
        if self.chance(0.5):
            self.add("h4 = w1.register_hook(lambda g: note('leaf', g))")
        if self.chance(0.4):
            self.add("h5 = w1.register_post_accumulate_grad_hook(lambda p: note('post', p.grad))")
        if self.chance(0.3):
            self.add("h6 = h.grad_fn.register_hook(lambda gi, go: note('node', *gi, *go))")
        if self.chance(0.3):
            self.add(self.some(["h.mul_(3)", "h[0] = 1.0", "h.view(-1)[0].mul_(2)"]))
        self.add("(h ** 2).sum().backward()")
        if self.chance(0.5):
            self.lines("h1.remove()", "h = w1 * 3", "h.sum().backward()")

    def functions(self) -> None:
        name = self.some(["Square", "Same", "Part"])
        self.add(f"f = {name}.apply(w1 * 2)" + ("[0]" if name == "Part" else ""))
        self.add(self.some(["f.sum().backward()", "(f * w1).sum().backward()",
                            "(g,) = torch.autograd.grad((f ** 2).sum(), w1)"]))  # fmt: skip
        if self.chance(0.5):
            self.lines("p, q = Both.apply(w1, w1.detach())",
                       self.some(["(p + q).sum().backward()", "q.sum().backward()"]))  # fmt: skip

    def targets(self) -> None:
        self.block(*self.forward()[:3])
        self.lines(
            "goal = (pred * 0.9 + 1).detach()",
            self.some(["with torch.no_grad():\n    goal += 0.5", "goal[0] = 0.25", "pass"]),
            "loss = ((pred - goal) ** 2).sum()", "loss.backward()",
        )  # fmt: skip

    def tying(self) -> None:
        self.add(f"e = {self.values(3, 2, dtype=self.kind)}")
        self.lines(
            "code = e[torch.tensor([0, 2, 2])]", "logits = code @ e.t()",
            f"loss = {self.some(['logits.logsumexp(1).sum()', 'logits.pow(2).mean()'])}",
            "loss.backward()", "n = (e.grad ** 2).sum()",
        )  # fmt: skip

    def inspection(self) -> None:
        self.block(*self.forward())
        self.lines("hidden.retain_grad()", "pred.retain_grad()")
        if self.chance(0.5):
            self.add("out = hidden")
        self.lines(
            "loss.backward(retain_graph=True)", "g = hidden.grad",
            "names = [type(f[0]).__name__ for f in loss.grad_fn.next_functions]",
            self.some(["loss.backward()", "hidden.sum().backward()", "pred.backward()"]),
        )  # fmt: skip

    def history(self) -> None:
        self.block("total = 0", "for k in range(3):", "    total = total + (w1 * k).sum()")
        self.lines("total.backward()", "v = total.item()",
                   self.some(["total.backward()", "total += 1", "d = total.detach()"]))  # fmt: skip

    def hessian(self) -> None:
        self.add(f"v = {self.values(2, dtype=self.kind)}")
        self.add(f"f = {self.some(['(v ** 3).sum()', 'v.prod() * v.sum()', 'v.exp().sum() ** 2'])}")
        self.add("(first,) = torch.autograd.grad(f, v, create_graph=True)")
        self.add("rows = torch.stack([torch.autograd.grad(first[k], v, retain_graph=True)[0] "
                 "for k in range(2)])")  # fmt: skip

    def masks(self) -> None:
        self.lines(
            "mask = w1 > 0", "m = torch.where(mask, w1, w1 * 0.1)",
            self.some(["m = m.masked_fill(mask, 1.0)", "m = m * mask", "m = m[mask]", "pass"]),
            "m.sum().backward()",
        )  # fmt: skip

    def recurrence(self) -> None:
        self.add("state = torch.zeros(2)" if not self.kind else
                 f"state = torch.zeros(2, dtype=torch.{self.kind})")  # fmt: skip
        self.add(f"u = {self.values(2, 2, dtype=self.kind)}")
        for _ in range(self.random.randint(1, 3)):
            self.add("state = torch.tanh(u @ state + u[0])")
        self.add(self.some(["state.sum().backward()", "state[0].backward(retain_graph=True)"]))
        self.add(self.some(["state = state.detach()", "state.detach_()", "pass"]))
        self.add("state = torch.tanh(u @ state)")
        self.add("state.sum().backward()")

    def writes_between(self) -> None:
        """A write where it hurts, or does not."""
        self.lines(
            f"y = {self.some(['w1.exp()', 'w1 * w1', 'w1 + 1', 'w1.sigmoid()', 'w1.sin()'])}",
            f"s = {self.some(['y ** 2', 'y.sum()', 'y * 2', 'y.tanh()', 'y @ y.t()'])}",
            self.some(["y += 1", "y.mul_(2)", "y[0] = 0.0", "w1.data.add_(1)", "y.zero_()",
                       "with torch.no_grad():\n    w1 += 1", "y.detach().add_(1)",
                       "y.data.add_(1)", "w1 += 1", "y.t()[0] += 1"]),
            "s.sum().backward()",
        )  # fmt: skip

    def freezing(self) -> None:
        self.lines(self.some(["w1.requires_grad_(False)", "w1.requires_grad = False",
                              "for p in (w1, b1):\n    p.requires_grad_(False)"]))  # fmt: skip
        self.block(*self.forward())
        self.lines("loss.backward()", "w1.requires_grad_(True)", "b1.requires_grad_(True)")


def write_tutorial(seed: int) -> list[Step]:
    """The program with this number in the manner of tutorials."""
    return Tutorial(seed).steps
