import PeerProtocol
import Runtime

extension PeerNetwork {
    /// Of connections that have not proved who they are.
    var halfOpen: HalfOpenTable { listener.table }

    /// A session has ended.
    func count(_ session: PeerSession, _ end: SessionEnd) {
        environment.metrics.count("kibo_sessions_ended_total", ("reason", end.word))
        session.countFrames(in: &environment.metrics)
    }

}

extension PeerSession {
    /// What its peer has sent in vain.
    func countFrames(in metrics: inout Metrics) {
        for (reason, count) in machine.refused {
            metrics.count("kibo_frames_refused_total", ("reason", reason.rawValue), by: count)
        }
        for (reason, count) in machine.ignored {
            metrics.count("kibo_frames_ignored_total", ("reason", reason.rawValue), by: count)
        }
    }
}
