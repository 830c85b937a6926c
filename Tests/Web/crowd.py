"""Many friends, and a history of many days: written into the database of a daemon that rests."""

import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import time

FIRST = "Ada Ben Cleo Dora Emil Fred Gita Hugo Ines Jana Karl Lena Milo Nora Olaf Pia Quin Rosa Sven Tara Uwe Vera Wim Xenia Yuri Zoe".split()
LAST = "Abel Berg Conti Duarte Ebner Fischer Garcia Hansen Ito Jung Kaya Lopez Marin Novak Okafor Petrov Quist Rossi Silva Tanaka".split()


def name(number):
    """Names are all different, and sort as their numbers do not."""
    return f"{FIRST[number * 7 % len(FIRST)]} {LAST[number * 3 % len(LAST)]} {number}"


@contextlib.contextmanager
def database(person):
    """The database of a daemon that rests meanwhile."""
    person.daemon.terminate()
    person.daemon.wait()
    base = sqlite3.connect(person.home / "data" / "kibo.sqlite")
    with base:
        yield base
    base.close()
    person.start()


def befriend_many(person, count, signed=False):
    """Gives a person `count` friends beside the one who is there; they may be put into groups if they have signed cards."""
    with database(person) as base:
        write_friends(base, count, cards([name(number) for number in range(count)]) if signed else None)


# Accounts whose cards are signed, so that they may be put into groups. The Python of the tests between programs has what that needs.
CARDS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from kibo_identity import Identity
people = [Identity(name) for name in json.load(sys.stdin)]
json.dump([[one.account.hex(), one.device.hex(), one.card().hex()] for one in people], sys.stdout)
"""


def cards(names):
    """An account, a device and a signed card for each name."""
    interop = pathlib.Path(__file__).parents[1] / "Interop"
    made = subprocess.run([os.environ["KIBO_PYTHON"], "-c", CARDS, interop], input=json.dumps(names), capture_output=True, text=True, check=True)
    return [[bytes.fromhex(part) for part in one] for one in json.loads(made.stdout)]


def write_friends(base, count, made=None):
    columns = [row[1] for row in base.execute("PRAGMA table_info(contact)")]
    values = {
        "alias": "", "status_text": "", "relation": base.execute("SELECT relation FROM contact").fetchone()[0], "trust": 0, "note": "", "last_seen": int(time.time() * 1000), "card_version": 0,
        "created_at": int(time.time() * 1000),
    }
    for number in range(count):
        account, device, card = made[number] if made else (os.urandom(32), os.urandom(32), None)
        keys = [base.execute("INSERT INTO key (bytes) VALUES (?)", (key,)).lastrowid for key in (account, device)]
        row = {**values, "account": keys[0], "device": keys[1], "display_name": name(number), "card": card}
        row = {column: value for column, value in row.items() if column in columns}
        base.execute(f"INSERT INTO contact ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))
        base.execute("INSERT INTO device (device, account, last_seen) VALUES (?, ?, ?)", (keys[1], keys[0], values["last_seen"]))


DAY = 86_400_000


def spread_over_days(person, each):
    """Puts so many messages of the history on each day, the last ones on today."""
    with database(person) as base:
        numbers = [row[0] for row in base.execute("SELECT number FROM message ORDER BY number DESC")]
        for index, number in enumerate(numbers):
            back = index // each * DAY
            base.execute(
                "UPDATE message SET sent_at = sent_at - ?, received_at = received_at - ?, hlc = hlc - ? WHERE number = ?", (back, back, back << 16, number))
