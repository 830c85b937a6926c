"""Times the import of an address book of 10,000 people by a separate daemon, on loopback, with temporary data.

    python3 Benchmarks/addressbook.py .build/release/kibod

Prints the seconds of each import, of a page of 500 and of a search, and the peak and current resident memory in KiB.
"""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

CARD = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Person {0}\r\nN:{0};Person;;;\r\nUID:{0}-5a1e9a4e-3a7e-4f6a-9a57-0d1f0c3b2a11\r\n"
    "TEL;TYPE=CELL:0170 {1}\r\nTEL;TYPE=WORK:+49 30 {2}\r\nEMAIL;TYPE=INTERNET:person{0}@example.org\r\n"
    "ORG:Example;Department\r\nNOTE:a note of some length that nobody keeps\r\nPHOTO;ENCODING=b;TYPE=JPEG:{3}\r\n"
    "{4}END:VCARD\r\n"
)
PICTURE = "QUJD" * 18

place = tempfile.mkdtemp(prefix="kibo-")
daemon = subprocess.Popen(
    [sys.argv[1], "--data", place + "/data", "--socket", place + "/s", "--interface", "lo", "--no-discovery",
     "--listen", "127.0.0.1:0", "--log-level", "warning"])
try:
    for _ in range(200):
        try:
            control = socket.socket(socket.AF_UNIX)
            control.connect(place + "/s")
            break
        except OSError:
            time.sleep(0.05)
    lines = control.makefile("rw")

    def call(method, **params):
        lines.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
        lines.flush()
        begin = time.monotonic()
        answer = json.loads(lines.readline())
        if "result" not in answer:
            sys.exit(f"{method}: {answer}")
        return time.monotonic() - begin, answer["result"]

    def resident():
        with open(f"/proc/{daemon.pid}/status") as status:
            return " ".join(" ".join(line.split()[:2]) for line in status if line.startswith(("VmRSS", "VmHWM")))

    call("account.create", displayName="Anna")
    print("before:", resident())
    book = place + "/people.vcf"
    with open(book, "w") as out:
        for i in range(10000):
            out.write(CARD.format(i, 1000000 + i, 2000000 + i, PICTURE, (" " + PICTURE + "\r\n") * 20))
    print(f"file: {os.path.getsize(book) / 2**20:.1f} MiB")
    for name in ("first import", "the same again", "the same again"):
        seconds, result = call("addressBook.import", path=book, defaultCountry="DE")
        print(f"{name}: {seconds:.2f} s, {result['added']} new, {result['unchanged']} as before")
    print(f"page of 500: {call('addressBook.list', limit=500)[0]:.3f} s")
    print(f"search: {call('addressBook.list', query='person 99', limit=50)[0]:.3f} s")
    print("after:", resident())
finally:
    daemon.terminate()
    daemon.wait()
    shutil.rmtree(place, ignore_errors=True)
