"""A phone with LocalSend, as far as it gives something to a Kibo: a small client of the protocol's version 2.1."""

import http.client
import itertools
import json
import ssl
import sys
import threading
import urllib.parse

#: How long the phone waits for an answer, in seconds.
PATIENCE = 60
#: Each offer comes from an address of its own: after one was declined, nothing of its address is shown for a minute.
ADDRESSES = (f"127.0.1.{number}" for number in itertools.count(1))


class Phone:
    """A device that offers to the Kibo of this host at a port."""

    def __init__(self, port, name="Nice Orange", model="Pixel", secure=True):
        self.port, self.secure = port, secure
        self.info = {
            "alias": name, "version": "2.1", "deviceModel": model, "deviceType": "mobile", "fingerprint": f"of {name}",
            "port": 53317, "protocol": "https" if secure else "http", "download": False,
        }

    def post(self, path, body=b"", kind="application/json", source="127.0.0.1", **query):
        """Posts, and returns the status and the body of the answer."""
        if self.secure:
            # Devices sign their certificates themselves.
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            line = http.client.HTTPSConnection(
                "127.0.0.1", self.port, timeout=PATIENCE, source_address=(source, 0), context=context)
        else:
            line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE, source_address=(source, 0))
        try:
            more = f"?{urllib.parse.urlencode(query)}" if query else ""
            line.request("POST", f"/api/localsend/v2/{path}{more}", body, {"Content-Type": kind})
            answer = line.getresponse()
            return answer.status, answer.read()
        finally:
            line.close()

    def offer(self, files, text=None, **query):
        """Begins to offer files, a dictionary from names to bytes, or a text. The user answers later."""
        offered = {
            f"id{number}": {"id": f"id{number}", "fileName": name, "size": len(content), "fileType": kind_of(name)}
            for number, (name, content) in enumerate(files.items())
        }
        if text is not None:
            offered = {"id0": {"id": "id0", "fileName": "text.txt", "size": len(text.encode()), "fileType": "text/plain", "preview": text}}
        return Offer(self, {f"id{number}": content for number, content in enumerate(files.values())}, offered, query)


class Offer(threading.Thread):
    """An offer that waits for the user in a thread of its own."""

    def __init__(self, phone, contents, offered, query):
        super().__init__(daemon=True)
        self.phone, self.contents, self.query = phone, contents, query
        self.source = next(ADDRESSES)
        self.body = json.dumps({"info": phone.info, "files": offered}).encode()
        self.status, self.answer, self.problem = None, None, None
        self.start()

    def run(self):
        try:
            self.status, body = self.phone.post("prepare-upload", self.body, source=self.source, **self.query)
            self.answer = json.loads(body) if body else None
        except (OSError, http.client.HTTPException, ValueError) as problem:
            self.problem = problem

    def answered(self):
        """Waits for the user's answer, and returns its status."""
        self.join(PATIENCE)
        assert not self.is_alive(), "nobody has answered the offer"
        assert self.problem is None, self.problem
        return self.status

    def wanted(self):
        """The ids of the files that the user takes."""
        return sorted(self.answer["files"])

    def give(self, id):
        """Gives one of the files that are taken, and returns the status."""
        session, token = self.answer["sessionId"], self.answer["files"][id]
        return self.phone.post(
            "upload", self.contents[id], "application/octet-stream", self.source, sessionId=session, fileId=id, token=token)[0]


def kind_of(name):
    return {"jpg": "image/jpeg", "pdf": "application/pdf", "txt": "text/plain"}.get(name.rsplit(".", 1)[-1], "application/octet-stream")


def content(name, path):
    """What is in a file of this name: what is at the path, or without one the name a thousand times."""
    if not path:
        return name.encode() * 1000
    with open(path, "rb") as file:
        return file.read()


def main(port, *words):
    """Offers files to the Kibo at a port, gives what the user takes, and prints what it was answered. A word is a name, or NAME<PATH."""
    files = (word.partition("<") for word in words)
    offer = Phone(int(port)).offer({name: content(name, path) for name, _, path in files})
    print(offer.answered(), *(f"{id} {offer.give(id)}" for id in (offer.wanted() if offer.status == 200 else [])), sep="\n", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
