"""The module of this package that each module of `torch.distributions` corresponds to."""

MODULES = {
    theirs: ours
    for ours, names in (
        ("continuous", "normal laplace cauchy uniform exponential"),
        ("transformed_distribution", "log_normal half_normal half_cauchy gumbel logistic_normal"),
        ("pareto_weibull", "pareto weibull inverse_gamma"),
        ("bernoulli_categorical", "bernoulli categorical"),
        ("counts", "poisson geometric binomial negative_binomial multinomial"),
        ("gamma_beta", "gamma beta chi2 dirichlet studentT"),
        ("one_hot_relaxed", "one_hot_categorical relaxed_bernoulli relaxed_categorical"),
        ("unit_interval", "continuous_bernoulli kumaraswamy"),
        ("distribution", "utils"),
    )
    for theirs in names.split()
}
