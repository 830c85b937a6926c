import Basics
import PeerProtocol

/// The open sessions of all hosts, each with the time of its last use.
struct SimulatedSessions {
    /// Two hosts that have a session.
    struct Pair: Hashable, Comparable {
        let low: Int
        let high: Int

        init(_ one: Int, _ other: Int) {
            low = min(one, other)
            high = max(one, other)
        }

        static func < (left: Pair, right: Pair) -> Bool { (left.low, left.high) < (right.low, right.high) }
    }

    private var used: [Pair: Instant] = [:]

    /// - Returns: whether there was none.
    mutating func open(_ pair: Pair, now: Instant) -> Bool { used.updateValue(now, forKey: pair) == nil }

    /// - Returns: false if there is none.
    mutating func use(_ pair: Pair, now: Instant) -> Bool {
        guard used[pair] != nil else { return false }
        used[pair] = now
        return true
    }

    /// When a session ends unless it is used again.
    func end(of pair: Pair) -> Instant? { used[pair].map { $0 + PeerLimits.strangerIdleTime } }

    mutating func close(_ pair: Pair) { used[pair] = nil }

    /// Ends a host's sessions.
    /// - Returns: the hosts at the far ends.
    mutating func closeAll(of index: Int) -> [Int] {
        let ended = used.keys.filter { $0.low == index || $0.high == index }.sorted()
        for pair in ended { used[pair] = nil }
        return ended.map { $0.low == index ? $0.high : $0.low }
    }
}
