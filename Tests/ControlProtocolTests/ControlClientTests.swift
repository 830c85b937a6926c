import Basics
import ControlProtocol
import Foundation
import Testing

/// The other end of a client's socket, played by a thread.
private struct Scene {
    let client: ControlClient
    private let thread: Thread
    private let done = DispatchSemaphore(value: 0)

    /// - Parameter play: what the daemon does; it gets the descriptor, which is closed when it returns.
    init(_ play: @escaping @Sendable (CInt) -> Void) {
        var ends: [CInt] = [-1, -1]
        socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends)
        client = ControlClient(adopting: ends[0])
        let (end, done) = (ends[1], done)
        thread = Thread {
            play(end)
            close(end)
            done.signal()
        }
        thread.start()
    }

    func finish() { done.wait() }
}

/// Reads requests until the client disconnects, and hands each to the body.
private func serve(_ descriptor: CInt, _ body: (RPCRequest) -> Void) {
    var framer = LineFramer()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count <= 0 { return }
        framer.append(buffer[..<count])
        while case .line(let line)? = framer.next() {
            guard case .single(.request(let request)) = RPCIncoming(line: line) else { return }
            body(request)
        }
    }
}

private func put(_ text: String, _ descriptor: CInt) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        if count <= 0 { return }
        bytes = bytes.dropFirst(count)
    }
}

private func reply(_ id: RPCID?, _ result: JSONValue, _ descriptor: CInt) {
    var line: [UInt8] = []
    RPCResponse(id: id ?? .null, result: result).appendLine(to: &line)
    put(String(decoding: line, as: UTF8.self), descriptor)
}

