"""What the people of the demo, of the pictures and of the walk through all screens have said to each other."""

import math
import random
import struct
import wave
import zlib

from stage import befriend, wait_for


def voice(path, seconds):
    """A sound that rises and falls as speech does."""
    rate = 16_000
    generator = random.Random(7)
    loud = [generator.uniform(0.1, 1) * (generator.random() > 0.2) for _ in range(seconds * 5 + 2)]

    def sample(at):
        step, part = divmod(at * 5 / rate, 1)
        strength = loud[int(step)] * (1 - part) + loud[int(step) + 1] * part
        return struct.pack("<h", int(20_000 * strength * math.sin(2 * math.pi * 140 * at / rate)))

    with wave.open(str(path), "wb") as sound:
        sound.setparams((1, 2, rate, 0, "NONE", ""))
        sound.writeframes(b"".join(map(sample, range(seconds * rate))))
    return path


def png(path, width=640, height=300, seed=4):
    """Draws hills under an evening sky: a picture to send. Another seed gives other hills."""
    rows = bytearray()
    ridges = [[0.0] * width for _ in range(3)]
    generator = random.Random(seed)
    for depth, ridge in enumerate(ridges):
        waves = [(generator.uniform(0.004, 0.02), generator.uniform(0, 6), generator.uniform(8, 30)) for _ in range(5)]
        for x in range(width):
            ridge[x] = height * (0.5 + 0.13 * depth) + sum(math.sin(x * step + phase) * size for step, phase, size in waves) / 2.2
    colours = [(96, 122, 150), (58, 88, 112), (24, 46, 62)]
    for y in range(height):
        rows.append(0)
        share = y / height
        sky = (int(250 - 40 * share), int(170 + 40 * share), int(120 + 90 * share))
        for x in range(width):
            colour = sky
            for ridge, shade in zip(ridges, colours):
                if y > ridge[x]:
                    colour = shade
            rows.extend(colour)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b""))


def talk(stage):
    """Anna and Ben, with two more friends of Anna's; the result is Anna, Ben, their conversation in each daemon, and everybody's line."""
    people = {name: stage.person(name) for name in ("Anna Berg", "Ben Ito", "Cléo Martin", "Dora Novák")}
    lines = {name: person.line() for name, person in people.items()}
    for name, line in lines.items():
        line("account.create", displayName=name, **({"passphrase": "lake in the hills"} if name == "Ben Ito" else {}))
    anna, ben, cleo, dora = lines.values()
    ben("account.update", statusText="In the lab until six")
    cleo("account.update", email="cleo@example.org")
    with_ben = befriend(anna, ben)
    own = anna("account.get")["id"]
    for line in (cleo, dora):
        befriend(line, anna)
    chat = anna("conversation.open", contact=with_ben)["id"]
    theirs = ben("conversation.open", contact=own)["id"]
    picture = people["Ben Ito"].home / "Saturday.png"
    png(picture)
    said = {}

    def has(line, text):
        chats = [one["id"] for one in line("conversation.list")["conversations"]]
        return any(message["text"] == text for chat in chats for message in line("message.list", conversation=chat)["messages"])

    def say(line, conversation, text, people=2, **more):
        """Says something, and waits until so many people have it."""
        said[text] = line("message.send", conversation=conversation, text=text, **more)["id"]
        wait_for(f"all to have {text!r}", lambda: sum(has(one, text) for one in lines.values()) == people)

    say(cleo, cleo("conversation.open", contact=own)["id"], "Can you send me the slides?")
    say(dora, dora("conversation.open", contact=own)["id"], "Thank you! 🎉")
    say(ben, theirs, "Good morning! Did the backup of the lab go through?")
    say(anna, chat, "It did, at 03:10: 214 GB and no errors.")
    say(ben, theirs, "Great, then I take the old disks out today.")
    say(ben, theirs, "And this was Saturday, above the lake", files=[str(picture)])
    say(anna, chat, "Beautiful! Next time I come along")
    ids = {message["text"]: message["id"] for message in ben("message.list", conversation=theirs)["messages"]}
    ben("message.react", id=ids["It did, at 03:10: 214 GB and no errors."], emoji="👍")
    say(ben, theirs, "The weather should hold until Sunday", replyTo=ids["Beautiful! Next time I come along"])
    group = anna("group.create", name="Hikers", members=[with_ben, cleo("account.get")["id"]], description="Every second Sunday")
    say(anna, group["conversation"], "The lake on Sunday? 9:00 at the station", people=3)
    wait_for("the picture", lambda: all(one["state"] == "done" for one in anna("transfer.list")["transfers"]))
    return people["Anna Berg"], people["Ben Ito"], chat, theirs, lines


def fill(stage, anna, ben, theirs, lines):
    """What the other screens show: a request, a pest, a folder that waits, a friend who is away, an address book. The result has their ids."""
    line = lines["Anna Berg"]
    ids = {name: other("account.get")["id"] for name, other in lines.items()}
    frida, gus = stage.person("Frida Sand"), stage.person("Gus Stone")
    for person, note in ((frida, "We met at the library. Frida"), (gus, "BUY NOW !!!")):
        other = person.line()
        other("account.create", displayName=person.name)
        wait_for("Anna nearby", lambda other=other: any(peer["account"] == ids["Anna Berg"] for peer in other("peer.list")["peers"]))
        other("contact.request", id=ids["Anna Berg"], note=note)
    pest = gus.line()("account.get")["id"]
    wait_for("both requests", lambda: len(line("contact.list", relation="incoming")["contacts"]) == 2)
    line("contact.block", id=pest)
    slides = ben.home / "Slides"
    slides.mkdir()
    for number in range(1, 5):
        (slides / f"Part {number}.txt").write_text("The lake, the hills, the way home.\n" * 900 * number)
    lines["Ben Ito"]("message.send", conversation=theirs, text="The slides are here", files=[str(slides)])
    dora = next(person for person in stage.people if person.name == "Dora Novák")
    dora.kill()
    wait_for("Dora away", lambda: line("contact.get", id=ids["Dora Novák"])["presence"] == "offline")
    cards = anna.home / "people.vcf"
    entries = (("Cléo Martin", "cleo@example.org"), ("Gerd Olsen", "gerd@example.org"), ("Hana Mori", "hana@example.org"))
    cards.write_text("".join(f"BEGIN:VCARD\r\nVERSION:4.0\r\nFN:{name}\r\nEMAIL:{mail}\r\nEND:VCARD\r\n" for name, mail in entries))
    line("addressBook.import", path=str(cards))
    late = line("conversation.open", contact=ids["Dora Novák"])["id"]
    line("message.send", conversation=late, text="See you on Tuesday?")
    notes = line("message.send", to=ids["Anna Berg"], text="Return the map to Dora")["conversation"]
    group = next(one["id"] for one in line("conversation.list")["conversations"] if one["kind"] == "group")
    chat = line("conversation.open", contact=ids["Ben Ito"])["id"]
    hikers = line("group.list")["groups"][0]["id"]
    return {"ben": ids["Ben Ito"], "chat": chat, "late": late, "notes": notes, "group": group, "hikers": hikers}
