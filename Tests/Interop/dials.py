#!/usr/bin/env python3
"""The peer dials the daemon: handshake, cards, friendship asked by the peer, messages both ways, bad input, close."""

import base64
import os
import socket

from control import Scenario
from kibo_identity import Identity, encode, id_text, new_id, now_ms, require, signed
from kibo_peer import (
    CARD, CLOSE, DELETION, EDIT, MESSAGE, REACTION, READ, RECEIPT, REFUSED, SEEN, STORED, TIMEOUT, ZERO_ID, Channel,
    Ended,
)


def bad_openings(scenario):
    """Openings that are no preface, or not for this daemon: the connection closes without a byte."""
    for words, opening in [
        ("another protocol", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("version 2", b"KIBO\x02\x01\x00\x00"),
        ("purpose 3", b"KIBO\x01\x03\x00\x00"),
        ("a realm key that the daemon doesn't have", b"KIBO\x01\x01\x01\x00"),
        ("a second message instead of the first", b"KIBO\x01\x01\x00\x00\x01\x00" + bytes(256)),
    ]:
        scenario.step(f"{words}: closed")
        with socket.create_connection(scenario.address, timeout=TIMEOUT) as connection:
            try:
                connection.sendall(opening)
                answer = connection.recv(100)
            except ConnectionError:
                answer = b""
            require(answer == b"", f"it answered {answer.hex()}")


class Impostor(Identity):
    """An identity whose payload `spoil` changes, given the fields and the static key."""

    def __init__(self, spoil):
        super().__init__("Mallory")
        self.spoil = spoil

    def payload(self, static_public, not_after=None):
        until = now_ms() + 60_000
        fields = {
            1: self.account, 2: self.certificate, 3: self.static_signature(static_public, until), 4: until, 5: 0,
        }
        return encode(fields | self.spoil(self, static_public))


def bad_identities(scenario):
    """Identities that the daemon must refuse by §5.3."""
    honest = scenario.identity
    past, future = now_ms() - 1_000, now_ms() + 60_000
    forged = {1: honest.account, 3: "interop", 4: past}
    label = "kibo-device-certificate-v1"
    for words, spoil in [
        ("somebody else's certificate, stolen", lambda me, key: {
            1: honest.account, 2: honest.certificate, 3: me.static_signature(key, future), 4: future}),
        ("a certificate that the account has not signed", lambda me, key: {
            1: honest.account, 2: signed(forged | {2: me.device}, me.account_key, label),
            3: me.static_signature(key, future), 4: future}),
        ("an account that is not the certificate's", lambda me, key: {
            1: honest.account, 3: me.static_signature(key, future), 4: future}),
        ("a signature of another static key", lambda me, key: {
            3: me.static_signature(bytes(32), future), 4: future}),
        ("a signature that is past its time", lambda me, key: {3: me.static_signature(key, past), 4: past}),
        ("a time that was not signed", lambda me, key: {3: me.static_signature(key, past), 4: future}),
    ]:
        scenario.step(f"{words}: closed")
        channel = Channel.dial(scenario.address, Impostor(spoil), os.urandom(32))
        try:
            channel.receive()
            raise AssertionError("it was taken")
        except (Ended, ConnectionError):
            channel.close()
    require(scenario.control.call("peer.list")["peers"] == [], "an impostor is seen")
    # The unspoiled identity is accepted, which shows that the others were refused for the right reason.
    channel = Channel.dial(scenario.address, Impostor(lambda me, key: {}), os.urandom(32))
    require(channel.receive(), "the card")
    channel.close()
    scenario.until(lambda: scenario.control.call("peer.list")["peers"] == [], "a stranger that is gone is still seen")


def strangers(scenario, session):
    """What a stranger may and may not send."""
    scenario.step("ping, pong")
    session.ping()
    scenario.step("unknown kinds: ignored without an id, refused with one")
    session.send(127, ZERO_ID, {1: "what is this"})
    session.send(40_000, ZERO_ID, b"\xff\xff not even CBOR")
    unknown = new_id()
    session.send(90, unknown, {1: 2})
    require(session.expect_receipt(unknown, REFUSED) == "unsupported", "the reason for an unknown kind")
    scenario.step("a stranger's message: refused")
    message = new_id()
    session.send(MESSAGE, message, session.message("Hello?"))
    require(session.expect_receipt(message, REFUSED) == "not_friends", "the reason for a stranger's message")
    session.ping()


def messages_in(scenario, session):
    """Messages from the peer, good and bad."""
    account = scenario.identity.account_text
    scenario.step("messages to the daemon: stored before the receipt, once, in order")
    first = new_id()
    session.send(MESSAGE, first, session.message("Grüße\n👋"))
    session.expect_receipt(first)
    second, large = new_id(), "x" * 65_536
    session.send(MESSAGE, second, session.message(large, reply_to=first))
    session.expect_receipt(second)
    session.send(MESSAGE, first, session.message("Grüße\n👋"))
    session.expect_receipt(first)
    listed = scenario.control.said(account)
    require([entry["id"] for entry in listed] == [id_text(first), id_text(second)], f"messages: {len(listed)}")
    require([entry["text"] for entry in listed] == ["Grüße\n👋", large], "texts")
    require(listed[1]["replyTo"] == id_text(first), "reply to")
    require({(entry["state"], entry["sender"]) for entry in listed} == {("received", account)}, "state or sender")

    scenario.step("bodies against the rules: refused with a reason, and the session goes on")
    for body, reasons in [
        (session.message(""), {"invalid"}),
        (session.message("x" * 65_537), {"too_large"}),
        (session.message("group", conversation=1), {"unsupported"}),
        (session.message("kind", kind=9), {"unsupported"}),
        (b"\xa1\x18\x01\x00", {"invalid"}),  # An integer that is not in its shortest form.
        (encode(session.message("behind")) + b"\x00", {"invalid"}),
        (b"", {"invalid"}),
    ]:
        bad = new_id()
        session.send(MESSAGE, bad, body)
        reason = session.expect_receipt(bad, REFUSED)
        require(reason in reasons, f"the reason for {str(body)[:60]} is {reason}")
    require(len(scenario.control.said(account)) == 2, "a refused message was stored")


def amendments_in(scenario, session):
    """Edits, deletions, reactions and read messages from the peer: in order, early, late and twice."""
    account, control, at = scenario.identity.account_text, scenario.control, now_ms()

    def shown(identifier):
        return control.call("message.get", id=id_text(identifier))

    scenario.step("edits: the greatest time wins, whatever comes first")
    message = new_id()
    session.durable(EDIT, session.edit(message, "too early, and old", at))
    session.durable(EDIT, session.edit(message, "too early", at + 5))
    session.send(MESSAGE, message, session.message("first"))
    session.expect_receipt(message)
    require(shown(message)["text"] == "too early", f"after the early edit: {shown(message)['text']}")
    require(shown(message)["editedAt"] == at + 5, "edited at")
    for text, time in [("later", at + 20), ("before that", at + 10), ("later", at + 20)]:
        session.durable(EDIT, session.edit(message, text, time))
    require(shown(message)["text"] == "later", f"the text is {shown(message)['text']}")
    session.durable(EDIT, session.edit(message, "latex", at + 20))
    require(shown(message)["text"] == "latex", "of two edits at the same time the greater text counts")
    session.durable(EDIT, session.edit(message, "", at + 30))
    require(shown(message)["text"] == "latex", "a text message became empty")

    scenario.step("reactions: for each sign the greatest time, of equals the one that takes off")
    for sign, removed, time in [("👍", False, at + 2), ("👍", True, at + 1), ("❤️", False, at), ("❤️", True, at)]:
        session.durable(REACTION, session.reaction(message, sign, removed, time))
    require(shown(message)["reactions"] == [{"account": account, "emoji": "👍"}], f"{shown(message)['reactions']}")

    scenario.step("a deletion: nothing of the content stays, and nothing brings it back")
    body = session.message("to be deleted")
    secret = new_id()
    session.send(MESSAGE, secret, body)
    session.expect_receipt(secret)
    session.durable(DELETION, {1: secret, 2: body[4], 3: body[5]})
    session.durable(EDIT, session.edit(secret, "back again", at + 40))
    session.durable(REACTION, session.reaction(secret, "👍", at=at + 40))
    found = shown(secret)
    require(found["deleted"] and found["text"] == "" and not found["reactions"], f"the tombstone is {found}")
    never = new_id()
    session.durable(DELETION, {1: never, 2: body[4], 3: body[5]})
    session.send(MESSAGE, never, body)
    session.expect_receipt(never)
    require(shown(never)["deleted"] and shown(never)["text"] == "", "a message came after its deletion")

    scenario.step("a file's preview is shown, and goes with its message")
    picture, transfer, preview = new_id(), new_id(), b"\xff\xd8\xff\xe0" + bytes(range(252)) + bytes(range(256)) * 127
    attachment = {1: transfer, 2: "sea.jpg", 3: 5_000_000, 4: 2, 5: "image/jpeg", 6: 1, 7: preview}
    body = session.message("", kind=1, attachments=[attachment])
    session.send(MESSAGE, picture, body)
    session.expect_receipt(picture)
    require(base64.b64decode(shown(picture)["attachments"][0]["preview"]) == preview, "the preview")
    session.durable(DELETION, {1: picture, 2: body[4], 3: body[5]})
    require(shown(picture)["attachments"] == [], "attachments of a tombstone")

    scenario.step("what is not theirs, and bodies against the rules: refused")
    ours = control.call("message.send", to=account, text="mine")
    identifier, _ = session.expect(MESSAGE)
    session.send_receipt(STORED, identifier)
    scenario.message_state(ours["id"], "delivered", session)
    for kind, wrong, reason in [
        (EDIT, session.edit(identifier, "yours"), "not_allowed"),
        (DELETION, {1: identifier, 2: 5, 3: 6}, "not_allowed"),
        (EDIT, session.edit(message, "x" * 65_537), "too_large"), (EDIT, session.edit(ZERO_ID, "x"), "invalid"),
        (REACTION, session.reaction(message, "two"), "invalid"), (REACTION, session.reaction(message, ""), "invalid"),
        (SEEN, {1: []}, "invalid"), (SEEN, {1: [identifier] * 513}, "too_large"), (DELETION, {1: message}, "invalid"),
    ]:
        bad = new_id()
        session.send(kind, bad, wrong)
        found = session.expect_receipt(bad, REFUSED)
        require(found == reason, f"the reason for {kind} {str(wrong)[:60]} is {found}")
    for number in range(31):
        session.durable(REACTION, session.reaction(identifier, chr(ord("A") + number)))
    session.durable(REACTION, session.reaction(identifier, "👍"))
    bad = new_id()
    session.send(REACTION, bad, session.reaction(identifier, "👎"))
    require(session.expect_receipt(bad, REFUSED) == "too_large", "the reason for a 33rd reaction")

    scenario.step("seen: the message is read, ids that are none are skipped")
    session.durable(SEEN, {1: [new_id(), identifier, message]})
    require(control.call("message.get", id=ours["id"])["state"] == "read", "it was seen")


def messages_out(scenario, session):
    """Messages from the daemon; returns the session, which is a new one then."""
    account = scenario.identity.account_text
    scenario.step("a message from the daemon, its receipts: delivered, read")
    sent = scenario.control.call("message.send", to=account, text="Hello interop")
    identifier, body = session.expect(MESSAGE)
    require(id_text(identifier) == sent["id"], "the frame's id is not the message's")
    require(body[1] == 0 and body[2] == 0 and body[3] == "Hello interop", f"the message is {body}")
    require(body[5] == sent["sentAt"] and abs((body[4] >> 16) - body[5]) < 1_000, "its times")
    scenario.message_state(sent["id"], "sent", session)
    session.send_receipt(STORED, identifier)
    scenario.message_state(sent["id"], "delivered", session)
    session.send_receipt(READ, identifier)
    scenario.message_state(sent["id"], "read", session)

    scenario.step("a message without a receipt comes again in the next session, a refused one doesn't")
    waiting = scenario.control.call("message.send", to=account, text="Once more")
    refused = scenario.control.call("message.send", to=account, text="Not to my taste")
    first, _ = session.expect(MESSAGE)
    second, _ = session.expect(MESSAGE)
    require([id_text(first), id_text(second)] == [waiting["id"], refused["id"]], "their order")
    session.send(RECEIPT, ZERO_ID, {1: REFUSED, 2: [second], 3: "not_allowed", 4: "no"})
    scenario.message_state(refused["id"], "failed", session)
    session.close()
    scenario.static = os.urandom(32)
    session = scenario.session()
    again, _ = session.expect(MESSAGE)
    require(again == first, "another message came")
    session.send_receipt(STORED, again)
    scenario.message_state(waiting["id"], "delivered", session)
    session.expect_quiet(0.3, {MESSAGE})
    return session


def rekey(scenario, session):
    """More than 65,536 records, so that the daemon has to change to the second key."""
    scenario.step("a message in records of one byte, over the change of keys at record 65,536")
    identifier, text = new_id(), "r" * 65_536
    session.send(MESSAGE, identifier, session.message(text), record_size=1)
    session.expect_receipt(identifier)
    require(session.channel.sent > 65_536, "not enough records")
    session.ping()
    require(scenario.control.said(scenario.identity.account_text)[-1]["text"] == text, "its text")


def bad_frames(scenario, session):
    """Protocol errors, which the daemon answers by close (4)."""
    for name, kind, identifier, body in [
        ("a receipt that is none", RECEIPT, ZERO_ID, b"\xff"),
        ("a message without an id", MESSAGE, ZERO_ID, encode(session.message("x"))),
        ("somebody else's card", CARD, ZERO_ID, type(scenario.identity)("Mallory").card()),
    ]:
        scenario.step(f"{name}: the daemon closes with reason 4")
        session.send(kind, identifier, body)
        _, closing = session.expect(CLOSE)
        require(closing[1] == 4, f"the close is {closing}")
        session.expect_end()
        session = scenario.session()
    scenario.step("a record that can't be opened ends the connection without an answer")
    session.channel.socket.sendall(b"\x00\x20" + bytes(32))
    session.expect_end()
    require(not any(kind == CLOSE for kind, _, _ in session.frames), "it was answered")


def dials(scenario):
    """The scenario."""
    bad_openings(scenario)
    bad_identities(scenario)
    scenario.step("handshake and cards")
    session = scenario.session()
    seen = scenario.control.call("peer.list")["peers"]
    require([peer["account"] for peer in seen] == [scenario.identity.account_text], f"peers: {seen}")
    require(seen[0]["displayName"] == scenario.identity.display_name, "our name at the daemon")
    strangers(scenario, session)
    scenario.step("contact request, accepted by the daemon's person")
    scenario.ask(session)
    messages_in(scenario, session)
    amendments_in(scenario, session)
    session = messages_out(scenario, session)
    rekey(scenario, session)
    scenario.step("close: the daemon ends the connection")
    session.close()
    bad_frames(scenario, scenario.session())
    scenario.step("and after all this the daemon is as it was")
    session = scenario.session()
    session.ping()
    session.close()


if __name__ == "__main__":
    Scenario("Iris").run(dials)
