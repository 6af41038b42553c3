"""A headless Chromium, spoken to over a pipe: pages from the disk, and what they do.

The browser has no network: every request beyond the page itself is counted, and is a failure."""
# SPDX-License-Identifier: MIT
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--force-device-scale-factor=1", "--lang=en-US"]
PATIENCE_S = 120


def program():
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class Broken(Exception):
    pass


class Chromium:
    def __init__(self):
        self.profile = tempfile.mkdtemp()
        # Above what is open already, so that neither end lands on the numbers that the browser expects.
        to_browser, from_browser = os.pipe(), os.pipe()
        self.write_end, self.read_end = to_browser[1], from_browser[0]
        theirs = (to_browser[0], from_browser[1])

        def wire():
            copies = [os.dup2(fd, 50 + i) for i, fd in enumerate(theirs)]
            os.dup2(copies[0], 3)
            os.dup2(copies[1], 4)

        self.process = subprocess.Popen([program(), *FLAGS, f"--user-data-dir={self.profile}", "about:blank"], preexec_fn=wire,
                                        close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in theirs:
            os.close(fd)
        self.buffer, self.number, self.events = b"", 0, []

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def receive(self, until):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_end], [], [], max(0, until - time.monotonic()))
            data = os.read(self.read_end, 1 << 20) if ready else b""
            if not data:
                raise Broken("the browser has ended" if ready else "the browser does not answer")
            self.buffer += data
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        until = time.monotonic() + PATIENCE_S
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.number:
                break
            self.events.append(answer)
        if "error" in answer:
            raise Broken(f"{method}: {answer['error']['message']}")
        return answer["result"]


class Page:
    """A page of a browser: opened from a file, ready or not."""

    def __init__(self, browser, width=1400, height=1000, dark=False):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        self.media(dark=dark)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, dark=False, medium=""):
        self.call("Emulation.setEmulatedMedia", media=medium,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Broken(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def open(self, path):
        """Seconds until the page says that it is ready."""
        start = time.monotonic()
        self.url = pathlib.Path(path).resolve().as_uri()
        self.call("Page.navigate", url=self.url)
        self.wait("document.title.endsWith('ready')")
        return time.monotonic() - start

    def wait(self, expression):
        until = time.monotonic() + PATIENCE_S
        while not self.evaluate(expression):
            if time.monotonic() > until:
                raise Broken(f"never: {expression}; the console: {self.console()}")
            time.sleep(0.01)

    def frames(self, n=2):
        """Lets the page draw."""
        for _ in range(n):
            self.evaluate("new Promise((done) => requestAnimationFrame(() => done(true)))")

    def mine(self, method):
        return [e["params"] for e in self.browser.events if e.get("method") == method and e.get("sessionId") == self.session]

    def console(self):
        """What the page said: also exceptions, and what its policy has blocked."""
        texts = [" ".join(str(a.get("value", a.get("description", ""))) for a in e["args"]) for e in self.mine("Runtime.consoleAPICalled")]
        texts += [e["exceptionDetails"].get("exception", {}).get("description", "") for e in self.mine("Runtime.exceptionThrown")]
        return texts + [e["entry"]["text"] for e in self.mine("Log.entryAdded")]

    def requests(self):
        """All but the page itself."""
        urls = [e["request"]["url"] for e in self.mine("Network.requestWillBeSent")]
        return [url for url in urls if url != self.url]

    def key(self, key, code=0, text=""):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def mouse(self, x, y, kind="mouseMoved", **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def screenshot(self, path, whole=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def pdf(self, path):
        data = self.call("Page.printToPDF", printBackground=False, paperWidth=8.27, paperHeight=11.69)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
