import Basics
import Reactor
import Runtime
import Store

/// Counts messages for `system.metrics`. It looks them up a moment after their commit, those of many commits at once, so that no
/// message waits for it.
@ReactorActor final class MessageCounter {
    private let environment: Environment
    /// The number of the last message that is counted.
    private var counted: Int64
    /// Whether messages were committed since the last look.
    private var isBehind = false
    private var isLooking = false
    private var timer: TimerToken?
    private static let pause = Duration.milliseconds(200)

    /// - Parameter counted: the number of the last message that was here at the start.
    init(environment: Environment, after counted: Int64) {
        self.environment = environment
        self.counted = counted
        environment.metrics.declare(.messages, ["in", "out"])
    }

    func committed(_ events: [EventRecord]) {
        guard events.contains(where: \.isNewMessage) else { return }
        isBehind = true
        lookLater()
    }

    private func lookLater() {
        guard isBehind, !isLooking, timer == nil else { return }
        timer = Reactor.shared.schedule(at: Reactor.shared.now + Self.pause) { [weak self] in self?.look() }
    }

    private func look() {
        (timer, isBehind, isLooking) = (nil, false, true)
        environment.store.read { [counted] transaction in
            try transaction.ownAccount().map { try StoredMessages(after: counted, own: $0.account, in: transaction) }
        } then: { [weak self] result in
            guard let self else { return }
            isLooking = false
            // After an error the next look counts these, too.
            if let stored = try? result.get() {
                counted = stored.last
                environment.metrics.count(.messages, "in", by: UInt64(stored.received))
                environment.metrics.count(.messages, "out", by: UInt64(stored.sent))
            }
            lookLater()
        }
    }
}

extension EventRecord {
    fileprivate var isNewMessage: Bool {
        guard change == .insert, case .message = object else { return false }
        return true
    }
}
