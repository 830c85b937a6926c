import PeerProtocol
import Runtime

/// How many of the peers' states and signals that were not obeyed the metrics have counted already.
struct CountedRefusals {
    private var last: [CallRefused: UInt64] = [:]

    /// Counts the refusals that have come since the last time.
    mutating func count(_ refused: [CallRefused: UInt64], in metrics: inout Metrics) {
        guard refused != last else { return }
        for (why, amount) in refused {
            let more = amount &- last[why, default: 0]
            if more > 0, more <= amount {
                metrics.count(.callSignalsRefused, why.rawValue, by: more)
            }
        }
        last = refused
    }
}
