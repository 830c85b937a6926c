import Basics
import ControlProtocol
import Glibc
import TestSupport

/// Many messages under way at the same time, from one client to several. Each of those must get all of them in order.
struct MessageStream {
    private static let limit = Duration.seconds(60)

    private let client: ControlClient
    private let conversation: String
    private let listeners: [ControlClient]
    /// How many requests are on their way at most.
    private let window: Int

    init(from client: ControlClient, in conversation: String, to listeners: [ControlClient], window: Int) {
        self.client = client
        self.conversation = conversation
        self.listeners = listeners
        self.window = window
    }

    /// The time from the first request until each listener has the last message. Lines are searched and not parsed, as
    /// in the measurement of the floor, so that the clients' work is only a small part of the time.
    /// - Parameter logs: makes the text to report if nothing arrives any more.
    func run(_ count: Int, logs: () -> String) throws -> Duration {
        let clocks = SystemClocks()
        let begin = clocks.now
        var (sent, answered) = (0, 0)
        var arrived = [Int](repeating: 0, count: listeners.count)
        var wrong: String?
        client.takesLine = { line in
            if Self.find("\"error\"", in: line) { wrong = wrong ?? String(decoding: line, as: UTF8.self) }
            answered += 1
        }
        for (index, listener) in listeners.enumerated() {
            listener.takesLine = { line in
                // The offer of a file is a message too, but not one of ours.
                if Self.find("\"kind\":\"file\"", in: line) { return }
                if !Self.find("\"text\":\"many \(arrived[index])\"", in: line) {
                    wrong = wrong ?? "expected \"many \(arrived[index])\", not \(String(decoding: line, as: UTF8.self))"
                }
                arrived[index] += 1
            }
        }
        defer { for one in [client] + listeners { one.takesLine = nil } }
        var lastSign = begin
        while answered < count || arrived.contains(where: { $0 < count }) {
            var requests: [UInt8] = []
            while sent < count, sent - answered < window {
                requests += #"{"jsonrpc":"2.0","id":\#(sent),"method":"message.send","params":{"#.utf8
                requests += #""conversation":"\#(conversation)","text":"many \#(sent)"}}"#.utf8
                requests.append(0x0A)
                sent += 1
            }
            if !requests.isEmpty { try client.sendRaw(requests) }
            let before = (answered, arrived)
            for one in [client] + listeners { try one.pump() }
            if let wrong { throw BenchFailure(description: wrong) }
            if before != (answered, arrived) {
                lastSign = clocks.now
            } else {
                var waits = ([client] + listeners).map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
                _ = poll(&waits, nfds_t(waits.count), 1)
            }
            guard clocks.now - lastSign < Self.limit else {
                throw BenchFailure(
                    description: "stands still: \(sent) sent, \(answered) answered, \(arrived) arrived\n" + logs())
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
}
