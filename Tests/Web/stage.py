"""People for the tests of the web client: each has a daemon, a gateway and a browser window, all of this host alone.

KIBO_BIN_DIR names the built programs; the page lies in share/kibo/web beside them.
"""

import inspect
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples"))
import kibo

BIN = pathlib.Path(os.environ["KIBO_BIN_DIR"])
# Starts KIBO_CHROMIUM, or Debian's.
CHROMIUM = pathlib.Path(__file__).parent / "chromium"
# The same engine without the parts of a desktop browser around it, which takes less of the processor. --thorough, which needs
# the time anyway, takes what people have.
SHELL = CHROMIUM if os.environ.get("KIBO_THOROUGH") == "1" or "KIBO_CHROMIUM" in os.environ else pathlib.Path("/usr/bin/chromium-headless-shell")
# The shell grants no permission for notifications, which it couldn't show anyway.
NOTIFYING = "Object.defineProperty(Notification, 'permission', { get: () => 'granted' });"
# Chromium refuses to confine itself where it runs as root.
ARGUMENTS = ["--no-sandbox"] if os.getuid() == 0 else []
# A microphone that beeps twice a second, and a camera whose few pictures are quick to compute; both are allowed without a question. Calls between windows of this host alone go by its loopback.
FAKES = ["--use-fake-device-for-media-stream=fps=10", "--use-fake-ui-for-media-stream", "--allow-loopback-in-peer-connection"]
# What lets passphrases cost the daemons little (Tests/Passphrases), if scripts/test says so.
CHEAP = {"LD_PRELOAD": os.environ["KIBO_CHEAP_PASSPHRASES"]} if "KIBO_CHEAP_PASSPHRASES" in os.environ else {}
# How long a test waits for what has to happen, in seconds: generous, since the machine may be busy.
PATIENCE = 30


def hold(port, door):
    """Binds a gateway's sockets, in the network of the caller."""
    held = [socket.create_server(("127.0.0.1", port)), socket.create_server(("::1", port), family=socket.AF_INET6), socket.socket(socket.AF_UNIX)]
    held[2].bind(door)
    held[2].listen()
    return held


# Binds them in the network of a person, and hands them over.
BIND = f"""
import socket, sys
{inspect.getsource(hold)}
held = hold(int(sys.argv[1]), sys.argv[2])
socket.send_fds(socket.socket(fileno=0), [b"."], [one.fileno() for one in held])
"""
# Becomes the gateway, with those sockets where a service manager puts them.
BECOME = """
import os, sys
held = [int(word) for word in sys.argv[1].split(",")]
for index, one in enumerate(held): os.dup2(one, 40 + index)
for index in range(len(held)): os.dup2(40 + index, 3 + index, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(held)))
os.execv(sys.argv[2], sys.argv[2:])
"""


class Shared:
    """The browsers that the stages of this process have, one after the other: each window is a profile of its own."""

    browsers = {}

    @classmethod
    def get(cls, playwright, program):
        browser = cls.browsers.get(program)
        if browser is None or not browser.is_connected():
            browser = cls.browsers[program] = launch(playwright, program)
        return browser

    @classmethod
    def leave(cls):
        """Closes all windows."""
        for browser in cls.browsers.values():
            if browser.is_connected():
                for context in browser.contexts:
                    context.close()


def launch(playwright, program, *more):
    """Starts a browser with a microphone and a camera made up."""
    # A process less for each browser, which draws by the processor anyway. No script runs long enough to gain from being compiled again,
    # which takes a twentieth of the processor.
    lean = [] if program == CHROMIUM else ["--in-process-gpu", "--js-flags=--no-maglev --no-turbofan"]
    return playwright.chromium.launch(executable_path=program, args=[*ARGUMENTS, *FAKES, *lean, *more])


def wait_for(what, condition, seconds=PATIENCE):
    """Waits until the condition gives something, and returns that."""
    deadline = time.monotonic() + seconds
    pause = 0.02
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"waited in vain for {what}")
        # Each question takes some of the processor that others wait for.
        time.sleep(pause)
        pause = min(0.2, 1.5 * pause)


class Line(kibo.Daemon):
    """A connection to a daemon's control socket: `line("account.get")`."""

    __call__ = kibo.Daemon.call


