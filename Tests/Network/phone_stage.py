"""What the tests of phones need: a network by scripts/lan, kibod with LocalSend on its first host, localsendd on others, and a phone
that says whatever a test wants.

Nothing of it speaks outside the network's own namespaces: sockets are made inside them, and localsendd, which listens on all
addresses, is started inside one.
"""

import contextlib
import ctypes
import hashlib
import http.client
import json
import os
import pathlib
import random
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
import traceback
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))
import kibo  # noqa: E402

LAN = ROOT / "scripts" / "lan"
STATE = pathlib.Path(os.environ.get("KIBO_LAN_DIR", "/tmp/kibo-lan"))
NAME = os.environ.get("KIBO_LAN_NAME", "kibo-lan")
THOROUGH = bool(os.environ.get("KIBO_THOROUGH"))
# How long a step may take, in seconds.
PATIENCE = 30
PORT = 53317
GROUP = "224.0.0.167"
API = "/api/localsend/v2"
MIB = 1 << 20
failures = []


def lan(*words, check=True):
    """What scripts/lan prints."""
    done = subprocess.run([LAN, *map(str, words)], capture_output=True, text=True)
    if check and done.returncode != 0:
        sys.exit(f"scripts/lan {' '.join(map(str, words))}: {done.stderr or done.stdout}")
    return done.stdout


def up(hosts):
    """Makes the network. Each host has a way to everybody, as computers have, and the addresses that it keeps."""
    lan("up", hosts, "--bare")
    for host in range(1, hosts + 1):
        add_route(host)
    for host in range(1, hosts + 1):
        wait("its address of IPv6", lambda: "scope link" in (found := subprocess.run(
            ["ip", "-n", namespace(host), "-6", "addr"], capture_output=True, text=True).stdout) and "tentative" not in found)


def add_route(host):
    subprocess.run(["ip", "-n", namespace(host), "route", "add", "default", "dev", "eth0"], check=True)


def namespace(host):
    return f"{NAME}-{host}"


def address(host):
    return f"10.73.0.{host}"


def say(text):
    print(text, flush=True)


def expect(holds, text):
    """Notes what does not hold, and goes on: one fault must not hide the others."""
    if not holds:
        failures.append(text)
        say(f"        FAILED  {text}")
    return holds


def equal(found, wanted, what):
    return expect(found == wanted, f"{what}: {found!r}, not {wanted!r}")


class TookTooLong(Exception):
    pass


def wait(what, condition, patience=None, pause=0.02):
    """Waits until a condition gives something, and returns it. It looks more and more seldom: each look takes some of the processor."""
    begun = time.monotonic()
    patience = patience or PATIENCE
    while not (found := condition()):
        if time.monotonic() - begun > patience:
            raise TookTooLong(f"waited {patience} s in vain for {what}")
        time.sleep(pause)
        pause = max(pause, min(0.2, 1.5 * pause))
    return found


_libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000


