"""Numbers of a campaign, for docs/reliability.md: kept when RELIABILITY_NUMBERS names a file."""
# SPDX-License-Identifier: MIT
import fcntl
import json
import os


def record(name, **numbers):
    """Instead of what an earlier campaign of that name counted."""
    path = os.environ.get("RELIABILITY_NUMBERS")
    if not path:
        return
    with open(path, "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        text = file.read()
        known = json.loads(text) if text else {}
        known[name] = numbers
        file.truncate(0)
        file.write(json.dumps(known, indent=2, sort_keys=True) + "\n")
