#!/usr/bin/env python3
"""An Ethernet switch in user space with bad cables. It forwards frames between network interfaces and delays, loses,
duplicates and limits them, like `tc netem`, for kernels without netem. scripts/lan and the network tests use it.

    wire.py FILE PORT...

FILE says how bad the cable is, one word and value a line, and is read again at SIGHUP:

    delay 200        milliseconds for each frame, one way
    jitter 20        milliseconds more or less, at random (frames may overtake each other)
    loss 5           percent
    duplicate 1      percent
    rate 8000        kilobits a second on the way to each port; a queue of one second, what is more is lost
    cut p1 p2        nothing goes to or comes from these ports, though they look plugged in

Needs CAP_NET_RAW, which root of a network namespace has. It ends with SIGTERM.
"""

import heapq
import random
import select
import signal
import socket
import struct
import sys
import time

SOL_PACKET = 263
PACKET_ADD_MEMBERSHIP = 1
PACKET_MR_PROMISC = 1
PACKET_VNET_HDR = 15
PACKET_IGNORE_OUTGOING = 23
ETH_P_ALL = 3
HEADER = 10  # struct virtio_net_hdr: carries what offloading leaves undone, such as checksums


class Cable:
    def __init__(self, path):
        self.path = path
        self.read()

    def read(self):
        values = {"delay": 0.0, "jitter": 0.0, "loss": 0.0, "duplicate": 0.0, "rate": 0.0}
        cut = set()
        with open(self.path) as file:
            for line in file:
                words = line.split()
                if not words or words[0].startswith("#"):
                    continue
                if words[0] == "cut":
                    cut.update(words[1:])
                elif words[0] in values and len(words) == 2:
                    values[words[0]] = float(words[1])
                else:
                    sys.exit(f"wire.py: {self.path}: can't read: {line.strip()}")
        self.delay = values["delay"] / 1000
        self.jitter = values["jitter"] / 1000
        self.loss = values["loss"] / 100
        self.duplicate = values["duplicate"] / 100
        self.rate = values["rate"] * 1000 / 8  # bytes a second
        self.cut = cut


class Port:
    def __init__(self, name):
        self.name = name
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        self.socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.socket.bind((name, ETH_P_ALL))
        request = struct.pack("IHH8s", socket.if_nametoindex(name), PACKET_MR_PROMISC, 0, b"")
        self.socket.setsockopt(SOL_PACKET, PACKET_ADD_MEMBERSHIP, request)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.setblocking(False)
        self.free_at = 0.0  # when all that was sent to it has passed, with a rate


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    cable = Cable(sys.argv[1])
    ports = [Port(name) for name in sys.argv[2:]]
    by_descriptor = {port.socket.fileno(): port for port in ports}
    learnt = {}
    queue = []  # (when, count, port, frame)
    count = 0
    state = {"ends": False, "rereads": False}
    signal.signal(signal.SIGTERM, lambda *_: state.update(ends=True))
    signal.signal(signal.SIGHUP, lambda *_: state.update(rereads=True))
    # A signal must end the waiting, even one that comes just before it.
    reading, writing = socket.socketpair()
    reading.setblocking(False)
    writing.setblocking(False)
    signal.set_wakeup_fd(writing.fileno())
    poll = select.epoll()
    for descriptor in list(by_descriptor) + [reading.fileno()]:
        poll.register(descriptor, select.EPOLLIN)
    print("wire ready", flush=True)

    def send(port, frame, now):
        nonlocal count
        if port.name in cable.cut or random.random() < cable.loss:
            return
        at = now
        if cable.rate:
            begin = max(port.free_at, now)
            if begin - now > 1:
                return
            port.free_at = at = begin + (len(frame) - HEADER) / cable.rate
        for _ in range(2 if random.random() < cable.duplicate else 1):
            when = at + cable.delay
            if cable.jitter:
                when = max(now, when + random.uniform(-cable.jitter, cable.jitter))
            if when <= now:
                put(port, frame)
            else:
                count += 1
                heapq.heappush(queue, (when, count, port, frame))

    def put(port, frame):
        try:
            port.socket.send(frame)
        except OSError:
            pass  # an unplugged port, or a full one

    while not state["ends"]:
        timeout = -1 if not queue else max(0.0, queue[0][0] - time.monotonic())
        for descriptor, _ in poll.poll(timeout):
            if descriptor == reading.fileno():
                try:
                    reading.recv(64)
                except BlockingIOError:
                    pass
                continue
            source = by_descriptor[descriptor]
            for _ in range(64):
                try:
                    frame = source.socket.recv(HEADER + 70000)
                except BlockingIOError:
                    break
                except OSError:
                    break  # the port was pulled; it comes back by itself
                if len(frame) < HEADER + 14 or source.name in cable.cut:
                    continue
                to, sender = frame[HEADER : HEADER + 6], frame[HEADER + 6 : HEADER + 12]
                learnt[sender] = source
                now = time.monotonic()
                target = None if to[0] & 1 else learnt.get(to)
                if target is not None:
                    if target is not source:
                        send(target, frame, now)
                    continue
                for port in ports:
                    if port is not source:
                        send(port, frame, now)
        now = time.monotonic()
        while queue and queue[0][0] <= now:
            _, _, port, frame = heapq.heappop(queue)
            # Frames on their way when the cable was cut are lost.
            if port.name not in cable.cut:
                put(port, frame)
        if state["rereads"]:
            state["rereads"] = False
            cable.read()


main()
