#!/usr/bin/env python3
"""The peer and the daemon call each other, between two and in a group: rung, declined, answered, signals, joined, left."""

import os
import time

from control import Control, Scenario
from kibo import Refused
from kibo_identity import id_text, new_id, now_ms, require
from kibo_peer import CALL_SIGNAL, CALL_STATE, GROUP_CHANGE, MESSAGE, STORED, ZERO_ID

CALLING, RINGING, WAITING, JOINED, AWAY, ENDED = range(6)
OFFER, ANSWER, CANDIDATES, RESTART = range(4)
PRINT = bytes([7]) * 32


def colons(fingerprint):
    """A fingerprint as session descriptions have it."""
    return ":".join(f"{byte:02X}" for byte in fingerprint)


def description(fingerprint):
    """A session description by the grammar of the page."""
    lines = [
        "v=0", "o=- 1 2 IN IP4 0.0.0.0", "s=-", "t=0 0", "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuv",
        f"a=fingerprint:sha-256 {colons(fingerprint)}", "m=audio 9 UDP/TLS/RTP/SAVPF 111", "c=IN IP4 0.0.0.0",
        "m=video 9 UDP/TLS/RTP/SAVPF 96", "m=video 9 UDP/TLS/RTP/SAVPF 96",
    ]
    return "".join(line + "\r\n" for line in lines)


class Calls:
    """What the peer says of calls; each state has a greater number."""

    def __init__(self, scenario, session):
        self.scenario, self.session, self.number = scenario, session, now_ms() << 16

    def say(self, call, state, clock, reason=None, generation=0, **more):  # pylint: disable=too-many-arguments
        """Sends a state; `root` is that of a group."""
        self.number += 1
        body = {1: call, 2: self.number, 3: state, 4: 0, 5: clock, 8: more.get("sends", 0), 9: generation, 11: [0, 0]}
        if reason:
            body[7] = reason
        if generation:
            body[10] = PRINT
        if "root" in more:
            body[6] = more["root"]
        self.session.send(CALL_STATE, ZERO_ID, body)

    def hear(self, call, state):
        """Waits for a state of the daemon."""
        _, body = self.session.expect(CALL_STATE, where=lambda _, body: body[1] == call and body[3] == state)
        require((7 in body) == (state == ENDED), f"the reason of {body}")
        require((10 in body) == (body[9] > 0), f"the fingerprint of {body}")
        return body

    def stands(self, call, state):
        """Waits until the daemon's clients see the call so."""
        def look():
            calls = self.scenario.control.call("call.list")["calls"]
            return [found for found in calls if found["id"] == id_text(call) and found["state"] == state]
        return self.session.wait_for(look, f"the call to be {state}")[0]


def record(scenario, session, call, clock, outcome):
    """The daemon's record of a call of its own comes as a message."""
    _, body = session.expect(MESSAGE, where=lambda identifier, _: identifier == call)
    require(body[2] == 2 and body[3] == "" and body[4] == clock, f"the record is {body}")
    require(body[8][1] == 0 and body[8][2] == outcome, f"what stays is {body[8]}")
    session.send_receipt(STORED, call)
    scenario.message_state(id_text(call), "delivered", session)


def rung(scenario, calls, conversation):
    """The daemon calls; the peer lets it ring and declines."""
    scenario.step("the daemon calls: it rings here, and is declined")
    seat = {"seat": id_text(new_id()), "fingerprint": colons(PRINT)}
    begun = scenario.control.call("call.start", conversation=conversation, media="audio", **seat)
    _, body = calls.session.expect(CALL_STATE)
    call, clock = body[1], body[5]
    require(id_text(call) == begun["id"] and body[3] == CALLING, f"the state is {body}")
    require(body[10] == PRINT and body[9] == 1 and body[4] == 0, f"its seat is {body}")
    calls.say(call, RINGING, clock)
    calls.stands(call, "ringing")
    calls.say(call, ENDED, clock, "declined")
    record(scenario, calls.session, call, clock, 3)


