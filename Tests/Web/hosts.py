"""Two hosts on one network: namespaces of scripts/lan, a person on each with a daemon, a gateway and a browser of their own."""

import ctypes
import os
import pathlib
import shutil
import socket
import subprocess
import threading

from stage import ARGUMENTS, CHROMIUM, Person, Stage

LAN = pathlib.Path(__file__).parents[2] / "scripts" / "lan"


def missing():
    """Why there can be no hosts here; None if there can."""
    if os.getuid() != 0:
        return "network namespaces need root"
    return None if shutil.which("ip") else "there is no ip (iproute2)"


def on(namespace, make):
    """What is made on a host, such as a socket: it stays there."""
    made = []

    def enter():
        # A thread is on a network of its own as soon as it says so, and its sockets stay there.
        with open(f"/run/netns/{namespace}", "rb") as file:
            if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), 0x40000000) != 0:
                raise OSError(ctypes.get_errno(), "setns")
        made.append(make())

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    return made[0]


def dial(namespace, address):
    """A connection to an address as it is on a host."""
    return on(namespace, lambda: socket.create_connection(address, 30))


class Ear:
    """Hears what others send to a host on which nothing runs: each packet to its address, and each question for whose that is."""

    def __init__(self, namespace, address):
        self.address = socket.inet_aton(address)
        self.heard = []
        self.socket = on(namespace, lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)))
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            try:
                frame, (_, _, direction, *_) = self.socket.recvfrom(65_535)
            except OSError:
                return
            kind, packet = int.from_bytes(frame[12:14], "big"), frame[14:]
            if direction == socket.PACKET_OUTGOING:
                continue
            if kind == 0x0800 and packet[16:20] == self.address:
                self.heard.append(f"protocol {packet[9]} from {socket.inet_ntoa(packet[12:16])}")
            elif kind == 0x0806 and packet[24:28] == self.address:
                self.heard.append(f"question from {socket.inet_ntoa(packet[14:18])}")

    def close(self):
        self.socket.close()


class Host(Person):
    def __init__(self, stage, name):
        self.number = len(stage.people) + 1
        self.namespace = f"{stage.lan_name}-{self.number}"
        self.before = ("ip", "netns", "exec", self.namespace)
        super().__init__(stage, name)
        # The browser has to be on the host of its gateway: it is told to start there.
        program = self.home / "chromium"
        program.write_text(f'#!/bin/sh\nexec {" ".join(self.before)} "{CHROMIUM}" "$@"\n')
        program.chmod(0o755)
        self.browser = stage.launch(self, program)

    def network(self):
        return ()

    def pull(self):
        """Pulls the cable."""
        self.stage.lan("pull", str(self.number))

    def plug(self):
        self.stage.lan("plug", str(self.number))

    def end(self):
        if self.browser:
            self.browser.close()
        super().end()


class Hosts(Stage):
    """Some hosts on one network. `cable` are the options of scripts/lan for how bad the cables are."""

    def __init__(self, playwright, count, *cable):
        super().__init__(playwright, program=CHROMIUM)
        self.lan_name = f"kibo-web-{os.getpid()}"
        self.lan_environment = {**os.environ, "KIBO_LAN_DIR": str(self.folder / "lan"), "KIBO_LAN_NAME": self.lan_name}
        self.lan("up", str(count), "--bare", *cable)

    def lan(self, *words):
        done = subprocess.run([LAN, *words], env=self.lan_environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"scripts/lan {' '.join(words)}: {done.stderr or done.stdout}")

    def person(self, name):
        host = Host(self, name)
        self.people.append(host)
        return host

    def launch(self, person, program):
        """Starts the browser of a host."""
        return self.playwright.chromium.launch(executable_path=program, args=ARGUMENTS + self.devices(person))

    def devices(self, person):
        """What stands for the microphone and the camera of a host, as words for its browser."""
        return []

    def browser_of(self, person):
        return person.browser

    def end(self, failed):
        for person in self.people:
            person.end()
        self.lan("down")
        self.people = []
        super().end(failed)
