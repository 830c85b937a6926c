import Basics
import Vocabulary

/// Limits how many requests to be friends are considered from each source, because accounts cost a stranger nothing.
/// Askers from different places (``Asker``) have budgets of their own, so that none can use up another's.
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
    public mutating func acquire(_ source: IPAddress, _ asker: Asker, now: Instant) -> Bool {
        budgets[asker]?.acquire(source, now: now) ?? false
    }
}
