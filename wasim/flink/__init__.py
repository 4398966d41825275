"""Engine `flink`: real tables that a Flink in a JVM of its own appends to, recorded and audited as Spark's are."""

from wasim.flink.engine import FLINK
