"""Runs a command on a screen of a certain width."""
# SPDX-License-Identifier: MIT
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from terminal import on_terminal  # noqa: E402

LONGEST_S = 120


def show(command, columns, terminal, cwd=None):
    """What it prints on standard output and error, and its status; on a terminal both come as the first."""
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "FORCE_COLOR", "NO_COLOR")}
    if not terminal:
        done = subprocess.run(command, capture_output=True, stdin=None if cwd is None else subprocess.DEVNULL, cwd=cwd,
                              env={**env, "COLUMNS": str(columns)}, timeout=LONGEST_S, check=False)
        return done.stdout, done.stderr, done.returncode
    out, status = on_terminal(command, columns, env, LONGEST_S, cwd=cwd, stdin=None if cwd is None else subprocess.DEVNULL)
    return out, b"", status
