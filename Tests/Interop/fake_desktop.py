"""A desktop's notification server, by the specification (1.3), on a bus of the test's own.

    fake_desktop.py BUS ORDERS CAPABILITY…

Each call is printed as a line of JSON: {"call": "show", "id": 1, "replaces": 0, "title": …, "body": …, "actions": […], "hints":
{…}, "expires": -1} or {"call": "close", "id": 1}. A line in the named pipe ORDERS makes the user do something: "press ID ACTION", "reply ID TEXT",
"dismiss ID". It prints {"call": "ready"} when it has its name. It is for tests of kibod only.
"""

import json
import os
import select
import sys

from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.Notifications"
PLACE = DBusAddress("/org/freedesktop/Notifications", bus_name=NAME, interface=NAME)


def say(**line):
    print(json.dumps(line), flush=True)


class Desktop:
    def __init__(self, connection, capabilities):
        self.connection = connection
        self.capabilities = capabilities
        self.last = 0
        self.shown = set()

    def answer(self, message):
        fields = message.header.fields
        if fields.get(HeaderFields.interface) not in (None, NAME):
            return
        member = fields.get(HeaderFields.member)
        if member == "GetCapabilities":
            reply = new_method_return(message, "as", (self.capabilities,))
        elif member == "GetServerInformation":
            reply = new_method_return(message, "ssss", ("fake", "kibo", "1", "1.2"))
        elif member == "Notify":
            _, replaces, _, title, body, actions, hints, expires = message.body
            hints = {name: value for name, (_, value) in hints.items()}
            known = replaces in self.shown
            if not known:
                self.last += 1
            number = replaces if known else self.last
            self.shown.add(number)
            # The line comes after the answer: a test that has read it may kill this program.
            self.connection.send(new_method_return(message, "u", (number,)))
            say(call="show", id=number, replaces=replaces, title=title, body=body, actions=actions, hints=hints, expires=expires)
            return
        elif member == "CloseNotification":
            (number,) = message.body
            say(call="close", id=number)
            reply = new_method_return(message)
            self.connection.send(reply)
            return self.closed(number, 3)
        else:
            reply = new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")
        self.connection.send(reply)

    def closed(self, number, reason):
        if number in self.shown:
            self.shown.discard(number)
            self.connection.send(new_signal(PLACE, "NotificationClosed", "uu", (number, reason)))

    def act(self, line):
        words = line.split(" ", 2)
        number = int(words[1])
        if words[0] == "press":
            self.connection.send(new_signal(PLACE, "ActionInvoked", "us", (number, words[2])))
            self.closed(number, 2)
        elif words[0] == "reply":
            self.connection.send(new_signal(PLACE, "NotificationReplied", "us", (number, words[2])))
            self.closed(number, 2)
        elif words[0] == "dismiss":
            self.closed(number, 2)


def main():
    connection = open_dbus_connection(sys.argv[1])
    desktop = Desktop(connection, sys.argv[3:])
    # Calls come as soon as the name is there, before the bus's answer to this; waiting for that would drop them.
    connection.send(message_bus.RequestName(NAME))
    # A pipe that is open for writing, too, never ends.
    pipe = os.open(sys.argv[2], os.O_RDWR)
    orders = b""
    while True:
        ready, _, _ = select.select([connection.sock, pipe], [], [])
        if connection.sock in ready:
            message = connection.receive(timeout=5)
            while message is not None:
                if message.header.message_type is MessageType.method_call:
                    desktop.answer(message)
                elif message.header.message_type is MessageType.method_return:
                    assert message.body[0] == 1, message
                    say(call="ready")
                message = connection.parser.get_next_message()
        if pipe in ready:
            orders += os.read(pipe, 1 << 14)
            *lines, orders = orders.split(b"\n")
            for line in lines:
                desktop.act(line.decode())


if __name__ == "__main__":
    main()
