"""Firefox, driven by WebDriver BiDi over its own WebSocket: no driver stands between."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time

from websockets.sync.client import connect

from hosts import dial
from stage import PATIENCE, wait_for

PROGRAM = os.environ.get("KIBO_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
# Calling in the browser: nobody by itself.
SETTINGS = {
    "remote.active-protocols": 1, "app.update.auto": False, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False, "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "browser.safebrowsing.update.enabled": False, "services.settings.server": "data:,", "extensions.update.enabled": False, "app.normandy.enabled": False,
    "intl.accept_languages": "en-GB", "browser.aboutConfig.showWarning": False,
    # A microphone that is none, allowed without a question.
    "media.navigator.streams.fake": True, "media.navigator.permission.disabled": True,
    # What was allowed holds in each window, whatever its cookie jar.
    "permissions.isolateBy.userContext": False,
}
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowUp": "\ue013", "Tab": "\ue004"}


class Firefox:
    """A headless Firefox with a profile of its own, on this host or on one of ours. Its tabs share what its console says."""

    def __init__(self, host=None, allowed=None, **settings):
        """`allowed` is an origin that may use microphone and camera: without that, Firefox tells a page no address of a host that has no way out."""
        self.profile = tempfile.mkdtemp(prefix="kibo-firefox.")
        with open(f"{self.profile}/user.js", "w", encoding="utf-8") as file:
            file.writelines(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in {**SETTINGS, **settings}.items())
        if allowed:
            self.allow(allowed)
        self.process = subprocess.Popen(
            [*(host.before if host else ()), PROGRAM, "--headless", "--no-remote", "--profile", self.profile, "--remote-debugging-port", "0"], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, env={**os.environ, "HOME": self.profile})
        address = next(found for found in (re.search(r"ws://([^:]+):(\d+)\S*", line) for line in self.process.stderr) if found)
        # What it says later is of no interest, and must not fill the pipe.
        threading.Thread(target=lambda: [None for _ in self.process.stderr], daemon=True).start()
        way = dial(host.namespace, (address.group(1), int(address.group(2)))) if host else None
        self.socket = connect(address.group() + "/session", sock=way, max_size=None, open_timeout=PATIENCE)
        self.last = 0
        self.said = []
        self.version = self("session.new", capabilities={})["capabilities"]["browserVersion"]
        self("session.subscribe", events=["log.entryAdded"])

    def allow(self, origin):
        """Writes down what a user has allowed for good, before the browser starts: its driver may not."""
        with contextlib.closing(sqlite3.connect(f"{self.profile}/permissions.sqlite")) as base, base:
            base.execute("PRAGMA user_version = 12")
            columns = "origin TEXT, type TEXT, permission INTEGER, expireType INTEGER, expireTime INTEGER, modificationTime INTEGER"
            base.execute(f"CREATE TABLE moz_perms (id INTEGER PRIMARY KEY, {columns})")
            for number, kind in enumerate(("microphone", "camera")):
                base.execute("INSERT INTO moz_perms VALUES (?, ?, ?, 1, 0, 0, ?)", (number + 1, origin, kind, int(time.time() * 1000)))

    def __call__(self, method, **params):
        self.last += 1
        self.socket.send(json.dumps({"id": self.last, "method": method, "params": params}))
        while True:
            answer = json.loads(self.socket.recv(timeout=2 * PATIENCE))
            if answer.get("type") == "event":
                self.said.append(f"{answer['params'].get('level')}: {answer['params'].get('text')}")
            elif answer.get("id") == self.last:
                if answer["type"] == "error":
                    raise AssertionError(f"{method}: {answer['error']}: {answer['message']}")
                return answer["result"]

    def tab(self, address):
        """A window of a cookie jar of its own."""
        jar = self("browser.createUserContext")["userContext"]
        return Tab(self, self("browsingContext.create", type="window", userContext=jar)["context"], address)

    def end(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait(PATIENCE)
        shutil.rmtree(self.profile, ignore_errors=True)

    #: As Playwright calls it.
    close = end


class Tab:
    """A page in Firefox. Elements are found by role and name."""

    def __init__(self, firefox, context, address):
        self.firefox, self.context = firefox, context
        firefox("browsingContext.navigate", context=context, url=address, wait="interactive")

    def run(self, expression, *arguments):
        """Runs a function in the page, and returns what it gives, if that is text, a number or a truth."""
        answer = self.firefox(
            "script.callFunction", functionDeclaration=expression, arguments=list(arguments), target={"context": self.context}, awaitPromise=True)
        if answer["type"] == "exception":
            raise AssertionError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def find(self, role, name):
        """The element of a role and name, once it is there."""
        locator = {"type": "accessibility", "value": {"role": role, "name": name}}

        def look():
            # A page that is on its way has nothing to look in yet.
            try:
                return self.firefox("browsingContext.locateNodes", context=self.context, locator=locator)["nodes"]
            except AssertionError:
                return None

        return {"sharedId": wait_for(f"{role} {name}", look)[0]["sharedId"]}

    def act(self, kind, actions, **more):
        self.firefox("input.performActions", context=self.context, actions=[{"type": kind, "id": kind, "actions": actions, **more}])

    def front(self):
        """Its window has the focus from now on."""
        self.firefox("browsingContext.activate", context=self.context)

    def click(self, role, name):
        self.front()
        element = self.find(role, name)
        self.run("(element) => element.scrollIntoView({ block: 'nearest' })", element)
        self.act("pointer", [
            {"type": "pointerMove", "x": 0, "y": 0, "origin": {"type": "element", "element": element}}, {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ])

    def type(self, text):
        """Types where the focus is; a name of KEYS is that key."""
        self.front()
        letters = [KEYS[text]] if text in KEYS else list(text)
        self.act("key", [{"type": kind, "value": letter} for letter in letters for kind in ("keyDown", "keyUp")])

    def see(self, text, where="body"):
        """Waits until a text stands in the page."""
        wait_for(f"the text {text}", lambda: self.run(f"() => document.querySelector({json.dumps(where)})?.innerText.includes({json.dumps(text)}) ?? false"))
