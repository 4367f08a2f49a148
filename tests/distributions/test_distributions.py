"""Distributions against PyTorch's: values, gradients, graphs, random numbers, errors."""

import pytest
import torch

from tests.compare_engines import both, programs, source

SETUP = """
D = torch.distributions
t = torch.tensor
torch.manual_seed(0)
a, b = torch.randn(3).requires_grad_(), (torch.rand(3) + .5).requires_grad_()
def mode(d):
    try:
        return d.mode
    except NotImplementedError as error:
        return str(error).split("'> ")[1]
def shown(d, values):
    seen = [repr(d), d.batch_shape, d.event_shape, repr(d.support), d.has_rsample]
    for f in (lambda: d.mean, lambda: mode(d), lambda: d.variance, lambda: d.stddev, d.entropy,
            d.perplexity, lambda: d.log_prob(values), lambda: d.cdf(values), lambda: d.icdf(
            torch.full((3,), .3)), lambda: d.sample(), lambda: d.sample((2,)),
            lambda: d.rsample(torch.Size([2, 2]))):
        x = attempt(f)
        seen += [x, graph(x.grad_fn) if getattr(x, "grad_fn", None) else None]
    return seen
"""


@pytest.fixture(autouse=True)
def validating() -> None:
    """PyTorch's compiler, which other tests load, switches its checks of arguments off."""
    torch.distributions.Distribution.set_default_validate_args(True)


CASES = """
D.Normal(0., 1.), torch.randn(3)
D.Normal(a, b), torch.randn(3)
D.Normal(a, 2.), torch.randn(2, 3)
D.Uniform(a, a + b), (a + b * .3).detach()
D.Uniform(0., 1.), torch.rand(3)
D.Bernoulli(a.sigmoid()), t([1., 0., 1.])
D.Bernoulli(logits=a), t([1., 0., 1.])
D.Bernoulli(.3), t(1.)
D.Categorical(b), t([0, 2])
D.Categorical(logits=torch.stack([a, b])), t([1, 2])
"""


@pytest.mark.parametrize("case", CASES.strip().split("\n"))
def test_distributions(case: str) -> None:
    both(source(f"{SETUP}result = shown({case})"))


PROGRAMS = """
# divergences
c, e = torch.randn(3).requires_grad_(), (torch.rand(3) + .5).requires_grad_()
kl = D.kl_divergence
found = [kl(D.Normal(a, b), D.Normal(c, e)), kl(D.Uniform(a, a + b), D.Uniform(a - 1, a + e)),
    kl(D.Bernoulli(logits=a), D.Bernoulli(logits=c)), kl(D.Bernoulli(t([0., 1., .5])),
    D.Bernoulli(t([.5, 0., .5]))), kl(D.Categorical(b), D.Categorical(e)), kl(D.Categorical(t([0.,
    1.])), D.Categorical(t([1., 0.]))), kl(D.Uniform(a, a + b), D.Normal(c, e))]
sum(x.sum() for x in (found[0], *found[2:3], found[4], found[6])).backward()
result = [found, plain([a.grad, b.grad, c.grad, e.grad])]

# a step of reinforcement
net = torch.nn.Linear(4, 3)
policy = D.Categorical(logits=net(torch.randn(5, 4)))
action = policy.sample()
loss = -(policy.log_prob(action) * torch.randn(5)).mean() - .01 * policy.entropy().mean()
loss.backward()
result = [action, loss, plain([p.grad for p in net.parameters()])]

# a variational autoencoder's loss
q = D.Normal(a, b)
z = q.rsample((4,))
loss = (z.sin() - q.log_prob(z)).mean() + D.kl_divergence(q, D.Normal(torch.zeros(3),
    torch.ones(3))).sum()
loss.backward()
result = [z, loss, plain([a.grad, b.grad])]

# what does not fit
result = [attempt(f) for f in (lambda: D.Normal(0., -1.), lambda: D.Normal(t([0., 1.]), t([1.,
    -2.])), lambda: D.Normal(0., 1.).log_prob(1.), lambda: D.Normal(0., 1.).log_prob(t([1.,
    float("nan")])), lambda: D.Normal(t([0., 1.]), 1.).log_prob(torch.ones(3)),
    lambda: D.Categorical(), lambda: D.Categorical(t([.2]), t([.2])), lambda: D.Categorical(t(.2)),
    lambda: D.Categorical(t([-.2, .8])), lambda: D.Categorical(t([.2, .8])).log_prob(t(2)),
    lambda: D.Categorical(t([.2, .8])).log_prob(t(.5)), lambda: D.Categorical(logits=t([1.,
    float("nan")])), lambda: D.Bernoulli(1.3), lambda: D.Bernoulli(), lambda:
    D.Bernoulli(.3).log_prob(t(.5)), lambda: D.Uniform(1., 0.), lambda: D.Uniform(0.,
    1.).log_prob(t(2.)), lambda: D.Normal("a", 1.),
    lambda: D.kl_divergence(D.Normal(0., 1.), D.Categorical(t([.2, .8]))))]

# constraints and modules by their names
C = D.constraints
result = [(repr(c), c.check(t([0., 1.])), c.event_dim, c.is_discrete) for c in (C.real, C.positive,
    C.boolean, C.simplex, C.interval(0, 1), C.greater_than(.5), C.less_than(.5), C.real_vector,
    C.integer_interval(0, 1))]
result += [repr(x.support) for x in (D.Normal, D.Bernoulli)] + [D.normal.Normal is D.Normal]

# without checks
result = [D.Uniform(0., 1., validate_args=False).log_prob(t(2.)), repr(D.constraints.positive),
    D.Normal(0., 1., validate_args=False).log_prob(t(1.))]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_use(title: str, text: str) -> None:
    both(source(SETUP + text))
