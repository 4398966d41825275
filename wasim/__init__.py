"""wasim: what a commit interval costs in Apache Iceberg metadata, measured, modelled and extrapolated."""

__version__ = "0.1.0"
