"""None left over: the page calls each method of the contract, or the method stands here with its reason."""

import pathlib
import re
import unittest

WEB = pathlib.Path(__file__).parents[2] / "Web/src"

# What the page does by a route of the gateway, and how the route begins.
BY_ROUTE = {
    "conversation.export": "/export/", "picture.open": "/picture/", "transfer.open": "/file/", "transfer.thumbnail": "/thumb/",
    "upload.open": "/upload/", "events.subscribe": "/events",
}

NOT_IN_WEB = {
    "backup.create": "a browser gets no key, and names no path",
    "backup.check": "the same",
    "backup.restore": "the same",
    "backup.rotate": "the same",
    "recovery.code": "a browser gets no key",
    "recovery.check": "the same",
    "account.recover": "the same",
    "courier.parcels": "courier.list says how much is kept for each friend; who left it is for the command line",
    "events.ack": "the page keeps no state across starts, so it is no consumer",
    "events.unsubscribe": "the gateway ends its subscription with the stream",
    "name.resolve": "a person chooses from lists; nobody types a name that may mean several",
    "message.recent": "a person points at a message; only the command line names one by its place",
    "roster.make": "an administrator makes the file for all hosts, on the command line",
    "roster.check": "the same",
    "rpc.discover": "system.schema is the same, and the page calls that",
    "settings.get": "the list and the events have all settings",
    "system.hello": "the gateway says it",
    "system.metrics": "counters are for those who run many hosts: kibo metrics prints them",
    "system.reload": "an administrator changes the configuration and lets it be read",
    "system.shutdown": "the role web may not end the daemon",
    "transfer.send": "message.send does it, so that the files stand in the chat",
    "upload.list": "an upload that a reload has broken is begun anew; the daemon removes the old one",
}


class Methods(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        contract = (WEB / "contract/methods.ts").read_text()
        cls.methods = re.findall(r'^  "([\w.]+)": \{$', contract, re.M)
        sources = "\n".join(file.read_text() for file in WEB.rglob("*.ts*") if "contract" not in file.parts)
        # A key of the catalogue may be called like a method, and a type only says which methods there are.
        without_words = re.sub(r'\b(?:t|rich)\((?:[^()"]*"[\w.]+")+', "", sources)
        cls.sources = re.sub(r"^type \w+ =.*$", "", without_words, flags=re.M)

    def test_none_left_over(self):
        """The page calls each method of the contract, has a route for it, or says why not"""
        self.assertGreater(len(self.methods), 80)
        missing = [
            method for method in self.methods
            if f'"{method}"' not in self.sources and BY_ROUTE.get(method, "\0") not in self.sources and method not in NOT_IN_WEB
        ]
        self.assertEqual(missing, [])

    def test_no_stale_reason(self):
        """Each reason is about a method of the contract that the page doesn't call"""
        stale = [method for method in NOT_IN_WEB if method not in self.methods or f'"{method}"' in self.sources or method in BY_ROUTE]
        self.assertEqual(stale, [])
