import Basics
import Reactor
import Runtime
import Store

/// Counts messages for `system.metrics`. It looks them up a moment after their commit, those of many commits at once, so that no
/// message waits for it.
@ReactorActor final class MessageCounter {
    private let environment: Environment
    /// Messages that were stored and are not looked up yet.
    private var waiting: [UUIDv7] = []
    private var timer: TimerToken?
    private static let pause = Duration.milliseconds(200)

    init(environment: Environment) {
        self.environment = environment
        environment.metrics.declare(.messages, ["in", "out"])
    }

    func committed(_ events: [EventRecord]) {
        for record in events {
            if case (.message(let id), .insert) = (record.object, record.change) { waiting.append(id) }
        }
        guard timer == nil, !waiting.isEmpty else { return }
        timer = Reactor.shared.schedule(at: Reactor.shared.now + Self.pause) { [weak self] in self?.look() }
    }

    private func look() {
        timer = nil
        let page = waiting
        waiting = []
        environment.store.read { transaction in
            let own = try transaction.ownAccount()?.account
            return try page.compactMap { try transaction.message($0) }.filter { $0.kind != .system }
                .map { $0.sender == own ? "out" : "in" }
        } then: { [weak self] result in
            for direction in (try? result.get()) ?? [] {
                self?.environment.metrics.count(.messages, direction)
            }
        }
    }
}
