#!/usr/bin/env python3
"""The daemon dials the peer: announcements both ways, the handshake as acceptor, friendship asked by the daemon."""

import socket
import struct
import time

from control import Scenario
from kibo_identity import BEACON, BYE, HELLO, Datagram, bech32m, id_text, new_id, require
from kibo_peer import (
    ANSWER, DELETION, EDIT, MESSAGE, REACTION, REMOVAL, REQUEST, SEEN, STORED, TIMEOUT,
)


def listen_for_datagrams(port):
    """A socket on the shared port, like that of every daemon on the host."""
    shared = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    shared.bind(("127.255.255.255", port))
    # A daemon announces itself three times in its first three seconds, and then half a minute later.
    shared.settimeout(4 * TIMEOUT)
    return shared


def next_datagram(shared, device_text, kinds):
    """The daemon's next datagram, which must be of one of these kinds."""
    while True:
        data, source = shared.recvfrom(2_048)
        require(source[0].startswith("127."), f"a datagram from {source}")
        heard = Datagram(data)
        if bech32m("kibodev", heard.device) == device_text:
            require(heard.kind in kinds, f"a datagram of kind {heard.kind}, not {kinds}")
            return heard


def is_seen(scenario):
    """Whether the daemon lists us."""
    peers = scenario.control.call("peer.list")["peers"]
    return any(peer["account"] == scenario.identity.account_text for peer in peers)


def forgeries(scenario):
    """Datagrams that must have no effect: the daemon doesn't connect."""
    port = scenario.options.discovery_port
    good = scenario.datagram()
    zero_port = scenario.datagram(port=0)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        sender.bind(("127.0.0.1", 0))
        for data in [
            b"", b"KIBD", good[:-1], good[:-1] + bytes([good[-1] ^ 1]), good[:48] + struct.pack(">H", 1) + good[50:],
            b"KIBE" + good[4:], good[:4] + b"\x02" + good[5:], good[:5] + b"\x09" + good[6:], zero_port,
            good + bytes(300), scenario.datagram(realm_tag=b"\x01" * 8),
        ]:
            sender.sendto(data, ("127.255.255.255", port))
    scenario.listener.settimeout(0.8)
    try:
        scenario.listener.accept()
        raise AssertionError("the daemon dialled because of a forged datagram")
    except socket.timeout:
        scenario.listener.settimeout(TIMEOUT)


def amendments_out(scenario, session, message):
    """Edits, deletions, reactions and read messages from the daemon. `message` is one of ours that it has."""
    account, control = scenario.identity.account_text, scenario.control

    def next_frame(kind):
        identifier, body = session.expect(kind)
        session.send_receipt(STORED, identifier)
        return body

    scenario.step("the daemon's person edits, reacts, takes that back, has seen, deletes")
    sent = control.call("message.send", to=account, text="Hallo")["id"]
    identifier, original = session.expect(MESSAGE)
    session.send_receipt(STORED, identifier)
    scenario.message_state(sent, "delivered", session)
    edited = control.call("message.edit", id=sent, text="Hello 👋")
    body = next_frame(EDIT)
    require(body[1] == identifier and body[2] == "Hello 👋" and body[4] == edited["editedAt"], f"the edit is {body}")
    require(body[3] > original[4], "the edit's time is not after the message's")
    times = [body[3]]
    for remove in (False, True):
        control.call("message.react", id=id_text(message), emoji="👍", remove=remove)
        body = next_frame(REACTION)
        require(body[1] == message and body[2] == "👍" and body[4] is remove, f"the reaction is {body}")
        times.append(body[3])
    require(times == sorted(set(times)), "their hybrid times do not ascend")
    conversation = control.call("conversation.open", contact=account)["id"]
    control.call("conversation.markRead", id=conversation, upTo=id_text(message))
    require(message in next_frame(SEEN)[1], "the message that was seen")
    control.call("message.delete", id=sent, **{"for": "all"})
    body = next_frame(DELETION)
    require(body == {1: identifier, 2: original[4], 3: original[5]}, f"the deletion is {body}")

    scenario.step("refused for now: the frame comes again, what was written later doesn't wait")
    control.call("message.react", id=id_text(message), emoji="❤️")
    refused, first = session.expect(REACTION)
    session.send_refusal("busy", refused)
    control.call("message.react", id=id_text(message), emoji="🎉")
    require(next_frame(REACTION)[2] == "🎉", "the next one")
    again, second = session.expect(REACTION)
    require(again == refused and second == first, "another frame came")
    session.send_receipt(STORED, again)
    scenario.step("refused for good: it doesn't come again")
    control.call("message.react", id=id_text(message), emoji="🎈")
    refused, _ = session.expect(REACTION)
    session.send_refusal("unsupported", refused)
    session.expect_quiet(0.3, {REACTION})


