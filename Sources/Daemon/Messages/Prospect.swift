import Basics
import PeerProtocol

/// What was tried to reach a device, and what comes next.
struct DialOutlook: Sendable {
    let address: SocketAddress?
    let isUnderWay: Bool
    /// In a row.
    let failures: Int
    let next: WallTime?
    let last: (at: WallTime, text: String)?

    /// Of several devices the one that is dialled first comes first.
    var order: Int64 { isUnderWay ? 0 : next?.milliseconds ?? .max }
}

/// How it looks for what waits for an account.
struct Prospect: Sendable {
    let isConnected: Bool
    /// Nil if it isn't known where the account could be.
    let dial: DialOutlook?
}

/// How far off a moment is, for the story of a message.
enum Spans {
    static func ago(_ time: WallTime, now: WallTime) -> String {
        let span = now.milliseconds - min(time.milliseconds, now.milliseconds)
        return span < 1000 ? "just now" : SpanText.text(milliseconds: span) + " ago"
    }

    static func until(_ time: WallTime, now: WallTime) -> String {
        let span = time.milliseconds - now.milliseconds
        return span < 1000 ? "now" : "in " + SpanText.text(milliseconds: span)
    }
}
