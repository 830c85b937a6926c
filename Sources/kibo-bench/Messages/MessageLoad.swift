import Basics
import ControlProtocol
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

    /// Sends one message and returns its time.
    func latency(_ number: Int) throws -> Duration {
        let clocks = SystemClocks()
        let begin = clocks.now
        let request = try send("one \(number)")
        try client.flush(timeout: Self.limit)
        var event = try listener.nextEvent(timeout: Self.limit)
        // The offer of a file is a message too, but not one of ours.
        while let file = event, file.data["kind"]?.string == "file" {
            event = try listener.nextEvent(timeout: Self.limit)
        }
        try expect("one \(number)", event)
        let duration = clocks.now - begin
        _ = try client.reply(to: request, timeout: Self.limit)
        return duration
    }

    /// The time from the first request until the receiver's client has the last message.
    func pipelined(_ throughput: Int) throws -> Duration {
        let stream = MessageStream(from: client, in: pair.conversation, to: [listener], window: Self.window)
        return try stream.run(throughput) { [pair] in pair.sender.logTail + "\n" + pair.receiver.logTail }
    }

    private func send(_ text: String) throws -> Int64 {
        try client.send("message.send", ["conversation": .string(pair.conversation), "text": .string(text)])
    }

    private func expect(_ text: String, _ event: Event?) throws {
        guard let event else { throw BenchFailure(description: "\"\(text)\" did not arrive within \(Self.limit)") }
        guard event.isOf(.messageAdded), let received = event.data["text"]?.string, received == text else {
            throw BenchFailure(description: "expected \"\(text)\", not \(event.type) \(event.data)")
        }
    }
}
