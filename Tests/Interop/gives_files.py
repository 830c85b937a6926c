#!/usr/bin/env python3
"""The peer sends files to the daemon, which fetches them: a file, a folder, resumption, manifests that are refused."""

import os
import stat

from control import Scenario
from kibo import Refused
from kibo_files import CALL, CHUNK, DONE, FAILED, REJECT, Sender
from kibo_identity import Broken, id_text, new_id, require
from kibo_peer import BULK, FILE_STATUS, MESSAGE, REFUSED, STORED, Ended

ACCEPTED, DECLINED, FINISHED, STATUS_FAILED, PAUSED, RESUMED, HELD = 1, 2, 4, 5, 6, 7, 8  # File statuses.
MODIFIED = 1_700_000_000_123_456_789


def file_entry(name, content, mode=0o644, folder=0):
    """An entry of the manifest."""
    return [folder, name, 0, len(content), mode, MODIFIED]


def folder_entry(name, folder=0):
    """An entry of the manifest."""
    return [folder, name, 1, 0, 0o755, MODIFIED]


def offer(scenario, session, name, entries, contents):
    """Makes an offer, has the daemon's user accept it, and returns the sender and the expected path."""
    transfer, message = new_id(), new_id()
    is_folder = entries[0][2] == 1
    attachment = {
        1: transfer, 2: name, 3: sum(entry[3] for entry in entries), 4: 5 if is_folder else 0,
        5: "" if is_folder else "application/octet-stream", 6: sum(entry[2] == 0 for entry in entries),
    }
    session.send(MESSAGE, message, session.message("", kind=1, attachments=[attachment]))
    session.expect_receipt(message)
    shown = scenario.control.call("transfer.get", id=id_text(transfer))
    require(shown["state"] == "offered" and shown["direction"] == "in", f"the offer is {shown}")
    require(shown["name"] == name and shown["size"] == attachment[3] and shown["files"] == attachment[6], f"{shown}")
    inbox = scenario.options.directory / f"inbox {id_text(transfer)}"
    inbox.mkdir()
    scenario.control.call("transfer.accept", id=id_text(transfer), path=str(inbox))
    expect_status(session, transfer, ACCEPTED)
    return Sender(transfer, entries, contents), inbox / name


def expect_status(session, transfer, status):
    """Expects a status: the decision of the daemon's user, or how the transfer ended."""
    identifier, body = session.expect(FILE_STATUS, where=lambda _, body: body[1] == transfer)
    session.send_receipt(STORED, identifier)
    require(body[2] == status, f"the status is {body}")
    return body.get(3)


def expect_done(scenario, session, sender, path):
    """Expects the end of a transfer in the session, on the connection and in the control API."""
    expect_status(session, sender.transfer, FINISHED)
    shown = scenario.control.call("transfer.get", id=id_text(sender.transfer))
    require(shown["state"] == "done" and shown["path"] == str(path), f"at the end: {shown}")
    require([entry.name for entry in path.parent.iterdir()] == [path.name], "something else lies beside it")
    sender.channel.close()


def bulk(scenario):
    """Accepts the connection for files that the daemon opens."""
    channel = scenario.accept()
    require(channel.purpose == BULK, f"a connection of purpose {channel.purpose}")
    return channel


def one_file(scenario, session):
    """A file that the daemon fetches, larger than the window, so that credit has to come."""
    content = os.urandom(11 * CHUNK + 17)
    sender, path = offer(scenario, session, "Grüße.bin", [[0, "", 0, len(content), 0o640, MODIFIED]], [content])
    require(sender.serve(bulk(scenario)), "cut off")
    expect_done(scenario, session, sender, path)
    require(path.read_bytes() == content, "its content")
    mask = os.umask(0o022)
    os.umask(mask)
    require(stat.S_IMODE(path.stat().st_mode) == (0o644 & ~mask) | 0o600 and path.stat().st_mtime_ns == MODIFIED, "mode or time")


def folder(scenario, session):
    """A folder that is interrupted in the middle; the daemon reconnects and requests only the rest."""
    large, small = os.urandom(6 * CHUNK + 1), b"abc"
    entries = [
        folder_entry(""), file_entry("small.txt", small), folder_entry("sub"), file_entry("large.bin", large, 0o600, 2),
        folder_entry("empty", 2), file_entry("nothing", b"", folder=2), file_entry("run.sh", small, 0o4755, 2),
    ]
    entries[-1][4] = 0o755
    sender, path = offer(scenario, session, "album", entries, [None, small, None, large, None, b"", small])
    require(not sender.serve(bulk(scenario), stop_after=5), "not cut off")
    scenario.step("… the daemon comes again")
    require(sender.serve(bulk(scenario)), "cut off")
    expect_done(scenario, session, sender, path)
    for name, content in [("small.txt", small), ("sub/large.bin", large), ("sub/nothing", b""), ("sub/run.sh", small)]:
        require((path / name).read_bytes() == content, f"content of {name}")
    require((path / "sub/empty").is_dir() and stat.S_IMODE((path / "sub/run.sh").stat().st_mode) == 0o755, "the rest")


