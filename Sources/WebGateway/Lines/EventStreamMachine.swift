import ControlProtocol

/// One stream of events to a browser, without I/O: what was heard becomes text to be sent, and a browser that is too slow
/// makes the stream rest: the daemon's log holds what it misses meanwhile.
package struct EventStreamMachine: Sendable {
    /// What the owner has to do.
    package enum Effect: Hashable, Sendable {
        /// Call `events.subscribe` with these parameters.
        case subscribe(JSONObject)
        case unsubscribe(Int64)
    }

    private enum State: Hashable, Sendable {
        /// There is no line to the daemon.
        case away
        /// The daemon was asked.
        case asking
        case live(Int64)
        /// It was too slow, and asks again when all is sent. A subscription that is answered meanwhile is of no use.
        case resting
        case ended
    }

    private var state = State.away
    private let notifies: Bool
    /// The last number that the browser knows, and the log that it belongs to.
    private var since: Int64?
    private var sinceEpoch: String?
    /// The log of the present subscription.
    private var epoch = ""
    /// The number before the first one of the present subscription, until one has been heard.
    private var last: Int64?
    /// Text to be sent. The bytes before `sent` have been sent already.
    private var output: [UInt8] = []
    private var sent = 0
    private var saysAway = false

    /// - Parameters:
    ///   - since: the last number that the browser has; nil for a fresh page.
    ///   - epoch: the log that the number belongs to.
    ///   - notifies: whether a page shows notifications of what comes.
    package init(since: Int64?, epoch: String?, notifies: Bool = false) {
        self.since = since
        self.notifies = notifies
        sinceEpoch = epoch
    }

    /// The place at which a stream broke, from `Last-Event-ID`; nil for anything else.
    package static func place(_ id: String) -> (since: Int64, epoch: String)? {
        let parts = id.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let since = Route.number(parts[0]), Route.isID(parts[1]) else { return nil }
        return (since, parts[1])
    }

    /// Bytes that wait to be sent.
    package var waiting: Int { output.count - sent }
    /// Whether the stream is over once all is sent.
    package var hasEnded: Bool { state == .ended }

    // MARK: The line

    package mutating func lineIsUp() -> [Effect] {
        guard state == .away else { return [] }
        return ask()
    }

    package mutating func lineIsDown() {
        guard state != .ended else { return }
        state = .away
        guard !saysAway else { return }
        saysAway = true
        append(event: "away", data: .object([:]))
    }

    /// The daemon has answered `events.subscribe`.
    package mutating func subscribed(_ result: JSONValue) -> [Effect] {
        guard let subscription = result["subscription"]?.integer else { return refused() }
        guard state == .asking else { return [.unsubscribe(subscription)] }
        state = .live(subscription)
        saysAway = false
        epoch = result["epoch"]?.string ?? ""
        last = (result["next"]?.integer).map { max(0, $0 - 1) }
        if since == nil { (since, sinceEpoch) = (last, epoch) }
        var told: JSONObject = [:]
        for name in ["next", "oldest", "epoch"] { told[name] = result[name] }
        append(event: "ready", data: .object(told))
        return []
    }

    /// The daemon didn't take the subscription; the owner tries again later, with ``lineIsUp()``.
    package mutating func refused() -> [Effect] {
        if state == .asking { lineIsDown() }
        return []
    }

    /// An event of this stream's subscription came.
    package mutating func heard(_ event: JSONObject) -> [Effect] {
        guard case .live(let subscription) = state else { return [] }
        var event = event
        event["subscription"] = nil
        if event["type"]?.string == "gap" {
            let data = event["data"] ?? .object([:])
            // The events in the gap are lost; later ones are from this event log.
            (since, sinceEpoch) = (last ?? data["to"]?.integer ?? since, epoch)
            append(event: "gap", data: data)
        } else {
            if let number = event["seq"]?.integer {
                (since, sinceEpoch, last) = (number, epoch, nil)
                append("id: \(number).\(epoch)\n")
            }
            append(data: .object(event))
        }
        guard waiting > WebLimits.streamBacklog else { return [] }
        state = .resting
        return [.unsubscribe(subscription)]
    }

    /// The login is over.
    package mutating func end() -> [Effect] {
        guard state != .ended else { return [] }
        let subscription: Int64? = if case .live(let number) = state { number } else { nil }
        append(event: "ended", data: .object([:]))
        state = .ended
        return subscription.map { [.unsubscribe($0)] } ?? []
    }

    // MARK: The browser

    /// A comment, by which a browser that is gone is noticed. A stream that waits to be read needs none.
    package mutating func beat() {
        if waiting == 0, state != .ended { append(":\n\n") }
    }

    /// Takes up to `most` bytes to send.
    /// - Parameter hasLine: whether there is a line on which a stream that has rested can subscribe again.
    package mutating func drain(_ most: Int, hasLine: Bool) -> (bytes: ArraySlice<UInt8>, effects: [Effect]) {
        let bytes = output[sent...].prefix(max(0, most))
        sent += bytes.count
        var effects: [Effect] = []
        if sent == output.count {
            output = []
            sent = 0
            if state == .resting {
                state = .away
                if hasLine { effects = ask() }
            }
        } else if sent > 256 << 10 {
            output.removeFirst(sent)
            sent = 0
        }
        return (bytes, effects)
    }

    private mutating func ask() -> [Effect] {
        state = .asking
        var parameters: JSONObject = [:]
        if let since {
            parameters["since"] = .integer(since)
            if let sinceEpoch, !sinceEpoch.isEmpty { parameters["epoch"] = .string(sinceEpoch) }
        }
        if notifies { parameters["notifies"] = true }
        return [.subscribe(parameters)]
    }

    private mutating func append(event: String, data: JSONValue) {
        append("event: \(event)\n")
        append(data: data)
    }

    /// JSON has no line ends outside of its strings, and none in them but as escapes.
    private mutating func append(data: JSONValue) {
        append("data: ")
        data.append(to: &output)
        append("\n\n")
    }

    private mutating func append(_ text: String) { output.append(contentsOf: text.utf8) }
}
