"""Three hosts of which only two are on at a time: what one writes, and a picture of 10 MiB, come to another by a courier, and the answer
comes back.

Run by ScriptTests, and by hand: sudo python3 Tests/Network/couriers.py. KIBO_BIN_DIR names programs that are already built; KIBO_LAN_DIR
and KIBO_LAN_NAME are those of scripts/lan. It makes the network by scripts/lan, and takes it away at the end. Each step prints a line,
and the first that fails ends it.
"""

import json
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

LAN = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lan"
# How long a step may take, in seconds: one who is cut off is missed after some ten seconds, and a parcel is made ten seconds later.
PATIENCE = 60
ANNA, BEN, CARL = PEOPLE = range(1, 4)
NAMES = {number: f"Host {number}" for number in PEOPLE}
PICTURE = "the-lake-at-noon.png"


def lan(*words, check=True):
    """What scripts/lan prints, by itself or by a program on a host."""
    done = subprocess.run([LAN, *map(str, words)], capture_output=True, text=True)
    if check and done.returncode != 0:
        sys.exit(f"scripts/lan {' '.join(map(str, words))}: {done.stderr or done.stdout}")
    return done.stdout


def kibo(host, *words):
    """The answer of kibo as a host."""
    return json.loads(lan("kibo", host, "--json", *words))


def wait(what, condition):
    """Waits until a condition gives something, prints how long that took, and returns it."""
    begun = time.monotonic()
    while not (found := condition()):
        if time.monotonic() - begun > PATIENCE:
            for host in PEOPLE:
                print(f"--- host {host}\n" + "\n".join(lan("log", host, check=False).splitlines()[-15:]))
            sys.exit(f"waited in vain for {what}")
        time.sleep(0.1)
    print(f"{time.monotonic() - begun:6.1f} s  {what}", flush=True)
    return found


def arrived(host, friend):
    """Whether the friend's own word says that the last message has come; who looks at messages by kibo has read them."""
    return last(host, friend)["state"] in ("delivered", "read")


def befriend(one, other):
    wait(f"{NAMES[one]} to see {NAMES[other]}", lambda: NAMES[other] in lan("kibo", one, "peers"))
    kibo(one, "add", NAMES[other])
    wait("the request", lambda: NAMES[one] in lan("kibo", other, "requests"))
    kibo(other, "accept", NAMES[one])
    wait(f"{NAMES[other]} as a friend", lambda: any(
        friend["displayName"] == NAMES[other] and friend["relation"] == "friend" for friend in kibo(one, "contacts")["contacts"]))


def messages(host, friend):
    """The messages with a friend, the oldest first."""
    return kibo(host, "read", NAMES[friend])["messages"]


def last(host, friend):
    return messages(host, friend)[-1]


def off(host, way):
    """A host goes off: its computer stops at once, or its cable is out while its daemon goes on."""
    lan(way, host)


def on(host, way):
    lan({"kill": "start", "pull": "plug"}[way], host)


def round(way, text):
    """Anna writes beside Carl, Carl hands over to Ben, and Ben and Anna meet without Carl."""
    off(BEN, way)
    lan("kibo", ANNA, "send", NAMES[BEN], text)
    held = wait("Carl to hold it", lambda: last(ANNA, BEN)["recipients"][0].get("heldBy"))
    if held["name"] != NAMES[CARL]:
        sys.exit(f"it is held by {held}")
    if "held by" not in lan("kibo", ANNA, "read", NAMES[BEN]).lower():
        sys.exit(f"kibo read doesn't say who holds it: {lan('kibo', ANNA, 'read', NAMES[BEN])}")
    off(ANNA, way)
    on(BEN, way)
    wait("Ben to have it from Carl", lambda: last(BEN, ANNA)["text"] == text)
    off(CARL, way)
    on(ANNA, way)
    wait("Anna to know it from Ben", lambda: arrived(ANNA, BEN))
    on(CARL, way)
    wait("Carl to keep nothing any more", lambda: not kibo(CARL, "courier", "parcels")["parcels"])
    if [one["text"] for one in messages(BEN, ANNA)].count(text) != 1:
        sys.exit("Ben has it more than once")


