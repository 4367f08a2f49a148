"""Distributions against PyTorch's: values, gradients, graphs, random numbers, errors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import graphwidget
from tests.both import both, programs, source

SETUP = """
D, T = torch.distributions, torch.distributions.transforms
t = torch.tensor
torch.manual_seed(0)
a, b = torch.randn(3).requires_grad_(), (torch.rand(3) + .5).requires_grad_()
transformed = D.TransformedDistribution
def mode(d):
    try:
        return d.mode
    except NotImplementedError as error:
        return str(error).split("'> ")[1]
def shown(d, values):
    seen = [repr(d), d.batch_shape, d.event_shape, repr(d.support), d.has_rsample]
    for f in (lambda: d.mean, lambda: mode(d), lambda: d.variance, lambda: d.stddev, d.entropy,
            d.perplexity, lambda: d.log_prob(values), lambda: d.cdf(values), lambda: d.icdf(
            torch.full((3,), .3)), d.enumerate_support, lambda: d.sample(), lambda: d.sample((2,)),
            lambda: d.rsample(torch.Size([2, 2])), lambda: repr(d.expand((2, 3)))):
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
D.Laplace(a, b), torch.randn(3)
D.Uniform(a, a + b), (a + b * .3).detach()
D.Uniform(0., 1.), torch.rand(3)
D.Exponential(b), torch.rand(3)
D.Exponential(2.), torch.rand(3)
D.Bernoulli(a.sigmoid()), t([1., 0., 1.])
D.Bernoulli(logits=a), t([1., 0., 1.])
D.Bernoulli(.3), t(1.)
D.Categorical(b), t([0, 2])
D.Categorical(logits=torch.stack([a, b])), t([1, 2])
D.Independent(D.Normal(a, b), 1), torch.randn(2, 3)
D.LogNormal(a, b), torch.rand(3) + .1
D.HalfNormal(b), torch.rand(3)
D.HalfCauchy(b), torch.rand(3)
D.Cauchy(a, b), torch.randn(3)
D.Gumbel(a, b), torch.randn(3)
D.Gumbel(0., 1.), t(1.)
D.Pareto(b, b + 2), torch.rand(3) + 2
D.Gamma(b.detach(), 2 * b), torch.rand(3)
D.Gamma(2., 3.), t(.3)
D.Chi2(b.detach() * 3), torch.rand(3)
D.StudentT(b.detach() * 3, a, b), torch.randn(3)
D.StudentT(3.), t(.3)
D.Beta(b.detach(), 2.), torch.rand(3)
D.Beta(2., 3.), t(.3)
D.Dirichlet(torch.stack([b, b + 1]).detach()), t([.2, .3, .5])
D.MultivariateNormal(a[:2].detach(), t([[2., .5], [.5, 1.]])), torch.randn(2)
D.MultivariateNormal(torch.zeros(3, 2), scale_tril=t([[2., 0.], [.5, 1.]])), torch.randn(3, 2)
D.InverseGamma(b.detach() + 2, b.detach()), torch.rand(3)
D.Weibull(b, b + 1), torch.rand(3)
D.LogisticNormal(a, b), t([.1, .2, .3, .4])
D.LogisticNormal(0., 1.), t([.4, .6])
D.NegativeBinomial(3, a.sigmoid()), t([0., 1., 5.])
D.NegativeBinomial(b.detach(), logits=a), t([0., 1., 5.])
D.Poisson(b * 3), t([0., 1., 5.])
D.Geometric(a.sigmoid()), t([0., 1., 5.])
D.Geometric(logits=a), t([0., 1., 5.])
D.Binomial(5, a.sigmoid()), t([0., 1., 5.])
D.Binomial(t([3, 4, 5]), logits=a), t([0., 1., 5.])
D.Multinomial(5, b), t([1., 2., 2.])
D.Multinomial(5, logits=torch.stack([a, b])), t([1., 2., 2.])
D.OneHotCategorical(b), t([0., 1., 0.])
D.OneHotCategorical(logits=torch.stack([a, b])), t([0., 1., 0.])
D.OneHotCategoricalStraightThrough(logits=a), t([0., 1., 0.])
D.RelaxedBernoulli(t(.5), a.sigmoid()), torch.rand(3)
D.RelaxedBernoulli(t([.5]), logits=a), torch.rand(3)
D.RelaxedOneHotCategorical(t(.7), logits=torch.stack([a, b])), t([.2, .3, .5])
D.MixtureSameFamily(D.Categorical(b), D.Normal(a, b)), torch.randn(4)
D.MixtureSameFamily(D.Categorical(b), D.Independent(D.Normal(a, b).expand((3, 3)), 1)), a.detach()
D.ContinuousBernoulli(a.sigmoid()), torch.rand(3)
D.ContinuousBernoulli(logits=a), torch.rand(3)
D.ContinuousBernoulli(t([.2, .4995, .5])), t([0., .3, 1.])
D.ContinuousBernoulli(.3), t(.4)
D.Kumaraswamy(b, b + 1), torch.rand(3)
D.Kumaraswamy(2., 3.), t(.3)
D.VonMises(a, b), torch.randn(3)
D.VonMises(t(0.), t([1e-6, 5., 50.])), torch.randn(3)
D.LKJCholesky(3, b), torch.linalg.cholesky(t([[1., .5, .2], [.5, 1., .1], [.2, .1, 1.]]))
D.LKJCholesky(2), torch.eye(2)
D.LowRankMultivariateNormal(a.detach(), torch.stack([a, b], -1).detach(), b.detach()), a.detach()
D.LowRankMultivariateNormal(torch.zeros(2, 3), torch.ones(3, 1), t([1., 2., 3.])), torch.randn(2, 3)
transformed(D.Normal(a, b), T.TanhTransform(cache_size=1)), torch.rand(3) * 2 - 1
transformed(D.Normal(a, b), [T.AffineTransform(1., -2.), T.ExpTransform()]), b.detach()
transformed(D.Uniform(t([0.] * 3), 1.), [T.SigmoidTransform().inv]), torch.randn(3)
transformed(D.Normal(a, b), T.StickBreakingTransform()), t([.1, .2, .3, .4])
transformed(D.Normal(a, b), T.ReshapeTransform((3,), (3, 1))), torch.randn(3, 1)
transformed(D.Normal(a, b), [T.SoftplusTransform(), T.PowerTransform(2.)]), b.detach()
transformed(D.Normal(a, b), T.IndependentTransform(T.ExpTransform(), 1)), b.detach()
"""


@pytest.mark.parametrize("case", CASES.strip().split("\n"))
def test_distributions(case: str) -> None:
    both(source(f"{SETUP}result = shown({case})"))


PROGRAMS = """
# divergences
c, e = torch.randn(3).requires_grad_(), (torch.rand(3) + .5).requires_grad_()
kl = D.kl_divergence
found = [kl(D.Normal(a, b), D.Normal(c, e)), kl(D.Laplace(a, b), D.Laplace(c, e)),
    kl(D.Exponential(b), D.Exponential(e)), kl(D.Uniform(a, a + b), D.Uniform(a - 1, a + e)),
    kl(D.Bernoulli(logits=a), D.Bernoulli(logits=c)), kl(D.Bernoulli(t([0., 1., .5])),
    D.Bernoulli(t([.5, 0., .5]))), kl(D.Categorical(b), D.Categorical(e)), kl(D.Categorical(t([0.,
    1.])), D.Categorical(t([1., 0.]))), kl(D.Independent(D.Normal(a, b), 1), D.Independent(
    D.Normal(c, e), 1))]
