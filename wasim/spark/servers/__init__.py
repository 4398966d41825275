"""Servers on the loopback, with random ports and credentials: a REST catalog, and an S3 endpoint.

Each lives in a JVM of its own that ends with its block, and by itself when the process that started it dies.
"""

from wasim.spark.servers.hosts import Servers, below, case_jars, check_environment, jdbc_uri, open_servers
from wasim.spark.servers.rest import RestHost, open_rest_host
from wasim.spark.servers.s3proxy import BUCKET, open_s3proxy

__all__ = [
    "BUCKET",
    "RestHost",
    "Servers",
    "below",
    "case_jars",
    "check_environment",
    "jdbc_uri",
    "open_rest_host",
    "open_s3proxy",
    "open_servers",
]