def left_out(scenario, session):
    """A folder in which two files can't be sent, one only after its half; it is interrupted after that and resumed."""
    large, small = os.urandom(4 * CHUNK), b"abc"
    entries = [
        folder_entry(""), file_entry("half.bin", large), file_entry("kept.txt", small), file_entry("none.txt", small),
        file_entry("last.bin", large),
    ]
    sender, path = offer(scenario, session, "torn", entries, [None, large, small, small, large])
    sender.skips = {1: ["source_changed", 2], 3: ["not_found", 0]}
    require(not sender.serve(bulk(scenario), stop_after=8), "not cut off")
    scenario.step("… the daemon comes again, and tells which files it has left out")
    require(sender.serve(bulk(scenario)), "cut off")
    # The daemon may have read these before the break; a reset connection loses some of them.
    require(set(sender.refused) <= {1, 3}, f"refused: {sender.refused}")
    expect_done(scenario, session, sender, path)
    require(sorted(entry.name for entry in path.iterdir()) == ["kept.txt", "last.bin"], "what is there")
    require((path / "last.bin").read_bytes() == large, "content of last.bin")
    shown = scenario.control.call("transfer.get", id=id_text(sender.transfer))
    require(shown["skipped"] == 2 and shown["filesDone"] == 2, f"what is shown: {shown}")
    require([problem["path"] for problem in shown["problems"]] == ["half.bin", "none.txt"], f"{shown['problems']}")


def call(scenario, session):
    """A sender that dials: it gets a reason for what it has not offered, and a receiver for what was accepted."""
    sender = Sender(new_id(), [], [])
    sender.channel = scenario.dial(BULK)
    sender.send(CALL, _1=1, _2=sender.transfer)
    answer = sender.receive(REJECT)
    require(answer[1] == "not_found", f"the answer to a call is {answer}")
    sender.channel.close()
    content = os.urandom(3 * CHUNK + 5)
    sender, path = offer(scenario, session, "called.bin", [[0, "", 0, len(content), 0o600, MODIFIED]], [content])
    # The daemon's own connection is not used. It may take a moment until the daemon has seen the end of it.
    bulk(scenario).close()
    scenario.until(lambda: sender.serve(scenario.dial(BULK), calls=True), "an answer to the call")
    expect_done(scenario, session, sender, path)
    require(path.read_bytes() == content, "its content")
    scenario.step("a call for what is there already: done")
    sender.channel = scenario.dial(BULK)
    sender.send(CALL, _1=1, _2=sender.transfer)
    sender.receive(DONE)
    sender.channel.close()


def pause(scenario, session):
    """The sender pauses a transfer and resumes it; an unknown status does no harm."""
    content = os.urandom(2 * CHUNK)
    sender, path = offer(scenario, session, "held.bin", [[0, "", 0, len(content), 0o600, MODIFIED]], [content])
    shown = lambda: scenario.control.call("transfer.get", id=id_text(sender.transfer))
    session.durable(FILE_STATUS, {1: sender.transfer, 2: PAUSED})
    require(shown()["state"] == "paused" and shown()["pausedBy"] == "peer", f"{shown()}")
    strange = new_id()
    session.send(FILE_STATUS, strange, {1: sender.transfer, 2: 99})
    require(session.expect_receipt(strange, REFUSED) == "unsupported", "the reason for an unknown status")
    caller = Sender(sender.transfer, [], [])
    caller.channel = scenario.dial(BULK)
    caller.send(CALL, _1=1, _2=sender.transfer)
    require(caller.receive(REJECT)[1] == "busy", "a call for what is paused")
    caller.channel.close()
    session.durable(FILE_STATUS, {1: sender.transfer, 2: RESUMED})
    # The daemon's own connection of before the pause may still be ending: until then a call is refused as busy.
    scenario.until(lambda: sender.serve(scenario.dial(BULK), calls=True), "an answer to the call")
    expect_done(scenario, session, sender, path)
    require(path.read_bytes() == content, "its content")


