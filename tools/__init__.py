"""Our own validation: what the product says, compared with real runs, published figures and the clock.

A package next to the product, run from a checkout as `python -m tools.<name>`; the wheel does not hold it.
"""
