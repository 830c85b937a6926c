"""How a browser comes to the page, and what other programs of the host can do about it."""

import http.server
import re
import socket
import threading
import urllib.parse

from playwright.sync_api import expect

from checks import BrowserTest


class Foreign(http.server.BaseHTTPRequestHandler):
    """Another program's server: it sets cookies, and has a page that leads elsewhere."""

    #: What it sets, and what its page has in it.
    cookies, body = [], ""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        for cookie in self.cookies:
            self.send_header("Set-Cookie", cookie)
        self.end_headers()
        self.wfile.write(f"<!doctype html><title>foreign</title><link rel=icon href=data:,>{self.body}".encode())

    def log_message(self, *words):
        pass


class Both(http.server.ThreadingHTTPServer):
    """Listens on both loopbacks, since a browser looks at ::1 first."""

    address_family = socket.AF_INET6

    def server_bind(self):
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


class Opening(BrowserTest):
    def foreign(self, cookies=(), body=""):
        """The port of another program's server."""
        handler = type("Handler", (Foreign,), {"cookies": list(cookies), "body": body})
        server = Both(("::", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server.server_address[1]

    def test_ticket(self):
        """A browser that is started with a ticket comes to the page once, at its place and can load it again; no page leads there"""
        people, lines, ids = self.friends("Anna Berg")
        anna = people[0]
        ticket = anna.ticket("settings/browser")
        self.assertRegex(ticket, r"^http://127\.0\.0\.1:\d+/go/[\w-]{43}$")
        port = self.foreign(body=f"<a href={ticket}>there</a><iframe src={ticket}></iframe><img src={ticket}>")
        stranger = self.stage.browser.new_context().new_page()
        stranger.goto(f"http://127.0.0.1:{port}/")
        with stranger.expect_response(ticket) as refused:
            stranger.get_by_role("link", name="there").click()
        self.assertEqual(refused.value.status, 403)
        window = self.window_at(ticket)
        page = window.page
        page.get_by_role("heading", name="This browser", exact=True).wait_for()
        self.assertRegex(page.evaluate("location.href"), r"^http://kibo-[a-z]{12}\.localhost:\d+/#/settings/browser$")
        page.reload()
        page.get_by_role("heading", name="This browser", exact=True).wait_for()
        # Another time it leads a browser that is logged in to the page, and no other one in.
        page.goto(ticket)
        page.get_by_role("heading", name="Chats").wait_for()
        other = self.window_at(ticket)
        expect(other.page.get_by_text("This browser isn’t connected to Kibo yet.")).to_be_visible()
        other.said = [text for text in other.said if "status of 401" not in text]
        self.done()

    def test_cookies(self):
        """Another program's server under the page's name sets cookies of ours, and cookies without end: nobody is kept out for good"""
        people, lines, ids = self.friends("Anna Berg")
        window = self.window(people[0])
        page = window.page
        page.get_by_role("heading", name="Chats").wait_for()
        own = urllib.parse.urlsplit(page.evaluate("location.origin"))
        name = f"kibo-{own.port}"
        port = self.foreign([f"{name}={'A' * 43}; Path={path}" for path in ("/rpc", "/events", "/login")])
        page.goto(f"http://{own.hostname}:{port}/")
        page.goto(f"{own.geturl()}/")
        page.get_by_role("heading", name="Chats").wait_for()
        lines[0]("account.update", statusText="still here")
        window.go("me")
        expect(page.get_by_label("Status")).to_have_value("still here")
        # More than a head may have: the browser throws them away, and the person logs in again.
        port = self.foreign([f"a{number}={'x' * 3_900}" for number in range(12)])
        page.goto(f"http://{own.hostname}:{port}/")
        with page.expect_response(f"{own.geturl()}/") as refused:
            page.goto(f"{own.geturl()}/")
        self.assertEqual(refused.value.status, 431)
        # As kibo web does it: in another tab of the same browser.
        other = window.context.new_page()
        other.goto(people[0].link())
        other.get_by_role("heading", name="Chats").wait_for()
        window.said = [text for text in window.said if not re.search("status of (401|431)|Clear-Site-Data", text)]
        self.done()

    def test_moved(self):
        """Another program has the page's port: it is said in the page, until it is read, and the new address works"""
        people, lines, ids = self.friends("Anna Berg")
        anna = people[0]
        before = urllib.parse.urlsplit(anna.link())
        anna.kill_gateway()
        anna.release()
        thief = socket.create_server(("127.0.0.1", before.port))
        self.addCleanup(thief.close)
        anna.serve()
        window = self.window(anna)
        page = window.page
        page.get_by_role("heading", name="Chats").wait_for()
        now = urllib.parse.urlsplit(page.evaluate("location.origin"))
        self.assertNotEqual((now.hostname, now.port), (before.hostname, before.port))
        told = page.get_by_text(f"Another program is using port {before.port}, so this page has moved to port {now.port}")
        expect(told).to_be_visible()
        self.accessible(window, "the page has moved")
        window.button("Got it").click()
        expect(told).to_have_count(0)
        page.reload()
        page.get_by_role("heading", name="Chats").wait_for()
        expect(told).to_have_count(0)
        self.done()

    def test_lent(self):
        """Another program had the page's port for a time: what it has left in the browser runs under a name of the past, and the open tab says what to do"""
        people, lines, ids = self.friends("Anna Berg")
        anna = people[0]
        window = self.window(anna)
        page = window.page
        page.get_by_role("heading", name="Chats").wait_for()
        before = urllib.parse.urlsplit(page.evaluate("location.origin"))
        anna.kill_gateway()
        anna.release()
        socket.create_server(("127.0.0.1", before.port)).close()
        anna.serve()
        expect(page.get_by_text("This browser has been logged out.")).to_be_visible()
        now = urllib.parse.urlsplit(anna.link())
        self.assertNotEqual(now.hostname, before.hostname)
        page.reload()
        expect(page.get_by_text("Kibo's page has a new address")).to_be_visible()
        page.goto(anna.link())
        page.get_by_role("heading", name="Chats").wait_for()
        window.said = [text for text in window.said if not re.search("Failed to load|ERR_", text)]
        self.done()

    def test_silent(self):
        """Connections of other pages that say nothing don't stop the page"""
        people, lines, ids = self.friends("Anna Berg")
        window = self.window(people[0])
        page = window.page
        page.get_by_role("heading", name="Chats").wait_for()
        port = urllib.parse.urlsplit(page.evaluate("location.origin")).port
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
        dripping = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
        for connection in dripping:
            connection.sendall(b"GET / HT")
        page.reload()
        page.get_by_role("heading", name="Chats").wait_for(timeout=15_000)
        for connection in silent + dripping:
            connection.close()
        self.done()