@contextlib.contextmanager
def inside(host):
    """This thread is on a host: sockets that it makes stay there."""
    own = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    other = os.open(f"/run/netns/{namespace(host)}", os.O_RDONLY)
    try:
        if _libc.setns(other, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
        try:
            yield
        finally:
            if _libc.setns(own, CLONE_NEWNET) != 0:
                os._exit(70)
    finally:
        os.close(own)
        os.close(other)


def status_field(pid, name):
    """A number of kB in a process's status, as bytes."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(name)


def children(pid, name):
    """The children of that name: for each id, with which words it was started."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            words = (entry / "stat").read_text()
            comm, rest = words[words.index("(") + 1:words.rindex(")")], words[words.rindex(")") + 2:].split()
            if int(rest[1]) == pid and comm == name[:15] and rest[0] != "Z":
                found[int(entry.name)] = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")[1:-1]
    return found


def descriptors(pid):
    """How many descriptors a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


class Host:
    """Host 1, with kibod and an account."""

    def __init__(self, name="Anna"):
        self.number = 1
        self.name = name
        self.downloads = STATE / "received"
        lan("start", 1)
        lan("kibo", 1, "setup", "--name", name)
        self.connect()
        self.set("files.downloadDirectory", str(self.downloads))
        self.own = self.call("account.get")["id"]
        self.notes_id = self.call("conversation.open", contact=self.own)["id"]

    def connect(self):
        self.control = kibo.Daemon(str(STATE / "1" / "kibod.sock"))

    def call(self, method, **params):
        return self.control.call(method, **params)

    def set(self, key, value):
        self.call("settings.set", key=key, value=value)

    @property
    def pid(self):
        return int((STATE / "1" / "pid").read_text().split()[0])

    @property
    def bridge(self):
        return next((pid for pid, words in children(self.pid, "kibo-localsend").items() if "give" not in words), None)

    @property
    def givers(self):
        """The processes that give something to devices now."""
        return [pid for pid, words in children(self.pid, "kibo-localsend").items() if "give" in words]

    def kill(self):
        lan("kill", 1)
        self.control.close()

    def start(self):
        lan("start", 1)
        self.connect()

    # MARK: LocalSend

    def list(self):
        return self.call("guest.list")

    def on(self, plain=False, pin=""):
        """A new bridge, which remembers nothing of what devices did before."""
        self.set("localsend.enabled", False)
        wait("the bridge to end", lambda: self.list()["port"] is None and self.bridge is None)
        self.set("localsend.plain", plain)
        self.set("localsend.pin", pin)
        self.set("localsend.enabled", True)
        wait("the bridge to serve", lambda: self.list()["port"])

    def device(self, name):
        return next((one for one in self.list()["devices"] if one["name"] == name), None)

    def offers(self, *states):
        return [one for one in self.list()["offers"] if not states or one["state"] in states]

    def offer(self, which):
        return next((one for one in self.list()["offers"] if one["id"] == which), None)

    def waiting(self, patience=None):
        """The offer that waits, once one does."""
        return wait("an offer", lambda: self.offers("waiting"), patience)[0]

    def take(self, which, items=None):
        self.call("guest.take", offer=which, **({} if items is None else {"items": items}))

    def decline(self, which):
        self.call("guest.decline", offer=which)

    def over(self, which, patience=None):
        """The offer, once nothing happens to it any more."""
        def found():
            offer = self.offer(which)
            return offer if offer["state"] not in ("waiting", "receiving") else None
        return wait("the offer to end", found, patience)

    def give(self, device, *files, text=None, **more):
        """Offers files or a text to a device, and returns the offer."""
        what = {"files": [str(one) for one in files]} if text is None else {"text": text}
        return self.call("guest.give", device=device, **what, **more)

    def given(self, which):
        return next((one for one in self.list()["given"] if one["id"] == which), None)

    def given_over(self, which, patience=None):
        """What is given, once nothing happens to it any more."""
        def found():
            given = self.given(which)
            return given if given["state"] not in ("waiting", "sending") else None
        return wait("a giving to end", found, patience)

    def notes(self):
        """All notes, the oldest first."""
        return self.call("message.list", conversation=self.notes_id, limit=500)["messages"]

    def note_files(self, since=0):
        return [file for note in self.notes()[since:] for file in note.get("attachments") or []]

    def parts(self, folder=None):
        folder = folder or self.downloads
        return [one.name for one in folder.iterdir() if one.name.endswith(".kibo-part")] if folder.exists() else []

    def files(self):
        return sorted(one.name for one in self.downloads.iterdir()) if self.downloads.exists() else []

    def tree(self):
        """The content of all files, by their paths in the download directory; and directories that are empty, with None."""
        def is_empty(one):
            return one.is_dir() and not one.is_symlink() and not any(one.iterdir())
        return {str(one.relative_to(self.downloads)): None if one.is_dir() else one.read_bytes()
                for one in self.downloads.rglob("*") if one.is_file() or is_empty(one)}

    def clear(self):
        for one in self.downloads.iterdir() if self.downloads.exists() else []:
            shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()


class LocalSendDaemon:
    """localsendd, a program of others, on a host."""

    def __init__(self, host, alias, plain=False, downloads=None, unattended=False):
        self.host, self.alias = host, alias
        self.folder = STATE / str(host) / f"localsendd{'-plain' if plain else ''}"
        self.folder.mkdir(exist_ok=True)
        self.downloads = downloads or self.folder / "got"
        self.log = open(self.folder / "log", "ab")
        places = {name: str(self.folder) for name in (
            "HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR")}
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", namespace(host), sys.executable, "-m", "localsendd", "--alias", alias, "--log-level", "debug",
             "--download-dir", self.downloads, "--encryption" if not plain else "--no-encryption",
             "--unattended" if unattended else "--no-unattended"],
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **places}, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        path = self.folder / "localsendd.sock"
        wait("localsendd", lambda: self.process.poll() is not None or path.exists())
        if self.process.poll() is not None:
            raise TookTooLong("localsendd ended: " + (self.folder / "log").read_text()[-2000:])
        wait("localsendd's answer", self._answers)

    def _answers(self):
        with contextlib.suppress(OSError):
            return self.call("ping")

    def call(self, method, **params):
        # It drops a client that doesn't read its news: each call has a connection of its own.
        with socket.socket(socket.AF_UNIX) as made:
            made.settimeout(PATIENCE)
            made.connect(str(self.folder / "localsendd.sock"))
            made.sendall(json.dumps({"id": 1, "method": method, "params": params}).encode() + b"\n")
            for line in made.makefile("rb"):
                try:
                    frame = json.loads(line)
                except ValueError:
                    break
                if frame.get("id") == 1:
                    if not frame["ok"]:
                        raise RuntimeError(f"localsendd: {method}: {frame['error']}")
                    return frame["result"]
        # When it cancels, it closes a descriptor to which it still writes, which may be that of this connection by then.
        if method != "get_state":
            raise ConnectionError(f"localsendd does not answer {method}")
        return self.call(method)

    def peer(self, alias):
        return next((one for one in self.call("list_devices")["devices"] if one["alias"] == alias), None)

    def send(self, to, paths, pin=""):
        """Begins to send, and returns its name for that."""
        self.since = time.time()
        return self.call("send", to=to, files=[str(path) for path in paths], pin=pin)

    def result(self, patience=None):
        def ended():
            result = self.call("get_state").get("result")
            return result if result and (result.get("at") or 0) >= self.since else None
        return wait("localsendd to say how it ended", ended, patience)

    def is_sending(self):
        active = self.call("get_state").get("active")
        return active and active["phase"] == "transferring" and active

    def kill(self):
        self.process.kill()
        self.process.wait()
        (self.folder / "localsendd.sock").unlink(missing_ok=True)

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Taker(LocalSendDaemon):
    """localsendd with somebody who sees what it is offered: with nobody, it declines at once."""

    def __init__(self, *words, **how):
        super().__init__(*words, **how)
        self.ends = False
        self.sees = threading.Event()
        threading.Thread(target=self._see, daemon=True).start()
        if not self.sees.wait(PATIENCE):
            raise TookTooLong("nobody sees what localsendd is offered")

    def _see(self):
        while not self.ends:
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as made:
                made.connect(str(self.folder / "localsendd.sock"))
                while made.recv(1 << 16):
                    self.sees.set()
            time.sleep(0.1)

    def offered(self, patience=None):
        """What it is offered, once it is."""
        self.since = time.time()
        return wait("an offer at localsendd", lambda: self.call("get_state").get("incoming"), patience)

    def answer(self, takes=True, **which):
        """Takes or declines what it is offered."""
        offered = self.offered()
        return self.call("confirm_receive", sessionId=offered["sessionId"], confirmed=takes, **which)

    def taking(self, least=1):
        """Waits until so many bytes of a file have come."""
        return wait("bytes to come to localsendd", lambda: (now := self.is_sending()) and now["bytesDone"] >= least and now)

    def files(self):
        """What came, by its names."""
        return {one.name: one.read_bytes() for one in self.downloads.iterdir()} if self.downloads.exists() else {}

    def clear(self):
        for one in self.downloads.iterdir() if self.downloads.exists() else []:
            one.unlink()

    def kill(self):
        self.ends = True
        super().kill()

    def end(self):
        self.ends = True
        super().end()


class Phone:
    """A device at one address of a host, written from the protocol's document. It is as polite as the test wants it."""

    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    tls.check_hostname = False
    tls.verify_mode = ssl.CERT_NONE

    def __init__(self, host, at, alias="Raw", plain=False, port=PORT):
        self.host, self.at, self.alias, self.plain, self.port = host, at, alias, plain, port

    @property
    def info(self):
        return {
            "alias": self.alias, "version": "2.1", "deviceModel": "Test", "deviceType": "mobile",
            "fingerprint": hashlib.sha256(self.at.encode()).hexdigest(), "port": PORT, "protocol": "http" if self.plain else "https",
            "download": False}

    def socket(self, timeout=20, shake=True):
        with inside(self.host):
            made = socket.socket()
        made.settimeout(timeout)
        made.bind((self.at, 0))
        made.connect((address(1), self.port))
        return made if self.plain or not shake else self.tls.wrap_socket(made)

    def connection(self, timeout=20):
        made = http.client.HTTPConnection(address(1), self.port)
        made.sock = self.socket(timeout)
        made.auto_open = 0
        return made

    def ask(self, method, target, body=None, headers={}, timeout=20):
        """The status of an answer and what it says; 0 if the connection ended without one."""
        try:
            connection = self.connection(timeout)
        except OSError as error:
            return 0, f"{type(error).__name__}: {error}"
        try:
            if isinstance(body, (dict, list)):
                body = json.dumps(body).encode()
            connection.request(method, target, body=body, headers=headers)
            return self.answer(connection)
        except (OSError, http.client.HTTPException) as error:
            # The answer may have come before the rest could be said.
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection.sock and connection.sock.settimeout(2)
                return self.answer(connection)
            return 0, f"{type(error).__name__}: {error}"
        finally:
            connection.close()

    @staticmethod
    def answer(connection):
        answer = connection.getresponse()
        content = answer.read()
        try:
            return answer.status, json.loads(content) if content else None
        except ValueError:
            return answer.status, content

    def raw(self, head, body=b"", timeout=20):
        """The first line of the answer to these bytes; empty if the connection ended without one."""
        try:
            made = self.socket(timeout)
            with made:
                made.sendall(head + body)
                return made.recv(4096).split(b"\r\n")[0]
        except OSError as error:
            return f"{type(error).__name__}".encode()

    @staticmethod
    def files(**sizes):
        return {
            name: {"id": name, "fileName": f"{name}.txt", "size": size, "fileType": "text/plain"} for name, size in sizes.items()}

    def prepare(self, files, pin=None, timeout=90, info=None):
        """Offers files and waits for the answer."""
        target = f"{API}/prepare-upload" + (f"?pin={pin}" if pin is not None else "")
        return self.ask("POST", target, {"info": info or self.info, "files": files}, timeout=timeout)

    def offer(self, files, **options):
        return Asking(self, files, options)

    def target(self, session, file, token):
        return f"{API}/upload?" + urllib.parse.urlencode({"sessionId": session, "fileId": file, "token": token})

    def upload(self, session, file, token, content, headers={}):
        return self.ask("POST", self.target(session, file, token), content, headers)

    def begin_upload(self, session, file, token, length, first=b""):
        """A connection on which a file comes as the test likes."""
        made = self.socket()
        head = f"POST {self.target(session, file, token)} HTTP/1.1\r\nHost: {address(1)}\r\nContent-Length: {length}\r\n\r\n"
        made.sendall(head.encode() + first)
        return made


class Asking(threading.Thread):
    """An offer that waits for its answer."""

    def __init__(self, phone, files, options):
        super().__init__(daemon=True)
        self.phone, self.what, self.options = phone, files, options
        self.begun = time.monotonic()
        self.took = None
        self.start()

    def run(self):
        self.result = self.phone.prepare(self.what, **self.options)
        self.took = time.monotonic() - self.begun

    def answer(self, patience=PATIENCE):
        self.join(patience)
        if self.is_alive():
            raise TookTooLong(f"waited {patience} s in vain for the answer to an offer")
        return self.result


def taken(host, phone, files, items=None):
    """Offers and takes: the session and the tokens."""
    asking = phone.offer(files)
    offer = host.waiting()
    host.take(offer["id"], items)
    status, answer = asking.answer()
    if status != 200:
        raise TookTooLong(f"the offer was answered {status} {answer}")
    return offer["id"], answer["sessionId"], answer["files"]


def noise(size, seed=1):
    return random.Random(seed).randbytes(size)


def digest(path):
    sum = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(MIB):
            sum.update(piece)
    return sum.hexdigest()


def step(title, action, *words):
    """Runs a part of a test; what goes wrong in it is noted, and the next one begins."""
    begun = time.monotonic()
    before = len(failures)
    try:
        action(*words)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)
        where = " < ".join(f"{one.name}:{one.lineno}" for one in reversed(place) if one.filename.startswith(str(ROOT)))
        expect(False, f"{type(error).__name__}: {error} ({where})")
    mark = "ok" if len(failures) == before else "BAD"
    say(f"{time.monotonic() - begun:6.1f} s  {mark:3}  {title}")


def finish():
    """Says how it went, and ends the program."""
    for one in failures:
        say(f"FAILED  {one}")
    sys.exit(1 if failures else 0)
