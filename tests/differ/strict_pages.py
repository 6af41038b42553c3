"""Strict readers of reports and pictures, sharing no code with the sinks that write them.

Each complains by raising Broken with the place; CHECKS is by name of the sink."""
# SPDX-License-Identifier: MIT
import base64
import hashlib
import html.parser
import json
import struct
import zlib

from broken import Broken, text_of

PNG = b"\x89PNG\r\n\x1a\n"
LEAST_WIDTH, LEAST_HEIGHT = 2400, 1400
VOID = {"meta", "link", "input", "br", "hr", "img"}


class Page(html.parser.HTMLParser):
    """Elements that end, scripts and styles by their hash, and nothing from elsewhere."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.texts, self.policy, self.data = [], [], "", None

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        for name, value in attrs:
            if name.startswith("on") or name == "style" or (name in ("src", "href") and not (value or "").startswith("#")):
                raise Broken(f"report.html:{self.getpos()[0]}: <{tag} {name}={value!r}>")
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag not in VOID:
            self.open.append((tag, given))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop()[0] != tag:
            raise Broken(f"report.html:{self.getpos()[0]}: </{tag}>")

    def handle_data(self, data):
        tag, given = self.open[-1] if self.open else ("", {})
        if given.get("type") == "application/json":
            self.data = data
        elif tag in ("script", "style"):
            self.texts.append((tag, data))


def check_html(files):
    page = Page()
    page.feed(text_of(files["report.html"], "report.html"))
    page.close()
    if page.open or page.data is None or "default-src 'none'" not in page.policy:
        raise Broken(f"report.html: {page.open} left open, data {page.data is not None}, policy {page.policy!r}")
    if not {"tables", "pictures"} <= set(json.loads(page.data)):
        raise Broken("report.html: no tables or pictures in its data")
    for tag, text in page.texts:
        allowed = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
        if f"sha256-{allowed}" not in page.policy:
            raise Broken(f"report.html: a <{tag}> that its policy does not allow")


def chunks(data, name):
    at = len(PNG)
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + size]
        if struct.unpack_from(">I", data, at + 8 + size)[0] != zlib.crc32(kind + body):
            raise Broken(f"{name}: the sum of a part is wrong at byte {at}")
        yield kind, body
        at += 12 + size


def check_plot(files):
    for name in (n for n in files if n.endswith(".png")):
        if not files[name].startswith(PNG):
            raise Broken(f"{name}: no PNG")
        parts = list(chunks(files[name], name))
        width, height = struct.unpack_from(">II", parts[0][1])
        if parts[0][0] != b"IHDR" or parts[-1][0] != b"IEND" or width < LEAST_WIDTH or height < LEAST_HEIGHT:
            raise Broken(f"{name}: {width} x {height}, {parts[0][0]} to {parts[-1][0]}")
        if not zlib.decompress(b"".join(body for kind, body in parts if kind == b"IDAT")):
            raise Broken(f"{name}: it shows nothing")


CHECKS = {"html": check_html, "plot": check_plot}
