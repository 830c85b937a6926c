"""The daemon's control socket, and the common parts of the scenarios. Written from docs/CONTROL-API.md."""

import argparse
import copy
import os
import pathlib
import signal
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples"))
import kibo
from kibo_identity import HELLO, Broken, Identity, bech32m, datagram, new_id, require
from kibo_peer import ANSWER, REQUEST, STORED, TIMEOUT, Channel, Session

OVERALL = 60  # Seconds for a whole scenario.


class Control(kibo.Daemon):
    """JSON-RPC, one request after the other."""

    def __init__(self, path):
        super().__init__(path)
        self.socket.settimeout(TIMEOUT)

    def relation(self, account):
        """The daemon's relation to an account."""
        found = [contact for contact in self.call("contact.list")["contacts"] if contact["id"] == account]
        return found[0]["relation"] if found else "none"

    def said(self, account):
        """All messages with a friend."""
        conversation = self.call("conversation.open", contact=account)["id"]
        return self.call("message.list", conversation=conversation, limit=500)["messages"]


class Scenario:
    """A daemon, a peer that talks to it, and steps that are printed as they are done."""

    def __init__(self, name):
        parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
        parser.add_argument("--socket", required=True, help="the daemon's control socket")
        parser.add_argument("--discovery-port", type=int, help="the daemon's UDP port on loopback")
        parser.add_argument("--directory", type=pathlib.Path, help="an empty directory for files")
        parser.add_argument("--courier", help="the control socket of another daemon, a friend of the first")
        self.options = parser.parse_args()
        signal.signal(signal.SIGALRM, self.too_late)
        signal.alarm(OVERALL)
        self.begin = time.monotonic()
        self.identity = Identity(name)
        self.static = os.urandom(32)
        self.listener = None
        self.sequence = 0
        self.face(self.options.socket)

    def face(self, path):
        """Talks to the daemon at this control socket from now on."""
        self.control = Control(path)
        self.daemon = self.control.call("account.get")
        host, _, port = self.control.call("system.status")["listen"][0].rpartition(":")
        self.address = (host, int(port))

    def beside(self, path):
        """The same peer, talking to another daemon."""
        other = copy.copy(self)
        other.face(path)
        return other

    @staticmethod
    def too_late(*_):
        """Handles the alarm of the overall limit."""
        raise Broken(f"not done after {OVERALL} s")

    def step(self, words):
        """Prints the current step."""
        print(f"{time.monotonic() - self.begin:6.2f} s  {words}", flush=True)

    def listen(self):
        """Opens a port on loopback and names it in the identity."""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(TIMEOUT)
        self.identity.listen_port = self.listener.getsockname()[1]

    def check_remote(self, channel):
        """Checks that account and device are those of the control API."""
        require(bech32m("kibo", channel.remote.account) == self.daemon["id"], "the account of the handshake")
        require(bech32m("kibodev", channel.remote.device) == self.daemon["device"]["id"], "the device of the handshake")
        return channel

    def dial(self, purpose=1):
        """A channel that we opened."""
        return self.check_remote(Channel.dial(self.address, self.identity, self.static, purpose))

    def accept(self):
        """A channel that the daemon opened."""
        connection, _ = self.listener.accept()
        return self.check_remote(Channel(connection, self.identity, self.static, False))

    def session(self, channel=None):
        """A session with both cards exchanged."""
        session = Session(channel or self.dial(), self.identity)
        card = session.expect_card()
        require(card[3] == self.daemon["displayName"], f"the name on the card: {card[3]}")
        return session

    def datagram(self, kind=HELLO, port=None, **fields):
        """An announcement of ours, each with the next sequence."""
        self.sequence += 1
        port = self.identity.listen_port if port is None else port
        return datagram(self.identity, kind, 1, self.sequence, port, **fields)

    def announce(self, kind=HELLO):
        """Broadcasts a datagram on loopback."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            sender.bind(("127.0.0.1", 0))
            sender.sendto(self.datagram(kind), ("127.255.255.255", self.options.discovery_port))

    def ask(self, session, note="It's me"):
        """Sends a request that the daemon's user accepts."""
        request = new_id()
        session.send(REQUEST, request, {1: note})
        session.expect_receipt(request)
        account = self.identity.account_text
        require(self.control.relation(account) == "incoming", "the request is not there after its receipt")
        require(self.control.call("contact.get", id=account)["note"] == note, "the note of the request")
        self.control.call("contact.accept", id=account)
        answer, body = session.expect(ANSWER)
        require(body[1] is True and body.get(2, request) == request, f"the answer is {body}")
        session.send_receipt(STORED, answer)
        require(self.control.relation(account) == "friend", "no friend after accepting")

    def until(self, condition, what, seconds=TIMEOUT):
        """Waits for a condition at the daemon while there is no session to keep alive."""
        deadline = time.monotonic() + seconds
        while not condition():
            require(time.monotonic() < deadline, what() if callable(what) else what)
            time.sleep(0.02)

    def message_state(self, identifier, state, session):
        """Waits until a message of the daemon has reached a state."""
        states = []

        def has_come():
            states.append(self.control.call("message.get", id=identifier)["state"])
            return states[-1] == state

        session.wait_for(has_come, lambda: f"message state {state}, not {states[-1]},")

    def run(self, body):
        """Runs the scenario; if the daemon breaks the documents, exits with status 1 and a line on what is wrong."""
        body(self)
        self.step("done")
