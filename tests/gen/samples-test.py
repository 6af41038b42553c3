"""Runs the commands of samples/README.md and compares what they write with the bundled files.

usage: samples-test.py SAMPLES_DIR GENERATOR_DIR
"""
# SPDX-License-Identifier: MIT

import filecmp
import os
import re
import subprocess
import sys
import tempfile


def commands(readme):
    with open(readme, encoding="utf-8") as file:
        blocks = re.findall(r"^```sh\n(.*?)^```", file.read(), re.M | re.S)
    return "".join(blocks)


def files_below(directory):
    found = set()
    for folder, _, names in os.walk(directory):
        found |= {os.path.relpath(os.path.join(folder, name), directory) for name in names}
    return found


# Cards, tables of kernels and logs are written by hand, but those of probes are generated.
HAND_MADE = (".md", ".yaml", ".log")


def is_hand_made(name):
    if name.startswith("probe" + os.sep):
        return False
    return name.endswith(HAND_MADE) or name.startswith(("ci" + os.sep, "eplb" + os.sep, "library" + os.sep))


def main(samples, generators):
    bundled = {name for name in files_below(samples) if not is_hand_made(name)}
    generators += os.pathsep + os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as scratch:
        for name in bundled:
            os.makedirs(os.path.dirname(os.path.join(scratch, name)), exist_ok=True)
        script = commands(os.path.join(samples, "README.md"))
        environment = dict(os.environ, PATH=generators + os.pathsep + os.environ["PATH"])
        subprocess.run(["sh", "-ec", script], cwd=scratch, env=environment, check=True)
        written = files_below(scratch)
        wrong = sorted(bundled ^ written)
        _, different, unreadable = filecmp.cmpfiles(
            samples, scratch, sorted(bundled & written), shallow=False)
        wrong += different + unreadable
    for name in wrong:
        print(f"samples/{name}: not what the commands of samples/README.md write")
    print(f"{len(bundled)} samples, {len(wrong)} differ")
    return 1 if wrong or not bundled else 0


if __name__ == "__main__":
    sys.exit(main(*map(os.path.abspath, sys.argv[1:3])))
