"""A message bus with one service, NetworkManager, which tells how metered the link is.

    fake_network_manager.py SOCKET VALUE

It is bus and service in one: it speaks as much of the D-Bus specification (0.41) as a client needs that asks for one property.
Prints "ready" when it listens. It is for tests of kibod only.
"""

import os
import socket
import struct
import sys


def pad(data, alignment):
    return data + b"\0" * (-len(data) % alignment)


def text(value):
    raw = value.encode()
    return struct.pack("<I", len(raw)) + raw + b"\0"


def signature(value):
    return bytes([len(value)]) + value.encode() + b"\0"


def fields(data, end):
    """The header fields that are strings or unsigned numbers, by code."""
    found, position = {}, 16
    while position < end:
        position += -position % 8
        code, length = data[position], data[position + 1]
        kind = data[position + 2 : position + 2 + length].decode()
        position += 3 + length
        if kind == "g":
            size = data[position]
            found[code] = data[position + 1 : position + 1 + size].decode()
            position += size + 2
            continue
        position += -position % 4
        (number,) = struct.unpack_from("<I", data, position)
        position += 4
        if kind == "u":
            found[code] = number
        else:
            found[code] = data[position : position + number].decode()
            position += number + 1
    return found


def reply(serial, to, kind, body):
    """A method's return. Field 5 is the answered serial, 8 the body's signature, 6 and 7 are destination and sender."""
    head = b""
    for code, field, value in [
        (5, "u", struct.pack("<I", to)),
        (6, "s", text(":1.1")),
        (7, "s", text("org.freedesktop.DBus")),
        (8, "g", signature(kind)),
    ]:
        head = pad(head, 8) + bytes([code]) + signature(field)
        head = (pad(head, 4) if field != "g" else head) + value
    start = struct.pack("<cBBBII", b"l", 2, 1, 1, len(body), serial) + struct.pack("<I", len(head)) + head
    return pad(start, 8) + body


def read_exactly(stream, count):
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data


def serve(connection, value):
    stream = connection.makefile("rb")
    assert stream.read(1) == b"\0"
    while True:
        line = stream.readline().strip()
        if line.startswith(b"AUTH"):
            connection.sendall(b"OK " + b"0123456789abcdef" * 2 + b"\r\n" if b" " in line else b"REJECTED EXTERNAL\r\n")
        elif line == b"DATA":
            connection.sendall(b"OK " + b"0123456789abcdef" * 2 + b"\r\n")
        elif line.startswith(b"NEGOTIATE"):
            connection.sendall(b"AGREE_UNIX_FD\r\n")
        elif line == b"BEGIN":
            break
        else:
            return
    serial = 0
    while True:
        start = read_exactly(stream, 16)
        body_length, number, head_length = struct.unpack_from("<III", start, 4)
        rest = read_exactly(stream, head_length + -head_length % 8 + body_length)
        member = fields(start + rest, 16 + head_length).get(3)
        serial += 1
        if member == "Hello":
            connection.sendall(reply(serial, number, "s", text(":1.1")))
        elif member == "Get":
            connection.sendall(reply(serial, number, "v", pad(signature("u"), 4) + struct.pack("<I", value)))


def main():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen()
    print("ready", flush=True)
    while True:
        connection, _ = listener.accept()
        try:
            serve(connection, int(sys.argv[2]))
        except (EOFError, ConnectionError):
            pass
        connection.close()


if __name__ == "__main__":
    main()
