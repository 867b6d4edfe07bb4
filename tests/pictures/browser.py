"""browser.py - a headless Chromium, told over HTTP what to do (W3C WebDriver), with nothing but
the standard library."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

KEYS = {
    "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015",
    "Home": "\ue011", "End": "\ue010", "Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004",
    "Space": " "
}


def missing():
    """What is not installed, in words; None: nothing."""
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    missing = "chromedriver" if chromium else "chromium"
    return None if driver and chromium else f"{missing} is not installed"


class Browser:
    """One window. All that a page logs is an error unless it is asked for."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # It chooses a free port itself and prints it when it listens.
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        printed = ""
        while not (port := re.search(r"started successfully on port (\d+)", printed)):
            line = self.driver.stdout.readline()
            if not line:
                raise RuntimeError(f"chromedriver did not start: {printed}")
            printed += line
        self.address = f"http://127.0.0.1:{port[1]}"
        self.session = ""
        options = {
            "binary": shutil.which("chromium"), "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--window-size=1440,900", f"--user-data-dir={self.profile.name}"
            ]
        }
        wish = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.session = "/session/" + self.call("POST", "/session",
                                               {"capabilities": {"alwaysMatch": wish}})["sessionId"]

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.address + self.session + path,
                                         method=method,
                                         headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=240) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def close(self):
        try:
            self.call("DELETE", "")
        except (OSError, RuntimeError):
            pass
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        self.profile.cleanup()

    def open(self, path, where=""):
        """The page, ready. The seconds that took, from its beginning until it could be used."""
        self.call("POST", "/url", {"url": "about:blank"})
        self.call("POST", "/url", {"url": "file://" + os.path.abspath(path) + where})
        return self.run("return performance.getEntriesByType('navigation')[0].domComplete / 1000")

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def log(self):
        """What was logged since it was asked last."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]

    def find(self, selector):
        return list(
            self.call("POST", "/element", {"using": "css selector", "value": selector}).values())[0]

    def click(self, selector):
        """Found again if the page replaces the element between finding it and the click."""
        for left in reversed(range(5)):
            try:
                self.call("POST", f"/element/{self.find(selector)}/click", {})
                return
            except RuntimeError as error:
                if "stale element" not in str(error) or not left:
                    raise

    def type(self, selector, text):
        element = self.find(selector)
        self.call("POST", f"/element/{element}/clear", {})
        self.call("POST", f"/element/{element}/value", {"text": text})

    def press(self, *keys, shift=False):
        """Keys where the focus is."""
        strokes = []
        for key in keys:
            value = KEYS.get(key, key)
            strokes += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        if shift:
            strokes = [{"type": "keyDown", "value": "\ue008"}, *strokes,
                       {"type": "keyUp", "value": "\ue008"}]
        self.call("POST", "/actions",
                  {"actions": [{"type": "key", "id": "keys", "actions": strokes}]})
        self.call("DELETE", "/actions")

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def seen(self, selector):
        return self.run(
            "const node = document.querySelector(arguments[0]); return !!node && "
            "node.checkVisibility()",
            selector)

    def emulate(self, **features):
        """emulate(prefers_color_scheme="dark")"""
        self.tool("Emulation.setEmulatedMedia",
                  features=[{"name": name.replace("_", "-"), "value": value}
                            for name, value in features.items()])

    def size(self, width, height):
        self.tool("Emulation.setDeviceMetricsOverride",
                  width=width,
                  height=height,
                  deviceScaleFactor=1,
                  mobile=width < 600)

    def tool(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})