def rings(scenario, calls):
    """The peer calls, where nothing rings and where something does. Returns the window that does."""
    control, session = scenario.control, calls.session
    scenario.step("a call where nothing can ring ends at once as nobody's")
    call, clock = new_id(), now_ms() << 16
    calls.say(call, CALLING, clock, generation=1)
    require(calls.hear(call, ENDED)[7] == "nobody", "the reason")
    session.send(MESSAGE, call, session.message("", kind=2) | {4: clock, 8: {1: 0, 2: 5, 3: now_ms(), 4: 0}})
    session.expect_receipt(call)
    found = [entry for entry in control.call("call.history")["messages"] if entry["id"] == id_text(call)]
    require(len(found) == 1 and found[0]["call"]["outcome"] == "unreachable" and found[0]["unread"], f"{found}")

    scenario.step("with a window there it rings, is answered, and signals go both ways")
    window = Control(scenario.options.socket)
    window.call("events.subscribe", types=["call.changed"], notifies=True)
    call, clock = new_id(), now_ms() << 16
    calls.say(call, CALLING, clock, generation=1)
    calls.hear(call, RINGING)
    calls.stands(call, "incoming")
    forged = description(os.urandom(32))
    session.send(CALL_SIGNAL, ZERO_ID, {1: call, 2: 1, 3: 1, 4: OFFER, 5: forged})
    session.send(CALL_SIGNAL, ZERO_ID, {1: call, 2: 1, 3: 2, 4: OFFER, 5: description(PRINT)})
    session.send(CALL_SIGNAL, ZERO_ID, {1: call, 2: 1, 3: 3, 4: CANDIDATES, 6: [
        [5, bytes([127, 0, 0, 1]), 40_000], [4, bytes([10, 9, 8, 7]), 22]]})
    seat, theirs = id_text(new_id()), os.urandom(32)
    control.call("call.accept", id=id_text(call), media="audio", seat=seat, fingerprint=colons(theirs))
    joined = calls.hear(call, JOINED)
    require(joined[10] == theirs and joined[9] == 1 and joined[11][0] == 1, f"joined: {joined}")

    def heard():
        signals = control.call("call.signals", id=id_text(call), seat=seat)["signals"]
        return signals if len(signals) == 2 else None

    signals = session.wait_for(heard, "the two signals")
    require([signal["kind"] for signal in signals] == ["offer", "candidates"], f"signals: {signals}")
    require(signals[1]["candidates"] == ["candidate:1 1 udp 5 127.0.0.1 40000 typ host"], f"{signals[1]}")
    device = calls.stands(call, "connecting")["participants"][0]["device"]
    control.call("call.signal", id=id_text(call), seat=seat, device=device, kind="answer", sdp=description(theirs))
    _, answer = session.expect(CALL_SIGNAL)
    require(answer[2] == 1 and answer[3] == 1, f"the answer is {answer}")
    require(answer[4] == ANSWER and answer[7] == 1 and "m=audio" in answer[5], f"the answer is {answer}")
    calls.say(call, JOINED, clock, generation=1)
    control.call("call.report", id=id_text(call), seat=seat, peers=[{"device": device, "state": "connected"}])
    calls.stands(call, "active")

    scenario.step("a session that breaks ends nothing; the next one brings state and signals again")
    session.close()
    session = calls.session = scenario.session()
    again = calls.hear(call, JOINED)
    require(again[2] == joined[2] or again[2] > joined[2], "the number went back")
    calls.say(call, JOINED, clock, generation=1)
    _, repeated = session.expect(CALL_SIGNAL)
    require(repeated == answer, f"the signal that was not heard is {repeated}")
    calls.say(call, ENDED, clock, "hangup", generation=1)
    session.wait_for(lambda: control.call("call.list")["calls"] == [], "the end of the call")

    def kept():
        return [entry for entry in control.call("call.history")["messages"] if entry["id"] == id_text(call)]

    entry = session.wait_for(kept, "what stays of the call")[0]
    require(entry["call"]["outcome"] == "answered" and not entry["unread"], f"what stays: {entry}")
    session.send(MESSAGE, call, session.message("", kind=2) | {4: clock, 8: {1: 0, 2: 0, 3: now_ms(), 4: 900}})
    session.expect_receipt(call)
    require(control.call("message.get", id=id_text(call))["call"]["duration"] == 900, "the caller's word counts")

    scenario.step("a state of an unknown call is answered by its end")
    unknown = new_id()
    calls.say(unknown, JOINED, clock, generation=1)
    require(calls.hear(unknown, ENDED)[7] == "lost", "the reason for an unknown call")
    session.ping()
    return window


