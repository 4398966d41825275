"""Coefficients of the cost model from measured or simulated runs, with uncertainty and held-out error."""