def befriend(asker, asked):
    """Makes two accounts friends, by their lines, and returns the id of the second."""
    own, other = asker("account.get")["id"], asked("account.get")["id"]
    wait_for("the other one nearby", lambda: any(peer["account"] == other for peer in asker("peer.list")["peers"]))
    asker("contact.request", id=other)
    wait_for("the request", lambda: any(one["id"] == own for one in asked("contact.list", relation="incoming")["contacts"]))
    asked("contact.accept", id=own)
    wait_for("the answer", lambda: asker("contact.get", id=other)["relation"] == "friend")
    return other


class Person:
    """A user of this host with a home, a daemon and a gateway of their own. `data` is a folder that the daemon's data are copied from."""

    #: The words before each command, such as those that choose a network.
    before = ()
    #: Where in the home the daemon's socket is.
    place = "run/kibod.sock"

    def __init__(self, stage, name, data=None, listen="127.0.0.1:0"):
        self.stage, self.name, self.listen = stage, name, listen
        self.home = stage.folder / name.split()[0].lower()
        for folder in ("data", "run", "Downloads", "config", "state"):
            (self.home / folder).mkdir(parents=True, mode=0o700)
        if data is not None:
            subprocess.run(["cp", "-a", f"{data}/.", self.home / "data"], check=True)
        self.socket = str(self.home / self.place)
        self.door = self.home / self.place.replace("kibod", "web")
        self.environment = {
            **os.environ, "HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_DATA_HOME": str(self.home / "data"), "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_RUNTIME_DIR": str(self.home / "run"), "XDG_DOWNLOAD_DIR": str(self.home / "Downloads"),
            "KIBO_SOCKET": self.socket, "KIBOD_HOST_CONFIG": str(self.home / "host.json5"),
        }
        self.daemon = self.gateway = None
        # The gateway's sockets: held as systemd does it, so that the page has the same address when the gateway ends and comes back.
        self.sockets = []
        self.start()

    def start(self):
        """Starts the daemon, and returns when it answers."""
        words = ("--data", self.home / "data", "--socket", self.socket, *self.network(), "--log-level", self.stage.log_level)
        self.daemon = self.run("daemon.log", "kibod", *words, environment={**self.environment, **CHEAP})
        wait_for(f"the daemon of {self.name}", self.answers)

    def network(self):
        """What keeps the daemon among those of its stage."""
        return "--interface", "lo", "--listen", self.listen, "--discovery-port", str(self.stage.port)

    def run(self, log, program, *words, environment=None):
        """Starts one of our programs."""
        with open(self.home / log, "ab") as file:
            return subprocess.Popen([*self.before, BIN / program, *words], env=environment or self.environment, stdout=file, stderr=file)

    def answers(self):
        try:
            return self.line()("system.hello", client="web tests", version="1")
        except OSError:
            return None

    def line(self):
        return Line(self.socket)

    def kill(self):
        """Ends the daemon as a power cut would."""
        self.daemon.kill()
        self.daemon.wait()

    def bind(self):
        """Binds the gateway's sockets, at a port that hardly another test has."""
        for port in random.sample(range(20_000, 30_000), 10):
            if not self.before:
                try:
                    return [one.detach() for one in hold(port, str(self.door))]
                except OSError:
                    continue
            near, far = socket.socketpair()
            with near, far:
                done = subprocess.run([*self.before, sys.executable, "-IS", "-c", BIND, str(port), self.door], stdin=far)
                if done.returncode == 0:
                    return list(socket.recv_fds(near, 1, 3)[1])
        raise AssertionError("no port for the gateway")

    def release(self):
        """Lets go of the gateway's sockets; the next one binds its own."""
        for one in self.sockets or []:
            os.close(one)
        self.sockets = None
        self.door.unlink(missing_ok=True)

    def serve(self):
        """Starts the gateway."""
        if self.sockets == []:
            self.sockets = self.bind()
        if self.sockets is None:
            self.gateway = self.run("gateway.log", "kibo-web", "--socket", self.socket)
        else:
            with open(self.home / "gateway.log", "ab") as file:
                words = [",".join(map(str, self.sockets)), BIN / "kibo-web", "--socket", self.socket]
                self.gateway = subprocess.Popen([*self.before, sys.executable, "-IS", "-c", BECOME, *words], env=self.environment, stdout=file, stderr=file, pass_fds=self.sockets)
        # `kibo web` would start a gateway of its own where it finds none.
        wait_for(f"the gateway of {self.name}", lambda: self.door.exists())

    def kill_gateway(self):
        """kill -9 of the broker; its workers end with it."""
        workers = self.workers()
        self.gateway.kill()
        self.gateway.wait()
        wait_for("the workers to end", lambda: not any(os.path.exists(f"/proc/{pid}") for pid in workers))
        if self.sockets is None:
            self.door.unlink(missing_ok=True)

    def restart_gateway(self):
        self.kill_gateway()
        self.serve()

    def workers(self):
        """The process ids of the gateway's children: its confined workers."""
        path = pathlib.Path(f"/proc/{self.gateway.pid}/task/{self.gateway.pid}/children")
        return [int(pid) for pid in path.read_text().split()]

    def link(self):
        """A link that logs a browser in, as `kibo web --print` gives it."""
        if self.gateway is None:
            self.serve()

        def ask():
            said = subprocess.run([*self.before, BIN / "kibo", "web", "--print"], env=self.environment, capture_output=True, text=True, timeout=PATIENCE)
            found = re.search(r"http://\S+", said.stdout)
            return found and found.group()

        return wait_for(f"a link of {self.name}", ask)

    def ticket(self, place=""):
        """The address with which `kibo web` starts a browser."""
        return self.address("web.open", go=place)

    def address(self, method, **params):
        """An address as the gateway gives it to `kibo web`. Starting `kibo` for each window would take as long as a hundred requests to a daemon."""
        if self.gateway is None:
            self.serve()

        def ask():
            # The file of the socket is there a moment before anybody listens.
            try:
                return Line(str(self.door))(method, **params)["link"]
            except OSError:
                return None

        return wait_for(f"an address of {self.name}", ask)

    def end(self):
        for process in (self.gateway, self.daemon):
            if process is not None and process.poll() is None:
                process.terminate()
        for process in (self.gateway, self.daemon):
            if process is None:
                continue
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.release()