sum(x.sum() for x in found[:5] + found[6:7] + found[8:]).backward()
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

# divergences of the others
kl = D.kl_divergence
p, q = (a.sigmoid() + .5).detach().requires_grad_(), b
square = t([[2., .5], [.5, 1.]])
found = [kl(D.Poisson(p), D.Poisson(q)), kl(D.Geometric(p / 2), D.Geometric(q / 2)),
    kl(D.Gamma(p, q), D.Gamma(q, p)), kl(D.Dirichlet(p), D.Dirichlet(q)), kl(D.Beta(p, q),
    D.Beta(q, q + 1)), kl(D.Cauchy(p, q), D.Cauchy(q, p)), kl(D.HalfNormal(p), D.HalfNormal(q)),
    kl(D.LogNormal(p, q), D.LogNormal(q, p)), kl(D.OneHotCategorical(p), D.OneHotCategorical(q)),
    kl(D.MultivariateNormal(p[:2], square), D.MultivariateNormal(q[:2], scale_tril=square.tril()))]
sum(x.sum() for x in found).backward()
result = plain([*found, p.grad, q.grad, attempt(lambda: kl(D.LogNormal(p, q),
    transformed(D.Normal(p, q), T.TanhTransform())))])

# a policy of squashed actions, with a cache
policy = D.Independent(transformed(D.Normal(a, b), T.TanhTransform(cache_size=1)), 1)
action = policy.rsample((2,))
(policy.log_prob(action) - action.sum(-1)).mean().backward()
result = plain([action, a.grad, b.grad])

