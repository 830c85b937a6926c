"""One whole story in Firefox, and what that browser does with the loopbacks and with names below localhost."""

import http.server
import os
import socket
import threading
import unittest

from stage import Stage, wait_for

try:
    import firefox
except ImportError:
    firefox = None


class SixServer(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6


class Told(http.server.BaseHTTPRequestHandler):
    """Says which loopback it stands at."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>x</title>" + self.server.server_address[0].encode())

    def log_message(self, *words):
        pass


@unittest.skipIf(firefox is None or firefox.PROGRAM is None, "Firefox is not installed")
class FirefoxStory(unittest.TestCase):
    def setUp(self):
        self.stage = Stage(None)
        self.firefox = firefox.Firefox()
        self.is_done = False

    def tearDown(self):
        if not self.is_done:
            print(f"    Firefox {self.firefox.version} said {self.firefox.said}")
        self.firefox.end()
        self.stage.end(failed=not self.is_done)

    def test_firefox_story(self):
        """In Firefox two people open Kibo by its link, sign up, find each other, become friends, and send and receive"""
        people = [self.stage.person(name) for name in ("Anna", "Ben")]
        names = ["Anna Berg", "Ben Ito"]
        # One as kibo web starts the browser, one by the link that it prints.
        tabs = [self.firefox.tab(address) for address in (people[0].ticket(), people[1].link())]
        for tab, name in zip(tabs, names):
            tab.click("button", "Create an account")
            tab.find("textbox", "Your name")
            tab.type(name)
            tab.click("button", "Create account")
            tab.find("heading", "First steps")
            self.assertNotIn("t=", tab.run("() => location.hash"))
            self.assertTrue(tab.run("() => isSecureContext"))
        anna, ben = tabs
        anna.click("button", "Add Ben Ito")
        anna.click("button", "Send request")
        ben.click("button", "Accept Anna Berg")
        for tab, other in ((anna, "Ben Ito"), (ben, "Anna Berg")):
            tab.run("() => { location.hash = '#/friends'; }")
            tab.see(other, ".pane-list")
            tab.run("() => document.querySelector('.pane-list [data-row]').click()")
            tab.click("button", "Message")
            tab.find("textbox", "Write a message")
        anna.click("textbox", "Write a message")
        anna.type("Good morning from Firefox")
        anna.type("Enter")
        ben.see("Good morning from Firefox", "[role=main]")
        ben.click("textbox", "Write a message")
        ben.type("Good morning!")
        ben.type("Enter")
        anna.see("Good morning!", "[role=main]")
        anna.front()
        wait_for("the text to be read", lambda: ben.run("() => [...document.querySelectorAll('[data-id]')].some((row) => /Good morning!.*Read/s.test(row.textContent))"))
        # The daemon is killed and comes back; what was written meanwhile goes once.
        people[0].kill()
        anna.see("Kibo isn’t running on this computer.")
        anna.click("textbox", "Write a message")
        anna.type("Written meanwhile")
        anna.type("Enter")
        people[0].start()
        ben.see("Written meanwhile", "[role=main]")
        line = people[1].line()
        conversation = line("conversation.list")["conversations"][0]["id"]
        texts = [message["text"] for message in line("message.list", conversation=conversation)["messages"]]
        self.assertEqual(texts, ["Good morning from Firefox", "Good morning!", "Written meanwhile"])
        # What Firefox says by itself of a server that was killed is no word of the page.
        self.assertEqual([word for word in self.firefox.said if "503" not in word and "NetworkError" not in word and "NS_ERROR" not in word], [])
        self.is_done = True

    def test_firefox_loopbacks(self):
        """Firefox looks for a name below localhost at 127.0.0.1 first and at [::1] next, and holds such a page for safe"""
        tab = self.firefox.tab("about:blank")
        told = {}
        for hosts in (("127.0.0.1", "::1"), ("127.0.0.1",), ("::1",)):
            port = 20_000 + int.from_bytes(os.urandom(2), "big") % 9000
            servers = [(SixServer if host == "::1" else http.server.ThreadingHTTPServer)((host, port), Told) for host in hosts]
            for server in servers:
                threading.Thread(target=server.serve_forever, daemon=True).start()
            self.firefox("browsingContext.navigate", context=tab.context, url=f"http://kibo-abcdefghijkl.localhost:{port}/", wait="complete")
            told[hosts] = tab.run("() => document.body.textContent")
            self.assertTrue(tab.run("() => isSecureContext && 'SharedWorker' in window && 'locks' in navigator"))
            for server in servers:
                server.shutdown()
                server.server_close()
        self.assertEqual(told, {("127.0.0.1", "::1"): "127.0.0.1", ("127.0.0.1",): "127.0.0.1", ("::1",): "::1"})
        self.is_done = True
