import Basics
import Vocabulary

/// Bounds how many requests to be friends are looked at, of each source, since accounts cost a stranger nothing. Those who stand in
/// different places have budgets of their own, so that none of them takes another's.
public struct RequestMeter: Sendable {
    private var budgets: [Asker: SourceBudgets] = [:]

    /// - Parameter salt: unpredictable, so that no peer can aim at a neighbour's share.
    public init(salt: UInt64) {
        for (number, asker) in Asker.allCases.enumerated() {
            budgets[asker] = SourceBudgets(
                PeerLimits.requestsOfSource, six: PeerLimits.requestsOfSix, countsLoopback: true,
                salt: salt &+ UInt64(number))
        }
    }

    /// Whether another request of the source is looked at; if so, it is counted.
    public mutating func take(_ source: IPAddress, _ asker: Asker, now: Instant) -> Bool {
        budgets[asker]?.take(source, now: now) ?? false
    }
}