def held_back(scenario, session):
    """An offer that names a type which the daemon's user has not allowed: held back, taken only with `anyway`."""
    control = scenario.control
    control.call("settings.set", key="files.allowedTypes", value=["txt"])
    small = b"abc"
    entries = [folder_entry(""), file_entry("read.txt", small), file_entry("run.sh", small), file_entry("x.exe", small)]
    entries[2][4] = 0o755
    transfer, message = new_id(), new_id()
    preview = bytes.fromhex("ffd8ff") + b"not a picture"
    attachment = {1: transfer, 2: "kit", 3: 9, 4: 5, 5: "", 6: 3, 7: preview, 11: ["sh"]}
    session.send(MESSAGE, message, session.message("", kind=1, attachments=[attachment]))
    session.expect_receipt(message)
    require(expect_status(session, transfer, HELD) == "type_not_allowed", "the reason for holding it back")
    shown = control.call("transfer.get", id=id_text(transfer))
    require(shown["state"] == "offered" and shown["heldBack"] == "type" and shown["unlisted"] == ["sh"], f"{shown}")
    got = control.call("message.get", id=id_text(message))["attachments"][0]
    require(got["preview"] is None and got["heldBack"] == "type", f"the attachment is {got}")
    inbox = scenario.options.directory / f"inbox {id_text(transfer)}"
    inbox.mkdir()
    try:
        control.call("transfer.accept", id=id_text(transfer), path=str(inbox))
        raise AssertionError("it was taken without the word")
    except Refused as refused:
        require(refused.kind == "type_not_allowed", f"{refused}")
    control.call("transfer.accept", id=id_text(transfer), path=str(inbox), anyway=True)
    expect_status(session, transfer, ACCEPTED)
    sender = Sender(transfer, entries, [None, small, small, small])
    require(sender.serve(bulk(scenario)), "cut off")
    expect_done(scenario, session, sender, inbox / "kit")
    require(set(sender.refused) == {3}, f"what the offer did not name: {sender.refused}")
    mode = stat.S_IMODE((inbox / "kit/run.sh").stat().st_mode)
    require(mode & 0o111 == 0, f"it can be executed: {mode:o}")

    scenario.step("… a type that the offer doesn't name is declined, as before")
    for types in (None, ["zip"]):
        transfer, message = new_id(), new_id()
        attachment = {1: transfer, 2: "x.exe", 3: 3, 4: 0, 5: "", 6: 1}
        if types:
            attachment[11] = types
        session.send(MESSAGE, message, session.message("", kind=1, attachments=[attachment]))
        session.expect_receipt(message)
        require(expect_status(session, transfer, DECLINED) == "type_not_allowed", "the reason")
    control.call("settings.set", key="files.allowedTypes", value=["*"])


def bad_manifests(scenario, session):
    """Manifests that a receiver must refuse before it makes any file."""
    for words, entries in [
        ("a name with ..", [folder_entry(""), file_entry("..", b"evil")]),
        ("a name with /", [folder_entry(""), file_entry("../evil", b"evil")]),
        ("a folder that comes later", [folder_entry(""), file_entry("evil", b"evil", folder=2), folder_entry("x")]),
        ("two names that differ in case", [folder_entry(""), file_entry("É", b"ev"), file_entry("é", b"il")]),
        ("another size than the offer's", [folder_entry(""), file_entry("evil", b"evil+")]),
    ]:
        scenario.step(f"a manifest with {words}: refused, nothing is made")
        offered = [folder_entry("")] + [
            file_entry(f"{place}", b"evil"[:size]) for place, size in enumerate([4] if "case" not in words else [2, 2])
        ]
        contents = [None if entry[2] else b"evil+"[:entry[3]] for entry in entries]
        sender, path = offer(scenario, session, "evil", offered, contents)
        sender.entries = entries
        try:
            sender.serve(bulk(scenario))
            raise AssertionError("it was taken")
        except (Ended, ConnectionError):
            pass
        except Broken as error:  # The daemon says `failed` where a want is due.
            require(f"{{0: {FAILED}," in str(error), f"{error!r}")
        sender.channel.close()
        reason = expect_status(session, sender.transfer, STATUS_FAILED)
        require(reason == "invalid", f"the reason is {reason}")
        require(list(path.parent.iterdir()) == [], "something was made")


def gives_files(scenario):
    """The scenario."""
    scenario.step("friends")
    scenario.listen()
    session = scenario.session()
    scenario.ask(session)
    scenario.step("a file of 11 MiB, which the daemon fetches")
    one_file(scenario, session)
    scenario.step("a folder, broken off in the middle")
    folder(scenario, session)
    scenario.step("a folder of which two files are skipped")
    left_out(scenario, session)
    scenario.step("an offer of a type that isn't allowed, which says so")
    held_back(scenario, session)
    scenario.step("a call, for something unknown and for what was accepted")
    call(scenario, session)
    bad_manifests(scenario, session)
    scenario.step("a transfer is paused and goes on")
    pause(scenario, session)
    session.ping()
    session.close()


if __name__ == "__main__":
    Scenario("Iris").run(gives_files)