struct ControlClientTests {
    @Test("A caller that polls by itself never waits in the client, and takes what has arrived")
    func pumping() throws {
        let scene = Scene { end in
            serve(end) { request in
                put(Self.event, end)
                reply(request.id, ["done": true], end)
            }
        }
        try scene.client.pump()
        #expect(scene.client.bufferedReply() == nil && scene.client.bufferedEvent() == nil)
        let id = try scene.client.send("a")
        #expect(scene.client.hasOutput)
        var found: RPCResponse?
        while found == nil {
            var wait = pollfd(fd: scene.client.descriptor, events: Int16(POLLIN), revents: 0)
            try scene.client.pump()
            found = scene.client.bufferedReply()
            if found == nil { #expect(poll(&wait, 1, 20_000) == 1) }
        }
        #expect(found?.id == .integer(id) && !scene.client.hasOutput)
        #expect(scene.client.bufferedEvent()?.type == "x" && scene.client.bufferedEvent() == nil)
    }

    private static let event = #"""
        {"jsonrpc":"2.0","method":"event","params":{"subscription":1,"seq":1,"at":2,"type":"x","change":"insert","data":{}}}
        """# + "\n"

    @Test("A call gets its reply although it comes byte by byte; events around it are kept for later")
    func call() throws {
        let scene = Scene { end in
            serve(end) { request in
                put(Self.event, end)
                var line: [UInt8] = []
                RPCResponse(id: request.id ?? .null, result: .object(request.params)).appendLine(to: &line)
                for byte in line { put(String(decoding: [byte], as: UTF8.self), end) }
                put(#"{"jsonrpc":"2.0","method":"notice.of.the.future"}"# + "\n" + Self.event, end)
            }
        }
        #expect(try scene.client.call("a", ["b": 1]) == ["b": 1])
        #expect(try scene.client.nextEvent(timeout: .seconds(5))?.seq == 1)
        #expect(try scene.client.nextEvent(timeout: .seconds(5))?.type == "x")
        #expect(try scene.client.nextEvent(timeout: .milliseconds(10)) == nil)
    }

    @Test("Replies out of order find their requests; other replies can be taken as they come")
    func pipelining() throws {
        let scene = Scene { end in
            var waiting: [RPCRequest] = []
            serve(end) { request in
                waiting.append(request)
                guard waiting.count == 10 else { return }
                for request in waiting.reversed() { reply(request.id, .string(request.method), end) }
                waiting = []
            }
        }
        let ids = try (0..<10).map { try scene.client.send("m\($0)") }
        #expect(try scene.client.reply(to: ids[3], timeout: .seconds(5)) == "m3")
        #expect(try scene.client.reply(to: ids[9], timeout: .seconds(5)) == "m9")
        #expect(try scene.client.nextReply(timeout: .seconds(5)).id == .integer(ids[8]))
        #expect(try scene.client.reply(to: ids[0], timeout: .seconds(5)) == "m0")
    }

    @Test("Thousands of requests are sent before the first reply is read, and neither side stands still")
    func flood() throws {
        // Both directions carry more than their socket buffers hold.
        let text = String(repeating: "x", count: 2_000)
        let scene = Scene { end in serve(end) { reply($0.id, .string(text), end) } }
        for _ in 0..<3_000 { try scene.client.send("m", ["text": .string(text)]) }
        for _ in 0..<3_000 {
            let response = try scene.client.nextReply(timeout: .seconds(20))
            #expect(response.outcome == .result(.string(text)))
        }
    }

    @Test("Refusals carry kind and hint; a timeout leaves the connection good")
    func refusals() throws {
        let scene = Scene { end in
            serve(end) { request in
                if request.method == "slow" { return }
                var line: [UInt8] = []
                RPCResponse(id: request.id ?? .null, error: RPCError(ControlError(.notFound, "no", hint: .seeContacts)))
                    .appendLine(to: &line)
                put(String(decoding: line, as: UTF8.self), end)
            }
        }
        #expect(throws: ClientError.timedOut) { try scene.client.call("slow", timeout: .milliseconds(20)) }
        #expect {
            try scene.client.call("x")
        } throws: { error in
            guard case ClientError.refused(let refusal) = error else { return false }
            return refusal.kind == .notFound && refusal.hint == .seeContacts
        }
    }

    @Test("The client notices that the daemon is gone, but only after it has read what came before")
    func disconnect() throws {
        let scene = Scene { end in
            var buffer = [UInt8](repeating: 0, count: 100)
            _ = read(end, &buffer, buffer.count)
            reply(.integer(1), "last words", end)
        }
        let id = try scene.client.send("a")
        try scene.client.flush()
        scene.finish()
        #expect(try scene.client.reply(to: id, timeout: .seconds(5)) == "last words")
        #expect(throws: ClientError.disconnected) { try scene.client.call("b", timeout: .seconds(5)) }
    }

    @Test(
        "Lines that are not of the protocol cause an error and no crash",
        arguments: ["hello\n", "{}\n", "[1]\n", "{\"id\":1}\n"])
    func garbage(line: String) {
        let scene = Scene { end in
            put(line, end)
            serve(end) { _ in }
        }
        #expect {
            try scene.client.call("a", timeout: .seconds(5))
        } throws: { error in
            guard case ClientError.broken = error else { return false }
            return true
        }
    }

    @Test("A descriptor that becomes readable ends a wait, and the connection stays good")
    func interrupt() throws {
        let scene = Scene { end in serve(end) { if $0.method == "b" { reply($0.id, 1, end) } } }
        var pipes: [CInt] = [-1, -1]
        pipe(&pipes)
        defer { pipes.forEach { close($0) } }
        write(pipes[1], "x", 1)
        scene.client.interruptDescriptor = pipes[0]
        #expect(throws: ClientError.interrupted) { try scene.client.call("a") }
        scene.client.interruptDescriptor = nil
        #expect(try scene.client.call("b", timeout: .seconds(5)) == 1)
    }

    @Test("If no daemon answers, the error says where and why")
    func nobody() {
        for path in ["/nonexistent/kibod.sock", "", String(repeating: "x", count: 108)] {
            #expect {
                try ControlClient.connect(path: path)
            } throws: { error in
                guard case ClientError.noDaemon(path, let reason) = error else { return false }
                return !reason.isEmpty
            }
        }
    }
}