# gradients of vectors, gamma values and mixtures
m = D.MultivariateNormal(a[:2], torch.diag(b[:2]) + .1)
(m.rsample((3,)).sin().sum() + m.log_prob(torch.randn(4, 2)).sum() + m.entropy()).backward()
found = plain([a.grad, b.grad])
a.grad = b.grad = None
mixed = D.MixtureSameFamily(D.Categorical(logits=a), D.Normal(a, b))
(D.Beta(b, b + 1).log_prob(t(.3)) + mixed.log_prob(t([.1, .2, .3])) + D.Poisson(b).log_prob(t(2.))
    ).sum().backward()
result = found + plain([a.grad, b.grad])

# transforms
x = torch.randn(2, 3)
result = []
for f in (T.ExpTransform(), T.TanhTransform(), T.SigmoidTransform(), T.AffineTransform(1., -2.),
        T.AffineTransform(t([1.]), t([2.]), event_dim=1), T.AbsTransform(), T.SoftmaxTransform(),
        T.ComposeTransform([T.ExpTransform(), T.AffineTransform(0., -1.)]), T.SoftplusTransform(),
        T.StickBreakingTransform(), T.IndependentTransform(T.ExpTransform(), 1),
        T.ReshapeTransform((3,), (1, 3)), T.identity_transform,
        T.ComposeTransform([T.StickBreakingTransform(), T.AffineTransform(0., 2.)])):
    y = f(x)
    result += [repr(f), y, f.inv(y), repr(f.inv), f.bijective, repr(f.domain), repr(f.codomain),
        f.inv.inv is f, tuple(f.forward_shape((2, 3))), tuple(f.inverse_shape(y.shape))]
    result += [attempt(g) for g in (lambda: f.log_abs_det_jacobian(x, y),
        lambda: f.inv.log_abs_det_jacobian(y, x), lambda: f.sign, lambda: f.event_dim)]
cached = T.TanhTransform(cache_size=1)
result += [cached.inv(cached(x)) is x, T.ExpTransform() == T.ExpTransform(), T.AffineTransform(1,
    2) == T.AffineTransform(1, 3), T.PowerTransform(2.) == T.PowerTransform(2.)]

# transforms to constraints
C = D.constraints
result = []
for to in (D.transform_to, D.biject_to):
    for c in (C.real, C.positive, C.nonnegative, C.greater_than(2.), C.less_than(1.), C.simplex,
            C.unit_interval, C.interval(-1., 1.), C.half_open_interval(0., 2.), C.lower_cholesky,
            C.real_vector, C.independent(C.positive, 1), C.greater_than_eq(1.), C.boolean):
        x = torch.randn(2, 2)
        result += [attempt(lambda: repr(to(c))), attempt(lambda: to(c)(x)),
            attempt(lambda: bool(c.check(to(c)(x)).all()))]

# constraints
C = D.constraints
result = [(repr(c), c.check(v), c.event_dim, c.is_discrete) for c, v in ((C.positive_definite,
    torch.eye(2)), (C.one_hot, t([0., 1.])), (C.lower_cholesky, torch.ones(2, 2)),
    (C.nonnegative_integer, t([0., -1., .5])), (C.symmetric, t([[1., 2.], [3., 1.]])), (C.square,
    torch.ones(2, 3)), (C.positive_semidefinite, torch.ones(2, 2)), (C.multinomial(3), t([1., 2.])),
    (C.half_open_interval(0, 1), t([0., 1.])), (C.greater_than_eq(1), t([0., 1.])))]

