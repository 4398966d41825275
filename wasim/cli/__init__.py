"""The command line: one verb a module, and the exit codes they end with (see `wasim.errors.ExitCode`)."""

from wasim.cli.application import app, main
