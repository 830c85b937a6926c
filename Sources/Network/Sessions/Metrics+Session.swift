import Reactor
import Runtime

extension Metrics {
    /// Counts the frames of a session that were refused or ignored.
    @ReactorActor mutating func count(_ session: PeerSession) {
        for (reason, count) in session.machine.refused {
            self.count(.framesRefused, reason.rawValue, by: count)
        }
        for (reason, count) in session.machine.ignored {
            self.count(.framesIgnored, reason.rawValue, by: count)
        }
    }
}
