import PeerProtocol

extension PeerNetwork {
    /// Of connections that have not proved who they are.
    var halfOpen: HalfOpenTable { listener.table }

    /// A session has ended.
    func count(_ session: PeerSession, _ end: SessionEnd) {
        context.metrics.count("kibo_sessions_ended_total", ("reason", end.word))
        session.countFrames(in: &context.metrics)
    }

    /// What was counted, with what open sessions have counted so far.
    var counted: Metrics {
        var all = context.metrics
        for session in sessions.all { session.countFrames(in: &all) }
        return all
    }
}

extension PeerSession {
    /// What its peer has sent in vain.
    fileprivate func countFrames(in metrics: inout Metrics) {
        for (reason, count) in machine.refused {
            metrics.count("kibo_frames_refused_total", ("reason", reason.rawValue), by: count)
        }
        for (reason, count) in machine.ignored {
            metrics.count("kibo_frames_ignored_total", ("reason", reason.rawValue), by: count)
        }
    }
}
