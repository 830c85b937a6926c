import Runtime

extension PeerSession {
    /// Counts the frames that the peer has sent in vain.
    func countFrames(in metrics: inout Metrics) {
        for (reason, count) in machine.refused {
            metrics.count("kibo_frames_refused_total", ("reason", reason.rawValue), by: count)
        }
        for (reason, count) in machine.ignored {
            metrics.count("kibo_frames_ignored_total", ("reason", reason.rawValue), by: count)
        }
    }
}
