#!/usr/bin/env python3
"""The peer puts the daemon into groups in mid-session, and says things in them before the daemon knows of them."""

import hashlib

from control import Scenario
from kibo_identity import encode, id_text, new_id, now_ms, require, sign, signed
from kibo_peer import (
    GROUP_CHANGE, GROUP_ENTRIES, GROUP_ENTRY, GROUP_HEADS, GROUP_TOPS, GROUP_WANT, STORED, REFUSED, ZERO_ID)


def digest(data):
    """BLAKE2b-256."""
    return hashlib.blake2b(data, digest_size=32).digest()


NO_TOPS = digest(encode([]))


class Group:
    """A group that the peer has created, with the daemon as its other member."""

    def __init__(self, identity, name, certificate):
        self.identity = identity
        self.time = now_ms() << 16
        self.entries, self.heads, self.last = [], [], (0, None)
        create = {1: 1, 2: name, 3: "", 4: 0, 5: identity.display_name, 6: [{1: certificate, 2: "Daemon"}]}
        self.root = self.id = None
        self.root = self.change(create)
        first, second = (int.from_bytes(self.root[at:at + 8], "big") for at in (0, 8))
        high = (self.time >> 16) << 16 | 0x7000 | first >> 52
        low = 1 << 63 | ((first << 12 | second >> 52) & (1 << 64) - 1) >> 2
        self.id = high.to_bytes(8, "big") + low.to_bytes(8, "big")

    def change(self, operation):
        """Makes the next membership entry and returns its hash."""
        body = {3: self.identity.certificate, 5: self.time + len(self.entries), 6: self.time >> 16, 7: operation}
        if self.root:
            body |= {1: self.id, 2: self.root, 4: self.heads}
        self.entries.append(signed(body, self.identity.device_key, "kibo-group-entry-v1"))
        self.heads = [digest(encode(body))]
        return self.heads[0]

    def say(self, session, text):
        """Sends the next entry of the log; returns its id and the frame's body."""
        identifier, at = new_id(), now_ms()
        content = encode({1: 1, 2: 0, 3: text, 4: at << 16, 5: at})
        sequence, previous = self.last
        header = {
            1: self.root, 2: self.identity.device, 3: sequence + 1, 5: self.heads, 7: 1, 8: identifier, 9: at << 16,
            10: at, 11: digest(content),
        } | ({4: previous} if previous else {})
        data = encode(header)
        self.last = (sequence + 1, digest(data))
        body = {1: data, 2: sign(self.identity.device_key, "kibo-group-log-v1", data), 3: content}
        session.send(GROUP_ENTRY, identifier, body)
        return identifier, body


def of(group):
    """Frames about one group."""
    return lambda _, body: body[1] == group.root


def texts(scenario, group):
    """What the daemon's user reads in a group; none before the group is there."""
    found = [one for one in scenario.control.call("group.list")["groups"] if one["id"] == id_text(group.id)]
    if not found or not found[0].get("conversation"):
        return []
    messages = scenario.control.call("message.list", conversation=found[0]["conversation"], limit=100)["messages"]
    return [one["text"] for one in messages if one["kind"] == "text"]


def silent(scenario, session, certificate):
    """The peer says nothing of what it has in a new group: the daemon asks, and then its user's message comes."""
    scenario.step("a group is made in mid-session, and the maker says nothing of its heads: it is asked for its tops")
    group = Group(scenario.identity, "Boat", certificate)
    session.durable(GROUP_CHANGE, {1: group.root, 2: group.entries})
    _, heads = session.expect(GROUP_HEADS, where=of(group))
    require(heads[2] == [group.root] and heads[3] == NO_TOPS, f"the heads are {heads}")
    conversation = scenario.control.call("group.get", id=id_text(group.id))["conversation"]
    sent = scenario.control.call("message.send", conversation=conversation, text="first")
    _, tops = session.expect(GROUP_TOPS, where=of(group))
    require(tops[2] == [] and not tops.get(3), f"the tops are {tops}")
    session.send(GROUP_TOPS, ZERO_ID, {1: group.root, 2: [], 3: True})
    identifier, _ = session.expect(GROUP_ENTRY)
    require(id_text(identifier) == sent["id"], "the entry is the message")
    session.send_receipt(STORED, identifier)
    scenario.message_state(sent["id"], "delivered", session)


def spoken(scenario, session, certificate):
    """The peer says its heads behind the change, as the document asks for: nothing more is asked."""
    scenario.step("a group is made in mid-session, and the heads go behind the change")
    group = Group(scenario.identity, "Ship", certificate)
    session.durable(GROUP_CHANGE, {1: group.root, 2: group.entries})
    session.send(GROUP_HEADS, ZERO_ID, {1: group.root, 2: group.heads, 3: NO_TOPS})
    conversation = scenario.control.call("group.get", id=id_text(group.id))["conversation"]
    sent = scenario.control.call("message.send", conversation=conversation, text="at once")
    identifier, _ = session.expect(GROUP_ENTRY)
    require(id_text(identifier) == sent["id"], "the entry is the message")
    session.send_receipt(STORED, identifier)
    return group


def early(scenario, session, certificate):
    """A message comes before its group."""
    scenario.step("a message of a group that isn't here is put off, and the group is asked for at once")
    group = Group(scenario.identity, "Raft", certificate)
    identifier, body = group.say(session, "too early")
    require(session.expect_receipt(identifier, REFUSED) == "busy", "the reason")
    _, want = session.expect(GROUP_WANT, where=of(group))
    require(want[2] == [], f"it wants {want}")
    session.send(GROUP_ENTRIES, ZERO_ID, {1: group.root, 2: group.entries})
    session.expect(GROUP_HEADS, where=of(group))
    session.send(GROUP_ENTRY, identifier, body)
    session.expect_receipt(identifier)
    require(texts(scenario, group) == ["too early"], "the message is shown")
    scenario.step("the same root again and a made-up one: asked once a session, and no more than a budget")
    for _ in range(3):
        stranger = Group(scenario.identity, "Nowhere", certificate)
        for _ in range(3):
            identifier, _ = stranger.say(session, "nobody hears it")
            require(session.expect_receipt(identifier, REFUSED) == "busy", "the reason")
        session.expect(GROUP_WANT, where=of(stranger))
        session.send(GROUP_ENTRIES, ZERO_ID, {1: stranger.root})
    session.ping()
    session.expect_quiet(0.2, {GROUP_WANT})


def ahead(scenario, session, group):
    """A message names a membership entry that isn't here."""
    scenario.step("a message names a change that isn't here: it waits, and the change is asked for at once")
    before = group.heads
    group.change({1: 6, 2: "Liner"})
    identifier, _ = group.say(session, "on the liner")
    session.expect_receipt(identifier)
    _, want = session.expect(GROUP_WANT, where=lambda _, body: body[1] == group.root and 2 in body)
    require(want[2] == before, f"it wants {want}")
    session.send(GROUP_ENTRIES, ZERO_ID, {1: group.root, 2: group.entries[1:]})
    session.wait_for(lambda: "on the liner" in texts(scenario, group), "the message")
    require(scenario.control.call("group.get", id=id_text(group.id))["name"] == "Liner", "the name")


def main(scenario):
    """The scenario."""
    session = scenario.session()
    scenario.ask(session)
    certificate = session.remote_card[2]
    silent(scenario, session, certificate)
    group = spoken(scenario, session, certificate)
    early(scenario, session, certificate)
    ahead(scenario, session, group)
    session.close()


if __name__ == "__main__":
    Scenario("Gus").run(main)
