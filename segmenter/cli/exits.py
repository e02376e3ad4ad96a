"""Exit codes of every command; ``docs/en/command-line.md`` has the same table for users."""

from __future__ import annotations

DONE = 0
BAD_DATA = 1  # a file is missing, damaged or in another encoding than the option says
BAD_USAGE = 2  # the command line is wrong
HUNG_UP = 129  # SIGHUP: the terminal was closed
INTERRUPTED = 130  # Ctrl-C: 128 and the signal's number, as a shell reports it
NO_READER = 141  # the reader of the output has ended, as for any filter
TERMINATED = 143  # SIGTERM