class Stage:
    """Some people on one network, and the browser with their windows."""

    def __init__(self, playwright, log_level="debug", program=SHELL):
        self.log_level = log_level
        self.program = program
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kibo-web."))
        self.port = random.randint(20000, 32000)
        self.people = []
        self.playwright = playwright
        #: A browser that only this stage has.
        self.own = None

    @property
    def browser(self):
        return self.own or Shared.get(self.playwright, self.program)

    def person(self, name, data=None, listen="127.0.0.1:0"):
        person = Person(self, name, data, listen)
        self.people.append(person)
        return person

    def browser_of(self, person):
        return self.browser

    def window(self, person, **options):
        """A window of a browser profile in which that person is logged in."""
        return self.window_at(self.browser_of(person), person.address("web.link"), **options)

    def window_at(self, browser, link, script=None, **options):
        """A window of a new browser profile. `script` runs in the page before its own ones."""
        options = {"viewport": {"width": 1280, "height": 800}, "locale": "en-GB", **options}
        if self.program != CHROMIUM and "notifications" in options.get("permissions", ()):
            script = NOTIFYING + (script or "")
        return Window(browser.new_context(**options), link, script)

    def end(self, failed):
        try:
            if self.own:
                self.own.close()
            Shared.leave()
        finally:
            for person in self.people:
                person.end()
        if failed or os.environ.get("KIBO_KEEP") == "1":
            print(f"    kept: {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


class Window:
    """A page, and what its console has said: nothing, if all is well."""

    def __init__(self, context, link, script=None):
        self.context = context
        self.page = context.new_page()
        if script:
            self.page.add_init_script(script)
        self.said = []
        self.page.on("console", self.hear)
        self.page.on("pageerror", lambda error: self.said.append(f"exception: {error}"))
        self.page.set_default_timeout(PATIENCE * 1000)
        self.page.goto(link)

    def hear(self, message):
        # A browser says by itself that it could not reach a server which was killed, and that an upload has to go on elsewhere (409).
        if "net::ERR_" not in message.text and not re.search("status of (409|503)", message.text):
            self.said.append(f"{message.type}: {message.text}")

    def go(self, path):
        """Goes to a screen within the page."""
        self.page.evaluate("path => { location.hash = '#/' + path; }", path)

    def button(self, name, exact=True):
        return self.page.get_by_role("button", name=name, exact=exact)

    def sign_up(self, name):
        self.button("Create an account").click()
        self.page.get_by_label("Your name").fill(name)
        self.button("Create account").click()
        self.page.get_by_role("heading", name="First steps").wait_for()
