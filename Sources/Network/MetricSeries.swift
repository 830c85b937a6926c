import PeerProtocol
import Runtime
import Vocabulary

extension Metrics {
    /// Declares what the network counts, so that each series is there before it counts anything: Prometheus can't see the
    /// first step of one that appears with it.
    mutating func declareNetwork() {
        let failures = ConnectionFailure.words
        declare("kibo_handshakes_total", "outcome", ["done"] + failures)
        declare("kibo_dials_total", "outcome", ["connected"] + failures)
        declare("kibo_connections_cut_total", "reason", ["not_reading"] + ChannelError.words)
        declare("kibo_sessions_opened_total")
        declare("kibo_sessions_ended_total", "reason", SessionEnd.words)
        declare("kibo_sessions_refused_total", "reason", ["blocked", "copy", "full"])
        declare("kibo_frames_refused_total", "reason", Reason.allCases.map(\.rawValue))
        declare("kibo_frames_ignored_total", "reason", IgnoredFrame.allCases.map(\.rawValue))
        declare("kibo_peer_exchange_pages_refused_total")
    }
}
