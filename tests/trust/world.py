"""Things that are no ordinary file, one of each kind, and what becomes of them."""
# SPDX-License-Identifier: MIT
import os
import socket
import stat
import threading

from harness import SMALL

NASTY = b"n\033[31m\n\xff.json"
LONGEST = "l" * 250 + ".json"
TOO_LONG = "t" * 256 + ".json"
DEVICES = {"null": 3, "zero": 5, "full": 7}


def device(path, minor):
    """False where devices cannot be made, or cannot be opened where they are."""
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        os.close(os.open(path, os.O_RDONLY))
    except OSError:
        return False
    return True


def make(kind, folder, content=SMALL):
    """What the program is given as its path, which is relative to the folder or begins with a slash; None where it
    cannot be had.  Things with content hold a trace."""
    path = os.path.join(os.fsencode(folder), os.fsencode(kind))
    data = content if isinstance(content, bytes) else content.encode()
    if kind in DEVICES:
        return kind if device(path, DEVICES[kind]) else None
    if kind.startswith("/"):
        return kind if os.path.exists(kind) else None
    if kind in ("silent", "served"):
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(os.path.relpath(os.fsdecode(path)))
    elif kind in ("folder", "locked-folder"):
        os.mkdir(path)
        write(os.path.join(path, b"t.json"), data)
    elif kind == "loose":
        os.symlink("nowhere", path)
    elif kind == "loop":
        os.symlink("loop", path)
    elif kind == "long":
        write(os.path.join(os.fsencode(folder), LONGEST.encode()), data)
        return LONGEST
    elif kind == "locked":
        path = os.path.join(os.fsencode(folder), b"locked.json")
        write(path, data)
        os.chmod(path, 0)
        return "locked.json"
    elif kind == "nasty":
        write(os.path.join(os.fsencode(folder), NASTY), data)
        return os.fsdecode(NASTY)
    elif kind == "too-long":
        return TOO_LONG
    elif kind == "nasty-missing":
        return os.fsdecode(NASTY)
    else:
        write(path, data)
    if kind == "locked-folder":
        os.chmod(path, 0)
    return kind


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def serve(path, data):
    """Writes to a pipe as soon as somebody reads, once."""
    def run():
        try:
            with open(path, "wb") as file:
                file.write(data)
        except OSError:
            pass

    threading.Thread(target=run, daemon=True).start()


def drain(path):
    """Reads from a pipe until its end."""
    def run():
        with open(path, "rb") as file:
            while file.read(1 << 16):
                pass

    threading.Thread(target=run, daemon=True).start()


def snapshot(folder):
    """Every name below the folder, with what it is and holds."""
    found = {}
    for root, folders, files in os.walk(os.fsencode(folder)):
        for name in folders + files:
            path = os.path.join(root, name)
            st = os.lstat(path)
            held = (os.readlink(path) if stat.S_ISLNK(st.st_mode) else
                    content(path) if stat.S_ISREG(st.st_mode) else st.st_rdev)
            found[os.path.relpath(path, os.fsencode(folder))] = (st.st_mode, held)
    return found


def content(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
