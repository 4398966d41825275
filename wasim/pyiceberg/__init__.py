"""Engine `pyiceberg`: real tables written by the Python library, recorded and audited, without Spark and Java."""

from wasim.pyiceberg.checks import check_writable
from wasim.pyiceberg.run import ENGINE_NAME, WriteOptions, write_scenario

__all__ = ["ENGINE_NAME", "WriteOptions", "check_writable", "write_scenario"]
