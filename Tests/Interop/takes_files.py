#!/usr/bin/env python3
"""The daemon sends files to the peer: offer, bulk connection, both ciphers, a folder with holes, resumption."""

import os

from control import Scenario
from kibo import Refused
from kibo_files import AES, CHACHA, CHUNK, DONE, Receiver
from kibo_identity import Broken, id_text, new_id, require
from kibo_peer import BULK, FILE_STATUS, MESSAGE, STORED, Ended

ACCEPTED, DECLINED, CANCELLED, FINISHED, HELD = 1, 2, 3, 4, 8  # File statuses.


def offer(scenario, session, path, size, files, kind):
    """Has the daemon offer a path; returns a receiver for it."""
    sent = scenario.control.call("transfer.send", to=scenario.identity.account_text, paths=[str(path)], text="for you")
    transfer = sent["transfers"][0]["id"]
    identifier, body = session.expect(MESSAGE)
    session.send_receipt(STORED, identifier)
    require(body[2] == 1 and body[3] == "for you" and len(body[7]) == 1, f"the offer is {body}")
    attachment = body[7][0]
    require(id_text(attachment[1]) == transfer and attachment[2] == path.name, f"the attachment is {attachment}")
    require(attachment[3] == size and attachment[6] == files, f"size and number of files: {attachment}")
    require(attachment[4] == 5 if kind == "folder" else attachment[4] != 5, f"kind: {attachment}")
    require(isinstance(attachment[5], str), "media type")
    return Receiver(attachment[1])


def say(session, transfer, status):
    """Sends a file status, which the daemon must store."""
    identifier = new_id()
    session.send(FILE_STATUS, identifier, {1: transfer, 2: status})
    session.expect_receipt(identifier)


def finish(scenario, session, receiver, on_connection=True, in_session=True):
    """Tells the daemon in both ways that everything is there; one would be enough."""
    if on_connection:
        receiver.send(DONE)
    if in_session:
        say(session, receiver.transfer, FINISHED)
    transfer = id_text(receiver.transfer)
    get = lambda: scenario.control.call("transfer.get", id=transfer)
    session.wait_for(lambda: get()["state"] == "done", lambda: f"the end of {get()}")
    require(get()["bytesDone"] == get()["size"], "its bytes")
    receiver.channel.close()


def one_file(scenario, session, name, cipher, content, **ways):
    """A single file with one cipher."""
    path = scenario.options.directory / name
    path.write_bytes(content)
    receiver = offer(scenario, session, path, len(content), 1, "file")
    say(session, receiver.transfer, ACCEPTED)
    receiver.begin(scenario.dial(BULK), [cipher])
    require(len(receiver.entries) == 1 and receiver.entries[0][2] == 0, f"manifest: {receiver.entries}")
    receiver.fetch()
    require(receiver.files() == {"": content}, "its content")
    finish(scenario, session, receiver, **ways)


def folder(scenario, session):
    """A folder with all kinds of files, interrupted twice, the second time without a close."""
    root = scenario.options.directory / "album"
    (root / "deep" / "empty").mkdir(parents=True)
    contents = {
        "empty.txt": b"", "small.txt": b"abc", "deep/exact.bin": os.urandom(CHUNK),
        "deep/large.bin": os.urandom(5 * CHUNK + 7), "grüße.txt": "Grüße".encode(),
        "run.sh": b"#!/bin/sh\n", "zeros.bin": bytes(9 * CHUNK + 5) + b"end",
    }
    for name, content in contents.items():
        (root / name).write_bytes(content)
    (root / "run.sh").chmod(0o750)
    with open(root / "zeros.bin", "wb") as sparse:
        sparse.seek(9 * CHUNK + 5)
        sparse.write(b"end")
    os.utime(root / "small.txt", ns=(1_000_000_000_000_000_007, -1_500_000_001))
    receiver = offer(scenario, session, root, sum(map(len, contents.values())), len(contents), "folder")
    say(session, receiver.transfer, ACCEPTED)
    receiver.begin(scenario.dial(BULK), [AES, CHACHA])
    by_name = {entry[1]: entry for entry in receiver.entries}
    require(by_name["run.sh"][4] == 0o750, "mode of run.sh")
    require(by_name["small.txt"][5] == -1_500_000_001, f"time of small.txt: {by_name['small.txt']}")
    require(by_name["empty"][2] == 1 and by_name["empty"][3] == 0, "the empty folder")
    receiver.fetch(stop_after=4)
    require(4 <= len(receiver.chunks) < 24, f"{len(receiver.chunks)} chunks")
    scenario.step("… goes on over a new connection, without a manifest")
    receiver.begin(scenario.dial(BULK), [CHACHA, AES])
    receiver.fetch()
    require(receiver.files() == contents, "its content")
    require(receiver.holes > 0, "no hole in a sparse file")
    finish(scenario, session, receiver)