def together(scenario, calls):
    """The daemon makes a group with the peer and starts a call there; the peer joins, leaves, and starts one itself."""
    control, session = scenario.control, calls.session
    scenario.step("a call of a group rings; the peer joins, signals go both ways, it leaves, and the daemon is alone")
    made = control.call("group.create", name="Boat", members=[scenario.identity.account_text])
    identifier, change = session.expect(GROUP_CHANGE)
    session.send_receipt(STORED, identifier)
    root, seat, theirs = change[1], id_text(new_id()), os.urandom(32)
    begun = control.call(
        "call.start", conversation=made["conversation"], media="audio", seat=seat, fingerprint=colons(theirs))
    # What was said of other calls lies there still.
    _, body = session.expect(CALL_STATE, where=lambda _, body: 6 in body)
    call, clock = body[1], body[5]
    require(id_text(call) == begun["id"] and body[3] == JOINED and body[6] == root, f"the state is {body}")
    require(body[8] & 8 and body[9] == 1 and body[10] == theirs and 12 not in body, f"it asks to ring: {body}")
    calls.say(call, RINGING, clock, root=root)
    calls.stands(call, "ringing")
    mine = max(now_ms() << 16, clock + 1)
    calls.say(call, JOINED, mine, generation=1, root=root)
    found = calls.stands(call, "connecting")["participants"]
    device = found[0]["device"]
    require(len(found) == 1 and found[0]["state"] == "joined" and found[0]["reachable"], f"{found}")
    named = session.expect(CALL_STATE, where=lambda _, body: 12 in body)[1]
    require(named[12] == [scenario.identity.device], f"it names {named[12]}")
    control.call("call.signal", id=id_text(call), seat=seat, device=device, kind="offer", sdp=description(theirs))
    _, offer = session.expect(CALL_SIGNAL)
    require(offer[2] == 1 and offer[3] == 1 and offer[7] == 1, f"the offer is {offer}")
    # Without the generation that it is for a signal of a group's call is not taken, and not counted.
    session.send(CALL_SIGNAL, ZERO_ID, {1: call, 2: 1, 3: 1, 4: ANSWER, 5: description(PRINT)})
    session.send(CALL_SIGNAL, ZERO_ID, {1: call, 2: 1, 3: 1, 4: ANSWER, 5: description(PRINT), 7: 1})

    def heard():
        return control.call("call.signals", id=id_text(call), seat=seat)["signals"]

    require([one["kind"] for one in session.wait_for(heard, "the answer")] == ["answer"], "one answer")
    calls.say(call, ENDED, mine, "hangup", generation=1, root=root)
    calls.stands(call, "outgoing")
    scenario.step("it comes back with another time; numbers begin anew")
    calls.say(call, JOINED, mine + 5, generation=1, root=root)
    calls.stands(call, "connecting")
    session.send(CALL_SIGNAL, ZERO_ID, {1: call, 2: 1, 3: 1, 4: RESTART, 7: 1})
    session.wait_for(lambda: [one for one in heard() if one["kind"] == "restart"], "the wish for an offer")
    control.call("call.hangup", id=id_text(call))
    require(calls.hear(call, ENDED)[7] == "hangup", "the daemon leaves")
    calls.stands(call, "ongoing")
    calls.say(call, ENDED, mine + 5, "hangup", generation=1, root=root)
    session.wait_for(lambda: control.call("call.list")["calls"] == [], "the end of the call")
    scenario.step("it starts one that nobody takes: missed; a stranger's root does nothing")
    call, clock = new_id(), now_ms() << 16
    calls.say(call, JOINED, clock, generation=1, root=os.urandom(32))
    calls.say(call, JOINED, clock, generation=1, root=root, sends=8)
    calls.hear(call, RINGING)
    calls.stands(call, "incoming")
    calls.say(call, ENDED, clock, "hangup", generation=1, root=root)

    def missed():
        history = control.call("call.history")["messages"]
        return [entry for entry in history if entry["id"] == id_text(call) and entry["unread"]]

    require(session.wait_for(missed, "the missed call")[0]["call"]["outcome"] == "unanswered", "it was missed")
    session.ping()


def main(scenario):
    """The scenario."""
    session = scenario.session()
    require("calls-1" in session.remote.capabilities, f"capabilities: {session.remote.capabilities}")
    scenario.ask(session)
    conversation = scenario.control.call("conversation.open", contact=scenario.identity.account_text)["id"]
    scenario.step("a peer without the capability is not called")
    try:
        scenario.control.call(
            "call.start", conversation=conversation, media="audio", seat=id_text(new_id()), fingerprint=colons(PRINT))
        raise AssertionError("it was called")
    except Refused as refusal:
        require(refusal.kind == "unsupported", f"the refusal is {refusal}")
    session.expect_quiet(0.2, {CALL_STATE, MESSAGE})
    session.close()
    scenario.identity.capabilities = ["calls-1"]
    scenario.static = os.urandom(32)
    session = scenario.session()
    time.sleep(0.1)
    calls = Calls(scenario, session)
    rung(scenario, calls, conversation)
    window = rings(scenario, calls)
    together(scenario, calls)
    window.socket.close()
    calls.session.close()


if __name__ == "__main__":
    Scenario("Iris").run(main)
