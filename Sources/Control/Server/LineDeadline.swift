import Basics
import Reactor

/// Counts the time of a line that has begun and has not ended.
@ReactorActor final class LineDeadline {
    private let expired: @ReactorActor () -> Void
    private var timer: TimerToken?

    init(expired: @escaping @ReactorActor () -> Void) { self.expired = expired }

    /// Call when bytes of a line have come; starts the time if no line had begun.
    func begin() {
        guard timer == nil else { return }
        timer = Reactor.shared.schedule(at: Reactor.shared.now + ControlLimits.controlLineDeadline) { [weak self] in
            self?.expired()
        }
    }

    func end() {
        timer?.cancel()
        timer = nil
    }
}
