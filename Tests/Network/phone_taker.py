"""A device with LocalSend on this host, which something is given to.

    phone_taker.py PORT DIRECTORY NAME takes|declines|lies|waits

It tells the Kibo at a port of loopback who it is, and keeps what it gets in a directory: each file, and `offer`, what was offered it. One
that lies says that it has another certificate. It runs until it is ended. It needs a package of Tests/Interop/requirements.txt.
"""

import json
import pathlib
import sys
import threading

from phone_receiver import Certificate, Receiver

# An address of its own, so that nothing that others do counts for it.
ADDRESS = "127.0.2.1"


def main(port, directory, name, manner):
    directory = pathlib.Path(directory)

    def offered(line, request, document):
        (directory / "offer").write_text(json.dumps(document))
        if manner == "declines":
            line.answer(403)
            return True
        if manner == "waits":
            line.rest()
        return Receiver.accept(line, request, document)

    def upload(line, request):
        document = json.loads((directory / "offer").read_text())
        content = request.body()
        (directory / pathlib.PurePath(document["files"][request.query["fileId"]]["fileName"]).name).write_bytes(content)
        line.answer(200)
        return True

    receiver = Receiver(
        None, ADDRESS, Certificate(directory, name), name, announced="ab" * 32 if manner == "lies" else None, prepare=offered, upload=upload,
        port=0)
    status, host = receiver.register("127.0.0.1", int(port))
    print(status, host, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
