import PeerProtocol
import Runtime
import Vocabulary

extension Metrics {
    /// Declares what the network counts, so that each series is there before it counts anything: Prometheus can't see the
    /// first step of one that appears with it.
    mutating func declareNetwork() {
        let failures = ConnectionFailure.words
        declare(.handshakes, ["done"] + failures)
        declare(.dials, ["connected"] + failures)
        declare(.connectionsCut, ["not_reading"] + ChannelError.words)
        declare(.sessionsOpened)
        declare(.sessionsEnded, SessionEnd.words)
        declare(.sessionsRefused, ["blocked", "copy", "full"])
        declare(.framesRefused, Reason.allCases.map(\.rawValue))
        declare(.framesIgnored, IgnoredFrame.allCases.map(\.rawValue))
        declare(.peerExchangePagesRefused)
    }
}
