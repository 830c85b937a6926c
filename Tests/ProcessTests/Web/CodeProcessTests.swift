import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// `code.read` at a real daemon: what a page can do with it at full speed, and what a picture can do.
@Suite("Codes at a real daemon", .serialized)
struct CodeProcessTests {
    private func parameters(_ picture: GreyPicture) -> JSONObject {
        [
            "width": .integer(Int64(picture.width)), "height": .integer(Int64(picture.height)),
            "luma": .string(Base64.encode(picture.greys)),
        ]
    }

    private func refusal(_ client: ControlClient, _ params: JSONObject) throws -> RPCError? {
        do {
            try client.call("code.read", params, timeout: .seconds(30))
            return nil
        } catch ClientError.refused(let refusal) {
            return refusal
        }
    }

    @Test("The daemon reads its own codes, for a gateway too; pictures of another size than they say are refused")
    func read() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let client = try anna.connect()
        try client.call("system.hello", ["client": "gateway", "version": "1", "role": "web"], timeout: .seconds(10))
        let link = try anna.call("account.link")
        var picture = GreyPicture(width: 512, height: 512)
        picture.draw(GreyPicture.squares(of: link["qr"]?.string ?? ""), x: 30, y: 60, scale: 5)
        let found = try client.call("code.read", parameters(picture), timeout: .seconds(30))
        #expect(found["texts"] == .strings([link["uri"]?.string ?? "none"]))

        var wrong: [JSONObject] = []
        for (name, value) in [
            ("width", 0), ("width", 513), ("height", -1), ("width", 511), ("height", .integer(.min)), ("luma", ""),
            ("luma", "AAAA"),
            ("luma", "%%%%"), ("luma", .string(String(repeating: "A", count: 349_529))), ("luma", 5),
        ] as [(String, JSONValue)] {
            var params = parameters(picture)
            params[name] = value
            wrong.append(params)
        }
        for params in wrong {
            let refused = try #require(try refusal(client, params))
            #expect(refused.kind == .invalid || refused.code == -32_602, "\(refused)")
        }
        #expect(
            try client.call("code.read", parameters(GreyPicture(width: 1, height: 1)), timeout: .seconds(30))["texts"]
                == [])
    }

    @Test("A picture that takes too long holds up its own client alone: a second one is busy, and all else is answered")
    func bomb() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let (first, second) = (try anna.connect(), try anna.connect())
        let bomb = parameters(.bomb())
        let clocks = SystemClocks()
        let begin = clocks.now
        let running = try first.send("code.read", bomb)
        let refused = try #require(try refusal(first, bomb))
        #expect(refused.kind == .busy && refused.isRetryable)
        let asked = clocks.now
        try anna.call("account.get")
        #expect(clocks.now - asked < .seconds(1))
        // Another client waits for its turn, and gets its answer.
        #expect(
            try second.call("code.read", parameters(GreyPicture(width: 30, height: 30)), timeout: .seconds(30))["texts"]
                == [])
        #expect(try first.reply(to: running, timeout: .seconds(30))["texts"] == [])
        #expect(clocks.now - begin < .seconds(15))
        // A client may go while its picture is looked through.
        do {
            let gone = try anna.connect()
            _ = try gone.send("code.read", bomb)
            try gone.flush(timeout: .seconds(5))
        }
        // As many as may wait do, and more are refused. The line is made once, because that takes as long as a picture here.
        let line =
            JSONValue.object(["jsonrpc": "2.0", "id": 7, "method": "code.read", "params": .object(bomb)]).text + "\n"
        let clients = try (0..<8).map { _ in try RawUnixSocket(anna.socketPath) }
        for client in clients { try client.write(line) }
        let busy = try clients.count { try $0.readLine().contains(#""kind":"busy""#) }
        #expect(1...7 ~= busy)
        #expect(
            try first.call("code.read", parameters(GreyPicture(width: 30, height: 30)), timeout: .seconds(30))["texts"]
                == [])
    }

    @Test("A kibo-media that is killed while it looks gives no texts, and the next picture is read")
    func killed() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let client = try anna.connect()
        let id = try client.send("code.read", parameters(.bomb()))
        try client.flush(timeout: .seconds(5))
        let daemon = try #require(anna.pid)
        var children: [pid_t] = []
        try Patience.until("kibo-media to run") {
            children = (try? Self.children(of: daemon)) ?? []
            return !children.isEmpty
        }
        for child in children { Glibc.kill(child, SIGKILL) }
        #expect(try client.reply(to: id, timeout: .seconds(10))["texts"] == [])
        try Patience.until("the log to say so", report: anna.logTail) {
            anna.log.contains("could not be looked through")
        }
        let link = try anna.call("account.link")
        var picture = GreyPicture(width: 400, height: 400)
        picture.draw(GreyPicture.squares(of: link["qr"]?.string ?? ""), x: 10, y: 10, scale: 5)
        let found = try client.call("code.read", parameters(picture), timeout: .seconds(30))
        #expect(found["texts"] == .strings([link["uri"]?.string ?? "none"]))
    }

    /// The processes that a daemon's threads have started.
    private static func children(of pid: pid_t) throws -> [pid_t] {
        try TemporaryDirectory.names(in: "/proc/\(pid)/task").flatMap { thread in
            try TextFile.text("/proc/\(pid)/task/\(thread)/children").split(separator: " ").compactMap { pid_t($0) }
        }
    }
}
