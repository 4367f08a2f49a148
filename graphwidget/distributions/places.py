"""Where the modules of `torch.distributions` are here, which has one for each distribution."""

PLACES = {
    theirs: ours
    for ours, several in (
        ("continuous", "normal laplace cauchy uniform exponential"),
        ("transformed", "transformed_distribution log_normal half_normal half_cauchy gumbel"),
        ("transformed", "logistic_normal"),
        ("powers", "pareto weibull inverse_gamma"),
        ("discrete", "bernoulli categorical"),
        ("counts", "poisson geometric binomial negative_binomial multinomial"),
        ("gamma", "beta chi2 dirichlet studentT"),
        ("one_hot", "one_hot_categorical relaxed_bernoulli relaxed_categorical"),
        ("multivariate", "multivariate_normal mixture_same_family"),
        ("lowrank", "lowrank_multivariate_normal"),
        ("matrices", "wishart lkj_cholesky"),
        ("circular", "von_mises"),
        ("unit", "continuous_bernoulli kumaraswamy"),
        ("tails", "fishersnedecor generalized_pareto"),
        ("exponential_family", "exp_family"),
        ("distribution", "utils"),
    )
    for theirs in several.split()
}
