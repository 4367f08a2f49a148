"""The graphs that calls record, node by node: names, edges, the order in which nodes are made, and
what a backward pass with ``create_graph`` records."""

from __future__ import annotations

import pytest

from tests.both import both, source

START = """
F = torch.nn.functional
a = torch.tensor([[0.3, 0.7, 0.6], [0.2, 0.9, 0.5]], requires_grad=True)
b = torch.tensor([[0.4, 0.8, 0.1], [0.6, 0.3, 0.7]], requires_grad=True)
v = torch.tensor([0.2, 0.4, 0.9], requires_grad=True)
w = torch.tensor([0.5, 0.1, 0.8], requires_grad=True)
s = torch.tensor([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]], requires_grad=True)
t3 = torch.rand(2, 3, 4, requires_grad=True)
m = torch.tensor([[True, False, True], [False, True, False]])
i = torch.tensor([0, 1])
rows = torch.tensor([[0, 1, 1], [1, 0, 1]])
"""

CALLS = """
a + b; 1 + a; torch.add(a, b, alpha=2); a - b; a - 1; 1 - a; torch.rsub(a, b)
a * b; a * 2; a / b; a / 2; 2 / a
a ** 2; a ** 0.5; a.square(); torch.float_power(a, 2); a ** b; 2 ** a
a % 2; a.fmod(2); a % b
a.sum(); a.sum(0); a.sum((0, 1)); a.mean(); a.mean(0); a.prod(); a.prod(0)
a.max(0)[0]; a.min(0)[0]; a.max(); a.min(); a.median(); a.median(0)[0]
torch.max(a, b); torch.maximum(a, b); torch.min(a, b); torch.minimum(a, b)
a.amax(); a.amax(0); a.amin(1); a.var(); a.var(0); a.std(); a.std(1); a.logsumexp(0); a.cumsum(0)
a.cumprod(0); a.cummax(0)[0]; a.cummin(0)[0]; a.logcumsumexp(0)
a.norm(); a.norm(1); a.norm(dim=0); torch.linalg.norm(a); torch.linalg.vector_norm(a)
a.clamp(0.3, 0.6); a.clamp(min=0.3); a.clamp(max=0.3); a.clip(0.1, 0.5); a.clamp_min(0.3)
a.clamp_max(0.3); a.clamp(b, None); a.clamp(b, b + 1)
a.log1p(); a.exp2(); a.log2(); a.atan2(b); a.deg2rad(); a.rad2deg(); a.expm1(); a.log10()
a.view(6); a.reshape(6); a.flatten(); a.ravel(); a.unflatten(0, (1, 2)); a.view_as(b)
a.t().reshape(6)
a.t(); a.transpose(0, 1); a.swapaxes(0, 1); a.mT; a.permute(1, 0); a.movedim(0, 1); a.T; a.H
a.squeeze(); a.squeeze(0); a.squeeze((0, 1)); a.unsqueeze(0); a[None]
v.expand(2, 3); v.broadcast_to((2, 3)); v.expand_as(a); a[0]; a.select(1, 0); a[0:1]
a.narrow(1, 0, 2)
a.tensor_split(3, 1)[0]; a[...]; a[:]; a[0, 1]; a[..., 0]; v[torch.tensor(1)]
a[m]; a[[0, 1]]; a[i]; a[i, i]; a[:, [0, 2]]
a.unbind()[0]; list(a)[0]; a.split(2, 1)[0]; a.chunk(3, 1)[0]; a.split([1, 2], 1)[0]
s.diagonal(); torch.diag(s); torch.diag(v); s.as_strided((2, 2), (3, 1)); v.unfold(0, 2, 1)
torch.cat([a, b]); torch.hstack([a, b]); torch.vstack([a, b]); torch.stack([a, b])
torch.where(m, a, b)
a.clone(); a.t().contiguous()
a.gather(0, rows); a.scatter(0, rows, b); a.scatter(0, rows, 1.); a.scatter_add(0, rows, b)
a.index_select(1, i); a.take(i)
a.masked_fill(m, 1.); a.masked_select(m); a.index_put((i,), v); a.index_add(1, i, b[:, :2])
a.index_copy(1, i, b[:, :2]); a.index_fill(1, i, 0.)
v.repeat(2, 1); v.tile(2); v.repeat_interleave(2); a.flip(0); a.fliplr(); a.roll(1, 0)
a.rot90(1, (0, 1))
a.tril(); a.triu(); F.pad(a, (1, 1))
a @ s; a.mm(s); s.mv(v); v.dot(w); v @ w; v @ s; t3.bmm(t3.transpose(1, 2)); t3 @ torch.rand(4, 2)
torch.addmm(v, a, s); F.linear(a, s, v); F.linear(a, s); F.linear(v, s, w)
F.linear(t3, torch.rand(2, 4), torch.rand(2))
F.linear(v, s); F.linear(t3, torch.rand(2, 4))
v.outer(w); torch.einsum('i,j->ij', v, w); torch.einsum('ij,jk->ik', a, s)
torch.einsum('ij->ji', a)
torch.einsum('ij->j', a); torch.tensordot(a, s, 1); v.inner(w); torch.einsum('ij,ij->', a, b)
a.softmax(0); a.log_softmax(0); F.cross_entropy(a, i); F.nll_loss(a, i); F.mse_loss(a, b)
F.l1_loss(a, b)
F.kl_div(a, b); F.kl_div(a, b, reduction='batchmean')
F.smooth_l1_loss(a, b); F.huber_loss(a, b); F.binary_cross_entropy(a, b.detach())
F.binary_cross_entropy_with_logits(a, b.detach())
F.relu6(a); F.hardtanh(a); F.elu(a); F.selu(a); F.leaky_relu(a); F.silu(a); F.gelu(a)
F.softplus(a)
F.logsigmoid(a); F.mish(a); F.hardswish(a); F.glu(t3); F.softsign(a); F.dropout(a)
F.conv1d(t3, torch.rand(2, 3, 2)); F.conv2d(t3[None], torch.rand(2, 2, 2, 2))
F.max_pool2d(t3, 2); F.avg_pool2d(t3, 2); F.batch_norm(t3, None, None, training=True)
F.layer_norm(t3, (4,)); F.embedding(i, a)
a.sort()[0]; a.sort(stable=True)[0]; a.topk(2)[0]; torch.linalg.inv(s); torch.linalg.det(s)
torch.linalg.cholesky(s); torch.linalg.solve(s, v)
a.double(); a.half(); a.to(torch.float64)
(a * 1).zero_(); (a * 1).fill_(2); (a * 1).fill_(v[0]); (a * 1).copy_(b); (a * 1).add_(b)
(a * 1).exp_()
(a * 1).t_(); (a * 1).transpose_(0, 1); (a * 1).squeeze_(); (a * 1).squeeze_(0)
(a * 1).squeeze_((0,))
(a * 1).unsqueeze_(0); (a * 1).normal_(); (a * 1).uniform_()
a.abs(); a.neg(); a.sqrt(); a.rsqrt(); a.reciprocal(); a.sin(); a.cos(); a.tan(); a.asin()
a.sinh()
a.erf(); a.erfc(); a.erfinv(); a.lgamma(); a.digamma(); a.logit(); a.sigmoid(); a.tanh(); a.relu()
a.lerp(b, 0.5); a.lerp(b, b); a.addcmul(b, b); a.addcdiv(b, b); a.hypot(b); a.sinc(); a.frac()
a.logaddexp(b); a.xlogy(b); a.nan_to_num(); a.copysign(b); s.trace()
a.diff(); a.cross(b, 1); torch.kron(v, w); s.logdet(); torch.linalg.slogdet(s)[1]
s.matrix_power(2)
"""