# what does not fit the others
M, eye = D.MultivariateNormal, torch.eye(2)
result = [attempt(f) for f in (lambda: M(torch.zeros(2)), lambda: M(t(0.), eye), lambda:
    M(torch.zeros(2), torch.ones(2)), lambda: M(torch.zeros(2), -eye), lambda: M(torch.zeros(2),
    torch.ones(2, 3)), lambda: M(torch.zeros(2), eye).log_prob(torch.zeros(3)),
    lambda: D.Gamma(-1., 1.), lambda: D.Beta(1., 1.).log_prob(t(2.)), lambda: D.Poisson(t(-1.)),
    lambda: D.Poisson(1.).log_prob(t(.5)), lambda: D.Geometric(0.), lambda: D.Binomial(5),
    lambda: D.Binomial(t([3, 4]), t(.5)).entropy(), lambda: D.Multinomial(5.), lambda:
    D.MixtureSameFamily(D.Normal(0., 1.), D.Normal(0., 1.)), lambda: D.MixtureSameFamily(
    D.Categorical(torch.ones(2)), D.Normal(torch.zeros(3), 1.)), lambda: D.TransformedDistribution(
    D.Normal(0., 1.), 3), lambda: transformed(D.Normal(0., 1.),
    T.StickBreakingTransform()), lambda: D.Dirichlet(t(1.)), lambda: D.LogNormal(0., -1.),
    lambda: T.ReshapeTransform((2,), (3,)), lambda: T.TanhTransform(cache_size=2))]

# what does not fit
result = [attempt(f) for f in (lambda: D.Normal(0., -1.), lambda: D.Normal(t([0., 1.]), t([1.,
    -2.])), lambda: D.Normal(0., 1.).log_prob(1.), lambda: D.Normal(0., 1.).log_prob(t([1.,
    float("nan")])), lambda: D.Normal(t([0., 1.]), 1.).log_prob(torch.ones(3)),
    lambda: D.Categorical(), lambda: D.Categorical(t([.2]), t([.2])), lambda: D.Categorical(t(.2)),
    lambda: D.Categorical(t([-.2, .8])), lambda: D.Categorical(t([.2, .8])).log_prob(t(2)),
    lambda: D.Categorical(t([.2, .8])).log_prob(t(.5)), lambda: D.Categorical(logits=t([1.,
    float("nan")])), lambda: D.Bernoulli(1.3), lambda: D.Bernoulli(), lambda:
    D.Bernoulli(.3).log_prob(t(.5)), lambda: D.Uniform(1., 0.), lambda: D.Uniform(0.,
    1.).log_prob(t(2.)), lambda: D.Normal("a", 1.), lambda: D.Independent(D.Normal(a, b), 2),
    lambda: D.kl_divergence(D.Normal(0., 1.), D.Categorical(t([.2, .8]))))]

# without checks
result = [D.Uniform(0., 1., validate_args=False).log_prob(t(2.)), repr(D.constraints.positive),
    D.Normal(0., 1., validate_args=False).log_prob(t(1.))]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_use(title: str, text: str) -> None:
    both(source(SETUP + text))


@pytest.mark.parametrize("size", [0.3, 3.0, 80.0])
def test_gamma_values_and_shares_have_gradients(size: float) -> None:
    """By the concentrations. PyTorch's are approximations, good to about three digits."""

    def gradients(engine: Any) -> Any:
        engine.manual_seed(0)
        D = engine.distributions
        a = (engine.rand(40, 3) * size + 0.1).requires_grad_()
        w = engine.randn(40, 3)
        made = D.Gamma(a, a), D.Dirichlet(a), D.Beta(a, a + 1), D.Chi2(a), D.StudentT(a + 2)
        for each in made:
            x = each.rsample()
            yield x.detach().numpy()
            yield engine.autograd.grad((x * w).sum(), a)[0].numpy()

    for theirs, ours in zip(gradients(torch), gradients(graphwidget), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=5e-3, atol=2e-3 * np.abs(theirs).max())


@pytest.mark.parametrize(
    ("title", "body"),
    programs((Path(__file__).parent / "programs.txt").read_text()),
    ids=lambda part: part[:40],
)
def test_kinds(title: str, body: str) -> None:
    both(source(body))
