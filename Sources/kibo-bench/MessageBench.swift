import Basics
import ControlProtocol
import TestSupport

/// (a) What a message costs: from `message.send` until the receiver's client has the event. In between lie a commit to
/// disk at the sender, the network and a commit at the receiver.
struct MessageBench {
    private static let warmUp = 100
    /// Requests on their way at once, as a busy client has them.
    private static let window = 1_000
    private static let limit = Duration.seconds(60)

    let latencies: Int
    let throughput: Int

    func run(_ arguments: Arguments) throws {
        try arguments.finish()
        let pair = try Pair()
        let listener = try pair.listener(["message.added"])
        let client = try pair.sender.connect()

        var milliseconds: [Double] = []
        for number in 0..<Self.warmUp + latencies {
            let duration = try latency(number, pair, client, listener)
            if number >= Self.warmUp { milliseconds.append(duration.inMilliseconds) }
        }
        let figures = Figures(milliseconds)
        report("message, send to event, one at a time, \(latencies) of them:")
        let (p50, p99, longest) = (
            Figures.text(figures.percentile(50), digits: 2), Figures.text(figures.percentile(99), digits: 2),
            Figures.text(figures.largest, digits: 2)
        )
        report("  p50 \(p50) ms, p99 \(p99) ms, longest \(longest) ms")

        let seconds = try pipelined(pair, client, listener).inSeconds
        report("messages, \(Self.window) requests on their way at once, \(throughput) of them:")
        report("  \(Figures.text(Double(throughput) / seconds, digits: 0)) a second, each once and in order")
    }

    private func latency(
        _ number: Int, _ pair: Pair, _ client: ControlClient, _ listener: ControlClient
    ) throws -> Duration {
        let clocks = SystemClocks()
        let begin = clocks.now
        let request = try send("one \(number)", pair, client)
        try client.flush(timeout: Self.limit)
        try expect("one \(number)", try listener.nextEvent(timeout: Self.limit))
        let duration = clocks.now - begin
        _ = try client.reply(to: request, timeout: Self.limit)
        return duration
    }

    /// Time from the first request until the receiver's client has the last message.
    private func pipelined(_ pair: Pair, _ client: ControlClient, _ listener: ControlClient) throws -> Duration {
        let clocks = SystemClocks()
        let begin = clocks.now
        var (sent, answered, arrived) = (0, 0, 0)
        var lastSign = begin
        while arrived < throughput || answered < throughput {
            while sent < throughput, sent - answered < Self.window {
                _ = try send("many \(sent)", pair, client)
                sent += 1
            }
            let (answeredBefore, arrivedBefore) = (answered, arrived)
            while answered < sent, let response = try reply(client) {
                if case .error(let error) = response.outcome { throw ClientError.refused(error) }
                answered += 1
            }
            // Rest in the listener when there is nothing to do: what ends the wait is most likely there.
            let isIdle = answered == answeredBefore && (sent == throughput || sent - answered >= Self.window)
            while arrived < throughput,
                let event = try listener.nextEvent(
                    timeout: isIdle && arrived == arrivedBefore ? .milliseconds(1) : .zero)
            {
                try expect("many \(arrived)", event)
                arrived += 1
            }
            if answered != answeredBefore || arrived != arrivedBefore { lastSign = clocks.now }
            guard clocks.now - lastSign < Self.limit else {
                throw BenchFailure(
                    description: "stands still: \(sent) sent, \(answered) answered, \(arrived) arrived\n"
                        + pair.sender.logTail + "\n" + pair.receiver.logTail)
            }
        }
        return clocks.now - begin
    }

    private func send(_ text: String, _ pair: Pair, _ client: ControlClient) throws -> Int64 {
        try client.send("message.send", ["conversation": .string(pair.conversation), "text": .string(text)])
    }

    private func reply(_ client: ControlClient) throws -> RPCResponse? {
        do {
            return try client.nextReply(timeout: .zero)
        } catch .timedOut {
            return nil
        }
    }

    private func expect(_ text: String, _ event: Event?) throws {
        guard let event else { throw BenchFailure(description: "\"\(text)\" did not arrive within \(Self.limit)") }
        guard event.isOf(.messageAdded), let found = event.data["text"]?.string, found == text else {
            throw BenchFailure(description: "expected \"\(text)\", not \(event.type) \(event.data)")
        }
    }
}
