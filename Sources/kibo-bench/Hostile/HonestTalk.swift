import Basics
import ControlProtocol
import TestSupport

/// Two friends that write to each other at a steady pace. Each message is sent at its due time, not when the one before
/// has arrived, so that a daemon that stalls shows in the figures.
final class HonestTalk {
    /// Messages per second, alternating between both sides.
    static let rate = 20
    private static let limit = Duration.seconds(60)

    private struct Side {
        let client: ControlClient
        let conversation: String
        /// Texts on their way, each with the time when it was sent.
        var waiting: [String: Instant] = [:]
    }

    private let clocks = SystemClocks()
    private var sides: [Side]
    private var number = 0
    private let watch: StatusWatch
    /// Milliseconds until each answer to `system.status` of the first daemon, during ``latencies(for:)``.
    private(set) var statuses: [Double] = []

    init(_ one: DaemonProcess, _ other: DaemonProcess) throws {
        watch = try StatusWatch(one)
        sides = try [(one, other), (other, one)].map { own, friend in
            let client = try own.connect()
            try client.call("events.subscribe", ["types": ["message.changed"], "ephemeral": false])
            return Side(client: client, conversation: try own.conversation(with: friend))
        }
    }

    /// Milliseconds from the request until the sender's client has got "delivered", for each message.
    func latencies(for time: Duration) throws -> [Double] {
        let begin = clocks.now
        let count = Int(time.milliseconds) * Self.rate / 1_000
        var times: [Double] = []
        var sent = 0
        while times.count < count {
            if sent < count, clocks.now - begin >= .milliseconds(sent * 1_000 / Self.rate) {
                try send()
                sent += 1
            }
            times += try listen()
            try watch.look()
            guard clocks.now - begin < time + Self.limit else {
                throw BenchFailure(description: "\(count - times.count) of \(count) messages were not delivered")
            }
        }
        statuses = watch.drain()
        return times
    }

    private func send() throws {
        number += 1
        let (side, text) = (number % 2, "talk \(number)")
        sides[side].waiting[text] = clocks.now
        _ = try sides[side].client.send(
            "message.send", ["conversation": .string(sides[side].conversation), "text": .string(text)])
        try sides[side].client.flush(timeout: Self.limit)
    }

    /// The messages delivered so far. Waits for a moment if some are awaited, so that waiting costs little.
    private func listen() throws -> [Double] {
        var times: [Double] = []
        let oldest = sides.indices.min { age(sides[$0]) < age(sides[$1]) }
        for index in sides.indices {
            let limit: Duration = index == oldest ? .milliseconds(1) : .zero
            while let event = try sides[index].client.nextEvent(timeout: times.isEmpty ? limit : .zero) {
                guard event.data["state"]?.string == "delivered", let text = event.data["text"]?.string,
                    let begin = sides[index].waiting.removeValue(forKey: text)
                else { continue }
                times.append((clocks.now - begin).inMilliseconds)
            }
            while sides[index].client.bufferedReply() != nil {}
        }
        return times
    }

    /// The time when the side's oldest waiting message was sent.
    private func age(_ side: Side) -> Instant { side.waiting.values.min() ?? Instant(nanoseconds: .max) }
}
