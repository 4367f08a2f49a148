"""Statements that are likely wrong: what users do, and PyTorch explains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fuzz.writer import Writer

if TYPE_CHECKING:
    Base = Writer
else:
    Base = object

ALONE = [
    "i = {a}.item()", "i = float({a})", "i = int({a})", "i = bool({a})", "i = len({a})",
    "i = {a}.tolist()", "i = {a}.numpy().sum()", "i = [s.shape for s in {a}]", "i = {a}.T",
    "i = {a}.view(4)", "i = {a}.view(-1, 2)", "i = {a}.view(-1, -1)", "i = {a}.reshape(7)",
    "i = {a}.unsqueeze({n})", "i = {a}.squeeze({n})", "i = {a}.sum({n})", "i = {a}.mean({n})",
    "i = {a}.max({n})", "i = {a}.transpose(0, {n})", "i = {a}.permute(0, 0)", "i = {a}.t()",
    "i = {a}.permute(1, 0)", "i = {a}.softmax({n})", "i = {a}.argmax({n})",
    "i = {a}.select({n}, 0)",
    "i = {a}[{n}]", "i = {a}[{n}, {m}]", "i = {a}[1.5]", "i = {a}[[{n}]]",
    "i = {a}[::-1]", "i = {a}[torch.tensor([{n}])]", "i = {a}[torch.tensor(0.5)]",
    "i = {a}[torch.tensor([True, False])]", "i = {a}.narrow(0, {n}, 2)", "i = {a}.expand(3)",
    "i = {a}.expand(2, 2)", "i = {a}.repeat(2)", "i = {a}.chunk(0)",
    "i = {a}.split(-1)", "i = {a}.split([1, 5])", "i = {a}.unbind({n})", "i = {a}.flatten(1, 0)",
    "i = {a}.diagonal()", "i = {a} + 'a'", "i = {a} + None", "i = {a} + [1]", "i = {a} @ 2",
    "i = torch.exp('a')", "i = torch.exp(2.0)", "i = torch.exp([1.0])",
    "i = torch.cat([])", "i = torch.stack([])", "i = torch.cat({a})", "i = torch.cat([{a}, 1])",
    "i = {a}.nothing", "{a}.is_leaf = True", "{a}.grad_fn = None", "{a}._version = 3",
    "{a}.requires_grad = 1", "{a}.requires_grad_()", "{a}.grad = 1.0", "{a}.grad = {a}",
    "{a}.grad = torch.ones(9)", "{a}.grad = torch.ones(2, dtype=torch.float64)",
    "{a}.backward()", "{a}.backward(torch.ones(9))", "{a}.backward(1.0)", "{a}.backward(inputs=[])",
    "{a}.sum().backward(inputs=[{b}])", "torch.autograd.backward([{a}], [None, None])",
    "i = torch.autograd.grad({a}, [])", "i = torch.autograd.grad({a}.sum(), {b})",
    "i = torch.autograd.grad({a}.sum(), 'a')", "{a}.retain_grad()", "{a}.detach_()",
    "{a}.register_hook(lambda g: 1)", "{a}.register_hook(lambda g: g[None])",
    "{a}.register_post_accumulate_grad_hook(print)", "{a}[{n}] = 1", "{a}[0] = [1.0]",
    "{a}[:] = torch.ones(7)", "{a}[0] = 'a'", "{a}.add_(torch.ones(3, 3))",
    "{a}.copy_(torch.ones(7))",
    "{a} += torch.ones(5)", "{a}.fill_(torch.ones(2))", "{a}.long().add_(0.5)",
    "{a}.long().div_(2)", "i = -({a} > 0)", "i = ({a} > 0) - ({a} > 0)", "i = {a}.long().mean()",
    "{a}.expand(2, *{a}.shape).add_(1)", "i = {a}.to('cuda')", "i = {a}.cuda()",
    "i = torch.zeros(-1)", "i = torch.tensor([[1], [1, 2]])", "i = torch.ones(2, requires_grad=1)",
    "i = torch.tensor([1, 2], requires_grad=True)", "i = {a}.long().requires_grad_()",
    "i = torch.tensor({a})", "i = torch.arange(0, 5, 0)", "i = {a}.clamp()",
    "i = {a}.add('a')", "i = {a}['a']", "i = {a}.expand(-1, 2)", "i = {a}.sum(axis=9)",
    "i = {a}.reshape()", "i = {a}.view()",
    "i = {a}[0, 0, 0, 0]", "i = {a}[0][0][0][0]", "i = {a}[..., ...]", "i = {a}[None, ..., 0]",
    "i = {a}.transpose(0)", "i = {a}.permute()", "i = {a}.unsqueeze()",
    "i = torch.cat()",
    "i = torch.stack({a}, {n})", "i = torch.softmax({a})",
    "i = {a} ** 'a'", "i = {a} / None", "i = {a} < 'a'",
    "i = {a} == 'a'", "i = {a} != None", "i = None in [{a}]", "i = {a} in [1]", "i = 1 in {a}",
    "i = not {a}", "i = {a} and 1", "i = abs({a}).item()", "i = round({a}.sum().item(), 2)",
    "i = list({a}.sum())", "i = iter({a})", "i = [*{a}][0]", "i = max({a})", "i = sum({a})",
    "{a}.requires_grad = None", "{a}.data = 1",
    "{a}.shape = (1,)", "del {a}.requires_grad",
    "{a}.backward({a})", "{a}.backward(None, None, None, None, None)", "{a}.sum().backward('a')",
    "{a}.sum().backward(gradient=torch.ones(2))", "{a}.sum().backward(inputs={a})",
    "{a}.sum().backward(inputs='a')", "i = torch.autograd.grad({a}.sum())",
    "i = torch.autograd.grad({a}.sum(), {a}, torch.ones(2))",
    "i = torch.autograd.grad([{a}.sum()], [{a}], [None, None])",
    "i = torch.autograd.grad({a}, {a})", "i = torch.autograd.grad(1.0, {a})",

    "{a}.register_hook(1)", "{a}.register_hook(lambda: 1)", "i = {a}.numpy()[{n}]",
    "i = torch.tensor(None)", "i = torch.tensor('a')", "i = torch.tensor([1, 'a'])",
    "i = torch.zeros('a')", "i = torch.ones((2, -1))",
    "i = torch.arange('a')", "i = torch.eye(-1)",
    "i = {a}.to('abc')", "i = {a}.to(None)", "i = {a}.type('abc')",
    "i = torch.nn.functional.relu(1)", "i = torch.nn.functional.softmax({a}, {n})",
    "i = torch.nn.functional.dropout({a}, 2.0)", "i = torch.nn.functional.linear({a}, 2)",
    "i = torch.nn.Linear('a', 2)",
    "i = torch.nn.functional.one_hot({a}, {n})", "i = torch.nn.functional.pad({a}, (1,))",
    "i = torch.optim.SGD([], lr=0.1)", "i = torch.optim.SGD([{a}], lr=-1)",
    "i = torch.optim.SGD({a}, lr=0.1)", "i = torch.einsum('ij,jk', {a})",
    "i = {a}.gather(0, {a})", "i = {a}.index_select(0, torch.tensor([{n}]))",
    "i = {a}.scatter(0, torch.tensor([{n}]), 1.0)", "i = {a}.sort({n})", "i = {a}.topk({n})",
    "i = {a}.cumsum()", "i = {a}.cumsum({n})", "i = {a}.flip({n})", "i = {a}.roll(1, {n})",
    "i = {a}.repeat()", "i = {a}.tile(2, -1)", "i = {a}.movedim(0, {n})",
    "i = {a}.std({n})", "i = {a}.var(dim={n})", "i = {a}.norm(dim={n})", "i = {a}.all({n})",
    "i = {a}.unfold(0, {n}, 1)", "i = {a}.swapaxes(0, {n})",
    "i = torch.where({a}, {a}, {a})", "i = torch.where({a} > 0)", "i = {a}.masked_fill({a}, 1)",
    "i = {a}[{a} > 0] + torch.ones(9)", "i = torch.randn(2, 3, dtype=torch.int64)",
    "i = {a}.sum(dims=0)", "i = {a}.mean(keepdims=1)", "i = torch.add({a})", "i = {a}.clamp('a')",
    "i = {a}.pow('2')", "i = {a}.add({a}, alpha='a')", "i = torch.zeros(2, dtype='float')",
    "i = {a}.view('a')", "i = {a}.reshape('a')", "i = {a}.flip('a')", "i = {a}.squeeze(None)",
    "i = {a}.clamp_min(None)", "i = torch.max({a}, None)", "i = {a}.amax(True)",
    "i = {a}.sum(0.5)", "i = {a}.transpose(True, 0)", "i = {a}.unsqueeze(1.0)",
    "i = {a}.std(None, 2)", "i = {a}.masked_fill({a} > 0, 'a')", "i = {a}.div({a}, colour=1)",
    "i = {a}.softmax()", "i = {a}.tanh(1)", "i = torch.tanh({a}, 1)", "i = torch.exp()",
    "i = {a}.topk()", "i = {a}.any(1, 2, 3)", "i = {a}.max(1, 2)", "i = {a}.sum(dtype='float')",
    "i = {a}.fill_('a')", "i = {a}.add_('a')", "i = {a}.mul_(None)", "i = {a}.numel(1)",
    "i = {a}.index_select(0, 1)", "i = torch.stack({a})", "i = torch.cat([{a}, None])",
    "i = torch.nn.functional.softmax({a}, 'a')", "i = torch.nn.functional.linear({a}, 'a')",
    "i = torch.nn.functional.layer_norm({a}, 3)", "i = torch.nn.functional.conv2d({a}, {a})",
    "i = torch.nn.functional.mse_loss({a}, torch.ones(7))", "{a}.data = torch.ones(7)",
]  # fmt: skip
PAIRS = [
    "i = {a} + {b}", "i = {a} * {b}", "i = {a} @ {b}", "i = {a}.mm({b})", "i = {a}.mv({b})",
    "i = {a}.dot({b})", "i = {a}.bmm({b})", "i = torch.cat([{a}, {b}], {n})",
    "i = torch.stack([{a}, {b}], {n})", "i = torch.maximum({a}, {b})", "i = {a} & {b}",
    "{a}.copy_({b})", "{a}.mul_({b})", "{a}[0] = {b}", "i = torch.where({a} > 0, {a}, {b})",
    "i = {a}.view_as({b})", "i = {a}.expand_as({b})", "i = {a}[{b}]", "i = {a}[{b} > 0]",
    "{a}.grad = {b}", "i = torch.nn.functional.mse_loss({a}, {b})", "i = {a} ** {b}",
    "{a}.backward({b})", "i = torch.autograd.grad({a}, {b}, {a}.detach())",
    "i = torch.nn.functional.linear({a}, {b})", "i = {a} == {b}", "i = torch.equal({a}, {b})",
    "i = torch.allclose({a}, {b})", "i = torch.outer({a}, {b})", "i = torch.stack(({a}, {b}, 1))",
    "i = torch.addmm({a}, {b}, {a})", "i = {a}.masked_fill({b}, 1)",
    "i = {a}.gather(0, {b})", "i = {a}.take({b})", "i = torch.vstack([{a}, {b}])",
    "i = torch.hstack([{a}, {b}])", "i = torch.broadcast_tensors({a}, {b})", "i = {a} | {b}",
    "i = torch.einsum('i,i', {a}, {b})", "i = torch.tensordot({a}, {b}, 1)", "i = {a} // {b}",
    "i = torch.nn.functional.binary_cross_entropy({a}, {b})", "i = torch.lerp({a}, {b}, 0.5)",
    "i = torch.nn.functional.l1_loss({a}, {b})",
    "i = {a}.index_select(0, {b})",
    "{a}.data = {b}", "i = torch.nn.functional.embedding({a}, {b})",
    "i = torch.nn.functional.conv1d({a}, {b})", "i = torch.add({a}, 2, {b})",
    "{a}.data.copy_({b})", "i = torch.cdist({a}, {b})", "i = torch.dot({a}, {b})",
]  # fmt: skip


class Mistakes(Base):
    """The statement kinds that provoke errors."""

    def mistake(self) -> str:
        text = self.some(ALONE if self.chance(0.65) else PAIRS)
        first = self.pick()
        second = self.pick()
        if self.undefined(first, second):
            second = first
        if "register_hook" in text and self.get(first)._is_view():
            return "pass"  # PyTorch crashes when the view gets a new history (see ``plain``)
        if ".data = " in text:
            shape = self.get(second).shape if "{b}" in text else (7,)
            if self.get(first).shape != shape:
                return "pass"  # its gradients are right here, or refused
        return str(text).format(
            a=first, b=second, n=self.random.randint(-4, 4), m=self.random.randint(-3, 3)
        )
