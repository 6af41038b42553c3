#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How the program meets the world: odd files, signals at any moment, disks that fill, others that write beside it.

One of these is named: special, moments, disks, racing, refused.
"""
import importlib
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))

import harness
from record import record

SKIPPED = 77
which = harness.REST.pop(0)
module = importlib.import_module(which)
if which == "disks" and not module.own_mounts():
    print("skipped: file systems cannot be mounted here")
    sys.exit(SKIPPED)
globals().update(vars(module))


def done(result):
    """The part's own counts, with the failures among them."""
    if vars(module).get("COUNTED"):
        record(which, **module.COUNTED, failures=len(result.failures) + len(result.errors))


harness.main(done)
