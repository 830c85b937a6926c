import Basics
import ControlProtocol
import Glibc
import TestSupport

/// Sends messages between two daemons with one client at each, and expects each message once and in order.
final class MessageLoad {
    /// Requests on their way at once, as a busy client has.
    static let window = 1_000
    private static let limit = Duration.seconds(60)

    private let pair: Pair
    private let client: ControlClient
    private let listener: ControlClient

    init(_ pair: Pair) throws {
        self.pair = pair
        listener = try pair.listener(["message.added"])
        client = try pair.sender.connect()
    }

    /// Sends one message at a time, after some that are not counted, and returns the time of each.
    func latencies(_ count: Int, warmUp: Int) throws -> [Duration] {
        var durations: [Duration] = []
        for number in 0..<warmUp + count {
            let duration = try latency(number)
            if number >= warmUp { durations.append(duration) }
        }
        return durations
    }

    private func latency(_ number: Int) throws -> Duration {
        let clocks = SystemClocks()
        let begin = clocks.now
        let request = try send("one \(number)")
        try client.flush(timeout: Self.limit)
        var event = try listener.nextEvent(timeout: Self.limit)
        // The offer of a file is a message too, but not one of ours.
        while let found = event, found.data["kind"]?.string == "file" {
            event = try listener.nextEvent(timeout: Self.limit)
        }
        try expect("one \(number)", event)
        let duration = clocks.now - begin
        _ = try client.reply(to: request, timeout: Self.limit)
        return duration
    }

    /// The time from the first request until the receiver's client has the last message. Lines are looked through for what
    /// they have to say and not parsed, as the floor's are, so that the clients' work is a small part of it.
    func pipelined(_ throughput: Int) throws -> Duration {
        let clocks = SystemClocks()
        let begin = clocks.now
        let conversation = pair.conversation
        var (sent, answered, arrived) = (0, 0, 0)
        var wrong: String?
        client.takesLine = { line in
            if Self.find("\"error\"", in: line) { wrong = wrong ?? String(decoding: line, as: UTF8.self) }
            answered += 1
        }
        listener.takesLine = { line in
            // The offer of a file is a message too, but not one of ours.
            if Self.find("\"kind\":\"file\"", in: line) { return }
            if !Self.find("\"text\":\"many \(arrived)\"", in: line) {
                wrong = wrong ?? "expected \"many \(arrived)\", not \(String(decoding: line, as: UTF8.self))"
            }
            arrived += 1
        }
        defer { (client.takesLine, listener.takesLine) = (nil, nil) }
        var lastSign = begin
        while arrived < throughput || answered < throughput {
            var requests: [UInt8] = []
            while sent < throughput, sent - answered < Self.window {
                requests += #"{"jsonrpc":"2.0","id":\#(sent),"method":"message.send","params":{"#.utf8
                requests += #""conversation":"\#(conversation)","text":"many \#(sent)"}}"#.utf8
                requests.append(0x0A)
                sent += 1
            }
            if !requests.isEmpty { try client.sendRaw(requests) }
            let before = (answered, arrived)
            try client.pump()
            try listener.pump()
            if let wrong { throw BenchFailure(description: wrong) }
            if before != (answered, arrived) {
                lastSign = clocks.now
            } else {
                var waits = [client, listener].map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
                _ = poll(&waits, nfds_t(waits.count), 1)
            }
            guard clocks.now - lastSign < Self.limit else {
                throw BenchFailure(
                    description: "stands still: \(sent) sent, \(answered) answered, \(arrived) arrived\n"
                        + pair.sender.logTail + "\n" + pair.receiver.logTail)
            }
        }
        return clocks.now - begin
    }

    private static func find(_ word: String, in line: [UInt8]) -> Bool {
        var word = word
        return line.withUnsafeBufferPointer { line in
            word.withUTF8 { word in
                guard let (text, first) = line.baseAddress.flatMap({ line in word.baseAddress.map { (line, $0) } })
                else { return false }
                return (0..<max(0, line.count - word.count + 1)).contains { memcmp(text + $0, first, word.count) == 0 }
            }
        }
    }

    private func send(_ text: String) throws -> Int64 {
        try client.send("message.send", ["conversation": .string(pair.conversation), "text": .string(text)])
    }

    private func expect(_ text: String, _ event: Event?) throws {
        guard let event else { throw BenchFailure(description: "\"\(text)\" did not arrive within \(Self.limit)") }
        guard event.isOf(.messageAdded), let found = event.data["text"]?.string, found == text else {
            throw BenchFailure(description: "expected \"\(text)\", not \(event.type) \(event.data)")
        }
    }
}