MORE = """
F.kl_div(a.log(), b, log_target=True); F.kl_div(a.log(), b, reduction='sum')
F.poisson_nll_loss(a, b); F.poisson_nll_loss(a, b, full=True, log_input=False)
F.gaussian_nll_loss(a, b, b); F.cosine_embedding_loss(a, b, torch.ones(2))
F.margin_ranking_loss(a, b, torch.ones(2, 3)); F.hinge_embedding_loss(a, torch.ones(2, 3))
F.triplet_margin_loss(a, b, a * b)
F.cosine_similarity(a, b); F.pairwise_distance(a, b); F.normalize(a); torch.cdist(a, b)
torch.linalg.eigh(s @ s.T)[0]; torch.linalg.qr(s)[0]; F.local_response_norm(t3, 2)
F.group_norm(t3, 3); F.instance_norm(t3); F.rms_norm(t3, (4,))
F.softmin(a); F.tanhshrink(a); F.celu(a); F.prelu(a, v[:1]); F.unfold(t3[None], 2)
F.interpolate(t3, scale_factor=2)
torch.addmv(v, s, w); torch.addr(s, v, w)
torch.var_mean(a)[0]; torch.std_mean(a)[1]; torch.aminmax(a)[0]; torch.diag_embed(a)
F.nll_loss(a.log_softmax(1), i, weight=v.detach()); F.cross_entropy(a, b, label_smoothing=0.1)
F.cross_entropy(a, i, label_smoothing=0.1)
"""

EXPRESSIONS, LONGER = (
    [call.strip() for line in text.strip().splitlines() for call in line.split(";")]
    for text in (CALLS, MORE)
)

MADE = """
found, ahead, order = set(), [y.grad_fn], []
while ahead:
    node = ahead.pop()
    if node is not None and node not in found and "Accumulate" not in node.name():
        found.add(node)
        ahead += [child for child, _ in node.next_functions]
made = [node.name() for node in sorted(found, key=lambda node: node._sequence_nr())]
for name, t in list(globals().items()):
    if isinstance(t, torch.Tensor) and t.is_leaf and t.requires_grad:
        t.register_hook(lambda grad, name=name: order.append(name))
y.sum().backward()
result = [y, graph(y.grad_fn), made, order]
"""

DERIVED = """
leaves = [t for t in list(globals().values()) if isinstance(t, torch.Tensor)
          and t.is_leaf and t.requires_grad]
grads = torch.autograd.grad((y ** 3).sum(), leaves, create_graph=True, allow_unused=True)
result = [(grad.detach() * 1, graph(grad.grad_fn)) for grad in grads if grad is not None]
"""

WRITTEN = ("as_strided",)
"""PyTorch's derivative of this writes into zeros; ours reads and adds."""


@pytest.mark.parametrize("expression", EXPRESSIONS + LONGER)
def test_nodes_and_the_order_in_which_they_are_made(expression: str) -> None:
    both(source(f"torch.manual_seed(0)\n{START}y = {expression}\n{MADE}"))


@pytest.mark.parametrize(
    "expression", [call for call in EXPRESSIONS if not any(name in call for name in WRITTEN)]
)
def test_backward_records_the_same(expression: str) -> None:
    both(source(f"torch.manual_seed(0)\n{START}y = {expression}\n{DERIVED}"))
