#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The steps of the CI jobs in samples/ci, as the two services run them: ci-test.py SOURCE

A run that is as its base passes; one with a slow rank fails, and leaves its summary, pictures and JUnit file."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FAILED = 1


def github_steps(text):
    """Blocks behind `run: |`, without that which installs."""
    for block in re.findall(r"^( +)run: \|\n((?:\1  .*\n)+)", text, re.M):
        yield "\n".join(line.strip() for line in block[1].splitlines())


def gitlab_steps(text):
    script = re.search(r"^  script:\n((?:    - .*\n)+)", text, re.M).group(1)
    yield "\n".join(line.strip().removeprefix("- ") for line in script.splitlines())


def run_steps(steps, folder):
    """The first status that is not 0 ends it, but for the step that always comes."""
    env = {**os.environ, "GITHUB_STEP_SUMMARY": str(folder / "step-summary.md")}
    status = 0
    for step in steps:
        if "apt-get" in step or (status and "GITHUB_STEP_SUMMARY" not in step):
            continue
        done = subprocess.run(["sh", "-e", "-c", step], cwd=folder, env=env, capture_output=True, text=True, check=False)
        status = status or done.returncode
    return status


def check(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found}, not {wanted}")


def prepare(folder, source, ranks):
    (folder / "traces").mkdir(parents=True)
    for rank in ranks:
        shutil.copy(source / f"samples/straggler/rank{rank}.json", folder / "traces")
    shutil.copy(source / "samples/ci/gate.json", folder)
    base = ["stagemill", "run", "-p", "torch", source / "samples/straggler/rank0.json", "-o", folder / "base", "--format", "json"]
    subprocess.run(base, check=True, capture_output=True)


def main():
    source = pathlib.Path(sys.argv[1])
    jobs = [("github-action.yml", github_steps), ("gitlab-ci.yml", gitlab_steps)]
    for name, steps_of in jobs:
        text = (source / "samples/ci" / name).read_text(encoding="utf-8")
        for ranks, wanted in ([0], 0), ([0, 1, 2, 3], FAILED):
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                prepare(folder, source, ranks)
                check(f"{name} with ranks {ranks}", run_steps(list(steps_of(text)), folder), wanted)
                for left in ("new/summary.md", "new/plots", "gate/check.xml"):
                    check(f"{name}: {left} is there", (folder / left).exists(), True)
                if name.startswith("github"):
                    check("the summary of the step", (folder / "step-summary.md").read_bytes(), (folder / "new/summary.md").read_bytes())


if __name__ == "__main__":
    main()