def picture(size):
    """A picture of so many bytes that can't be made smaller."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows, row = 1000, size // 1000 // 3
    noise = random.Random(37).randbytes(rows * row * 3)
    lines = b"".join(b"\0" + noise[start:start + row * 3] for start in range(0, len(noise), row * 3))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", row, rows, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(lines, 0)) + chunk(b"IEND", b""))


def file(folder):
    """Anna sends a picture beside Carl, Ben has it from Carl, and Anna and Ben don't meet."""
    bytes = picture(10 << 20)
    path, data = folder / PICTURE, pathlib.Path(kibo(CARL, "status")["data"])
    path.write_bytes(bytes)
    kibo(BEN, "settings", "files.autoDownload", "friends")
    off(BEN, "kill")
    lan("kibo", ANNA, "send", NAMES[BEN], path)
    sealed = wait("Carl to have the whole file", lambda: [
        one for one in (data / "parcels").glob("[!.]*") if one.stat().st_size == len(bytes)])
    if any(PICTURE.encode() in one.read_bytes() or bytes[5_000_000:5_000_032] in one.read_bytes()
           for one in data.rglob("*") if one.is_file()):
        sys.exit("Carl's data show the file's name or what is in it")
    wait("Anna to know that he has it", lambda: f"{PICTURE}: also kept by {NAMES[CARL]}" in lan("kibo", ANNA, "why", last(ANNA, BEN)["id"]))
    off(ANNA, "kill")
    on(BEN, "kill")

    def taken():
        return next((one for one in kibo(BEN, "transfers")["transfers"] if one["name"] == PICTURE and one["state"] == "done"), None)
    here = pathlib.Path(wait("Ben to have the picture", taken)["path"])
    if here.name != PICTURE or here.read_bytes() != bytes:
        sys.exit(f"{here} is not what Anna sent")
    wait("Carl to have deleted it", lambda: not sealed[0].exists())
    # One says that the message is there, and one, some two seconds later, that the file is.
    wait("Carl to have both answers", lambda: sum(one["toName"] == NAMES[ANNA] for one in kibo(CARL, "courier", "parcels")["parcels"]) == 2)
    off(BEN, "kill")
    on(ANNA, "kill")
    wait("Anna to know that Ben has it", lambda: any(
        one["name"] == PICTURE and one["state"] == "done" for one in kibo(ANNA, "transfers")["transfers"]))
    on(BEN, "kill")


def answer(text):
    """The same with the answer by Carl, too: Anna and Ben don't meet."""
    off(BEN, "kill")
    lan("kibo", ANNA, "send", NAMES[BEN], text)
    wait("Carl to hold it", lambda: last(ANNA, BEN)["recipients"][0].get("heldBy"))
    off(ANNA, "kill")
    on(BEN, "kill")
    wait("Ben to have it from Carl", lambda: last(BEN, ANNA)["text"] == text)
    wait("Carl to have the answer", lambda: any(one["toName"] == NAMES[ANNA] for one in kibo(CARL, "courier", "parcels")["parcels"]))
    off(BEN, "kill")
    on(ANNA, "kill")
    wait("Anna to know it from Carl", lambda: arrived(ANNA, BEN))
    on(BEN, "kill")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    lan("up", 3)
    try:
        for one, other in ((ANNA, BEN), (ANNA, CARL), (BEN, CARL)):
            befriend(one, other)
        kibo(BEN, "courier", "add", NAMES[CARL])
        wait("Carl to hear it", lambda: kibo(CARL, "courier")["carriedFor"])
        # What Ben says after it comes to Anna after it, too.
        lan("kibo", BEN, "send", NAMES[ANNA], "I'm off")
        wait("Anna to hear it", lambda: any(one["text"] == "I'm off" for one in messages(ANNA, BEN)))
        for way in ("kill", "pull"):
            print(f"--- each one's {'daemon is killed' if way == 'kill' else 'cable is pulled'} in turn", flush=True)
            round(way, f"what comes by Carl when all {way}")
        print("--- Anna and Ben don't meet", flush=True)
        answer("and the answer by Carl")
        print("--- a picture", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            file(pathlib.Path(folder))
    finally:
        lan("down", check=False)


if __name__ == "__main__":
    main()
