"""Hypothesis on whole simulations: fewer examples, as each takes long."""

from hypothesis import HealthCheck, Phase, settings

FEW = settings(
    max_examples=settings().max_examples // 3,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a case does not shrink in a useful time
)
