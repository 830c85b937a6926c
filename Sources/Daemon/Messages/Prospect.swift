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

/// Spans of time as people say them.
enum Spans {
    /// `12 s`, `5 min`, `3 h 20 min`, `2 days`.
    static func text(milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1000
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return "\(seconds / 60) min"
        case ..<86_400:
            let minutes = seconds / 60 % 60
            return "\(seconds / 3600) h" + (minutes > 0 ? " \(minutes) min" : "")
        default: return seconds / 86_400 == 1 ? "1 day" : "\(seconds / 86_400) days"
        }
    }

    static func ago(_ time: WallTime, now: WallTime) -> String {
        let span = now.milliseconds - min(time.milliseconds, now.milliseconds)
        return span < 1000 ? "just now" : text(milliseconds: span) + " ago"
    }

    static func until(_ time: WallTime, now: WallTime) -> String {
        let span = time.milliseconds - now.milliseconds
        return span < 1000 ? "now" : "in " + text(milliseconds: span)
    }
}
