"""Engine `pyiceberg`: real tables written by the Python library, recorded and audited, without Spark and Java."""

from wasim.pyiceberg.engine import PYICEBERG
