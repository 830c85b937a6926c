import ControlProtocol
import Glibc
import TestSupport
import Testing

@Suite("Streams and greedy clients", .serialized)
struct WebStreamTests {
    /// Reads a stream's text until a condition holds.
    private func read(
        _ socket: RawSocket, until done: (String) -> Bool, within limit: Duration = .seconds(15)
    ) -> String {
        var text = ""
        while !done(text), case .bytes(let bytes) = socket.read(within: limit) {
            text += String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    @Test("A stream tells what happens, that the daemon is gone and back, and goes on without a hole")
    func story() throws {
        let stage = try GatewayStage()
        let cookie = try stage.logIn()
        let stream = try stage.connect()
        #expect(stream.write(Array(stage.text("GET", "/events", cookie: cookie).utf8)))
        #expect(read(stream) { $0.contains("event: ready") }.contains("text/event-stream"))
        _ = try stage.call("account.update", "{\"statusText\":\"one\"}", cookie: cookie)
        let first = read(stream) { $0.contains("\"one\"") }
        let id = try #require(first.firstMatch(of: /id: (\d+)\.([\w-]+)\n/))
        stage.daemon.kill()
        #expect(read(stream) { $0.contains("event: away") }.contains("event: away"))
        try stage.daemon.start()
        #expect(read(stream) { $0.contains("event: ready") }.contains("event: ready"))
        // A second stream that broke at the first event hears what came since.
        _ = try stage.call("account.update", "{\"statusText\":\"two\"}", cookie: cookie)
        #expect(read(stream) { $0.contains("\"two\"") }.contains("\"two\""))
        let again = try stage.connect()
        let head = stage.text("GET", "/events", cookie: cookie, more: "Last-Event-ID: \(id.1).\(id.2)\r\n")
        #expect(again.write(Array(head.utf8)))
        let replay = read(again) { $0.contains("\"two\"") }
        #expect(replay.contains("\"two\"") && !replay.contains("\"one\""))
    }

    @Test(
        "A stream that is not read costs a bound, the others go on, and afterwards it has missed nothing",
        .enabled(if: Thorough.isWanted))
    func slow() throws {
        let stage = try GatewayStage()
        let cookie = try stage.logIn()
        let slow = try stage.connect()
        var size: CInt = 4_096
        setsockopt(slow.descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        #expect(slow.write(Array(stage.text("GET", "/events", cookie: cookie).utf8)))
        #expect(read(slow) { $0.contains("event: ready") }.contains("event: ready"))
        // Large events, quickly: the stream ends if nothing of it is read for two minutes.
        let status = String(repeating: "🙂", count: 240)
        let count = 3_600
        for index in 1...count {
            try stage.daemon.call("account.update", ["statusText": .string("\(status)\(index)")])
        }
        // Events from the log tell what is true when they are read: only their numbers say which they are.
        let next = try #require(try stage.daemon.call("events.subscribe")["next"]?.integer)
        #expect(try ProcessFigures(pid: try stage.worker()).resident < 64 << 20)
        let first = whole(slow, until: next)
        #expect(first.ranges(of: "event: ready").count >= 1, "the stream never rested")
        // Nothing of it was read for two minutes on a slow machine: then it has ended, and a browser goes on where it was.
        var text = first
        if !text.contains("id: \(next - 1).") {
            let id = try #require(first.matches(of: /id: (\d+\.[\w-]+)\n/).last).1
            let again = try stage.connect()
            let head = stage.text("GET", "/events", cookie: cookie, more: "Last-Event-ID: \(id)\r\n")
            #expect(again.write(Array(head.utf8)))
            text += whole(again, until: next)
        }
        let numbers = text.matches(of: /id: (\d+)\./).compactMap { Int($0.1) }
        #expect(numbers.count == count)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
    }

    /// The blocks that come whole, until the event before `next` or the end of the stream.
    private func whole(_ stream: RawSocket, until next: Int64) -> String {
        var bytes: [UInt8] = []
        while !isThere(next - 1, in: bytes), case .bytes(let more) = stream.read(within: .seconds(20)) {
            bytes += more
        }
        // Between two chunks of the answer stands the length of the second; the events themselves have no carriage return.
        let text = String(decoding: bytes, as: UTF8.self).replacing(/\r\n[0-9a-fA-F]+\r\n/, with: "")
        return String(text[..<(text.ranges(of: "\n\n").last?.upperBound ?? text.startIndex)])
    }

    /// Whether that event is the last thing that came, and is whole.
    private func isThere(_ number: Int64, in bytes: [UInt8]) -> Bool {
        let end = String(decoding: bytes.suffix(3_000), as: UTF8.self)
        return end.ranges(of: "id: \(number).").last.map { end[$0.upperBound...].contains("\n\n") } ?? false
    }

    @Test("Eight streams for a login, sixty-four requests under way, and seventy idle connections harm nobody else")
    func greedy() throws {
        let stage = try GatewayStage()
        let cookie = try stage.logIn()
        var streams: [RawSocket] = []
        for _ in 0..<8 {
            let stream = try stage.connect()
            #expect(stream.write(Array(stage.text("GET", "/events", cookie: cookie).utf8)))
            #expect(read(stream) { $0.contains("event: ready") }.contains("200 OK"))
            streams.append(stream)
        }
        #expect(try stage.ask(stage.text("GET", "/events", cookie: cookie)).status == 429)
        let batch = "[" + Array(repeating: "{\"method\":\"system.status\"}", count: 51).joined(separator: ",") + "]"
        #expect(try stage.ask(stage.text("POST", "/rpc", body: batch, cookie: cookie)).status == 400)
        streams = []
        var idle = try (0..<70).map { _ in try stage.connect() }
        idle = []
        #expect(idle.isEmpty)
        try Patience.until("an answer") {
            try stage.answer(Array(stage.text("GET", "/login", cookie: cookie).utf8))?.status == 200
        }
        let large = stage.text("POST", "/rpc", cookie: cookie).replacing(
            "Content-Length: 0", with: "Content-Length: 1048577")
        #expect(try stage.ask(large).status == 413)
    }

    @Test("A browser that has gone is noticed at once: the daemon doesn't believe that anything can ring there")
    func gone() throws {
        let stage = try GatewayStage()
        let cookie = try stage.logIn()
        func notifying() throws -> Bool {
            (try stage.daemon.call("system.metrics").string ?? "").contains("\nkibo_notifying_clients 1\n")
        }
        for _ in 0..<3 {
            var stream: RawSocket? = try stage.connect()
            #expect(stream?.write(Array(stage.text("GET", "/events?notifies=1", cookie: cookie).utf8)) == true)
            #expect(try read(#require(stream)) { $0.contains("event: ready") }.contains("200 OK"))
            try Patience.until("a client that notifies") { try notifying() }
            stream = nil
            try Patience.until("its end to be noticed", within: .seconds(2)) { try !notifying() }
        }
        // The others go on.
        let other = try stage.connect()
        #expect(other.write(Array(stage.text("GET", "/events", cookie: cookie).utf8)))
        #expect(read(other) { $0.contains("event: ready") }.contains("200 OK"))
        _ = try stage.call("account.update", "{\"statusText\":\"one\"}", cookie: cookie)
        #expect(read(other) { $0.contains("\"one\"") }.contains("\"one\""))
    }

    @Test("A head that drips ends after its time, though each byte comes in time", .enabled(if: Thorough.isWanted))
    func drips() throws {
        let stage = try GatewayStage(account: false)
        let drip = try stage.connect()
        var seconds = 0
        for byte in stage.text("GET", "/", site: "none").utf8 {
            guard drip.write([byte]), drip.read(within: .seconds(1)) == .silence else { break }
            seconds += 1
            if seconds > 60 { break }
        }
        #expect(6...25 ~= seconds)
    }
}