def left_out(scenario, session):
    """A folder in which one file is gone before it is fetched, and the peer refuses another one."""
    root = scenario.options.directory / "torn"
    root.mkdir()
    contents = {"a.txt": b"abc", "b.bin": os.urandom(3 * CHUNK), "c.txt": b"def", "d.txt": b""}
    for name, content in contents.items():
        (root / name).write_bytes(content)
    receiver = offer(scenario, session, root, sum(map(len, contents.values())), len(contents), "folder")
    (root / "c.txt").unlink()
    say(session, receiver.transfer, ACCEPTED)
    receiver.begin(scenario.dial(BULK), [CHACHA])
    numbers = {entry[1]: number for number, entry in enumerate(receiver.entries)}
    receiver.left_out = {numbers["b.bin"]: "type_not_allowed"}
    receiver.fetch()
    require(receiver.left_out == {numbers["b.bin"]: "type_not_allowed", numbers["c.txt"]: "not_found"}, "left out")
    require(receiver.files() == {"a.txt": b"abc", "d.txt": b""}, "its content")
    receiver.send(DONE)
    say(session, receiver.transfer, FINISHED)
    get = lambda: scenario.control.call("transfer.get", id=id_text(receiver.transfer))
    session.wait_for(lambda: get()["state"] == "done" and get()["skipped"] == 2, lambda: f"the end of {get()}")
    problems = {problem["path"]: problem["reason"] for problem in get()["problems"]}
    require(problems == {"b.bin": "type_not_allowed", "c.txt": "not_found"}, f"the problems are {problems}")
    require(get()["filesDone"] == 2 and get()["bytesDone"] == 3, f"what is shown: {get()}")
    receiver.channel.close()


def refusals(scenario, session):
    """Unknown transfers, and breaches of the protocol by sender and receiver."""
    scenario.step("an unknown transfer is rejected")
    try:
        Receiver(new_id()).begin(scenario.dial(BULK), [CHACHA])
        raise AssertionError("an unknown transfer was accepted")
    except Broken as error:
        require("not_found" in str(error), f"the answer: {error}")
    path = scenario.options.directory / "plan.txt"
    path.write_bytes(b"plan")
    scenario.step("declined: the daemon knows")
    receiver = offer(scenario, session, path, 4, 1, "file")
    say(session, receiver.transfer, DECLINED)
    state = lambda: scenario.control.call("transfer.get", id=id_text(receiver.transfer))["state"]
    session.wait_for(lambda: state() == "declined", "declined")
    scenario.step("cancelled by the daemon: a file status comes")
    receiver = offer(scenario, session, path, 4, 1, "file")
    scenario.control.call("transfer.cancel", id=id_text(receiver.transfer))
    identifier, body = session.expect(FILE_STATUS)
    require(body == {1: receiver.transfer, 2: CANCELLED}, f"the status is {body}")
    session.send_receipt(STORED, identifier)
    scenario.step("chunks beyond the end, and ranges that overlap: the connection ends, the daemon stays")
    for ranges in [[0, 2], [0, 1, 0, 1]]:
        receiver = offer(scenario, session, path, 4, 1, "file")
        say(session, receiver.transfer, ACCEPTED)
        receiver.begin(scenario.dial(BULK), [CHACHA])
        receiver.send(4, _1=ranges, _2=True)
        receiver.send(5, _1=1 << 20)
        try:
            kind = receiver.read_record()[0]
            require(kind == 6, f"a record of kind {kind}")
        except (Ended, ConnectionError):
            pass
        receiver.channel.close()
    session.ping()


def held_back(scenario, session):
    """An offer that names its type; we hold it back, and take it after all."""
    control = scenario.control
    control.call("settings.set", key="files.allowedTypes", value=["txt"])
    path = scenario.options.directory / "notes.ods"
    path.write_bytes(b"")
    try:
        control.call("transfer.send", to=scenario.identity.account_text, paths=[str(path)])
        raise AssertionError("it was sent without the word")
    except Refused as refused:
        require(refused.kind == "type_not_allowed", f"{refused}")
    sent = control.call("transfer.send", to=scenario.identity.account_text, paths=[str(path)], anyType=True)
    transfer = sent["transfers"][0]["id"]
    identifier, body = session.expect(MESSAGE)
    session.send_receipt(STORED, identifier)
    attachment = body[7][0]
    require(attachment[11] == ["ods"], f"the attachment is {attachment}")
    status = new_id()
    session.send(FILE_STATUS, status, {1: attachment[1], 2: HELD, 3: "type_not_allowed", 4: "type ods"})
    session.expect_receipt(status)
    shown = control.call("transfer.get", id=transfer)
    require(shown["state"] == "offered" and shown["heldBack"] == "type" and shown["unlisted"] == ["ods"], f"{shown}")
    say(session, attachment[1], ACCEPTED)
    shown = control.call("transfer.get", id=transfer)
    require(shown["state"] != "offered" and "heldBack" not in shown, f"{shown}")
    receiver = Receiver(attachment[1])
    receiver.begin(scenario.dial(BULK), [CHACHA])
    receiver.fetch()
    finish(scenario, session, receiver)
    control.call("settings.set", key="files.allowedTypes", value=["*"])


def takes_files(scenario):
    """The scenario."""
    scenario.step("a stranger's connection for files is closed")
    try:
        Receiver(new_id()).begin(scenario.dial(BULK), [CHACHA])
        raise AssertionError("a stranger was answered")
    except (Ended, ConnectionError):
        pass
    scenario.step("friends")
    session = scenario.session()
    scenario.ask(session)
    scenario.step("a file of 12 MiB, ChaCha20-Poly1305")
    one_file(scenario, session, "report.pdf", CHACHA, os.urandom((12 << 20) + 345))
    scenario.step("a file of 3 MiB, AES-256-GCM; done on the connection only")
    one_file(scenario, session, "picture.png", AES, os.urandom(3 << 20), in_session=False)
    scenario.step("an empty file; done in the session only")
    one_file(scenario, session, "empty", CHACHA, b"", on_connection=False)
    scenario.step("a folder, broken off in the middle")
    folder(scenario, session)
    scenario.step("a folder of which one file is gone and one refused")
    left_out(scenario, session)
    refusals(scenario, session)
    scenario.step("a file of a type that isn't allowed, which the offer says")
    held_back(scenario, session)
    session.close()


if __name__ == "__main__":
    Scenario("Iris").run(takes_files)
