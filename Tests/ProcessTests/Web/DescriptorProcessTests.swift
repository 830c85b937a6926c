import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Descriptors over the control socket: with the right line, to slow and gone clients, and none is left open.
@Suite("Descriptors from a real daemon", .serialized)
struct DescriptorProcessTests {
    private func open(_ daemon: DaemonProcess) throws -> Int {
        TemporaryDirectory.names(in: "/proc/\(try #require(daemon.pid))/fd").count
    }

    private func daemon() throws -> (DaemonProcess, conversation: String) {
        let (anna, bert) = try MessageProcessTests.friends()
        _ = try MessageProcessTests.send("hello", from: anna, to: bert.account.id)
        return (anna, try anna.conversation(with: bert))
    }

    private func text(_ descriptor: CInt) -> String {
        var (bytes, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }

    @Test("An export without a name can be read from its beginning, holds the messages, and leaves no file")
    func export() throws {
        let (anna, conversation) = try daemon()
        let before = (try open(anna), TemporaryDirectory.names(in: anna.dataPath).sorted())
        let client = try anna.connect()
        for role in ["full", "web"] {
            try client.call("system.hello", ["client": "t", "version": "1", "role": .string(role)])
            let (result, descriptor) = try client.callForDescriptor(
                "conversation.export", ["id": .string(conversation), "descriptor": true], timeout: .seconds(10))
            defer { close(descriptor) }
            #expect(result["descriptor"] == true && result["path"] == nil && result["messages"] == 1)
            #expect(text(descriptor).contains(#""text":"hello""#))
        }
        #expect(TemporaryDirectory.names(in: anna.dataPath).sorted() == before.1)
        _ = client
        try Patience.until("the daemon to have closed its own") { try open(anna) <= before.0 + 1 }
    }

    @Test("Many at once among other requests: each reply has its own")
    func many() throws {
        let (anna, conversation) = try daemon()
        let client = try anna.connect()
        var wanted: [Int64] = []
        for _ in 0..<12 {
            wanted.append(try client.send("conversation.export", ["id": .string(conversation), "descriptor": true]))
            _ = try client.send("conversation.list")
        }
        for _ in 0..<24 {
            let response = try client.nextReply(timeout: .seconds(10))
            let descriptor = client.detachDescriptor(of: response.id)
            #expect((descriptor != nil) == wanted.contains { .integer($0) == response.id })
            if let descriptor {
                #expect(text(descriptor).contains("hello"))
                close(descriptor)
            }
        }
    }

    @Test(
        "A client that takes none is refused before long, and its end closes what waits; so does a kill of the client")
    func slow() throws {
        let (anna, conversation) = try daemon()
        let before = try open(anna)
        do {
            let raw = try RawUnixSocket(anna.socketPath)
            let text = String(repeating: "x", count: 60_000)
            for _ in 0..<40 {
                _ = try MessageProcessTests.send(text, from: anna, to: try Contact(json: other(anna)).id)
            }
            // Its own events fill the buffer of the socket first, so that descriptors have to wait in the daemon.
            try raw.write(#"{"jsonrpc":"2.0","id":0,"method":"events.subscribe","params":{"since":0}}"# + "\n")
            for id in 1...400 {
                try raw.write(
                    #"{"jsonrpc":"2.0","id":\#(id),"method":"conversation.export","params":{"id":"\#(conversation)","descriptor":true}}"#
                        + "\n")
            }
            try Patience.until("the daemon to answer others") { try anna.status.uptime > 0 }
            let during = try open(anna)
            #expect(during < before + 40, "\(during - before) descriptors wait for one client")
        }
        try Patience.until("what waited to be closed", report: anna.logTail) { try open(anna) <= before }
    }

    private func other(_ daemon: DaemonProcess) throws -> JSONValue {
        try #require(try daemon.call("contact.list")["contacts"]?.array?.first)
    }

    @Test("In a batch it is refused, alone in its place, and a notification opens nothing that stays")
    func batch() throws {
        let (anna, conversation) = try daemon()
        let before = try open(anna)
        let client = try RawUnixSocket(anna.socketPath)
        let params = #"{"id":"\#(conversation)","descriptor":true}"#
        try client.write(
            #"[{"jsonrpc":"2.0","id":1,"method":"conversation.export","params":\#(params)},{"jsonrpc":"2.0","id":2,"method":"account.get"}]"#
                + "\n")
        let replies = try JSONParser.parse(Array(try client.readLine().utf8)).array ?? []
        #expect(replies.first?["error"]?["code"] == -32600)
        #expect(replies.last?["result"] != nil)
        for _ in 0..<50 {
            try client.write(#"{"jsonrpc":"2.0","method":"conversation.export","params":\#(params)}"# + "\n")
        }
        try client.write(#"{"jsonrpc":"2.0","id":3,"method":"account.get"}"# + "\n")
        _ = try client.readLine()
        try Patience.until("all to be closed") { try open(anna) <= before + 1 }
    }
}
