"""A command on a terminal of a certain width."""
# SPDX-License-Identifier: MIT
import fcntl
import os
import pty
import struct
import subprocess
import termios


def on_terminal(command, columns, env, timeout=None, **more):
    """What it prints there, and its status."""
    own, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with subprocess.Popen(command, stdout=its, stderr=its, env={**env, "TERM": "dumb"}, **more) as process:
        os.close(its)
        out = b""
        try:
            while more_bytes := os.read(own, 65536):
                out += more_bytes
        except OSError:
            pass  # all writers are gone
        process.wait(timeout)
    os.close(own)
    return out.replace(b"\r\n", b"\n"), process.returncode
