#!/usr/bin/env python3
"""The peer is away when a daemon writes to it and sends a file; it comes back and has both from another daemon, its courier."""

import os

from control import Scenario
from kibo_couriers import (
    CAPABILITY, DROPPED, FILE_LEFT_OUT, FILE_TAKEN, Mailbox, deposit, expect_note, had, parcel_file, seal_file, take_parcel,
)
from kibo_files import CHUNK, Pieces
from kibo_identity import Broken, bech32m, decode, new_id, require
from kibo_peer import BULK, HAD, MESSAGE, PARCEL, PARCEL_NEWS

TEXT = "for when you are back"


def refused(courier, file, root):
    """The courier gives the file under no other root, and to nobody under another name."""
    for name, hash_of in ((file, os.urandom(32)), (new_id(), root)):
        try:
            Pieces(name).fetch(courier.dial(BULK), hash_of)
        except Broken as error:
            require("not_found" in str(error), f"the answer is {error}")
        else:
            raise Broken("another file was given")


def scenario(anna):
    """Everything."""
    anna.identity.capabilities = [CAPABILITY]
    carl = anna.beside(anna.options.courier)
    anna.step("two friends, of whom one may keep things")
    session = carl.session()
    box = Mailbox(anna.identity, couriers=[session.remote.account])
    carl.ask(session)
    box.tell(session)
    session.wait_for(
        lambda: carl.control.call("courier.list")["carriedFor"], lambda: "somebody for whom the courier keeps things")
    session.close()
    other = anna.session()
    anna.ask(other)
    box.tell(other)
    note = expect_note(other)
    # Notes have no receipt: what is stored behind one says that it has been read.
    other.durable(MESSAGE, other.message("see you"))
    other.close()

    anna.step("a message and a file while the peer is away")
    content = os.urandom(CHUNK // 2).hex().encode() * 2 + b"the end"
    path = anna.options.directory / "for-you.txt"
    path.write_bytes(content)
    account = anna.identity.account_text
    sent = anna.control.call("transfer.send", to=account, paths=[str(path)], text=TEXT)["transfers"][0]
    anna.until(
        lambda: any(one["code"] == "file_held" for one in anna.control.call("message.why", id=sent["message"])["now"]),
        lambda: f"the courier has not got the file: {anna.control.call('message.why', id=sent['message'])}", 30)
    kept = carl.control.call("courier.parcels")
    require([one["to"] for one in kept["parcels"]] == [account] and kept["bytes"] > len(content), f"what is kept: {kept}")

    carl.step("it is back: the parcel, and the file by pieces")
    session = carl.session()
    parcel, frames, maker, files = take_parcel(session, box)
    require(bech32m("kibo", maker.account) == anna.daemon["id"] and maker.key == note.key, "another maker")
    (message, body), = [(identifier, decode(body)) for kind, identifier, body in frames if kind == MESSAGE]
    require(body[3] == TEXT and len(body[7]) == 1, f"the message is {body}")
    file, = files
    require(file[1] == body[7][0][1] and file[5] == len(content), f"the file is {file}")
    refused(carl, file[2], file[3])
    sealed = Pieces(file[2]).fetch(carl.dial(BULK), file[3])
    opened = b"".join(
        seal_file(sealed[at:at + CHUNK], file[4], at // CHUNK) for at in range(0, len(sealed), CHUNK))
    require(opened == content and sealed[:64] != content[:64], "the file is another")

    carl.step("the courier may drop it; the answer goes back by it")
    session.durable(PARCEL_NEWS, {1: [[file[2], FILE_TAKEN], [new_id(), DROPPED]]})
    deposit(session, box, [maker], [(HAD, new_id(), had([message], files=[file[1]]))])
    session.wait_for(
        lambda: anna.control.call("transfer.get", id=sent["id"])["state"] == "done"
        and anna.control.call("message.get", id=sent["message"])["state"] == "delivered",
        lambda: f"the answer at its maker, not {anna.control.call('transfer.get', id=sent['id'])},")
    session.wait_for(
        lambda: not carl.control.call("courier.parcels")["bytes"],
        lambda: f"an empty courier, not {carl.control.call('courier.parcels')},")
    require(not [one for one in session.frames if one[0] == PARCEL], "the parcel comes again")

    carl.step("files of the peer's: one that the courier has no room for, and one that the peer takes back")
    anna.control.call("courier.add", contact=carl.daemon["id"])
    session.wait_for(lambda: any(
        one["id"] == anna.daemon["id"] for one in carl.control.call("courier.list")["carriedFor"]), "who has named the courier")
    large, small = (parcel_file(new_id(), os.urandom(32), bytes) for bytes in (1 << 40, 1000))
    deposit(session, box, [maker], [(MESSAGE, new_id(), session.message("with files"))], files=[large, small])
    told = []
    while [large[1], FILE_LEFT_OUT] not in told:
        told += session.expect(PARCEL_NEWS)[1][1]
    session.wait_for(lambda: carl.control.call("courier.parcels")["bytes"] >= 1000, "a file at the courier")
    session.durable(PARCEL_NEWS, {1: [[small[1], FILE_TAKEN]]})

    # What the other daemon answers may be at the courier by then.
    def of_peer():
        return [one for one in carl.control.call("courier.parcels")["parcels"] if one["fromName"] == "Peer"]
    session.wait_for(lambda: not of_peer(), lambda: f"nothing of the peer at the courier, not {of_peer()},")
    session.close()


if __name__ == "__main__":
    Scenario("Peer").run(scenario)