def is_dialled(scenario):
    """The scenario."""
    account, control = scenario.identity.account_text, scenario.control
    shared = listen_for_datagrams(scenario.options.discovery_port)
    scenario.listen()
    scenario.step("the daemon's own announcement: signed, with its port, counting up")
    first = next_datagram(shared, scenario.daemon["device"]["id"], {HELLO, BEACON})
    second = next_datagram(shared, scenario.daemon["device"]["id"], {HELLO, BEACON})
    require(first.port == scenario.address[1], f"its port {first.port}")
    require(second.incarnation == first.incarnation and second.sequence > first.sequence, "its numbers")
    require(first.realm_tag == bytes(8), "its realm tag")
    scenario.step("forged, broken and foreign datagrams: nobody dials")
    forgeries(scenario)
    scenario.step("HELLO: the daemon dials, and sees us")
    begin = time.monotonic()
    scenario.announce()
    channel = scenario.accept()
    require(time.monotonic() - begin < 3, "the dial took long")
    require(channel.remote.listen_port == scenario.address[1], "the listen port in its identity")
    session = scenario.session(channel)
    session.wait_for(lambda: is_seen(scenario), "being seen")

    scenario.step("the daemon's person asks, the peer accepts")
    control.call("contact.request", id=account, note="Lunch?")
    request, body = session.expect(REQUEST)
    require(body[1] == "Lunch?" and abs((body[2] >> 16) - time.time() * 1000) < 3_600_000, f"the request is {body}")
    require(control.relation(account) == "requested", "the relation before the answer")
    session.send_receipt(STORED, request)
    answer, message = new_id(), new_id()
    ours = int(time.time() * 1000) << 16
    session.send(ANSWER, answer, {1: True, 2: request, 3: ours})
    session.send(MESSAGE, message, session.message("right behind the answer"))
    session.expect_receipt(answer)
    session.expect_receipt(message)
    require(control.relation(account) == "friend", "no friend after the receipt for the answer")
    require([entry["text"] for entry in control.said(account)] == ["right behind the answer"], "the first message")

    scenario.step("100 messages from the daemon, acknowledged in one receipt")
    sent = [control.call("message.send", to=account, text=f"number {number}")["id"] for number in range(100)]
    came = [session.expect(MESSAGE) for _ in sent]
    require([id_text(identifier) for identifier, _ in came] == sent, "their order")
    hybrid = [body[4] for _, body in came]
    require(hybrid == sorted(set(hybrid)), "their hybrid times do not ascend")
    session.send_receipt(STORED, *(identifier for identifier, _ in came))
    scenario.message_state(sent[0], "delivered", session)
    scenario.message_state(sent[-1], "delivered", session)

    scenario.step("a silence of 4 seconds: the daemon pings")
    session.expect_quiet(4, {MESSAGE})
    require(session.pings > 0, "no ping")

    scenario.step("broken connections: the daemon dials again by itself after pauses, and brings what is due")
    waiting = control.call("message.send", to=account, text="still there?")["id"]
    session.expect(MESSAGE)
    session.channel.close()
    begin = time.monotonic()
    for _ in range(2):
        scenario.accept().close()
    session = scenario.session(scenario.accept())
    # A lost friend is sought every half second at first, with waits at most a quarter shorter.
    require(time.monotonic() - begin > 1.0, f"dialled again and again within {time.monotonic() - begin} s")
    again, _ = session.expect(MESSAGE)
    require(id_text(again) == waiting, "another message came")
    session.send_receipt(STORED, again)
    scenario.message_state(waiting, "delivered", session)

    amendments_out(scenario, session, message)

    scenario.step("the friendship ends: messages are refused from now on")
    old, removal, message = new_id(), new_id(), new_id()
    session.send(REMOVAL, old, {1: ours})
    session.expect_receipt(old)
    require(control.relation(account) == "friend", "a removal that is no newer than the answer has ended the friendship")
    session.send(REMOVAL, removal, {1: ours + 1})
    session.expect_receipt(removal)
    require(control.relation(account) == "none", f"the relation after it: {control.relation(account)}")
    session.send(MESSAGE, message, session.message("?"))
    require(session.expect_receipt(message, 3) == "not_friends", "the reason")

    scenario.step("BYE and close: the daemon forgets us")
    session.close()
    for _ in range(3):
        scenario.announce(BYE)
    scenario.until(lambda: not is_seen(scenario), "still seen after BYE")


if __name__ == "__main__":
    Scenario("Iris").run(is_dialled)
