import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// The control socket's rules, against a real daemon.
@Suite("The control socket of a real daemon", .serialized)
struct ControlProcessTests {
    /// Sends one line and returns the answer to it.
    private func ask(_ line: String, _ client: ControlClient) throws -> RPCResponse {
        try client.sendRaw(Array((line + "\n").utf8))
        return try client.nextReply(timeout: .seconds(10))
    }

    private func code(_ response: RPCResponse) -> Int64? {
        if case .error(let error) = response.outcome { error.code } else { nil }
    }

    @Test("Malformed lines, unknown methods and parameters get the errors of the contract, and the connection goes on")
    func errors() throws {
        let daemon = try DaemonProcess(name: "Anna", options: .init())
        try daemon.start()
        let client = try daemon.connect()
        #expect(code(try ask("{nonsense", client)) == -32700)
        #expect(code(try ask("[]", client)) == -32600)
        #expect(code(try ask("42", client)) == -32600)
        #expect(code(try ask(#"{"jsonrpc":"2.0","id":1,"method":"no.such"}"#, client)) == -32601)
        #expect(code(try ask(#"{"jsonrpc":"2.0","id":1,"method":"dream.read","params":{}}"#, client)) == -32601)
        let unknown = try ask(#"{"jsonrpc":"2.0","id":2,"method":"system.status","params":{"colour":"red"}}"#, client)
        guard case .error(let error) = unknown.outcome else {
            Issue.record("an unknown parameter was accepted")
            return
        }
        #expect(error.code == -32602)
        #expect(error.field == "colour")
        #expect(unknown.id == .integer(2))
        let noAccount = try ask(#"{"jsonrpc":"2.0","id":"x","method":"contact.list"}"#, client)
        guard case .error(let refused) = noAccount.outcome else {
            Issue.record("contacts were listed without an account")
            return
        }
        #expect(refused.kind == .noAccount)
        #expect(refused.hint != nil)
        #expect(code(try ask(#"{"jsonrpc":"2.0","id":3,"method":"system.status"}"#, client)) == nil)
    }

    @Test("A line of 10 MB is refused and skipped; the next one is answered")
    func longLine() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let client = try daemon.connect()
        try client.sendRaw([UInt8](repeating: UInt8(ascii: "x"), count: 10_000_000))
        #expect(code(try ask("", client)) == -32600)
        #expect(code(try ask(#"{"jsonrpc":"2.0","id":1,"method":"system.status"}"#, client)) == nil)
    }

    @Test("A batch is answered as one array, and notifications get no answer")
    func batch() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let descriptor = try RawUnixSocket(daemon.socketPath)
        let line = #"[{"jsonrpc":"2.0","id":1,"method":"system.status"},{"jsonrpc":"2.0","method":"system.status"},7]"#
        try descriptor.write(line + "\n")
        let reply = try JSONParser.parse(Array(try descriptor.readLine().utf8))
        #expect(reply.array?.count == 2)
        #expect(reply.array?.first?["result"]?["uptime"] != nil)
        #expect(reply.array?.last?["error"]?["code"] == -32600)
    }

    @Test("256 connections are served, and the next one is refused as too many")
    func manyConnections() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        // The launcher already holds one connection.
        let sockets = try (0..<255).map { _ in try RawUnixSocket(daemon.socketPath) }
        for socket in sockets {
            try socket.write(
                #"{"jsonrpc":"2.0","id":1,"method":"system.hello","params":{"client":"t","version":"1"}}"# + "\n")
        }
        for socket in sockets { #expect(try socket.readLine().contains("kibod")) }
        let extra = try RawUnixSocket(daemon.socketPath)
        #expect(try extra.readLine().contains("busy"))
    }

    @Test("The directory is 0700 and the socket 0600")
    func permissions() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        var status = stat()
        #expect(stat(daemon.socketPath, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(stat(daemon.dataPath, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        for name in TemporaryDirectory.names(in: daemon.dataPath) {
            #expect(stat("\(daemon.dataPath)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o077 == 0, "\(name) can be read by others")
        }
    }

    @Test("Events are numbered, replayed for a consumer from its acknowledgement on, and come after the commit")
    func events() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let bertID = try bert.account.id
        let first = try anna.connect()
        let begun = try first.call("events.subscribe", ["consumer": "archive", "since": 0, "ephemeral": false])
        #expect(begun["oldest"] == 1)
        _ = try MessageProcessTests.send("one", from: anna, to: bertID)
        var last: Int64 = 0
        var types: [String] = []
        while let event = try first.nextEvent(timeout: .seconds(2)) {
            let seq = try #require(event.seq)
            #expect(seq == last + 1, "the log has a hole")
            last = seq
            types.append(event.type)
        }
        #expect(
            types.contains("contact.changed") && types.contains("message.added")
                && types.contains("conversation.changed"))
        try anna.call("events.ack", ["consumer": "archive", "seq": .integer(last)])
        let id = try MessageProcessTests.send("two", from: anna, to: bertID).id
        try MessageProcessTests.waitForState(.delivered, of: id, at: anna)
        anna.kill()
        try anna.start()
        let second = try anna.connect()
        _ = try second.call("events.subscribe", ["consumer": "archive", "ephemeral": false])
        let next = try #require(try second.nextEvent(timeout: .seconds(5)))
        #expect(next.seq == last + 1)
    }

    @Test("A client that subscribes and never reads holds up no other")
    func slowSubscriber() throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info)
        let slow = try RawUnixSocket(anna.socketPath)
        try slow.write(#"{"jsonrpc":"2.0","id":1,"method":"events.subscribe","params":{"since":0}}"# + "\n")
        let text = String(repeating: "x", count: 60_000)
        for _ in 0..<200 { _ = try MessageProcessTests.send(text, from: anna, to: bert.account.id) }
        try Patience.until("all to be delivered", within: .seconds(30), report: anna.logTail) {
            try anna.status.queued == 0
        }
        // When it reads at last, it gets every event.
        var added = 0
        while added < 200 {
            if try slow.readLine().contains(#""type":"message.added""#) { added += 1 }
        }
        #expect(added == 200)
    }

    @Test("A line behind a batch takes effect after it, as single lines do")
    func batchKeepsOrder() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let bert = try DaemonProcess.launch(name: "Bert")
        try anna.befriend(bert)
        let to = try bert.account.id
        let socket = try RawUnixSocket(anna.socketPath)
        func request(_ id: Int) -> String {
            #"{"jsonrpc":"2.0","id":\#(id),"method":"message.send","params":{"to":"\#(to)","text":"\#(id)"}}"#
        }
        for round in 0..<5 {
            let first = round * 10 + 1
            try socket.write("[\(request(first)),\(request(first + 1))]\n\(request(first + 2))\n")
            for _ in 0..<2 { _ = try socket.readLine() }
        }
        let list = try anna.call("message.list", ["conversation": .string(try anna.conversation(with: bert))])
        let numbers = (list["messages"]?.array ?? []).compactMap { $0["text"]?.string.flatMap { Int($0) } }
        #expect(numbers.count == 15)
        #expect(numbers == numbers.sorted())
    }
}
