"""`python -m wasim` is `wasim`."""

from wasim.cli import main

main()
