"""Many friends for one person: written into the database of a daemon that rests."""

import os
import sqlite3
import time

FIRST = "Ada Ben Cleo Dora Emil Fred Gita Hugo Ines Jana Karl Lena Milo Nora Olaf Pia Quin Rosa Sven Tara Uwe Vera Wim Xenia Yuri Zoe".split()
LAST = "Abel Berg Conti Duarte Ebner Fischer Garcia Hansen Ito Jung Kaya Lopez Marin Novak Okafor Petrov Quist Rossi Silva Tanaka".split()


def name(number):
    """Names are all different, and sort as their numbers do not."""
    return f"{FIRST[number * 7 % len(FIRST)]} {LAST[number * 3 % len(LAST)]} {number}"


def befriend_many(person, count):
    """Ends the daemon, writes `count` friends beside the one who is there into its database, and starts it again."""
    person.daemon.terminate()
    person.daemon.wait()
    base = sqlite3.connect(person.home / "data" / "kibo.sqlite")
    columns = [row[1] for row in base.execute("PRAGMA table_info(contact)")]
    values = {
        "alias": "", "status_text": "", "relation": base.execute("SELECT relation FROM contact").fetchone()[0], "trust": 0, "note": "", "last_seen": int(time.time() * 1000), "card_version": 0,
        "created_at": int(time.time() * 1000),
    }
    with base:
        for number in range(count):
            keys = [base.execute("INSERT INTO key (bytes) VALUES (?)", (os.urandom(32),)).lastrowid for _ in range(2)]
            row = {**values, "account": keys[0], "device": keys[1], "display_name": name(number)}
            row = {column: value for column, value in row.items() if column in columns}
            base.execute(f"INSERT INTO contact ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))
            base.execute("INSERT INTO device (device, account, last_seen) VALUES (?, ?, ?)", (keys[1], keys[0], values["last_seen"]))
    base.close()
    person.start()
